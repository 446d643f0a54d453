"""The server in the foreground: all of `hitherto serve`, without what the other commands need."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server import client
from hitherto_server.core.errors import AlreadyRunning, HithertoError, InvalidInput
from hitherto_server.core.failed_start import note_failed_start
from hitherto_server.core.home import find_home
from hitherto_server.core.settings import load_settings
from hitherto_server.serve import serve

if TYPE_CHECKING:
    from typing import TextIO

FAILED, WRONG = 1, 2
"""The exit codes of an expected failure."""


def main() -> None:
    """Serve until told to stop; an expected failure is one line with its code and its mend."""
    try:
        run()
    except HithertoError as error:
        say(told(error), sys.stderr)
        sys.exit(exit_code_of(error))


def run() -> None:
    """Serve until Ctrl-C; where a server runs already, say so and where."""
    try:
        serve(find_home(), load_settings(), announce=announce)
    except AlreadyRunning:
        if not sys.stdout.isatty() and not client.is_up(find_home()):
            raise
        say("A server is running already.")
        announce(client.ask(find_home(), "/v1/login-code", {})["url"])
    except KeyboardInterrupt:
        pass
    except HithertoError as error:
        note_failed_start(find_home(), error)
        raise


def announce(url: str) -> None:
    """Tell a person where the pages are, and how Claude Code is connected."""
    # what is no terminal is a log, as of a server that a hook started: no code that logs in for it
    shown = url if sys.stdout.isatty() else url.partition("login?")[0]
    say(f"Settings and search:   {shown}")
    say(f"Connect Claude Code:   {_own_name()} install claude-code")


def _own_name() -> str:
    """Return the command as it was called, if it was called by a path."""
    called = Path(sys.argv[0])
    return "hitherto" if called.name == "__main__.py" or "/" not in sys.argv[0] else str(called)


def exit_code_of(error: HithertoError) -> int:
    """Return 2 for what is wrong in itself, whether the command or the server saw it; else 1."""
    return WRONG if _code_of(error) == InvalidInput.code else FAILED


def told(error: HithertoError) -> str:
    """Return a failure as a person reads it."""
    return f"hitherto: {_code_of(error)}: {error.message}\n  {error.mend}"


def _code_of(error: HithertoError) -> str:
    return error.said_code if isinstance(error, client.ServerSaid) else error.code


def say(text: str, file: TextIO | None = None) -> None:
    """Print a line, at once."""
    stream = file or sys.stdout
    with suppress(OSError):  # a log on a full disk takes no line: the server starts all the same
        stream.write(f"{text}\n")
        stream.flush()
