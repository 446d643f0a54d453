"""What a client may write to a hook, and what it never would: by the route and by the process."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.documented_errors import documented_codes
from tests.fuzzing import ODD_TEXTS, assert_sound, broken, objects, profile, written
from tests.server_process import ServerProcess, wait_until

import hitherto_hooks

if TYPE_CHECKING:
    from collections.abc import Iterator

RUN = Path(hitherto_hooks.__file__).parent / "run.py"
EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "SessionEnd",
)
FIELDS = (
    "session_id",
    "cwd",
    "prompt",
    "prompt_id",
    "tool_name",
    "tool_input",
    "tool_response",
    "tool_use_id",
    "source",
    "reason",
    "trigger",
    "transcript_path",
    "stop_hook_active",
    "last_assistant_message",
    "hook_event_name",
    "permission_mode",
)
HUGE = 3 * 1024 * 1024
SLOWEST_S = 10.0
"""Nothing is promised of a machine where everything is started at once; a hang is far beyond."""
NAMED = {"session_id": "fuzz", "cwd": "/tmp", "prompt": "Which port does the server use?"}
GOOD_TOOL = {"session_id": "fuzz", "tool_name": "Edit", "tool_input": {"file_path": None}}


def inputs() -> st.SearchStrategy[bytes]:
    """Objects of a hook's fields with any values; texts that are hardly JSON; any bytes."""
    whole = st.one_of(objects(FIELDS, NAMED), objects(FIELDS, GOOD_TOOL), objects(FIELDS))
    texts = st.one_of(whole.map(written), whole.map(unescaped))
    return st.one_of(texts, texts, broken(texts), broken(texts), st.binary(max_size=200))


def unescaped(value: Any) -> bytes:
    """A value as JSON with its characters as they are, lone surrogates among them."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Hooks:
    """Runs hook processes against one server that a test may kill and start."""

    server: ServerProcess

    def run(self, event: str, body: bytes) -> subprocess.CompletedProcess[bytes]:
        """Run a hook as the client does."""
        command = [sys.executable, "-I", "-S", str(RUN), event]
        environ = self.server.environment()
        return subprocess.run(
            command, input=body, env=environ, capture_output=True, check=False, timeout=60
        )


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path_factory.mktemp("hooks") / "home").start()
    server.call("remember", content="The server uses port 8080.", scope="user")
    yield server
    server.end()


HUGE_INPUTS = [
    written({**NAMED, "tool_response": "x" * HUGE}),
    written({**NAMED, "prompt": "port " * (HUGE // 5)}),
    written({**NAMED, "tool_input": {str(n): n for n in range(50_000)}}),
    b'{"session_id": "fuzz", "tool_response": ' + b"[" * 400_000 + b"]" * 400_000 + b"}",
    b'{"session_id": "fuzz", "n": ' + b"9" * 500_000 + b"}",
    b'{"session_id": "fuzz", "n": [' + b"NaN, " * 10_000 + b"1e999]}",
    b'{"session_id": "fuzz", "prompt": "' + b"\\ud800" * 50_000 + b'"}',
    b'{"session_id": "fuzz", "prompt": "' + b"\\u0000" * 50_000 + b'"}',
]


def assert_noted_or_refused(server: ServerProcess, event: str, body: bytes) -> None:
    began = time.monotonic()
    reply = server.hook(event, body)
    assert time.monotonic() - began < SLOWEST_S, body[:500]
    assert reply.status < 500, (reply.body, body[:500])
    if reply.status >= 400:
        assert reply.code in documented_codes()
    elif reply.status == 200:
        assert isinstance(reply.json, dict)


@pytest.mark.slow
def test_no_input_breaks_the_route_of_the_hooks(running: ServerProcess) -> None:
    @profile(400)
    @given(event=st.sampled_from(EVENTS), body=inputs())
    @example(event="UserPromptSubmit", body=written({**NAMED, "prompt": "\ud800 port"}))
    def never_breaks(event: str, body: bytes) -> None:
        assert_noted_or_refused(running, event, body)

    never_breaks()
    for event in EVENTS:
        for body in HUGE_INPUTS:
            assert_noted_or_refused(running, event, body)
    assert_sound(running)


@pytest.mark.slow
def test_no_header_and_no_event_name_breaks_the_route_of_the_hooks(running: ServerProcess) -> None:
    name = st.one_of(st.sampled_from(EVENTS), st.text(st.characters(codec="ascii"), max_size=20))
    header = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=30)

    @profile(80)
    @given(event=name, at=header, deadline=header, project=header)
    @example(event="Stop", at="1" * 4000, deadline="9" * 400, project="%FF%00%2e%2e/etc")
    @example(event="..%2f..%2fv1%2fstop", at="1", deadline="1", project="%ED%A0%80")
    def never_breaks(event: str, at: str, deadline: str, project: str) -> None:
        path = "".join(f"%{byte:02X}" for byte in event.encode())
        reply = running.send(
            "POST",
            f"/hook/{path}",
            written({**NAMED, "prompt": at}),
            {
                "X-Hitherto-Time": at,
                "X-Hitherto-Deadline-Ms": deadline,
                "X-Hitherto-Project": project,
            },
        )
        assert reply.status < 500, reply.body

    never_breaks()
    assert_sound(running)


def assert_quiet(done: subprocess.CompletedProcess[bytes], body: bytes) -> None:
    assert (done.returncode, done.stderr) == (0, b""), body[:500]
    if done.stdout:
        assert isinstance(json.loads(done.stdout), dict)


@pytest.mark.slow
def test_no_input_makes_a_hook_process_fail_or_speak_and_a_later_start_takes_in_what_it_left(
    tmp_path: Path,
) -> None:
    server = ServerProcess(tmp_path / "home").start()
    hooks = Hooks(server)

    @profile(30)
    @given(event=st.sampled_from([*EVENTS, "", "no event", "../x"]), body=inputs())
    def never_breaks(event: str, body: bytes) -> None:
        assert_quiet(hooks.run(event, body), body)

    try:
        never_breaks()
        server.kill()
        never_breaks()  # each goes into the spool
        for body in (*HUGE_INPUTS, *(written({**NAMED, "prompt": text}) for text in ODD_TEXTS)):
            assert_quiet(hooks.run("UserPromptSubmit", body), body)
        if not server.answers():  # a SessionStart may have started it
            server.start_unless_it_runs()
        spool = server.home / "spool"
        wait_until(lambda: not list(spool.glob("events*[!e]")), "the spool is taken in")
        assert_sound(server)
    finally:
        server.end()
