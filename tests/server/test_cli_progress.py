"""A bar is for who watches a terminal: a pipe gets nothing of it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

JOB = """
import time
from hitherto_server.cli_progress import progress
with progress("Importing [all]", 3) as shown:
    for done in range(4):
        shown.at(done)
    shown.say("Checking")
    time.sleep(0.3)
print("done")
"""


def on_a_terminal(columns: int = 80, **environ: str) -> str:
    """Run the job on a terminal of that width and return all that it drew."""
    leader, follower = pty.openpty()
    given = {**os.environ, "TERM": "xterm", "COLUMNS": str(columns), **environ}
    process = subprocess.Popen(
        [sys.executable, "-c", JOB], env=given, stdout=follower, stderr=follower
    )
    os.close(follower)
    drawn = b""
    try:
        while some := os.read(leader, 65536):
            drawn += some
    except OSError:  # Linux says so that the other side is closed
        pass
    finally:
        os.close(leader)
    assert process.wait() == 0
    return drawn.decode()


def test_a_terminal_shows_what_is_done_of_how_much() -> None:
    drawn = on_a_terminal()
    assert "Importing [all]" in drawn
    assert "3 of 3" in drawn
    assert "Checking" in drawn
    assert "\u2501" in drawn


def test_a_narrow_terminal_shows_words_and_numbers_alone() -> None:
    drawn = on_a_terminal(40)
    assert "3 of 3" in drawn
    assert "\u2501" not in drawn


def test_without_colours_there_are_none() -> None:
    drawn = on_a_terminal(NO_COLOR="1")
    assert "3 of 3" in drawn
    assert "\x1b[3" not in drawn
    assert "\x1b[9" not in drawn


def test_nothing_is_drawn_on_a_terminal_that_cannot_redraw() -> None:
    assert on_a_terminal(TERM="dumb").replace("\r\n", "\n") == "done\n"


@pytest.mark.parametrize("merged", [False, True], ids=["apart", "stderr with stdout"])
def test_a_pipe_gets_nothing_of_it(*, merged: bool) -> None:
    into = subprocess.STDOUT if merged else subprocess.PIPE
    done = subprocess.run(
        [sys.executable, "-c", JOB], stdout=subprocess.PIPE, stderr=into, check=True
    )
    assert done.stdout == b"done\n"
    assert not done.stderr
