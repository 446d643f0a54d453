"""`hitherto why`, `wrong`, `pause`, `resume`, `ignore` and `purge`: a person's way to steer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hitherto_server.cli_progress import progress
from hitherto_server.cli_shared import (
    LONG_S,
    Json,
    absolute,
    ask,
    echo_lines,
    folder,
    one_line,
    own_session,
    print_json,
)
from hitherto_server.core.clock import DAY_MS, HOUR_MS, minute_of
from hitherto_server.core.errors import InvalidInput
from hitherto_server.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

UNITS_MS = {"s": 1000, "m": 60_000, "h": HOUR_MS, "d": DAY_MS}
DURATION = re.compile(r"(\d{1,6})([smhd])")
SHOWN_SCORES = {"passage_score": "cosine", "keyword_coverage": "coverage", "fusion_score": "fusion"}
OPENING_CHARS = 90
ID_BEGIN = re.compile(r"[0-9a-f]{8}[0-9a-f-]{0,28}")
ROWS = {
    "sessions": "session",
    "turns": "prompt",
    "pieces": "piece of a session",
    "events": "event",
    "evidence": "line of evidence",
    "support": "reference of a candidate to an event",
    "ledger": "ledger row",
    "feedback": "word of feedback",
    "obligations": "obligation",
    "digests": "digest",
    "approvals": "approval of a plan",
    "loops": "loop",
    "judgments": "judgment",
    "shown": "notice",
    "worth": "verdict of worth",
    "cost": "count of a session's tokens",
    "cached": "answer of the judge's cache",
}
"""What a purge counts, in words."""

Session = Annotated[str | None, typer.Option("--session", help="A session by its id.")]
Folder = Annotated[
    str | None, typer.Option("--path", help="A folder, with all that lies inside of it.")
]


def why(*, session: Session = None, as_json: Json = False) -> None:
    """Explain what was injected last, and what was not: prompt, scores, floor and standing."""
    answer = ask("/v1/why", {"session_id": session or own_session()})
    if as_json:
        print_json(answer)
    elif answer["channel"] is None:
        typer.echo("Nothing was considered yet.")
    else:
        echo_lines(_explained(answer))


def _explained(answer: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that tell one admission."""
    at = minute_of(answer["at_ms"])
    yield f"{answer['channel']} · {at} · session {answer['session_id']}"
    if answer["query"]:
        yield f"  asked: {one_line(answer['query'], 2 * OPENING_CHARS)}"
    if answer["floor"] is not None:
        yield f"  floor: probability {answer['floor']:.2f}"
    for one in answer["candidates"]:
        yield from _candidate(one)
    for one in answer.get("earlier_sessions", ()):
        branch = f" · branch {one['branch']}" if one["branch"] else ""
        yield f"earlier session {one['session_id']} · {minute_of(one['began_at_ms'])}{branch}"
    if any(one["outcome"] == "injected" for one in answer["candidates"]):
        yield "If it was wrong: `hitherto wrong`, or `hitherto wrong ID` for one of them."


def _candidate(one: dict[str, Any]) -> Iterator[str]:
    if one["id"] is None:
        yield f"{one['outcome']}: {one['reason']}"
        return
    yield f"{one['outcome']:<9} {one['id']}  {one['reason']}"
    yield f"          {one_line(one['opening'], OPENING_CHARS)}"
    measured = [
        f"{name} {one['scores'][key]:.2f}"
        for key, name in SHOWN_SCORES.items()
        if one["scores"].get(key) is not None
    ]
    tokens = [f"{one['tokens']} tokens"] if one["tokens"] else []
    told = [one["standing"] or "standing not looked up", *measured, *tokens]
    yield f"          {' · '.join(told)}"
    if one["wrong"]:
        because = one["wrong"]["because"]
        yield f"          marked as wrong{': ' + because if because else ''}"
    elif one["wrong_sessions"]:
        yield f"          said to be wrong in {counted(one['wrong_sessions'], 'session')}"


def wrong(
    memory: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="One memory: its id or how it begins.")
    ] = None,
    *,
    because: Annotated[str | None, typer.Option(help="Why, in your words.")] = None,
    session: Session = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take back what was said last.")] = False,
    as_json: Json = False,
) -> None:
    """Say that the last injection was wrong: it isn't repeated, and twice wrong is given nowhere.

    It is the last one of the running session, else of this folder's project.
    """
    payload = {
        "memory": None if memory is None else _memory_id(memory),
        "because": because,
        "undo": undo,
        "session_id": session or own_session(),
        "project_dir": folder(),
        "actor": "cli",
    }
    answer = ask("/v1/wrong", payload)
    if as_json:
        print_json(answer)
    else:
        echo_lines(_marked(answer, undo=undo))


def _marked(answer: dict[str, Any], *, undo: bool) -> Iterator[str]:
    """Yield the lines that tell what was marked, and what follows from it."""
    done = "no longer wrong" if undo else "marked as wrong"
    yield f"{done} · session {answer['session_id']} · {minute_of(answer['at_ms'])}"
    if answer["query"]:
        yield f"  asked: {one_line(answer['query'], OPENING_CHARS)}"
    for one in answer["memories"]:
        yield f"- {one['id']}  {one_line(one['opening'], OPENING_CHARS)}"
        yield f"  {one['effect']}"
    if not undo:
        yield "`hitherto wrong --undo` takes it back."


def pause(
    *,
    session: Session = None,
    path: Folder = None,
    time: Annotated[
        str | None, typer.Option("--for", metavar="2h", help="How long: 30m, 2h, 1d.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Leave a session or a folder alone: nothing is injected, nothing is kept.

    Without a name it is the running session, else this folder.
    """
    target = _target(session, path)
    answer = ask("/v1/pause", {**target, "for_ms": _milliseconds(time)})
    _echo_quiet(answer, f"paused: {_named(target)}", as_json=as_json)


def resume(*, session: Session = None, path: Folder = None, as_json: Json = False) -> None:
    """End the pause of a session or of a folder; without a name, of this one."""
    target = _target(session, path)
    answer = ask("/v1/resume", target)
    done = "resumed" if answer["changed"] else "it was not paused"
    _echo_quiet(answer, f"{done}: {_named(target)}", as_json=as_json)


def ignore(
    path: Annotated[str | None, typer.Argument(help="The folder; `.` is this one.")] = None,
    *,
    show: Annotated[bool, typer.Option("--list", help="Say what is ignored.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Ignore it no longer.")] = False,
    as_json: Json = False,
) -> None:
    """Keep nothing of a folder, ever: no session, no prompt, no file inside of it."""
    if show or path is None:
        if path is not None or remove or not show:
            message = "name a folder, or ask for --list"
            raise InvalidInput(message, mend="`hitherto ignore PATH` or `hitherto ignore --list`.")
        _echo_quiet(ask("/v1/quiet"), "", as_json=as_json)
        return
    named = absolute(path)
    answer = ask("/v1/ignore", {"path": named, "remove": remove})
    done = "ignored"
    if remove:
        done = "ignored no longer" if answer["changed"] else "it was not ignored"
    _echo_quiet(answer, f"{done}: {named}", as_json=as_json)
    if not remove and not as_json:
        typer.echo(f"What was kept before stays: `hitherto purge --path {named}` counts it.")


def purge(
    *,
    session: Session = None,
    path: Folder = None,
    memories: Annotated[
        bool, typer.Option("--memories", help="Put what was learned there into the trash, too.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without, it is only counted.")] = False,
    as_json: Json = False,
) -> None:
    """Remove what was kept of a session or a folder; it can't be undone, so it is counted first."""
    if session is None and path is None:
        message = "name what to purge: --session ID or --path DIR"
        raise InvalidInput(message, mend="`hitherto status` and `hitherto why` name sessions.")
    target = _target(session, path)
    asked = {**target, "memories": memories, "confirmed": yes}
    with progress("Purging" if yes else "Counting"):
        answer = ask("/v1/purge", asked, timeout_s=LONG_S)
    if as_json:
        print_json(answer)
    else:
        echo_lines(_purged(answer, memories=memories, yes=yes))


def _purged(answer: dict[str, Any], *, memories: bool, yes: bool) -> Iterator[str]:
    """Yield the lines that tell what a purge removed, or would remove."""
    counts = {**answer["counts"]}
    learned = counts.pop("memories")
    kinds = {**ROWS, **{one: one for one in counts if one not in ROWS}}
    told = ", ".join(counted(counts[one], kinds[one]) for one in kinds if counts.get(one))
    yield f"{'removed' if yes else 'would be removed'}: {told or 'nothing'}"
    fate = "go into the trash" if memories else "stay; --memories puts them into the trash"
    if yes and memories:
        fate = f"are in the trash ({answer['trashed']} of them since now)"
    if learned:
        yield f"memories learned there: {learned}; they {fate}"
    yield from (f"! {note}" for note in answer["notes"])
    if not yes:
        yield "Nothing was removed. Repeat it with --yes."


def _echo_quiet(answer: dict[str, Any], done: str, *, as_json: bool) -> None:
    if as_json:
        print_json(answer)
        return
    if done:
        typer.echo(done)
    for one in answer["quiet"]:
        typer.echo(quiet_line(one))
    if not answer["quiet"]:
        typer.echo("Nothing is paused or ignored.")


def quiet_line(one: dict[str, Any]) -> str:
    """Return one session or folder that is left alone, as a line."""
    what = one["path"] or f"session {one['session_id']}"
    until = f" until {minute_of(one['until_ms'])}" if one["until_ms"] else ""
    return f"  {'paused ' if one['kind'] == 'pause' else 'ignored'} {what}{until}"


def _target(session: str | None, path: str | None) -> dict[str, str]:
    if session is not None and path is not None:
        message = "name either --session or --path"
        raise InvalidInput(message)
    if session is None and path is None:
        session = own_session()
    if session is not None:
        return {"session_id": session}
    return {"path": absolute(path if path is not None else ".")}


def _memory_id(text: str) -> str:
    begin = text.strip().lower().removeprefix("m:")
    if ID_BEGIN.fullmatch(begin) is None:
        message = f"{text[:60]!r} is no memory's id"
        raise InvalidInput(message, mend="Give an id of `hitherto why`, or its first 8 digits.")
    return begin


def _named(target: dict[str, str]) -> str:
    return target.get("path") or f"session {target['session_id']}"


def _milliseconds(text: str | None) -> int | None:
    if text is None:
        return None
    found = DURATION.fullmatch(text.strip().lower())
    if found is None or int(found[1]) == 0:
        message = f"--for {text[:40]!r} is no time"
        raise InvalidInput(message, mend="Write a number and s, m, h or d: 30m, 2h, 1d.")
    return int(found[1]) * UNITS_MS[found[2]]
