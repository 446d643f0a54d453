"""What the commands share: asking the server, the folder they run in, and how they print."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hitherto_server import client
from hitherto_server.core.errors import InvalidInput
from hitherto_server.core.home import find_home
from hitherto_server.core.text import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Iterable

Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]

UNSHOWN = re.compile(f"[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f{HIDDEN}]")
"""What moves a terminal's cursor, colours it, or hides or reorders what it shows."""

SESSION_VARIABLE = "CLAUDE_CODE_SESSION_ID"
LEAST_COLUMNS = 60
HELP_STYLE: Literal["rich"] | None = (
    "rich" if shutil.get_terminal_size().columns >= LEAST_COLUMNS else None
)
"""How a command's help is set: without frames where these would cut the options' names."""

LONG_S = 3600.0
"""What a job over the whole store may take."""


def ask(
    path: str, payload: dict[str, Any] | None = None, *, timeout_s: float = client.TIMEOUT_S
) -> dict[str, Any]:
    """Ask the server, which is started if it is away: a GET without a payload, else a POST."""
    home = find_home()
    client.ensure_server(home)
    given = None if payload is None else encodable(payload)
    return client.ask(home, path, given, timeout_s=timeout_s)


def standard_input() -> str:
    """Return what stands on standard input."""
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        message = "standard input is no valid UTF-8"
        raise InvalidInput(message) from error


def folder() -> str:
    """Return the folder that the command runs in."""
    try:
        return str(Path.cwd())
    except FileNotFoundError as error:
        message = "this folder is gone"
        raise InvalidInput(message, mend="Change to a folder that exists.") from error


def own_session() -> str | None:
    """Return the session that the command runs in, where its client says so."""
    return os.environ.get(SESSION_VARIABLE) or None


def absolute(path: str) -> str:
    """Return a path as an absolute one, spelled as it is: its links are the server's matter."""
    if not path.strip():
        message = "the path is empty"
        raise InvalidInput(message, mend="Name a folder; `.` is this one.")
    named = os.path.expanduser(path)  # noqa: PTH111 - a Path would spell it anew
    return os.path.normpath(named if named.startswith("/") else f"{folder()}/{named}")


def encodable(payload: dict[str, Any]) -> dict[str, Any]:
    """Refuse arguments that are no text: the shell hands bytes on as lone surrogates."""
    try:
        json.dumps(payload, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        message = "an argument is no valid UTF-8"
        raise InvalidInput(message) from error
    return payload


def echo_lines(lines: Iterable[str]) -> None:
    """Print lines of which parts are others' text: no terminal obeys it."""
    for line in lines:
        typer.echo(UNSHOWN.sub("\ufffd", line))


def one_line(text: str | None, most: int) -> str:
    """Return how a text begins, on a single line."""
    words = " ".join((text or "").split())
    return words if len(words) <= most else f"{words[: most - 1]}\u2026"


def print_json(value: Any) -> None:
    """Print a value as a person and a program can read it."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def refuse_homeless(target: Path) -> None:
    """Refuse a file that is to be written into a folder that is not there."""
    if not target.parent.is_dir():
        message = f"the folder {target.parent} is not there"
        raise InvalidInput(message, mend="Make it first, or name another one.")
