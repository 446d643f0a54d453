"""A server that is told to stop while it starts, or that cannot start."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.server_process import START_DEADLINE_S, ServerProcess, wait_until

from hitherto_server.store.driver import open_raw

if TYPE_CHECKING:
    from pathlib import Path

SIGNALLED = """
import os, sys
from hitherto_server.core.home import find_home
from hitherto_server.core.settings import load_settings
from hitherto_server.serve import serve

serve(find_home(), load_settings(), announce=lambda _: os.kill(os.getpid(), int(sys.argv[1])))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_comes_before_the_first_answer_is_obeyed(
    tmp_path: Path, number: signal.Signals
) -> None:
    server = ServerProcess(tmp_path / "home")
    done = subprocess.run(
        [sys.executable, "-c", SIGNALLED, str(int(number))],
        env=server.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=START_DEADLINE_S,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not server.socket_path.exists()
    assert server.tracebacks() == []
    assert "stopped" in server.log


def test_a_start_that_fails_ends_the_process(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "home")
    server.start()
    server.end()
    connection = open_raw(server.home / "memory.db")
    connection.execute("DROP TABLE embedding_model")
    connection.close()
    done = subprocess.run(
        [sys.executable, "-m", "hitherto_server", "serve"],
        env=server.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=START_DEADLINE_S,
        check=False,
    )
    assert done.returncode != 0
    assert not server.socket_path.exists()


def test_a_server_whose_output_takes_no_line_serves_all_the_same(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "home")
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        process = subprocess.Popen(
            [*server.command(), "serve"],
            env=server.environment(),
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=full,
        )
    try:
        wait_until(server.answers, "it answers")
    finally:
        process.kill()
        process.wait()


def test_a_server_that_speaks_to_a_log_writes_no_address_that_logs_in(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "home").start()
    try:
        wait_until(lambda: "Settings and search" in server.output.read_text(), "it says where")
        assert "code=" not in server.output.read_text()
        assert b"login?code=" in server.run("status").stdout
    finally:
        server.end()
