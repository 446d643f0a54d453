"""What our hooks and installer take for granted about Claude Code, asked of the client itself."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from realclient_model import ModelRequest, ToolCall, Turn, play
from realclient_probe import context, write_plugin
from realclient_session import Options, Place, open_session

if TYPE_CHECKING:
    from realclient_probe import Probe

pytestmark = pytest.mark.realclient

NOTES_SERVER = Path(__file__).with_name("realclient_notes_mcp.py")
PLAN = "# Plan\n\n1. Read greet.py.\n2. Make the greeting polite.\n"
LONGEST_CONTEXT = 10_000


def test_context_of_session_start_and_of_a_prompt_reaches_the_model(
    claude: Path, place: Place, probe: Probe
) -> None:
    place.write_settings(
        probe.hooks(
            SessionStart=probe.command("start", context("SessionStart", "brief-for-the-model")),
            UserPromptSubmit=probe.command("prompt", context("UserPromptSubmit", "hit-for-it")),
        )
    )
    with open_session(claude, place, play()) as session:
        session.say("Where is the port set?")

    assert session.seen("brief-for-the-model") == [0]
    assert session.seen("hit-for-it") == [0]
    assert probe.heard("start")[0]["source"] == "startup"
    assert probe.heard("prompt")[0]["prompt"] == "Where is the port set?"
    assert probe.heard("prompt")[0]["session_id"] == session.id


@pytest.mark.parametrize("output", ['{"hookSpecificOutput": {"hook', "a log line\n{}"])
def test_whatever_is_not_one_whole_json_object_is_shown_to_the_model(
    claude: Path, place: Place, probe: Probe, output: str
) -> None:
    place.write_settings(probe.hooks(UserPromptSubmit=probe.command("prompt", output)))
    with open_session(claude, place, play()) as session:
        session.say("Go on.")

    assert session.seen(output) == [0]


def test_a_broken_object_between_braces_is_an_error_that_the_model_does_not_see(
    claude: Path, place: Place, probe: Probe
) -> None:
    # why our hook may judge an answer by its ends, without parsing it
    broken = context("UserPromptSubmit", "half-a-memory")[:-1]
    assert broken.endswith("}")
    place.write_settings(probe.hooks(UserPromptSubmit=probe.command("prompt", broken)))
    with open_session(claude, place, play()) as session:
        assert session.say("Go on.") == "Done."

    assert session.seen("half-a-memory") == []
    assert [run.outcome for run in session.hook_runs] == ["error"]


def test_a_message_for_the_person_stays_away_from_the_model(
    claude: Path, place: Place, probe: Probe
) -> None:
    says = '{"systemMessage": "2 memories, 1 changed"}'
    place.write_settings(probe.hooks(UserPromptSubmit=probe.command("prompt", says)))
    with open_session(claude, place, play()) as session:
        session.say("Go on.")

    assert session.seen("2 memories") == []
    assert any("2 memories" in str(event.get("content")) for event in session.events)


@pytest.mark.parametrize(
    ("length", "arrives"), [(LONGEST_CONTEXT, True), (LONGEST_CONTEXT + 1, False)]
)
def test_context_of_more_than_10000_characters_is_cut(
    claude: Path, place: Place, probe: Probe, *, length: int, arrives: bool
) -> None:
    says = context("UserPromptSubmit", "x" * length)
    place.write_settings(probe.hooks(UserPromptSubmit=probe.command("prompt", says)))
    with open_session(claude, place, play()) as session:
        session.say("Go on.")

    assert bool(session.seen("x" * length)) is arrives


def test_compaction_drops_the_first_brief_and_asks_for_another(
    claude: Path, place: Place, probe: Probe
) -> None:
    brief = probe.command("start", context("SessionStart", "the-brief"))
    place.write_settings(probe.hooks(PreCompact=probe.command("before"), SessionStart=brief))
    with open_session(claude, place, play()) as session:
        for prompt in ("Hello.", "/compact keep the names", "Go on."):
            session.say(prompt)

    assert [request.lane for request in session.requests] == ["main", "compact", "main"]
    assert probe.heard("before")[0]["custom_instructions"] == "keep the names"
    assert [start["source"] for start in probe.heard("start")] == ["startup", "compact"]
    assert {start["session_id"] for start in probe.heard("start")} == {session.id}
    assert session.lane("main")[1].count("the-brief") == 1


def test_a_continued_session_keeps_its_id(claude: Path, place: Place, probe: Probe) -> None:
    place.write_settings(probe.hooks(SessionStart=probe.command("start")))
    with open_session(claude, place, play()) as first:
        first.say("Hello.")
    with open_session(claude, place, play(), Options(resume=True)) as second:
        second.say("Go on.")

    assert [start["source"] for start in probe.heard("start")] == ["startup", "resume"]
    assert first.id == second.id


def plan_and_leave(request: ModelRequest) -> Turn:
    """Write the plan to the file that the client names, then ask to leave plan mode."""
    match request.index:
        case 0:
            named = re.search(r"\S+/\.claude/plans/\S+\.md", "\n".join(request.texts))
            assert named, "the client names no plan file"
            return Turn("I write.", (ToolCall("Write", {"file_path": named[0], "content": PLAN}),))
        case 1:
            return Turn("The plan is ready.", (ToolCall("ExitPlanMode", {}),))
        case _:
            return Turn()


def test_an_approved_plan_is_in_the_tool_response(claude: Path, place: Place, probe: Probe) -> None:
    place.write_settings(probe.hooks(PostToolUse=probe.command("tool")))
    options = Options(attended=True, permission_mode="plan")
    with open_session(claude, place, plan_and_leave, options) as session:
        session.say("Plan it.")

    approved = [call for call in probe.heard("tool") if call["tool_name"] == "ExitPlanMode"]
    assert [call["tool_response"]["plan"] for call in approved] == [PLAN]
    assert approved[0]["tool_input"] == {}


def test_an_mcp_tool_is_named_after_its_server_which_knows_session_and_project(
    claude: Path, place: Place, probe: Probe
) -> None:
    server = {"command": sys.executable, "args": ["-I", str(NOTES_SERVER)], "alwaysLoad": True}
    place.write_mcp_servers({"notes": server})
    place.write_settings(probe.hooks(PostToolUse=probe.command("tool")))
    script = play(Turn("I keep it.", (ToolCall("mcp__notes__keep", {"text": "port 8080"}),)))
    with open_session(claude, place, script, Options(allow=("mcp__notes",))) as session:
        session.say("Keep the port.")

    assert "mcp__notes__keep" in session.lane("main")[0].tool_names
    assert session.seen(f"kept port 8080 in {session.id} of {place.project}") == [1]
    heard = probe.heard("tool")[0]
    assert (heard["tool_name"], heard["tool_input"]) == ("mcp__notes__keep", {"text": "port 8080"})


def test_a_failed_command_is_told_as_a_failure_and_not_as_a_use(
    claude: Path, place: Place, probe: Probe
) -> None:
    place.write_settings(
        probe.hooks(PostToolUse=probe.command("use"), PostToolUseFailure=probe.command("failure"))
    )
    turns = (Turn("I run.", (ToolCall("Bash", {"command": c}),)) for c in ("echo whole", "exit 3"))
    with open_session(claude, place, play(*turns)) as session:
        session.say("Run both.")

    assert [call["tool_input"]["command"] for call in probe.heard("use")] == ["echo whole"]
    assert [call["tool_input"]["command"] for call in probe.heard("failure")] == ["exit 3"]


def test_the_same_hook_in_settings_and_in_a_plugin_runs_twice(
    claude: Path, place: Place, probe: Probe
) -> None:
    says = context("UserPromptSubmit", "the-same-memory")
    settings = probe.hooks(UserPromptSubmit=probe.command("prompt", says))
    place.write_settings(settings)
    plugin = write_plugin(place.root / "plugin", settings)
    with open_session(claude, place, play(), Options(plugin=plugin)) as session:
        session.say("Go on.")

    first, second = probe.heard("prompt")
    assert first == second
    assert session.lane("main")[0].count("the-same-memory") == 2


def test_a_hook_is_told_the_project_and_its_home(claude: Path, place: Place, probe: Probe) -> None:
    tell = 'printf "%s in %s" "$CLAUDE_PROJECT_DIR" "$HOME"'
    place.write_settings(probe.hooks(UserPromptSubmit=tell))
    with open_session(claude, place, play()) as session:
        session.say("Go on.")

    assert session.seen(f"{place.project} in {place.home}") == [0]


BLOCKS_TAKEN = 8
BLOCK = '{"decision": "block", "reason": "once more"}'


def always_blocked(probe: Probe, most: int) -> str:
    """Return a Stop hook that blocks, but at most so often, and keeps its calls."""
    heard = shlex.quote(str(probe.folder / "stop.jsonl"))
    says = f"[ $(grep -c . {heard}) -gt {most} ] || printf %s {shlex.quote(BLOCK)}"
    return f"{probe.command('stop')}; {says}"


def test_of_the_blocks_in_a_row_the_ninth_is_overridden(
    claude: Path, place: Place, probe: Probe
) -> None:
    place.write_settings(probe.hooks(Stop=always_blocked(probe, 20)))
    with open_session(claude, place, play()) as session:
        session.say("Go on.")
        assert len(probe.heard("stop")) == BLOCKS_TAKEN + 1
        session.say("Go on.")

    assert len(probe.heard("stop")) == 2 * (BLOCKS_TAKEN + 1), "a prompt begins the count anew"


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(ToolCall("Bash", {"command": "true", "description": "x"}), id="done"),
        pytest.param(ToolCall("Bash", {"command": "exit 3", "description": "x"}), id="failed"),
        pytest.param(ToolCall("Write", {"file_path": "/x", "content": "x"}), id="denied"),
        pytest.param(ToolCall("NoSuchTool", {}), id="unknown"),
    ],
)
def test_a_tool_call_begins_the_count_of_blocks_in_a_row_anew(
    claude: Path, place: Place, probe: Probe, call: ToolCall
) -> None:
    # why a loop may go on for as long as its iterations do something
    most = 2 * BLOCKS_TAKEN + 2
    place.write_settings(probe.hooks(Stop=always_blocked(probe, most)))
    said = iter(range(10 * most))

    def script(request: ModelRequest) -> Turn:
        newest = str(request.body["messages"][-1])
        is_turn = "tool_result" not in newest and next(said) % BLOCKS_TAKEN == BLOCKS_TAKEN - 1
        return Turn("I work.", (call,)) if is_turn else Turn()

    with open_session(claude, place, script, Options(allow=("Bash",))) as session:
        session.say("Go on.")

    assert len(probe.heard("stop")) == most + 1
