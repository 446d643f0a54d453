"""A person steers a real server by its command line: why, wrong, pause, ignore and purge."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.documented_errors import documented_codes
from tests.mcp_process import McpProcess
from tests.server_process import ServerProcess, wait_until
from tests.wiring import rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LESSON = "parse_config reads its file twice, first for the encoding."
QUESTION = "Why does parse_config read its file twice for the encoding?"
IN_FORCE_S = 3.0
KEEPERS = ("session", "turn", "event", "injection")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def running(server: ServerProcess, project: Path) -> ServerProcess:
    """Return a server that knows something."""
    server.start().call("remember", content=LESSON, project_dir=str(project))
    return server


def prompts(server: ServerProcess, project: Path, prompt: str, session: str = "s") -> Any:
    """Ask as the client's hook does, and return what it would print."""
    body = {"session_id": session, "cwd": str(project), "prompt": prompt}
    reply = server.hook("UserPromptSubmit", body)
    assert reply.status in {200, 204}
    return reply.json if reply.body else None


def says(server: ServerProcess, project: Path, *arguments: str) -> str:
    done = server.run(*arguments, cwd=project)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def is_given(reply: Any) -> bool:
    return reply is not None and "hookSpecificOutput" in reply


def kept(server: ServerProcess, session: str = "s") -> dict[str, int]:
    """Count what a session left behind."""
    names = {table: "id" if table == "session" else "session_id" for table in KEEPERS}
    query = "SELECT count(*) FROM {} WHERE {} = ?"
    return {
        table: rows(server.database, query.format(table, name), session)[0][0]
        for table, name in names.items()
    }


def wait_for_prompt(server: ServerProcess, prompt: str) -> None:
    query = "SELECT count(*) FROM turn WHERE prompt = ?"
    wait_until(lambda: rows(server.database, query, prompt) == [(1,)], "the prompt is kept")


def test_why_shows_what_was_asked_given_and_marked_as_wrong(
    running: ServerProcess, project: Path
) -> None:
    assert is_given(prompts(running, project, QUESTION))
    wait_for_prompt(running, QUESTION)
    told = says(running, project, "why")
    assert QUESTION in told
    assert LESSON in told
    assert "injected" in told
    assert "coverage" in told
    assert "floor: probability" in told
    marked = says(running, project, "wrong", "--because", "it reads once")
    assert LESSON in marked
    assert "marked as wrong: it reads once" in says(running, project, "why")
    assert json.loads(says(running, project, "wrong", "--undo", "--json"))["undone"] is True
    assert "marked as wrong" not in says(running, project, "why", "--session", "s")


def test_what_is_wrong_twice_is_given_nowhere_even_after_a_kill(
    running: ServerProcess, project: Path
) -> None:
    for session in ("s", "t"):
        assert is_given(prompts(running, project, QUESTION, session))
        says(running, project, "wrong", "--session", session)
    running.restart()
    assert prompts(running, project, QUESTION, "u") is None
    found = json.loads(says(running, project, "recall", QUESTION, "--json"))
    assert [hit["excerpt"] for hit in found["hits"]] == [LESSON]


@pytest.mark.parametrize("how", ["session", "path", "ignore"])
def test_what_is_left_alone_is_so_at_once_and_until_it_is_taken_back(
    running: ServerProcess, project: Path, how: str
) -> None:
    quiet, back = {
        "session": (["pause", "--session", "s"], ["resume", "--session", "s"]),
        "path": (["pause", "--for", "2h"], ["resume"]),
        "ignore": (["ignore", "."], ["ignore", ".", "--remove"]),
    }[how]
    says(running, project, *quiet)
    began = time.monotonic()
    first = prompts(running, project, QUESTION)
    assert time.monotonic() - began < IN_FORCE_S
    assert list(first) == ["systemMessage"]
    assert prompts(running, project, f"Again: {QUESTION}") is None
    assert kept(running) == dict.fromkeys(KEEPERS, 0)
    named = "session s" if how == "session" else str(project)
    assert named in says(running, project, "status")
    assert named in running.run("doctor").stdout.decode()
    running.restart()
    assert list(prompts(running, project, f"After a restart: {QUESTION}")) == ["systemMessage"]
    says(running, project, *back)
    assert named not in says(running, project, "status")
    assert is_given(prompts(running, project, f"At last: {QUESTION}"))
    assert kept(running)["event"] == 1


def test_what_waits_in_the_spool_while_a_session_is_paused_is_dropped(
    running: ServerProcess, project: Path
) -> None:
    says(running, project, "pause", "--session", "s")
    running.kill()
    spool = running.home / "spool"
    lines = [
        f"UserPromptSubmit\t{time.time_ns()}\t{project}\t"
        + json.dumps({"session_id": session, "cwd": str(project), "prompt": QUESTION})
        for session in ("s", "t")
    ]
    (spool / "events").write_text("".join(f"{line}\n" for line in lines))
    running.start()
    wait_until(lambda: not [*spool.glob("events*")], "the spool is taken in")
    assert kept(running, "s") == dict.fromkeys(KEEPERS, 0)
    assert (kept(running, "t")["event"], kept(running, "t")["turn"]) == (1, 1)


def test_an_agent_in_a_paused_session_is_told_and_in_an_ignored_folder_refused(
    running: ServerProcess, project: Path
) -> None:
    says(running, project, "pause", "--session", "s")
    environment = {"CLAUDE_CODE_SESSION_ID": "s", "CLAUDE_PROJECT_DIR": str(project)}
    agent = McpProcess({**running.environment(), **environment}, project.with_name("mcp.errors"))
    try:
        recalled = agent.call("recall", query=QUESTION)
        assert LESSON in recalled.text
        assert "paused" in recalled.text
        stored = agent.call("remember", content="The cache is cold in the morning.")
        assert not stored.is_error
        assert "paused" in stored.text
        says(running, project, "ignore", ".")
        refused = agent.call("remember", content="The cache is warm in the evening.")
        assert refused.is_error
        assert refused.text.startswith("folder_ignored:")
        assert LESSON in agent.call("recall", query=QUESTION).text
    finally:
        agent.end()


def test_a_purge_counts_first_and_removes_then(running: ServerProcess, project: Path) -> None:
    prompts(running, project, QUESTION)
    wait_for_prompt(running, QUESTION)
    counted = says(running, project, "purge", "--session", "s")
    assert "1 prompt, 1 event, 1 ledger row" in counted
    assert "Nothing was removed" in counted
    assert kept(running) == dict.fromkeys(KEEPERS, 1)
    removed = json.loads(says(running, project, "purge", "--path", ".", "--yes", "--json"))
    assert removed["done"] is True
    assert kept(running) == dict.fromkeys(KEEPERS, 0)
    assert "Nothing was considered yet" in says(running, project, "why")
    assert LESSON in says(running, project, "recall", QUESTION)


BAD = [
    ["wrong"],
    ["wrong", "zz"],
    ["wrong", "--because", ""],
    ["wrong", "--because", "x" * 2000],
    ["pause", "--for", "soon"],
    ["pause", "--for", "0h"],
    ["pause", "--for", "999999d"],
    ["pause", "--session", "s", "--path", "."],
    ["pause", "--session", ""],
    ["pause", "--path", ""],
    ["pause", "--path", "/" + "x" * 5000],
    ["resume", "--session", "s", "--path", "."],
    ["ignore"],
    ["ignore", "--remove"],
    ["ignore", ".", "--list"],
    ["purge"],
    ["purge", "--session", "s", "--path", "."],
    ["why", "--session", "x" * 300],
    [b"ignore", b"\xff"],
]


@pytest.fixture(scope="module")
def asked_badly(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Return one server for all that is refused."""
    server = ServerProcess(tmp_path_factory.mktemp("data") / "home").start()
    yield server
    server.end()


@pytest.mark.parametrize("arguments", BAD, ids=lambda some: " ".join(map(str, some))[:40])
def test_what_cannot_be_meant_is_refused_with_a_code_and_a_mend(
    asked_badly: ServerProcess, project: Path, arguments: list[Any]
) -> None:
    done = asked_badly.run(*arguments, cwd=project)
    assert done.returncode in {1, 2}
    said, mend = done.stderr.decode().strip().split("\n")
    assert said.split(": ")[1] in documented_codes()
    assert mend.strip()
    assert done.stdout == b""
    assert asked_badly.tracebacks() == []
