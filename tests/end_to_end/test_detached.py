"""The command line starts the server where none answers, or says soon that it did not start."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.server_process import ServerProcess

SECRETS = {
    "ANTHROPIC_API_KEY": "sk-of-the-test",
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
    "CLAUDE_CODE_MESSAGING_TOKEN": "secret-of-the-test",
    "CLAUDECODE": "1",
    "AI_AGENT": "a",
    "PYTHONUTF8": "1",
}


def test_a_server_that_the_command_line_starts_has_nothing_of_its_session(
    server: ServerProcess,
) -> None:
    server.environ = {**server.environ, **SECRETS, "KEPT": "yes"}
    done = server.run("recall", "which port")
    assert done.returncode == 0, done.stderr
    environ = Path(f"/proc/{server.record['pid']}/environ").read_bytes().split(b"\0")
    seen = dict(line.decode().partition("=")[::2] for line in environ if line)
    assert seen.keys() & SECRETS.keys() == set()
    assert (seen["KEPT"], seen["HITHERTO_HOME"]) == ("yes", str(server.home))


def test_a_server_that_ended_is_said_not_to_have_started_with_its_reason_and_soon(
    server: ServerProcess,
) -> None:
    server.home.mkdir(mode=0o700, parents=True)
    (server.home / "memory.db").write_bytes(b"no database" * 1000)
    began = time.monotonic()
    done = server.run("recall", "which port")
    assert time.monotonic() - began < 8, "it does not wait as for one that may still come"
    assert done.returncode != 0
    assert b"store_unreadable: the server cannot start:" in done.stderr
    assert b"hitherto restore" in done.stderr, "and what mends it"
    assert not server.answers()
