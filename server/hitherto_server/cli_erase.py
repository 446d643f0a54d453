"""`hitherto erase`: the way out for a secret that slipped through."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from hitherto_server.cli_progress import progress
from hitherto_server.cli_shared import LONG_S, Json, ask, print_json, standard_input
from hitherto_server.core.errors import InvalidInput


def erase(
    memory: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="A memory, by its whole id.")
    ] = None,
    *,
    text: Annotated[
        bool, typer.Option("--text", help="A text, asked for or read from standard input.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without being asked again.")] = False,
    as_json: Json = False,
) -> None:
    """Erase a memory, or a text wherever it stands: history, indexes, sessions, logs, backups.

    The text is no argument, so that the shell's history does not keep it.
    """
    asked = _asked(memory, by_text=text)
    with progress("Looking"):
        found = ask("/v1/erase", asked, timeout_s=LONG_S)
    if not as_json:
        _echo_found(found)
    if yes or (not as_json and _is_confirmed()):
        with progress("Erasing"):
            found = ask("/v1/erase", {**asked, "confirmed": True}, timeout_s=LONG_S)
        if not as_json:
            _echo_done(found)
    if as_json:
        print_json(found)


def _asked(memory: str | None, *, by_text: bool) -> dict[str, Any]:
    if (memory is None) == (not by_text):
        message = "name a memory, or use --text"
        raise InvalidInput(message, mend="`hitherto erase ID` or `hitherto erase --text`.")
    if memory is not None:
        return {"memory": memory.removeprefix("m:")}
    if sys.stdin.isatty():
        return {"text": typer.prompt("Text to erase", hide_input=True)}
    return {"text": standard_input().strip("\n")}


def _is_confirmed() -> bool:
    if sys.stdin.isatty():
        return typer.confirm("Erase it? This cannot be undone.")
    typer.echo("Nothing was erased. Repeat it with --yes.")
    return False


def _echo_found(found: dict[str, Any]) -> None:
    for memory in found["memories"]:
        typer.echo(f"memory {memory}")
    for place, count in sorted(found["counts"].items()):
        typer.echo(f"{place}: {count}")
    if not found["memories"] and not found["counts"]:
        typer.echo("Nothing has it now; backups and what was deleted before are looked through.")
    for note in found["notes"]:
        typer.echo(f"  {note}")


def _echo_done(found: dict[str, Any]) -> None:
    typer.echo(f"Erased. Backups rewritten: {', '.join(found['backups']) or 'there are none'}.")
    for one in found["left"]:
        typer.echo(f"Not erased from {one}", err=True)
