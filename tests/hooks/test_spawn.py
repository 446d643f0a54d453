"""A session start brings the server up when it is away."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from pathlib import Path

import pytest

import hitherto_hooks

RUN = Path(hitherto_hooks.__file__).parent / "run.py"
REPORT = """
import json, os, sys
print("hello from the server", flush=True)
print("a warning", file=sys.stderr, flush=True)
open_files = [n for n in range(256) if os.path.exists(f"/dev/fd/{n}")]
report = {
    "argv": sys.argv[1:], "cwd": os.getcwd(), "environ": dict(os.environ), "open": open_files,
    "leads": os.getsid(0) == os.getpid(), "stdin": sys.stdin.read(),
}
with open("report.part", "w") as file:
    json.dump(report, file)
os.rename("report.part", "report.json")
"""


@pytest.fixture
def serve(hook):
    """Write the command down that stands in for the server."""
    script = hook.home / "a server's script.py"
    (hook.home / "run").mkdir(parents=True)
    script.write_text(REPORT)
    lines = [sys.executable, "-I", str(script), "serve", "a b"]
    (hook.home / "run" / "serve.cmd").write_text("\n".join(lines) + "\n")


@pytest.fixture
def report(hook, until):
    def read():
        path = hook.home / "report.json"
        until(path.exists)
        return json.loads(path.read_text())

    return read


def test_a_session_start_without_a_server_starts_it_detached_and_keeps_the_event(
    hook, serve, report
):
    session = {"CLAUDE_CODE_MESSAGING_TOKEN": "secret", "PYTHONPATH": "/x"}
    done = hook("SessionStart", **session, CLAUDE_CONFIG_DIR="/c", LANG="C")
    assert done.is_silent()
    assert [record.event for record in hook.spooled()] == ["SessionStart"]
    seen = report()
    assert seen["argv"] == ["serve", "a b"]
    assert seen["cwd"] == os.path.realpath(hook.home)
    assert seen["leads"]
    assert seen["stdin"] == ""
    assert seen["environ"]["HITHERTO_HOME"] == str(hook.home)
    assert seen["environ"]["LANG"] == "C"
    assert seen["environ"]["CLAUDE_CONFIG_DIR"] == "/c"  # the client's files are read from there
    assert "CLAUDE_CODE_MESSAGING_TOKEN" not in seen["environ"]
    assert "PYTHONPATH" not in seen["environ"]
    log = (hook.home / "logs" / "server.log").read_text()
    assert "hello from the server" in log
    assert "a warning" in log
    assert (hook.home / "logs" / "server.log").stat().st_mode & 0o777 == 0o600


def test_the_client_does_not_wait_for_the_server(hook, serve):
    (hook.home / "a server's script.py").write_text("import time; time.sleep(20)")
    done = hook("SessionStart")
    assert done.is_silent()
    assert done.seconds < 5


def test_no_file_of_the_client_stays_open_in_the_server(hook, serve, report):
    # The shell keeps the pipe open as file 7, as a careless client would.
    script = 'exec "$0" -I -S "$1" "$2" 7>/dev/null'

    hook("SessionStart", command=["/bin/sh", "-c", script, sys.executable, str(RUN)])
    assert 7 not in report()["open"]


def test_a_relative_data_home_reaches_the_server_as_an_absolute_path(
    hook, serve, report, monkeypatch
):
    monkeypatch.chdir(hook.home.parent)
    hook("SessionStart", HITHERTO_HOME=hook.home.name)
    assert report()["environ"]["HITHERTO_HOME"] == str(hook.home.resolve())


def test_other_events_do_not_start_the_server(hook, serve):
    for event in ("UserPromptSubmit", "Stop", "SessionEnd"):
        assert hook(event).is_silent()
    assert not (hook.home / "logs").exists()


def test_a_server_that_hangs_is_not_started_again(hook, serve, server):
    ended = threading.Event()
    server(lambda *_: ended.wait(10))
    assert hook("SessionStart").is_silent()
    ended.set()
    assert not (hook.home / "logs").exists()


def test_a_session_start_with_a_server_does_not_start_another(hook, serve, server):
    server(b"HTTP/1.1 204 No Content\r\nX-Hitherto-Protocol: 1\r\n\r\n")
    hook("SessionStart")
    assert not (hook.home / "logs").exists()


@pytest.mark.parametrize("command", ["", "\n\n", "/no/such/interpreter\n-m\nx\n", "\x00\n"])
def test_a_start_command_that_cannot_run_is_survived(hook, serve, command):
    (hook.home / "run" / "serve.cmd").write_text(command)
    assert hook("SessionStart").is_silent()
    assert len(hook.spooled()) == 1


def test_without_a_start_command_the_event_is_only_kept(hook):
    assert hook("SessionStart").is_silent()
    assert len(hook.spooled()) == 1
    assert not (hook.home / "logs").exists()


def test_the_stale_socket_of_a_killed_server_does_not_hinder_the_start(hook, serve, report):
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(hook.home / "run" / "server.sock"))
    hook("SessionStart")
    assert report()["argv"] == ["serve", "a b"]
