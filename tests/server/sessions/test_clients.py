"""Codex's hooks: what comes in is told in our words, and its schemas take every answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.server_process import ServerProcess

from hitherto_server.sessions.bookkeeping import detail_of
from hitherto_server.sessions.call import HookCall, read_call
from hitherto_server.sessions.client.clients import DIALECTS, accepted, files_of_patch, split_name
from hitherto_server.store.notices import list_edited
from hitherto_server.store.sessions import NewEvent, begin_session, put_event

if TYPE_CHECKING:
    from hitherto_server.services import Services

SCHEMAS = json.loads((Path(__file__).parents[2] / "codex_schemas.json").read_text())["schemas"]
FILE_NAMES = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "user-prompt-submit",
    "PreToolUse": "pre-tool-use",
    "PostToolUse": "post-tool-use",
    "PermissionRequest": "permission-request",
    "PreCompact": "pre-compact",
    "PostCompact": "post-compact",
    "SubagentStart": "subagent-start",
    "SubagentStop": "subagent-stop",
    "Stop": "stop",
    "SessionEnd": "session-end",
    "Interrupt": "interrupt",
}
PATCH = """*** Begin Patch
*** Add File: docs/new name.md
+*** Update File: not/a/file.py
*** Update File: src/old.py
*** Move to: src/new.py
@@
-one
+two
*** Delete File: gone.txt
*** End Patch
"""
FULL = {
    "systemMessage": "Hitherto: 1 memory",
    "hookSpecificOutput": {"additionalContext": "a memory", "ours": 1},
    "decision": "block",
    "reason": "because",
    "continue": True,
    "suppressOutput": None,
    "unknown": [1],
}


def body_of(event: str, **fields: Any) -> bytes:
    body = {"session_id": "s1", "cwd": "/p", "hook_event_name": event, **fields}
    return json.dumps(body).encode()


def read(event: str, **fields: Any) -> HookCall:
    return read_call(f"{event}@codex", body_of(event, **fields), at_ms=1)


def is_taken(event: str, reply: dict[str, Any]) -> bool:
    jsonschema.validate(reply, SCHEMAS[f"{FILE_NAMES[event]}.command.output"])
    return True


def test_a_name_says_event_and_client() -> None:
    assert split_name("Stop@codex") == ("Stop", "codex")
    assert split_name("Stop") == ("Stop", "claude-code")
    assert split_name("Stop@stranger") == ("Stop", "claude-code")


def test_every_event_that_codex_publishes_is_known_here() -> None:
    assert {title.split(".")[0] for title in SCHEMAS} == set(FILE_NAMES.values())


@pytest.mark.parametrize("event", DIALECTS["codex"].accepts or ())
def test_codex_takes_an_answer_with_everything_that_we_may_say(event: str) -> None:
    reply = accepted("codex", event, FULL)
    assert reply is not None
    assert is_taken(event, reply)
    assert "unknown" not in reply
    said = reply.get("hookSpecificOutput")
    assert (said is not None) == (event in DIALECTS["codex"].context_at)
    assert said in (None, {"additionalContext": "a memory", "hookEventName": event})


@pytest.mark.parametrize("event", sorted(DIALECTS["codex"].context_at))
def test_codex_would_refuse_what_is_left_out(event: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        is_taken(event, FULL)


@pytest.mark.parametrize("event", ["SessionEnd", "Interrupt", "Nonsense"])
def test_what_codex_takes_no_answer_to_gets_none(event: str) -> None:
    assert accepted("codex", event, FULL) is None


def test_claude_code_is_answered_as_before() -> None:
    assert accepted("claude-code", "Stop", FULL) is FULL
    assert accepted("claude-code", "Stop", None) is None


def test_a_patch_names_its_files() -> None:
    assert files_of_patch(PATCH) == ["docs/new name.md", "src/old.py", "src/new.py", "gone.txt"]
    assert files_of_patch({"no": "text"}) == []


def test_the_files_of_a_patch_are_kept_and_the_patch_is_not() -> None:
    call = read("PostToolUse", tool_name="apply_patch", tool_input={"command": PATCH})
    assert call.client == "codex"
    assert call.event == "PostToolUse"
    assert "two" not in json.dumps(call.body)
    assert detail_of(call)["files"] == [f"/p/{name}" for name in files_of_patch(PATCH)]
    absolute = "*** Update File: /q/a.py\n*** Add File: ../b.py\n"
    call = read("PostToolUse", tool_name="apply_patch", tool_input={"command": absolute})
    assert call.files == ["/q/a.py", "/b.py"]


@pytest.mark.parametrize("tool", ["spawn_agent", "collaborationspawn_agent"])
def test_a_dispatch_is_told_in_our_words(tool: str) -> None:
    given = {"message": "Look at the locks.", "task_name": "look"}
    call = read("PreToolUse", tool_name=tool, tool_input=given, tool_use_id="c1")
    assert call.text("tool_name") == "Agent"
    assert call.body["tool_input"] == {"prompt": "Look at the locks.", "subagent_type": "default"}
    sealed = read("PreToolUse", tool_name=tool, tool_input={"message": "gAAAA" * 40})
    assert sealed.text("tool_input", "prompt") == ""
    assert read("PreToolUse", tool_name=tool, tool_input=["odd"]).text("tool_name") == "Agent"


async def test_a_file_that_a_patch_names_counts_as_edited(services: Services) -> None:
    def write(connection: Any) -> list[str]:
        begin_session(connection, "s1", client="codex", at_ms=1)
        details: list[dict[str, Any]] = [{"file": "b", "files": ["a", "b"]}, {"file": "c"}, {}]
        for number, detail in enumerate(details):
            event = NewEvent("s1", "PostToolUse", str(number), number, number, False, "t", detail)
            put_event(connection, event)
        return list_edited(connection, "s1")

    edited = await services.store.writer.run(write)
    assert edited[0] == "c"
    assert set(edited) == {"a", "b", "c"}


async def test_what_codex_left_in_the_spool_is_taken_in_as_its_own(services: Services) -> None:
    body = body_of("Stop", last_assistant_message=None, turn_id="t").decode()
    services.sessions.spool.events.parent.mkdir(parents=True, exist_ok=True)
    services.sessions.spool.events.write_text(f"Stop@codex\t{10**18}\t\t{body}\n")
    await services.sessions.drain()
    read = services.store.readers.run
    found = await read(lambda c: c.execute("SELECT id, client FROM session").fetchall())
    assert [tuple(row) for row in found] == [("s1", "codex")]
    named = await read(lambda c: c.execute("SELECT name, spooled FROM event").fetchall())
    assert [tuple(row) for row in named] == [("Stop", 1)]


texts = st.text(max_size=40)
inputs = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@given(tool=st.sampled_from(["apply_patch", "Bash"]) | texts, value=inputs)
def test_whatever_codex_sends_as_a_tool_is_read(tool: str, value: Any) -> None:
    call = read("PostToolUse", tool_name=tool, tool_input=value, tool_response=value)
    assert call.session_id == "s1"
    detail_of(call)


@given(reply=st.dictionaries(st.sampled_from(sorted(FULL)), texts.map(str.strip), max_size=7))
def test_no_answer_has_a_field_that_codex_does_not_know(reply: dict[str, Any]) -> None:
    for event in DIALECTS["codex"].accepts or ():
        known = set(SCHEMAS[f"{FILE_NAMES[event]}.command.output"]["properties"])
        assert set(accepted("codex", event, dict(reply)) or ()) <= known


def test_a_session_of_codex_is_served_and_named_after_it(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "home").start()
    project = tmp_path / "project"
    project.mkdir()
    where = {"session_id": "c1", "cwd": str(project), "model": "m", "permission_mode": "default"}
    try:
        stored = {"content": "The deploy port is 8443.", "project_dir": str(project)}
        server.call("remember", **stored)
        start = server.hook("SessionStart@codex", {**where, "source": "startup"})
        prompt = {**where, "prompt": "Which is the deploy port?", "turn_id": "t"}
        asked = server.hook("UserPromptSubmit@codex", prompt)
        patch = {"tool_name": "apply_patch", "tool_input": {"command": PATCH}}
        edited = server.hook("PostToolUse@codex", {**where, **patch, "tool_response": "ok"})
        ended = server.hook("SessionEnd@codex", {**where, "reason": "other"})
        answers = {"SessionStart": start, "UserPromptSubmit": asked, "PostToolUse": edited}
        for event, answer in answers.items():
            assert answer.status in {200, 204}
            assert answer.status == 204 or is_taken(event, answer.json)
        assert ended.status == 204
        assert "8443" in asked.json["hookSpecificOutput"]["additionalContext"]
        events = server.call("memories", view="events", session_id="c1", limit=50)["events"]
        assert {event["name"] for event in events} == {*answers, "SessionEnd"}
    finally:
        server.end()
