"""Complaints 1 to 25 about six peers: each test is the behaviour that the complaint wanted."""

from __future__ import annotations

import json
import random
import resource
import shlex
import signal
import string
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.complaints_parts import (
    LESSON,
    QUESTION,
    claude_settings,
    database_of,
    events_of,
    homes_processes,
    listener,
    model_is_ready,
    peak_mb,
    prlimited,
    registered_command,
    stopped,
)
from tests.mcp_process import McpProcess
from tests.server_process import ServerProcess, wait_until
from tests.session_process import Session, memories
from tests.wiring import faults_in, git, repository, rows

from hitherto_migrations import list_steps
from hitherto_server.store.driver import open_raw

if TYPE_CHECKING:
    from collections.abc import Iterator

SOON_S = 5.0
"""Far above every deadline of ours, far below what was complained about: two busy cores."""
MUCH_MB = 500.0


# --- silent loss, migration ---


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Return a server that began with the database of the first version."""
    server = ServerProcess(tmp_path_factory.mktemp("upgraded") / "home")
    database_of(server.home, version=1)
    server.start()
    yield server
    server.end()


def test_an_upgraded_store_takes_every_write_and_a_refused_one_is_shown(
    upgraded: ServerProcess, folder: Path
) -> None:
    """Complaint 1: claude-mem#3713."""
    session = Session(upgraded, folder)
    kept = session.remember("The port of the gateway is 8080.")
    assert upgraded.call("memories", view="get", ids=[kept])["memories"]
    assert len(list((upgraded.home / "backups").glob("*.db"))) >= 1
    with prlimited(upgraded.pid, resource.RLIMIT_FSIZE, 0):
        refused = upgraded.post("/v1/remember", {"content": "The disk is full.", "scope": "user"})
        assert refused.status >= 500
    assert "writes were refused" in session.says("status")
    findings = json.loads(upgraded.run("doctor", "--json").stdout)
    assert [one["ok"] for one in findings if one["what"] == "losses"] == [False]


def test_a_server_that_answers_after_an_upgrade_does_everything_and_holds_no_stop_up(
    alone: ServerProcess, folder: Path
) -> None:
    """Complaint 2: claude-mem#3094, #3118."""
    database_of(alone.home, version=1)
    alone.start()
    session = Session(alone, folder)
    kept = session.remember(LESSON)
    assert alone.get("/v1/status").json["schema_version"] == list_steps()[-1].number
    assert kept in session.prompt(QUESTION).given
    assert session.hook("Stop", stop_hook_active=True).is_silent
    assert alone.tracebacks() == []


def test_the_first_session_keeps_its_events_with_nothing_started_by_hand(own: Session) -> None:
    """Complaint 3: mms#530."""
    server = own.server
    own.says("install", "claude-code")
    assert not server.answers()
    for event in ("SessionStart", "UserPromptSubmit", "Stop"):
        hook = Session(server, own.folder, command=("sh", "-c", registered_command(server, event)))
        assert hook.hook(event, source="startup", prompt=QUESTION).code == 0
    wait_until(server.answers, "the session's start has started the server")
    wait_until(lambda: len(events_of(own)) == 3, "nothing of the session was lost")


def test_a_note_of_the_same_title_replaces_nothing(session: Session) -> None:
    """Complaint 4: basic-memory#625."""
    notes = [f"# Standup\n\n{day}: {what}" for day, what in (("Mon", "rollout"), ("Tue", "outage"))]
    for note in notes:
        session.remember(note)
    kept = session.listed()
    assert sorted(one["content"] for one in kept) == sorted(notes)


def test_a_contradiction_keeps_both_and_names_the_other(session: Session) -> None:
    """Complaint 5: mem0#4536."""
    old = session.remember("The reports are stored in Postgres.")
    said = session.call("remember", content="The reports are not stored in Postgres.")
    assert old in " ".join(said["notes"])
    assert len(session.listed()) == 2


# --- locks, corruption ---


def test_eight_sessions_at_once_leave_a_sound_store_that_starts_at_once(own: Session) -> None:
    """Complaint 6: claude-mem#3179."""
    server = own.server.start()

    def work(number: int) -> None:
        for turn in range(6):
            content = f"Session {number} found in turn {turn} that cache_{number}_{turn} is cold."
            server.call("remember", content=content, project_dir=str(own.folder))
            body = {"session_id": f"s{number}", "cwd": str(own.folder), "prompt": content}
            assert server.hook("UserPromptSubmit", body).status in {200, 204}

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    server.restart()
    assert len(memories(server)) == 48
    server.kill(signal.SIGTERM)
    assert faults_in(server.database) == []


def test_one_bad_vector_hinders_no_other_memory_and_ends_no_server(
    own: Session, models_dir: Path
) -> None:
    """Complaint 7: mms#1037."""
    server = own.server
    server.use_models(models_dir)
    server.start()
    bad, good = own.remember(LESSON), own.remember("Invoices are sent on Fridays at noon.")
    wait_until(lambda: vectors_of(server) == 2, "both have a vector")
    server.kill()
    with closing(open_raw(server.database)) as connection:
        connection.execute("UPDATE embedding SET vector = x'0badf00d' WHERE rowid = 1")
    server.start()
    wait_until(lambda: model_is_ready(server), "the model is loaded")
    asked = own.call("recall", query="on which day are invoices sent out?")
    assert asked["arms"]["passages"] == "ok"
    assert asked["hits"][0]["excerpt"].startswith("Invoices")
    for memory in (bad, good):
        own.call("forget", id=memory)
        assert server.call("erase", memory=memory, confirmed=True)["left"] == []
    assert server.get("/health").status == 200
    assert server.tracebacks() == []


def vectors_of(server: ServerProcess) -> int:
    return int(rows(server.database, "SELECT count(*) FROM embedding")[0][0])


def test_among_four_thousand_memories_of_a_project_the_oldest_is_found(large: Session) -> None:
    """Complaint 8: mms#465: by words, by its name, and by meaning alone."""
    for query in ("flumox valve", "flumox_valve", "which part lets the water out in winter?"):
        assert any("flumox" in hit for hit in large.recall(query)), query


def test_two_agents_a_hook_and_the_command_line_use_one_store_at_once(
    session: Session, tmp_path: Path
) -> None:
    """Complaint 9: mms#59."""
    environ = {**session.environment(), "CLAUDE_PROJECT_DIR": str(session.folder)}
    agents = [McpProcess(environ, tmp_path / "mcp.errors") for _ in range(2)]
    for number, agent in enumerate(agents):
        told = agent.call("remember", content=f"Agent {number} says that pump_{number} is blue.")
        assert not told.is_error, told.text
    session.remember("The person says that pump_2 is blue.")
    for agent in agents:
        seen = agent.call("memories", view="recent").text
        assert [f"pump_{number}" in seen for number in range(3)] == [True] * 3
        agent.end()
    assert "pump_1" in session.prompt("Which pump is blue, is it pump_1?").given


# --- duplicates, junk ---


def test_an_event_that_comes_by_settings_plugin_and_spool_is_kept_once(own: Session) -> None:
    """Complaint 10: claude-mem#1158."""
    server = own.server.start()
    own.remember(LESSON)
    with ThreadPoolExecutor(2) as pool:  # the settings' hook and the plugin's
        list(pool.map(lambda _: own.tool("Edit", 1, file_path="a.py"), range(2)))
    server.kill()
    assert own.tool("Edit", 1, file_path="a.py").is_silent
    server.start()
    wait_until(lambda: not list((server.home / "spool").iterdir()), "the spool is taken in")
    assert len(events_of(own)) == 1
    for _ in range(3):
        assert own.call("remember", content=LESSON)["outcome"] == "already_known"
    assert memories(server) == [LESSON]


def test_the_same_in_other_words_from_sessions_at_once_is_given_once(session: Session) -> None:
    """Complaint 11: claude-mem#1260."""
    told = [
        "The nightly export fails when the disk quota of the worker is used up.",
        "When the disk quota of the worker is used up, the nightly export fails.",
    ]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(session.remember, told))
    given = session.prompt("Why does the nightly export fail, is it the worker's quota?").given
    assert given.count("disk quota") == 1


def test_what_a_session_was_given_or_read_never_comes_back_as_a_memory(session: Session) -> None:
    """Complaint 12: mem0#4573."""
    session.remember(LESSON)
    before = memories(session.server)
    given = session.prompt(QUESTION).given
    assert LESSON in given
    for number in range(3):
        session.tool("Bash", number, command=f"echo {given}")
        session.prompt(
            f"You said: {given}\n\nI am certain that the moon is made of cheese {number}."
        )
    session.hook("Stop")
    session.hook("SessionEnd", reason="exit")
    assert memories(session.server) == before


def test_distinct_notes_of_one_day_are_all_kept(session: Session) -> None:
    """Complaint 13: mms#1034, #463."""
    notes = [f"The timeout of the gateway is {seconds} s." for seconds in (30, 90, 120)]
    for note in notes:
        assert session.call("remember", content=note)["outcome"] == "stored"
    kept = session.listed()
    assert sorted(one["content"] for one in kept) == sorted(notes)


def test_the_same_block_is_given_once_in_a_session(session: Session) -> None:
    """Complaint 14: claude-mem#3394."""
    session.remember(LESSON)
    given = [session.prompt(f"{QUESTION} Round {number}.").given for number in range(5)]
    assert [LESSON in one for one in given] == [True, False, False, False, False]
    assert given[1:] == [""] * 4


# --- latency, blocking ---


def test_with_the_server_dead_no_prompt_is_blocked(own: Session) -> None:
    """Complaint 15: claude-mem#3596, #3523."""
    own.server.start()
    own.server.kill()
    outcomes = [own.prompt(f"{QUESTION} {number}") for number in range(5)]
    assert [one.is_silent for one in outcomes] == [True] * 5
    assert min(one.seconds for one in outcomes) < 1


def test_with_the_server_hanging_a_prompt_waits_for_its_deadline_and_no_more(
    session: Session,
) -> None:
    """Complaint 16: claude-mem#3434; that commands end too is in test_command_line.py."""
    with stopped(session.server):
        outcomes = [session.prompt(f"{QUESTION} {number}") for number in range(3)]
    assert [one.is_silent for one in outcomes] == [True] * 3
    assert min(one.seconds for one in outcomes) < SOON_S / 2
    wait_until(lambda: len(events_of(session)) == 3, "they were kept for later")


def test_no_hook_runs_a_login_shell(own: Session) -> None:
    """Complaint 17: claude-mem#3190."""
    own.says("install", "claude-code")
    person = Path(own.server.environment()["HOME"])
    for name in (".profile", ".bash_profile", ".bash_login", ".bashrc", ".zshenv"):
        (person / name).write_text(f'touch "{person}/read-{name}"\n')
    commands = [entry["command"] for _, entry in claude_settings(own.server)]
    words = {word for command in commands for word in shlex.split(command)}
    assert words & {"bash", "zsh", "-l", "--login", "-i"} == set()
    hook = Session(own.server, own.folder, command=("sh", "-c", commands[0]))
    assert hook.prompt(QUESTION).code == 0
    wait_until(own.server.answers, "the server that the hook started can be ended")
    assert list(person.glob("read-*")) == []


def test_registered_timeouts_are_seconds(own: Session) -> None:
    """Complaint 18: claude-mem#2100."""
    own.says("install", "claude-code")
    timeouts = {event: entry["timeout"] for event, entry in claude_settings(own.server)}
    assert len(timeouts) >= 7
    assert {event: s for event, s in timeouts.items() if not 1 <= s <= 10} == {}


def test_what_came_too_late_counts_as_not_given_and_comes_with_the_next_prompt(
    session: Session,
) -> None:
    """Complaint 19: hindsight#3443, #4566."""
    session.remember(LESSON)
    with stopped(session.server):
        assert session.prompt(QUESTION).is_silent
    wait_until(lambda: len(events_of(session)) == 1, "it is known that there was a prompt")
    assert LESSON in session.prompt(f"{QUESTION} Once more.").given


# --- processes, memory, tokens ---


def test_of_many_sessions_no_process_is_left_but_one_server(own: Session, tmp_path: Path) -> None:
    """Complaint 20: claude-mem#1090, #3230."""
    environ = own.environment()
    agents = [McpProcess(environ, tmp_path / "mcp.errors") for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda agent: agent.call("recall", query="is anybody there?"), agents))
        list(pool.map(lambda number: own.tool("Bash", number), range(6)))
    for agent in agents:
        agent.end()
    wait_until(lambda: len(homes_processes(own.server.home)) == 1, "the server alone is left")
    assert homes_processes(own.server.home) == [own.server.record["pid"]]


def test_many_questions_at_once_load_one_model(own: Session, models_dir: Path) -> None:
    """Complaint 21: basic-memory#872."""
    server = own.server
    server.use_models(models_dir)
    server.start()
    own.remember(LESSON)

    def asked(number: int) -> Any:
        return server.call("recall", query=f"how often is it read, {number}?", scope="user")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(asked, range(16)))
        wait_until(lambda: vectors_of(server) == 1, "the model is at work")
        list(pool.map(asked, range(16)))
    assert peak_mb(server.pid) < MUCH_MB
    mapped = Path(f"/proc/{server.pid}/maps").read_text().count("model.onnx")
    assert mapped <= 2, "it is not mapped once a question"


def test_a_whole_session_asks_no_language_model_of_anybody(own: Session) -> None:
    """Complaint 22: claude-mem#2643, hindsight#1573."""
    with listener() as (port, connections):
        base = f"http://127.0.0.1:{port}"
        keys = {"ANTHROPIC_API_KEY": "sk-of-the-test", "OPENAI_API_KEY": "sk-of-the-test"}
        urls = {"ANTHROPIC_BASE_URL": base, "OPENAI_BASE_URL": base, "HTTPS_PROXY": base}
        own.server.environ = {**own.server.environ, **keys, **urls, "HTTP_PROXY": base}
        own.server.start()
        own.remember(LESSON)
        own.hook("SessionStart", source="startup")
        assert LESSON in own.prompt(QUESTION).given
        own.tool("Edit", 1, file_path="a.py")
        for event in ("PreCompact", "Stop", "SessionEnd"):
            own.hook(event)
        assert connections == []


# --- the right project, platforms, secrets ---


def test_a_worktree_and_a_clone_are_the_project_that_they_come_from(
    session: Session, tmp_path: Path
) -> None:
    """Complaint 23: claude-mem#1819, #1081, #3641."""
    git(session.folder, "remote", "add", "origin", "git@example.com:team/shop.git")
    session.remember(LESSON)
    git(session.folder, "worktree", "add", "--quiet", str(tmp_path / "fix-ü"))
    git(tmp_path, "clone", "--quiet", str(session.folder), "copy")
    git(tmp_path / "copy", "remote", "set-url", "origin", "https://example.com/team/shop")
    for place in (tmp_path / "fix-ü", tmp_path / "copy"):
        there = Session(session.server, place, f"in {place.name}")
        assert LESSON in there.recall(QUESTION)
        assert LESSON in there.prompt(QUESTION).given
        there.remember(f"Learned in {place.name}: the shop closes at six.")
    projects = {one["project"] for one in session.listed()}
    assert len(projects) == 1


def test_a_user_name_with_a_space_breaks_no_hook(tmp_path: Path) -> None:
    """Complaint 24: claude-mem#3485, mms#160, mms#97."""
    server = ServerProcess(tmp_path / "Jörg Müller" / ".hitherto")
    person = server.home.parent
    person.mkdir()
    server.environ = {"HOME": str(person)}
    try:
        environ = {**server.environment(), "HOME": str(person)}
        assert server.run("install", "claude-code", env=environ).returncode == 0
        server.start()
        folder = repository(person / "my project")
        server.call("remember", content=LESSON, project_dir=str(folder))
        settings = json.loads((person / ".claude" / "settings.json").read_text())
        command = settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"]
        hook = Session(server, folder, "s", ("sh", "-c", command), {"HOME": str(person)})
        assert LESSON in hook.prompt(QUESTION).given
    finally:
        server.end()


def test_no_page_or_reply_shows_a_key_and_no_file_outside_of_the_project_is_read(
    own: Session, tmp_path: Path
) -> None:
    """Complaint 25: claude-mem#1251, PR 3680; mem0#6817."""
    server = own.server
    characters = string.ascii_letters + string.digits
    key = "gh" + "p_" + "".join(random.Random(25).choices(characters, k=36))
    server.environ = {**server.environ, "GITHUB_TOKEN": key}
    server.start()
    outside = tmp_path / "id_rsa"
    outside.write_text("the private key named charge_card\n")
    told = server.post(
        "/v1/remember",
        {"content": "See `charge_card`.", "files": ["../id_rsa"], "project_dir": str(own.folder)},
    )
    assert told.code == "invalid_input"
    own.remember(f"The bot logs in with {key} since May.")
    paths = ("/", "/why", "/v1/status", "/v1/quiet", "/health")
    replies = [server.send_tcp("GET", path, None, server.bearer()).body for path in paths]
    replies += [json.dumps(own.recall("how does the bot log in?")).encode()]
    for reply in replies:
        assert key.encode() not in reply
        assert server.token.encode() not in reply
    assert b"redacted" in replies[-1]
