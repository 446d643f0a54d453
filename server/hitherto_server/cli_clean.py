"""`hitherto clean`: what could go, be merged, moved or settled; nothing of it is deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlencode

import typer

from hitherto_server import client
from hitherto_server.cli_progress import progress
from hitherto_server.cli_shared import (
    LONG_S,
    Json,
    ask,
    echo_lines,
    folder,
    one_line,
    print_json,
)
from hitherto_server.core.clock import date_of
from hitherto_server.core.errors import InvalidInput, ServerAway
from hitherto_server.core.home import find_home

if TYPE_CHECKING:
    from collections.abc import Iterator

Listed = Literal[
    "duplicates", "expendable", "misfiled", "replaced", "conflicts", "stale", "actions"
]
Choice = Literal[
    "trash", "trash-newer", "trash-older", "supersede", "move", "take-back", "newer", "older",
    "confirm",
]  # fmt: skip
Ids = list[str] | None
MOST_SHOWN = 160
PAIR = ("newer", "older")
MOST_A_PAGE = 200


def clean(
    which: Annotated[Listed, typer.Argument(metavar="LIST", help="Which list.")],
    *,
    apply: Annotated[
        Ids, typer.Option(metavar="ID", help="Do what this entry offers; repeat.")
    ] = None,
    dismiss: Annotated[
        Ids, typer.Option(metavar="ID", help="Leave this one as it is, for good; repeat.")
    ] = None,
    choice: Annotated[
        Choice | None, typer.Option(help="Do this with them, not what comes first.")
    ] = None,
    undo: Annotated[
        int | None, typer.Option(metavar="ACTION", help="Take back what was done.")
    ] = None,
    cancel: Annotated[bool, typer.Option("--cancel", help="End the judging that goes on.")] = False,
    no_judge: Annotated[
        bool, typer.Option("--no-judge", help="Show the expendable ones by what is known.")
    ] = False,
    everywhere: Annotated[bool, typer.Option("--all", help="Of every project.")] = False,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=2000)] = 50,
    as_json: Json = False,
) -> None:
    """List what could be cleaned up, and why; do it, dismiss it, or take that back.

    An entry's ID carries the revisions that you saw: what has changed since is left alone.
    """
    if sum(map(bool, (apply, dismiss, undo, cancel))) > 1:
        message = "one thing at a time: --apply, --dismiss, --undo or --cancel"
        raise InvalidInput(message)
    if cancel:
        _say(ask("/v1/cleaning/expendable/cancel", {}), _cancelled, as_json=as_json)
    elif undo is not None:
        payload = {"action": undo, "actor": "cli"}
        _say(ask("/v1/cleaning/undo", payload, timeout_s=LONG_S), _undone, as_json=as_json)
    elif apply or dismiss:
        _act(which, apply, dismiss, choice, as_json=as_json)
    elif which == "actions":
        _say(ask(f"/v1/cleaning/actions?limit={min(limit, 200)}"), _actions, as_json=as_json)
    else:
        place = {} if everywhere else {"project_dir": folder()}
        judges = which == "expendable" and not no_judge
        found = _judged(place, limit) if judges else _read(which, place, limit)
        _say(found, _told, as_json=as_json)


def _act(which: Listed, apply: Ids, dismiss: Ids, choice: Choice | None, *, as_json: bool) -> None:
    if which == "actions":
        message = "an action is taken back by --undo"
        raise InvalidInput(message)
    payload: dict[str, Any] = {"ids": apply or dismiss, "actor": "cli"}
    if apply:
        payload["choice"] = choice
    deed = "apply" if apply else "dismiss"
    answer = ask(f"/v1/cleaning/{which}/{deed}", payload, timeout_s=LONG_S)
    _say(answer, _done, as_json=as_json)


def _read(which: Listed, place: dict[str, str], limit: int) -> dict[str, Any]:
    """Read as many pages as it takes."""
    found: dict[str, Any] | None = None
    cursor: str | None = None
    while True:
        left = limit - (len(found["entries"]) if found else 0)
        query = {**place, "limit": min(left, MOST_A_PAGE), **({"cursor": cursor} if cursor else {})}
        page = ask(f"/v1/cleaning/{which}?{urlencode(query)}", timeout_s=LONG_S)
        found = {**page, "entries": [*(found["entries"] if found else []), *page["entries"]]}
        cursor = page["cursor"]
        if cursor is None or len(found["entries"]) >= limit:
            return found


def _judged(place: dict[str, str], limit: int) -> dict[str, Any]:
    """Follow the judging to its end; who interrupts it ends it on the server too."""
    home = find_home()
    client.ensure_server(home)
    # of all that may be expendable the most expendable ones are wanted
    path = f"/v1/cleaning/expendable?{urlencode({**place, 'stream': 1})}"
    last: dict[str, Any] | None = None
    with progress("Judging what may be expendable") as shown:
        for last in client.follow(home, path, timeout_s=LONG_S):
            triage = last["triage"]
            shown.at(triage["scored"] + sum(triage["failed"].values()), triage["candidates"])
    if last is None or not last["triage"]["done"]:
        message = "the judging was not seen to its end"
        raise ServerAway(message, mend="Run it again: what was judged is kept.")
    return {**last, "entries": last["entries"][:limit]}


def _say(answer: dict[str, Any], told: Any, *, as_json: bool) -> None:
    if as_json:
        print_json(answer)
    else:
        echo_lines(told(answer))


def _told(answer: dict[str, Any]) -> Iterator[str]:
    for one in answer["entries"]:
        yield "  ".join(filter(None, (one["id"], _by(one), "; ".join(one["reasons"]))))
        called = PAIR if len(one["memories"]) == 2 and one["id"].startswith("r") else ("", "")  # noqa: PLR2004 - a pair
        for name, memory in zip(called, one["memories"], strict=False):
            place = memory["project"] or "everywhere"
            head = f"{name}  " if name else ""
            text = one_line(memory["text"], MOST_SHOWN)
            yield f"  {head}{memory['id']}  {place}  {memory['kind']}  {text}"
        yield f"  --apply: {one['choices'][0]}{_or(one['choices'][1:])}"
    yield from _triage(answer)
    more = "; there are more" if answer["cursor"] else ""
    yield f"{len(answer['entries'])} shown{more}."


def _or(choices: list[str]) -> str:
    return f" (or --choice {', '.join(choices)})" if choices else ""


def _by(one: dict[str, Any]) -> str:
    if score := one["score"]:
        return f"{score['score']:.1f} of 4 ({score['model']})"
    likely = "" if one["probability"] is None else f" P = {one['probability']:.2f}"
    return f"{one['said_by']}{likely}"


def _triage(answer: dict[str, Any]) -> Iterator[str]:
    triage = answer["triage"]
    if triage is None:
        return
    known = f"{triage['judged']} judged now, {triage['reused']} before"
    yield f"{triage['candidates']} may be expendable: {known}."
    for reason, count in triage["failed"].items():
        yield f"{count} not judged ({reason}): they follow by how much speaks for them."


def _done(answer: dict[str, Any]) -> Iterator[str]:
    yield f"Action {answer['action']}: {answer['entries']} done."
    yield f"Take it back: hitherto clean {answer['which']} --undo {answer['action']}"


def _undone(answer: dict[str, Any]) -> Iterator[str]:
    yield f"Action {answer['action']} is taken back ({answer['deed']} of {answer['which']})."


def _cancelled(answer: dict[str, Any]) -> Iterator[str]:
    yield "The judging is ended." if answer["cancelled"] else "Nothing is being judged."


def _actions(answer: dict[str, Any]) -> Iterator[str]:
    if not answer["actions"]:
        yield "Nothing was done with a list yet."
    for one in answer["actions"]:
        back = f"  taken back on {date_of(one['undone_at_ms'])}" if one["undone_at_ms"] else ""
        day, who = date_of(one["done_at_ms"]), one["actor"]
        yield f"{one['action']:5d}  {day}  {one['deed']} {one['which']}  {who}{back}"
