"""`hitherto worth`: what memory was worth to a session, and which notices were right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hitherto_server.cli_shared import (
    LONG_S,
    Json,
    ask,
    echo_lines,
    folder,
    one_line,
    own_session,
    print_json,
)
from hitherto_server.core.notice_words import in_words
from hitherto_server.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

OPENING_CHARS = 90
CLASSES = ("input", "output", "cache_creation", "cache_read")
RECALLS = ("useful", "false", "stale", "ignored", "unclear")


def worth(
    session: Annotated[
        str | None, typer.Argument(help="A session by its id; else this one, or the last here.")
    ] = None,
    *,
    again: Annotated[
        str | None,
        typer.Option("--again", help="Let a kind of notice speak again.", metavar="KIND"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Tell what memory was worth: what was used, wrong or ignored, what it took, what was right."""
    if again is not None:
        answer = ask("/v1/worth/again", {"kind": again})
        print_json(answer) if as_json else typer.echo(f"{in_words(answer['kind'])}: speaks again.")
        return
    asked = {"session_id": session or own_session(), "project_dir": folder()}
    answer = ask("/v1/worth", asked, timeout_s=LONG_S)
    if as_json:
        print_json(answer)
    else:
        echo_lines(_told(answer))


def _told(answer: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that tell what memory was worth."""
    if (session := answer["session"]) is None:
        yield "No session was looked at yet."
    else:
        yield f"session {session['session_id']}"
        for one in session["given"]:
            yield from _given(one)
        yield f"  recalls: {_recalls(session['recalls'])}"
        yield f"  tokens: {_tokens(session['tokens'])}"
    if (looked_at := answer["sessions"]) > 0:
        yield f"{counted(looked_at, 'session')} here"
        yield f"  recalls: {_recalls(answer['recalls'])}"
        yield f"  tokens: {_tokens(answer['tokens'])}"
    for one in answer["notices"]:
        yield _rate(one)


def _given(one: dict[str, Any]) -> Iterator[str]:
    blame = f" ({one['blame']})" if one["blame"] else ""
    to = f" to subagent {one['agent']}" if one["agent"] else ""
    yield f"  {one['outcome']}{blame}{to}: {one['id']}  {one['because']}"
    yield f"      {one_line(one['opening'], OPENING_CHARS)}"


def _recalls(recalls: dict[str, Any]) -> str:
    counts = ", ".join(f"{recalls[name]} {name}" for name in RECALLS)
    return f"{counts}; {recalls['injected_tokens']} tokens given"


def _tokens(tokens: dict[str, Any]) -> str:
    if tokens["replies"] is None:
        return "not known"
    told = ", ".join(f"{name.replace('_', ' ')} {_number(tokens[name])}" for name in CLASSES)
    silent = tokens["replies_that_do_not_say"]
    rest = f", {silent} of them do not say all" if silent else ""
    return f"{told} in {tokens['replies']:,} replies{rest}"


def _number(value: int | None) -> str:
    return "not known" if value is None else f"{value:,}"


def _rate(one: dict[str, Any]) -> str:
    rate = "nothing shows it yet"
    if one["rate"] is not None:
        rate = f"{one['rate']:.0%} right or heeded"
    silent = f"; silent: {one['silent_because']}" if one["silent_because"] else ""
    counts = ", ".join(f"{one[name]} {name}" for name in ("right", "heeded", "wrong", "ignored"))
    name = in_words(one["kind"])
    told = f"{name}: {rate} ({counts}, {one['unclear'] + one['open']} unclear)"
    again = f"; `hitherto worth --again {one['kind']}` lets it speak" if silent else ""
    return f"{told}{silent}{again}"
