"""`hitherto judge`: whom to ask for judgments, what is switched on, and what was judged."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hitherto_server.cli_backfill import backfill_app, jobs
from hitherto_server.cli_judge_lines import (
    log_lines,
    session_lines,
    status_lines,
    surface_lines,
    trial_lines,
    whom_lines,
)
from hitherto_server.cli_progress import progress
from hitherto_server.cli_shared import HELP_STYLE, Json, ask, echo_lines, print_json
from hitherto_server.core.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PROFILES = ("rules", "typesafe", "openrouter", "laya", "llama.cpp", "custom", "openai")
SLOW_S = 90.0

judge_app = typer.Typer(
    help="Typed judgments: whom to ask, what is switched on, what was judged.",
    no_args_is_help=True,
    rich_markup_mode=HELP_STYLE,
)

SurfaceName = Annotated[
    str | None, typer.Argument(metavar="[SURFACE]", help="One surface; without, all of them.")
]


@judge_app.command("status")
def status(*, as_json: Json = False) -> None:
    """Say who is asked, what is switched on, and how it fared in the last day."""
    _show(ask("/v1/judge"), status_lines, as_json=as_json)


@judge_app.command("use")
def use(
    whom: Annotated[
        str,
        typer.Argument(
            metavar="BACKEND",
            help=f"{', '.join(PROFILES)}; or the address of a server, which is asked what it is.",
        ),
    ],
    *,
    url: Annotated[str | None, typer.Option(help="Its address, if it is another.")] = None,
    model: Annotated[str | None, typer.Option(help="Which model is asked for.")] = None,
    timeout: Annotated[
        float | None,
        typer.Option(min=0.05, max=120, help="Most seconds for any request."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Choose who is asked; `rules` asks nobody. Nobody else is asked instead if that fails."""
    if whom in PROFILES:
        chosen = {"profile": whom, "base_url": url, "model": model}
    elif "://" in whom and url is None:
        chosen = _looked_at(whom, model)
    else:
        message = f"{whom[:60]!r} is no backend"
        raise InvalidInput(message, mend=f"Name an address, or one of {', '.join(PROFILES)}.")
    backend = {**chosen, "timeout_s": timeout}
    _show(ask("/v1/judge/config", {"backend": backend}), whom_lines, as_json=as_json)


@judge_app.command("key")
def key(
    *,
    drop: Annotated[bool, typer.Option("--drop", help="Forget the key that is kept.")] = False,
    of_environment: Annotated[
        bool,
        typer.Option(
            "--of-environment", help="The server's HITHERTO_JUDGE_KEY is for whom you chose."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Keep a key for the backend that is configured: typed unseen, or from standard input.

    It is kept in the data home's `.env` and sent to that address alone.
    """
    given: dict[str, Any] = {"of_environment": of_environment}
    if not drop and not of_environment:
        given["key"] = _key_of_a_person()
    _show(ask("/v1/judge/key", given), whom_lines, as_json=as_json)


@judge_app.command("test")
def try_out(*, as_json: Json = False) -> None:
    """Ask one question that everybody can answer, and say what came of it."""
    with progress("Asking"):
        answer = ask("/v1/judge/test", {}, timeout_s=SLOW_S)
    _show(answer, trial_lines, as_json=as_json)
    if not answer["answered"]:
        raise typer.Exit(1)


@judge_app.command("on")
def on(surface: SurfaceName = None, *, as_json: Json = False) -> None:
    """Switch judgments on, all of them or one surface; it is in force at once."""
    _switch(surface, on=True, as_json=as_json)


@judge_app.command("off")
def off(surface: SurfaceName = None, *, as_json: Json = False) -> None:
    """Switch judgments off, all of them or one surface; it is in force at once."""
    _switch(surface, on=False, as_json=as_json)


@judge_app.command("set")
def set_(
    surface: Annotated[str, typer.Argument(help="A surface of docs/judgments.md.")],
    values: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME=VALUE]...",
            help="timeout_s or a threshold and its number (`own`: the surface's own again);"
            " a locked switch and on or off.",
        ),
    ] = None,
    *,
    reset: Annotated[
        bool, typer.Option("--reset", help="Everything as the surface has it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Set a surface's timeout, thresholds or locked switches."""
    change = _change_of(values or [])
    if not change and not reset:
        message = "there is nothing to set"
        raise InvalidInput(message, mend="`hitherto judge set SURFACE NAME=VALUE`, or --reset.")
    asked = {"surfaces": {surface: {**change, "reset": reset}}}
    answer = ask("/v1/judge/config", asked)
    _show(answer, partial(surface_lines, name=surface), as_json=as_json)


@judge_app.command("log")
def log(
    *,
    surface: Annotated[str | None, typer.Option(help="Of one surface.")] = None,
    session: Annotated[str | None, typer.Option(help="Of one session.")] = None,
    origin: Annotated[
        str | None,
        typer.Option(help="Of one origin: hook, tool, maintenance, backfill, ui, cli, bench."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many.")] = 20,
    sessions: Annotated[
        bool, typer.Option("--sessions", help="Sessions and what was judged for each.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List what was judged, the newest first, and what came of it."""
    from urllib.parse import urlencode

    if sessions:
        path = f"/v1/judge/sessions?{urlencode({'limit': limit})}"
        _show(ask(path), session_lines, as_json=as_json)
        return
    asked = {"surface": surface, "session_id": session, "origin": origin, "limit": limit}
    told = urlencode({name: value for name, value in asked.items() if value is not None})
    _show(ask(f"/v1/judge/log?{told}"), log_lines, as_json=as_json)


@judge_app.command("forget")
def forget(*, as_json: Json = False) -> None:
    """Forget the answers that are kept so that the same is not asked twice."""
    answer = ask("/v1/judge/cache/clear", {})
    _show(answer, lambda one: [f"{one['forgotten']} answers are forgotten"], as_json=as_json)


judge_app.add_typer(backfill_app, name="backfill")
judge_app.command("jobs")(jobs)


def _looked_at(url: str, model: str | None) -> dict[str, Any]:
    """Ask a server what it speaks, and return how it is chosen."""
    with progress("Asking what it speaks"):
        found = ask("/v1/judge/probe", {"base_url": url, "model": model}, timeout_s=SLOW_S)
    if found["speaks"] is None:
        message = f"{found['base_url']} can't be asked: {found['detail']}"
        named = f" It names: {', '.join(found['models'][:5])}." if found["models"] else ""
        raise InvalidInput(
            message,
            mend="Is it running? If it needs a key: `hitherto judge use PROFILE --url URL`,"
            f" `hitherto judge key`, `hitherto judge test`.{named}",
        )
    return {
        "profile": found["profile"],
        "base_url": found["base_url"],
        "model": model or found["model"],
    }


def _key_of_a_person() -> str:
    """Return a key from the terminal, unseen, or from standard input; never from the arguments."""
    if sys.stdin.isatty():
        return str(typer.prompt("Key", hide_input=True)).strip()
    typed = sys.stdin.readline().strip()
    if not typed:
        message = "standard input holds no key"
        raise InvalidInput(message, mend="Pipe it in, or call it from a terminal.")
    return typed


def _switch(surface: str | None, *, on: bool, as_json: bool) -> None:
    change = {"on": on} if surface is None else {"surfaces": {surface: {"on": on}}}
    answer = ask("/v1/judge/config", change)
    lines = whom_lines if surface is None else partial(surface_lines, name=surface)
    _show(answer, lines, as_json=as_json)


def _change_of(values: Iterable[str]) -> dict[str, Any]:
    change: dict[str, Any] = {}
    for value in values:
        name, is_set, said = value.partition("=")
        if not is_set or not name:
            message = f"{value[:60]!r} sets nothing"
            raise InvalidInput(message, mend="Write NAME=VALUE, like least_probability=0.9.")
        if said in {"on", "off"}:
            change.setdefault("allows", {})[name] = said == "on"
        elif name == "timeout_s":
            change["timeout_s"] = _number(name, said)
        else:
            number = None if said == "own" else _number(name, said)
            change.setdefault("thresholds", {})[name] = number
    return change


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        message = f"{name}={text[:40]!r} is no number"
        raise InvalidInput(message, mend="Write a number, like 0.9.") from error


def _show(
    answer: dict[str, Any], lines: Callable[[dict[str, Any]], Iterable[str]], *, as_json: bool
) -> None:
    if as_json:
        print_json(answer)
    else:
        echo_lines(lines(answer))
