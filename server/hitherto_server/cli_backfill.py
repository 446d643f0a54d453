"""`hitherto judge backfill` and `hitherto judge jobs`: judged work in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hitherto_server.cli_progress import progress
from hitherto_server.cli_shared import HELP_STYLE, LONG_S, Json, ask, echo_lines, print_json
from hitherto_server.core.clock import minute_of
from hitherto_server.core.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator

SECOND_MS = 1000
SHOWN_FAILURES = 10

backfill_app = typer.Typer(
    help="Have judged what was written before anybody judged.",
    no_args_is_help=True,
    rich_markup_mode=HELP_STYLE,
)


@backfill_app.command("estimate")
def estimate(*, as_json: Json = False) -> None:
    """Say what is unjudged and what judging it would take; nobody is asked for it."""
    with progress("Counting"):
        found = ask("/v1/backfill/estimate", timeout_s=LONG_S)
    if as_json:
        print_json(found)
    else:
        echo_lines(_estimated(found))


@backfill_app.command("start")
def start(
    *,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Send what the estimate told of to the backend.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Judge what is unjudged, in the background; without --confirm, only say what that takes."""
    if not confirm:
        estimate(as_json=as_json)
        if not as_json:
            typer.echo("Nothing was begun: `hitherto judge backfill start --confirm` begins it.")
        return
    _change("start", as_json=as_json, confirm=True)


@backfill_app.command("pause")
def pause(*, as_json: Json = False) -> None:
    """Let the backfill rest."""
    _change("pause", as_json=as_json)


@backfill_app.command("resume")
def resume(*, as_json: Json = False) -> None:
    """Go on with a backfill that rests."""
    _change("resume", as_json=as_json)


@backfill_app.command("cancel")
def cancel(*, as_json: Json = False) -> None:
    """End the backfill; what was judged stays."""
    _change("cancel", as_json=as_json)


@backfill_app.command("status")
def status(*, as_json: Json = False) -> None:
    """Say how far the newest backfill is, and what it found."""
    _tell(ask("/v1/backfill"), as_json=as_json)


def jobs(
    *,
    retry: Annotated[bool, typer.Option("--retry", help="Take up again what failed.")] = False,
    cancel: Annotated[bool, typer.Option("--cancel", help="Give up all that waits.")] = False,
    as_json: Json = False,
) -> None:
    """Say what of the background's judged work waits, and what has failed for good."""
    if retry and cancel:
        message = "--retry and --cancel exclude each other"
        raise InvalidInput(message, mend="Give one of them.")
    action = "retry" if retry else "cancel" if cancel else None
    found = ask("/v1/jobs", None if action is None else {"action": action})
    if as_json:
        print_json(found)
    else:
        echo_lines(_listed(found, action))


def _change(action: str, *, as_json: bool, confirm: bool = False) -> None:
    payload = {"action": action, "confirm": confirm}
    _tell(ask("/v1/backfill", payload, timeout_s=LONG_S), as_json=as_json)


def _tell(answer: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(answer)
    elif answer["run"] is None:
        typer.echo("There was no backfill yet.")
    else:
        echo_lines(_told(answer["run"]))


def _estimated(found: dict[str, Any]) -> Iterator[str]:
    count = found["memories"]
    yield "1 memory is unjudged" if count == 1 else f"{count:,} memories are unjudged"
    yield f"  {found['relate']:,} beside their neighbours, {found['classify']:,} as to their kind"
    basis = "as asked before" if found["basis"] == "log" else "guessed from lengths"
    cost = "cost unknown" if found["cost_usd"] is None else f"${found['cost_usd']:.4f}"
    asked = f"about {found['requests']:,} requests, {found['input_tokens']:,} tokens"
    yield f"  {asked} ({basis}), {cost}"
    yield f"  at least {found['seconds']:.0f} s; more while anything else waits"


def _told(run: dict[str, Any]) -> Iterator[str]:
    why = f": {run['why']}" if run["why"] else ""
    yield f"{run['state']}{why} · begun {minute_of(run['began_at_ms'])}"
    yield f"  {run['judged']:,} of {run['total']:,} judged, {run['passed_over']:,} passed over"
    yield (
        f"  {run['relations']:,} relations made, {run['superseded']:,} memories replaced,"
        f" {run['kinds']:,} kinds written"
    )
    yield f"  {run['disagreements']:,} pairs that a rule saw otherwise"
    cost = "cost unknown" if run["cost_usd"] is None else f"${run['cost_usd']:.4f}"
    yield f"  {run['input_tokens']:,} tokens in, {run['output_tokens']:,} out, {cost}"
    wall = ""
    if run["finished_at_ms"]:
        took_s = (run["finished_at_ms"] - run["began_at_ms"]) / SECOND_MS
        wall = f", {took_s:.0f} s in all"
    yield f"  {run['worked_ms'] / SECOND_MS:.0f} s at work{wall}"


def _listed(found: dict[str, Any], action: str | None) -> Iterator[str]:
    if action is not None:
        yield f"{found['changed']} jobs {'taken up again' if action == 'retry' else 'cancelled'}"
    for kind, states in found["counts"].items():
        yield f"{kind}: {', '.join(f'{count} {state}' for state, count in states.items())}"
    if not found["counts"]:
        yield "Nothing waits."
    for one in found["at_work"]:
        progress = f", {one['progress']}" if one["progress"] else ""
        yield f"- {one['kind']} of {one['subject']}: {one['state']}{progress}"
    for one in found["failed"][:SHOWN_FAILURES]:
        at = minute_of(one["finished_at_ms"])
        yield f"! {one['kind']} of {one['subject']}: {one['failure']} ({at})"
    if found["failed"]:
        yield "`hitherto judge jobs --retry` takes up what failed."
