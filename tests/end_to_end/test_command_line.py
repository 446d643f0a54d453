"""The command line in pipes, in scripts and in trouble: real processes, a real terminal."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.documented_errors import documented_codes
from tests.server_process import HITHERTO, ServerProcess, wait_until
from tests.wiring import repository

if TYPE_CHECKING:
    from collections.abc import Iterator

SOON_S = 25.0
"""Five seconds of ours, on two busy cores."""
ESCAPE = "\x1b["


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Return one server for what leaves it as it was."""
    server = ServerProcess(tmp_path_factory.mktemp("cli") / "home").start()
    yield server
    assert server.tracebacks() == []
    server.end()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return repository(tmp_path_factory.mktemp("project"))


def said_wrong(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return the code of a failure, which is one line and its mend, on stderr alone."""
    first, mend = done.stderr.decode().rstrip("\n").split("\n")
    assert first.startswith("hitherto: ")
    assert mend.startswith("  ")
    assert b"Traceback" not in done.stderr
    code = first.split(": ")[1]
    assert code in documented_codes()
    return code


def test_where_no_session_was_yet_worth_says_only_that(
    shared: ServerProcess, project: Path
) -> None:
    done = shared.run("worth", cwd=project)
    assert done.stdout.decode() == "No session was looked at yet.\n", done.stderr.decode()


def test_a_memory_is_stored_shown_edited_undone_and_forgotten(
    shared: ServerProcess, project: Path
) -> None:
    def says(*arguments: str) -> str:
        done = shared.run(*arguments, cwd=project)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    memory = json.loads(says("remember", "The port is 8080.", "--tag", "net", "--json"))["id"]
    says("edit", memory, "The port is 9090.")
    assert json.loads(says("show", memory, "--json"))["memories"][0]["content"].endswith("9090.")
    assert says("show", memory, "--history").count("The port is") == 2
    says("undo", memory)
    shown = says("show", memory)
    assert "The port is 8080." in shown
    assert "tags: net" in shown
    says("confirm", memory)
    says("forget", memory)
    assert memory not in says("memories")
    assert memory in says("memories", "--trash")
    says("forget", memory, "--undo")
    assert memory in says("memories")
    newer = json.loads(says("remember", "The port is 7070.", "--supersedes", memory, "--json"))
    assert newer["superseded"] == [memory]


JSON = [["status"], ["doctor"], ["memories"], ["recall", "port"], ["reindex"], ["ignore", "--list"]]


@pytest.mark.parametrize("arguments", JSON, ids=lambda some: some[0])
def test_json_is_all_that_stands_on_stdout(
    shared: ServerProcess, project: Path, arguments: list[str]
) -> None:
    done = shared.run(*arguments, "--json", cwd=project)
    json.loads(done.stdout)
    assert done.stderr == b""


def test_nothing_that_a_memory_says_reaches_the_terminal_as_a_command(
    shared: ServerProcess, project: Path
) -> None:
    hostile = "The fan\x1b[31m is\x1b]0;title\x07 loud\u202e\u200b in June\x9b2J"
    done = shared.run("remember", hostile, "--json", cwd=project)
    memory = json.loads(done.stdout)["id"]
    for arguments in (["show", memory], ["memories"], ["recall", "loud fan in June"]):
        said = shared.run(*arguments, cwd=project).stdout.decode()
        assert "fan" in said
        assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u200b]", said) is None


def test_a_terminal_that_claims_to_know_no_letters_ends_no_command(
    shared: ServerProcess, project: Path
) -> None:
    shared.run("remember", "Jörg baut es.", cwd=project)
    plain = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = shared.run("memories", cwd=project, env={**shared.environment(), **plain})
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"rg baut es." in done.stdout


def test_a_pipe_that_is_closed_ends_it_without_a_word(shared: ServerProcess, project: Path) -> None:
    command = f'"{HITHERTO}" memories | true; exit "${{PIPESTATUS[0]}}"'
    done = subprocess.run(
        ["bash", "-c", command],
        env=shared.environment(),
        cwd=project,
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""
    assert done.returncode in {0, 1}, "0 where it had written before the reader was gone"


def test_a_pipe_gets_no_colour_and_a_narrow_terminal_whole_help(shared: ServerProcess) -> None:
    for environ in ({"COLUMNS": "40"}, {"NO_COLOR": "1"}, {"TERM": "dumb"}):
        done = shared.run("remember", "--help", env={**shared.environment(), **environ})
        assert done.returncode == 0
        assert ESCAPE not in done.stdout.decode()
        assert b"--importance" in done.stdout
        assert max(len(line) for line in done.stdout.decode().splitlines()) <= 80


@pytest.mark.parametrize(
    "arguments", [[], ["models"], ["install"]], ids=["none", "models", "install"]
)
def test_half_a_command_shows_what_can_follow(shared: ServerProcess, arguments: list[str]) -> None:
    done = shared.run(*arguments)
    assert done.returncode == 2
    assert b"COMMAND [ARGS]" in done.stdout + done.stderr


WRONG = [
    ["recal", "port"], ["recall"], ["recall", "x", "--limit", "0"], ["show", "nonsense"],
    ["remember", "x", "--kind", "nope"], ["stop", "now"], ["completion", "tcsh"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_what_is_written_wrongly_is_said_in_one_line(
    shared: ServerProcess, arguments: list[str]
) -> None:
    done = shared.run(*arguments)
    assert said_wrong(done) == "invalid_input"
    assert done.returncode == 2
    assert done.stdout == b""


# --- trouble ---


@contextmanager
def answering(home: Path, body: bytes | None) -> Iterator[None]:
    """Be a server that answers everything so, or nothing ever."""
    home.joinpath("run").mkdir(mode=0o700, parents=True, exist_ok=True)
    held: list[socket.socket] = []
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind(str(home / "run" / "server.sock"))
        listening.listen()

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                if body is None:
                    held.append(connection)
                    continue
                with connection:
                    connection.recv(65536)
                    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n"
                    connection.sendall(head.encode() + body)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(65536):  # unread, it would reset the connection
                        pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
    for connection in held:
        connection.close()


@pytest.mark.parametrize("arguments", [["recall", "port"], ["status"], ["stop"]], ids=" ".join)
def test_a_server_that_hangs_ends_no_command_later_than_its_deadline(
    tmp_path: Path, arguments: list[str]
) -> None:
    server = ServerProcess(tmp_path / "home")
    with answering(server.home, None):
        began = time.monotonic()
        done = server.run(*arguments)
    assert said_wrong(done) == "server_away"
    assert b"has not answered within 5 s" in done.stderr
    assert 4 < time.monotonic() - began < SOON_S


def test_doctor_names_a_server_that_hangs_and_still_looks_at_the_rest(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "home")
    with answering(server.home, None):
        done = server.run("doctor", "--json")
    found = {one["what"]: one for one in json.loads(done.stdout)}
    assert done.returncode == 1
    assert "has not answered" in found["server"]["said"]
    assert found["SQLite"]["ok"]


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"hits": 7}'])
def test_garbage_from_a_server_is_no_traceback(tmp_path: Path, body: bytes) -> None:
    server = ServerProcess(tmp_path / "home")
    with answering(server.home, body):
        done = server.run("recall", "port")
    assert said_wrong(done) in {"internal", "server_away"}
    assert done.returncode == 1


def test_a_bug_is_one_line_and_where_it_was_is_kept_without_secrets(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "home")
    (server.home / "logs").mkdir(mode=0o700, parents=True)
    with answering(server.home, b'{"memories": 5}'):
        done = server.run("memories")
    assert said_wrong(done) == "internal"
    kept = server.home / "logs" / "command.log"
    assert str(kept).encode() in done.stderr
    assert "Traceback" in kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0


def test_an_interrupt_ends_it_quietly(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "home")
    with answering(server.home, None):
        running = subprocess.Popen(
            [str(HITHERTO), "recall", "port"], env=server.environment(), stderr=subprocess.PIPE
        )
        maps = Path(f"/proc/{running.pid}/net/unix")
        wait_until(lambda: maps.exists() and has_connected(running.pid), "it waits for the server")
        running.send_signal(signal.SIGINT)
        _, stderr = running.communicate(timeout=SOON_S)
    assert (running.returncode, stderr) == (130, b"")


def has_connected(process: int) -> bool:
    """Tell whether a process holds a socket."""
    folder = Path(f"/proc/{process}/fd")
    try:
        return any("socket:" in str(one.readlink()) for one in folder.iterdir())
    except OSError:
        return False


def test_stop_waits_until_another_server_may_begin_and_says_so_once(
    tmp_path: Path,
) -> None:
    server = ServerProcess(tmp_path / "home").start()
    try:
        assert server.run("stop").stdout == b"The server has stopped.\n"
        assert server.wait_for_its_end() == 0
        assert json.loads(server.run("stop", "--json").stdout) == {"stopped": False}
        assert said_wrong(server.run("status")) == "server_away"
    finally:
        server.end()


# --- completion ---


def completed(server: ServerProcess, *words: str) -> list[str]:
    """Ask bash, with our script, what could stand in the place of the last word."""
    script = """
        source <(hitherto completion bash)
        complete -p hitherto > /dev/null || exit 3
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _hitherto_completion hitherto
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    environ = {**server.environment(), "PATH": f"{HITHERTO.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", *words],
        env=environ,
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    return done.stdout.decode().split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["hitherto", "rec"], ["recall"]),
        (["hitherto", "install", "cl"], ["claude-code"]),
        (["hitherto", "remember", "x", "--kind", "dec"], ["decision"]),
        (["hitherto", "recall", "--exp"], ["--explain"]),
    ],
    ids=["command", "part", "value", "option"],
)
def test_bash_completes(shared: ServerProcess, words: list[str], expected: list[Any]) -> None:
    assert completed(shared, *words) == expected
