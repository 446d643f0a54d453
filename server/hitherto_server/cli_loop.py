"""`hitherto loop`: which tasks are worked on in iterations, how far each is, and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hitherto_server.cli_shared import (
    HELP_STYLE,
    Json,
    ask,
    echo_lines,
    folder,
    one_line,
    own_session,
    print_json,
)
from hitherto_server.core.clock import minute_of
from hitherto_server.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator

OPENING_CHARS = 80
MOST_LISTED = 200

loop_app = typer.Typer(
    help="Tasks that an agent works on in iterations.",
    no_args_is_help=True,
    rich_markup_mode=HELP_STYLE,
)
Session = Annotated[
    str | None,
    typer.Option("--session", help="A session by its id; else the one that goes on here."),
]


@loop_app.command("list")
def list_loops(
    *,
    ended: Annotated[bool, typer.Option("--all", help="Also those that have ended.")] = False,
    as_json: Json = False,
) -> None:
    """List the loops of all folders, those that go on first."""
    answer = ask("/v1/loops", {"ended": ended, "actor": "cli"})
    if as_json:
        print_json(answer)
    elif not answer["loops"]:
        typer.echo("No loop goes on.")
    else:
        echo_lines(line for one in answer["loops"] for line in _told(one))


@loop_app.command("status")
def status(*, session: Session = None, as_json: Json = False) -> None:
    """Say how far a loop is, with its journal."""
    answer = _do("status", session or _here(ended=True))
    if as_json:
        print_json(answer)
    elif answer["loop"] is None:
        typer.echo("That session has had no loop.")
    else:
        echo_lines(_told(answer["loop"]))


@loop_app.command("stop")
def stop(*, session: Session = None, as_json: Json = False) -> None:
    """End a loop; the iteration that is at work comes to its end."""
    answer = _do("stop", session or _here(ended=False))
    if as_json:
        print_json(answer)
    else:
        echo_lines(_told(answer["loop"]))


def _do(action: str, session: str) -> dict[str, Any]:
    return ask("/v1/loop", {"action": action, "session_id": session, "actor": "cli"})


def _here(*, ended: bool) -> str:
    """Return the session that is meant where none is named: this one, else the only one here."""
    if own := own_session():
        return own
    place = {"project_dir": folder(), "actor": "cli", "limit": MOST_LISTED}
    loops = ask("/v1/loops", place)["loops"]
    if not loops and ended:
        loops = ask("/v1/loops", {**place, "ended": True, "limit": 1})["loops"]
    if not loops:
        message = "no loop goes on in this folder"
        raise NotFound(message, mend="`hitherto loop list` shows those of all folders.")
    if len(loops) > 1:
        message = f"{len(loops)} loops go on in this folder"
        raise InvalidInput(message, mend="Name one by --session: see `hitherto loop list`.")
    return str(loops[0]["session_id"])


def _told(one: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that tell one loop."""
    why = f" ({one['reason']})" if one["reason"] else ""
    count = f"iteration {one['iteration']} of at most {one['most_iterations']}"
    until = one["ended_at_ms"] or one["until_ms"]
    yield f"{one['state']}{why} · {count} · until {minute_of(until)} · session {one['session_id']}"
    yield f"  {one_line(one['task'], OPENING_CHARS)}"
    for entry in one["journal"]:
        yield f"  {entry['iteration']}: {one_line(entry['text'], 2 * OPENING_CHARS)}"
