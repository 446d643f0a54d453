"""The byte pipe, run as the client runs it."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import hitherto_hooks

RUN = Path(hitherto_hooks.__file__).parent / "run.py"
BODY = b'{"session_id":"s1","hook_event_name":"PostToolUse"}'
MARK = b"X-Hitherto-Protocol: 1\r\n"
NO_CONTENT = b"HTTP/1.1 204 No Content\r\n" + MARK + b"\r\n"
# The machine may be busy: a deadline is kept if the hook ends within this of it.
SLACK_S = 1.5


def ok(body: bytes, *headers: bytes) -> bytes:
    length = b"Content-Length: %d\r\n" % len(body)
    return b"HTTP/1.1 200 OK\r\n" + MARK + length + b"".join(headers) + b"\r\n" + body


def sh(redirection: str) -> list[str]:
    """Run the hook by a shell that changes its files first."""
    script = f'exec "$0" -I -S "$1" "$2" {redirection}'
    return ["/bin/sh", "-c", script, sys.executable, str(RUN)]


def test_the_answer_is_printed_byte_for_byte(hook, server):
    answer = '{"systemMessage": "é\\u00e9 \\n"}'.encode()
    server(ok(answer))
    done = hook()
    assert (done.code, done.out, done.err) == (0, answer, b"")
    assert hook.spooled() == []


def test_the_largest_answer_that_is_allowed_is_printed_whole(hook, server):
    answer = b'{"a":"' + b"x" * ((1 << 20) - 8) + b'"}'
    server(ok(answer))
    assert hook().out == answer


def test_an_answer_in_lower_case_headers_and_small_pieces_is_printed(hook, server):
    def drip(connection: socket.socket, _: bytes) -> None:
        for byte in ok(b'{"a":1}').replace(b"X-Hitherto-Protocol", b"x-hitherto-protocol"):
            connection.sendall(bytes([byte]))

    server(drip)
    assert hook().out == b'{"a":1}'


def test_a_204_prints_nothing_and_leaves_nothing_in_the_spool(hook, server):
    fake = server(NO_CONTENT)
    assert hook().is_silent()
    assert len(fake.requests) == 1
    assert hook.spooled() == []


def test_the_request_carries_stdin_verbatim_with_its_time_and_deadline(hook, server):
    fake = server(NO_CONTENT)
    before = time.time_ns()
    body = b'{"prompt": "a\tb", \n "x": "\xc3\xa9"}\n'
    hook("UserPromptSubmit", body, CLAUDE_PROJECT_DIR="/p/Grüße & co/100%")
    head, _, sent = fake.requests[0].partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    headers = dict(line.split(b": ", 1) for line in lines)
    assert first == b"POST /hook/UserPromptSubmit HTTP/1.1"
    assert sent == body
    assert headers[b"X-Hitherto-Protocol"] == b"1"
    assert headers[b"X-Hitherto-Deadline-Ms"] == b"300"
    assert headers[b"X-Hitherto-Project"] == b"/p/Gr%C3%BC%C3%9Fe%20%26%20co/100%25"
    assert headers[b"Connection"] == b"close"
    assert before <= int(headers[b"X-Hitherto-Time"]) <= time.time_ns()


@pytest.mark.parametrize(
    ("event", "deadline"), [("Stop", b"1500"), ("SessionStart", b"200"), ("PreCompact", b"200")]
)
def test_each_event_has_its_deadline(hook, server, event, deadline):
    fake = server(NO_CONTENT)
    hook(event)
    assert b"\r\nX-Hitherto-Deadline-Ms: %b\r\n" % deadline in fake.requests[0]
    assert b"X-Hitherto-Project" not in fake.requests[0]


PLAN = b'{"tool_name":"ExitPlanMode"}'
SAYS_PLAN = b'{"tool_name":"Bash","tool_input":{"command":"echo \\"ExitPlanMode\\""}}'


@pytest.mark.parametrize(
    ("event", "body", "deadline"),
    [
        ("PostToolUse", PLAN, b"1200"),
        ("PreToolUse", PLAN, b"200"),
        ("PostToolUse", SAYS_PLAN, b"200"),
        ("PostToolUse", b'{"tool_name":"Bash"}', b"200"),
    ],
)
def test_of_the_tools_an_approved_plan_alone_has_time_to_be_compared(
    hook, server, event, body, deadline
):
    fake = server(NO_CONTENT)
    hook(event, body)
    assert b"\r\nX-Hitherto-Deadline-Ms: %b\r\n" % deadline in fake.requests[0]


BAD_ANSWERS = {
    "nothing": b"",
    "garbage": b"\x00\xff\x17 not http at all",
    "garbage without end": b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 10_000,
    "no marker": ok(b'{"a":1}').replace(MARK, b""),
    "another protocol": ok(b'{"a":1}').replace(b"Protocol: 1", b"Protocol: 2"),
    "half a head": b"HTTP/1.1 200 OK\r\nX-Hitherto-Pro",
    "half a body": ok(b'{"a":1}')[:-3],
    "two bodies": ok(b'{"a":1}') + b'{"a":1}',
    "a list": ok(b"[1]"),
    "text": ok(b"all is well"),
    "a log line before the object": ok(b'WARN\n{"a":1}'),
    "an empty 200": ok(b""),
    "no length": b"HTTP/1.1 200 OK\r\n" + MARK + b'\r\n{"a":1}',
    "chunked": b"HTTP/1.1 200 OK\r\n" + MARK + b"Transfer-Encoding: chunked\r\n\r\n7\r\n{}",
    "a length that is none": ok(b"{}").replace(b"Length: 2", b"Length: two"),
    "a negative length": ok(b"{}").replace(b"Length: 2", b"Length: -2"),
    "a huge body": ok(b'{"a":"' + b"x" * (2 << 20) + b'"}'),
    "500": ok(b'{"a":1}').replace(b"200 OK", b"500 Oops"),
    "413": ok(b'{"a":1}').replace(b"200 OK", b"413 Large"),
    "404": ok(b'{"a":1}').replace(b"200 OK", b"404 Gone"),
    "HTTP/1.0": ok(b'{"a":1}').replace(b"HTTP/1.1", b"HTTP/1.0"),
}


@pytest.mark.parametrize("answer", BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_an_answer_that_is_not_whole_and_ours_is_not_printed_but_spooled(hook, server, answer):
    server(answer)
    assert hook().is_silent()
    assert [record.body for record in hook.spooled()] == [BODY]


def test_a_reset_connection_spools_the_event(hook, server):
    def reset(connection: socket.socket, _: bytes) -> None:
        linger = struct.pack("ii", 1, 0)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    server(reset)
    assert hook().is_silent()
    assert len(hook.spooled()) == 1


@pytest.mark.parametrize(("event", "deadline_s"), [("UserPromptSubmit", 0.3), ("PostToolUse", 0.2)])
def test_a_server_that_never_answers_costs_the_deadline_and_no_more(
    hook, server, event, deadline_s
):
    ended = threading.Event()
    server(lambda *_: ended.wait(10))
    done = hook(event)
    ended.set()
    assert done.is_silent()
    assert deadline_s <= done.seconds < deadline_s + SLACK_S
    assert len(hook.spooled()) == 1


@pytest.mark.parametrize(("event", "least_s"), [("UserPromptSubmit", 1.2), ("PostToolUse", 0.2)])
def test_where_a_judge_is_asked_a_prompt_has_more_time_and_nothing_else(
    hook, server, event, least_s
):
    ended = threading.Event()
    asked = []
    server(lambda _, request: asked.append(request) or ended.wait(10))
    (hook.home / "run" / "judged").touch()
    done = hook(event)
    ended.set()
    assert done.is_silent()
    assert least_s <= done.seconds
    assert f"X-Hitherto-Deadline-Ms: {least_s * 1000:.0f}\r\n".encode() in asked[0]


def test_the_deadline_is_total_though_each_byte_comes_in_time(hook, server):
    def drip(connection: socket.socket, _: bytes) -> None:
        ends = time.monotonic() + 10
        connection.sendall(ok(b'{"a":1}')[:30])
        while time.monotonic() < ends:
            connection.sendall(b"x")
            time.sleep(0.02)

    server(drip)
    done = hook()
    assert done.is_silent()
    assert done.seconds < 0.2 + SLACK_S
    assert len(hook.spooled()) == 1


def test_a_server_that_reads_nothing_of_a_large_event_costs_no_more(hook):
    (hook.home / "run").mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(hook.home / "run" / "server.sock"))
        listener.listen(1)
        done = hook(body=b'{"a":"' + b"x" * 1_500_000 + b'"}')
    assert done.is_silent()
    assert done.seconds < 0.2 + SLACK_S
    assert len(hook.spooled()) == 1


def test_a_queue_that_is_full_counts_as_no_server(hook):
    (hook.home / "run").mkdir(parents=True)
    path = str(hook.home / "run" / "server.sock")
    waiting = [socket.socket(socket.AF_UNIX) for _ in range(5)]
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(0)
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(path)
        done = hook()
        for client in waiting:
            client.close()
    assert done.is_silent()
    assert done.seconds < 0.2 + SLACK_S
    assert len(hook.spooled()) == 1


def test_without_a_data_home_the_event_is_spooled_in_private_folders(hook):
    assert hook(CLAUDE_PROJECT_DIR="/p q").is_silent()
    [record] = hook.spooled()
    assert (record.event, record.project, record.body) == ("PostToolUse", "/p%20q", BODY)
    assert hook.home.stat().st_mode & 0o777 == 0o700
    assert hook.events.parent.stat().st_mode & 0o777 == 0o700
    assert hook.events.stat().st_mode & 0o777 == 0o600


def test_a_stale_socket_file_counts_as_no_server(hook, server):
    server(NO_CONTENT).stop()
    assert (hook.home / "run" / "server.sock").exists()
    assert hook().is_silent()
    assert len(hook.spooled()) == 1


def test_the_socket_is_found_where_the_server_wrote_down_that_it_is(hook, server, tmp_path):
    fake = server(NO_CONTENT)
    moved = tmp_path / "s"
    (hook.home / "run" / "server.sock").rename(moved)
    (hook.home / "run" / "socket").write_text(f"{moved}\n")
    hook()
    assert len(fake.requests) == 1


@pytest.mark.parametrize("pointer", [b"", b"/nowhere", b"/" + b"x" * 5000, b"\xff\x00"])
def test_a_broken_pointer_to_the_socket_counts_as_no_server(hook, pointer):
    (hook.home / "run").mkdir(parents=True)
    (hook.home / "run" / "socket").write_bytes(pointer)
    assert hook().is_silent()
    assert len(hook.spooled()) == 1


def test_the_data_home_defaults_to_a_folder_in_home(hook):
    environ = {k: v for k, v in os.environ.items() if k != "HITHERTO_HOME"}
    subprocess.run([sys.executable, "-I", "-S", RUN, "Stop"], input=BODY, env=environ, check=True)
    assert (Path(environ["HOME"]) / ".hitherto" / "spool" / "events").exists()


def test_without_any_home_nothing_is_sent_or_spooled(tmp_path):
    done = subprocess.run(
        [sys.executable, "-I", "-S", RUN, "Stop"],
        input=BODY,
        capture_output=True,
        env={},
        cwd=tmp_path,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list(tmp_path.iterdir()) == []


def test_a_tilde_and_a_relative_data_home_are_understood(hook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hook(HITHERTO_HOME="~/elsewhere")
    hook(HITHERTO_HOME="here")
    assert (Path(os.environ["HOME"]) / "elsewhere" / "spool" / "events").exists()
    assert (tmp_path / "here" / "spool" / "events").exists()


@pytest.mark.parametrize("body", [b"", b" \n", b"not json", b"[1]", b'"text"'])
def test_stdin_that_is_no_object_is_neither_sent_nor_spooled(hook, server, body):
    fake = server(NO_CONTENT)
    assert hook(body=body).is_silent()
    assert fake.requests == []
    assert hook.spooled() == []


def test_ten_megabytes_arrive_whole(hook, server):
    fake = server(NO_CONTENT)
    body = b'{"a":"' + b"x" * 10_000_000 + b'"}'
    assert hook("Stop", body).is_silent()
    assert fake.requests[0].endswith(body)


@pytest.mark.parametrize("redirection", ["<&-", "<&- >&-", "<&- >&- 2>&-", "0>/dev/null"])
def test_a_closed_or_unreadable_stdin_is_an_event_without_content(hook, server, redirection):
    server(NO_CONTENT)
    assert hook(command=sh(redirection)).is_silent()
    assert hook.spooled() == []


def test_a_stdin_that_never_ends_does_not_hold_the_client_up(hook):
    (hook.home / "spool").mkdir(parents=True)
    read, write = os.pipe()
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-I", "-S", RUN, "PostToolUse"],
        stdin=read,
        capture_output=True,
        timeout=30,
        check=False,
    )
    os.close(read)
    os.close(write)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert time.monotonic() - started < 0.5 + SLACK_S
    assert hook.dropped() == 1, "what it was is not known, that it was is counted"


@pytest.mark.parametrize("redirection", [">&-", ">/dev/full", "| true"])
def test_a_stdout_that_nobody_reads_is_no_error(hook, server, redirection):
    server(ok(b'{"a":"' + b"x" * 500_000 + b'"}'))
    script = f'"$0" -I -S "$1" "$2" {redirection}'
    done = hook(command=["/bin/sh", "-c", script, sys.executable, str(RUN)])
    assert done.is_silent()
    assert hook.spooled() == []


def test_a_stdout_that_is_never_emptied_does_not_hold_the_client_up(hook, server):
    server(ok(b'{"a":"' + b"x" * 500_000 + b'"}'))
    read, write = os.pipe()
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-I", "-S", RUN, "PostToolUse"],
        input=BODY,
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=30,
        check=False,
    )
    os.close(read)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
    assert time.monotonic() - started < 0.5 + SLACK_S


def test_a_disabled_hook_reads_its_input_and_does_nothing_else(hook, server):
    fake = server(ok(b'{"a":1}'))
    body = b'{"a":"' + b"x" * 1_000_000 + b'"}'
    assert hook("SessionStart", body, HITHERTO_DISABLE="1").is_silent()
    assert fake.requests == []
    assert not hook.events.exists()


@pytest.mark.parametrize("event", [None, "", "../../v1/forget", "Stop HTTP/1.1\r\nX: y", "Stöp"])
def test_what_is_no_event_name_is_neither_sent_nor_spooled(hook, server, event):
    fake = server(ok(b'{"a":1}'))
    assert hook(event).is_silent()
    assert fake.requests == []
    assert hook.spooled() == []


@pytest.mark.parametrize("damage", ["def broken(:", "raise SystemExit(3)", "print('x')\n1/0"])
def test_a_damaged_installation_stays_silent(tmp_path, damage):
    (tmp_path / "run.py").write_bytes(RUN.read_bytes())
    (tmp_path / "pipe.py").write_text(damage.replace("print('x')", ""))
    done = subprocess.run(
        [sys.executable, "-I", "-S", tmp_path / "run.py", "Stop"],
        input=BODY,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def modules_loaded(*argv: str | Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", *argv],
        input=BODY,
        capture_output=True,
        check=True,
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}


def test_the_fast_path_loads_one_file_of_ours_and_one_extension(hook, server):
    server(NO_CONTENT)
    bare = modules_loaded("-c", "pass")
    assert modules_loaded(RUN, "PostToolUse") - bare == {"pipe", "_socket"}


def test_the_way_to_the_spool_loads_three_more(hook):
    bare = modules_loaded("-c", "pass")
    loaded = modules_loaded(RUN, "PostToolUse") - bare
    assert loaded == {"pipe", "_socket", "masking", "spool", "fcntl"}
