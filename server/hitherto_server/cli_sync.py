"""`hitherto sync`: which memories still describe the files that have changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hitherto_server.cli_shared import Json, ask, echo_lines, folder, print_json
from hitherto_server.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

SYNC_S = 120.0
LISTS = {
    "still_accurate": "still accurate",
    "stale": "stale",
    "unjudged": "unjudged",
    "unreadable": "unreadable",
}


def sync(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="These memories only.")
    ] = None,
    *,
    file: Annotated[
        list[str] | None, typer.Option("--file", help="Memories of this file only; repeat.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Have a judge say which memories still describe their changed files, at most 20 at once."""
    wanted = [one.strip().lower().removeprefix("m:") for one in ids or ()]
    payload = {"ids": wanted, "files": file or [], "actor": "cli", "project_dir": folder()}
    answer = ask("/v1/sync", payload, timeout_s=SYNC_S)
    if as_json:
        print_json(answer)
    else:
        echo_lines(_told(answer))


def _told(answer: dict[str, Any]) -> Iterator[str]:
    for name, called in LISTS.items():
        for one in answer[name]:
            likely = "" if one["probability"] is None else f"  P = {one['probability']:.2f}"
            why = f"  ({one['reason']})" if one["reason"] else ""
            yield f"{called}  {one['id']}  {one['path']}{likely}{why}"
            yield f"  {one['opening']}"
    yield from answer["notes"]
    if answer["beyond"]:
        yield f"{answer['beyond']} more were too many for one call; call again, or name files"
    looked_at = counted(answer["looked_at"], "memory")
    if not answer["looked_at"]:
        yield "No memory here is tied to a file that could be looked at."
    elif any(answer[name] for name in LISTS) or answer["notes"] or answer["beyond"]:
        yield f"{looked_at} looked at"
    else:
        yield f"All is well: {looked_at} looked at, and none is in doubt."
