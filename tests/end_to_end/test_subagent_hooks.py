"""A subagent's start through real hooks and a real server: in time, silent where it should be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.server_process import wait_until
from tests.session_process import Outcome, Session
from tests.system_one_stub import SystemOneStub
from tests.wiring import repository, rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.server_process import ServerProcess

FACT = "`deploy_lock` is held for 40 seconds after a failed deploy."
WEAK = "`deploy_lock` was named by Ada."
TASK = "How long is deploy_lock held after a failed deploy? Report the number."
SECRET = "AKIA" + "Z7QX4M2N8P1R5T6V"


def judged(state: Any, key: str, _question: dict[str, Any]) -> Any:
    if "candidates" not in state:
        return None
    return [0, 0, 0, 0, 1.0] if "40 seconds" in state["candidates"][key] else [1.0, 0, 0, 0, 0]


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub(judged) as serving:
        yield serving


@pytest.fixture
def session(server: ServerProcess, tmp_path: Path) -> Session:
    """Return a session of a project that knows two things."""
    server.start()
    session = Session(server, repository(tmp_path / "project", commit=False))
    session.remember(WEAK)
    session.remember(FACT)
    return session


def dispatch(session: Session, number: int = 1, task: str = TASK) -> Outcome:
    given = {"description": "Look it up", "prompt": task, "subagent_type": "Explore"}
    use = {"tool_name": "Agent", "tool_use_id": f"toolu_{number}", "tool_input": given}
    return session.hook("PreToolUse", **use)


def begin(session: Session, agent: str = "a1") -> Outcome:
    return session.hook("SubagentStart", agent_id=agent, agent_type="Explore")


def test_a_dispatch_is_let_through_without_a_word_and_its_subagent_is_briefed(
    session: Session,
) -> None:
    assert dispatch(session).is_silent
    assert "40 seconds" in begin(session).given
    assert begin(session).is_silent, "the same start is answered once"
    assert "subagent" in session.says("why")
    assert "40 seconds" in session.prompt(TASK).given


def test_a_secret_in_a_task_is_neither_kept_nor_asked_about(
    session: Session, stub: SystemOneStub
) -> None:
    session.says("judge", "use", "custom", "--url", stub.url, "--model", stub.model)
    dispatch(session, task=f"{TASK} The key is {SECRET}.")
    begin(session)
    wait_until(lambda: stub.asked, "the judge is asked")
    assert all(SECRET not in one.raw.decode() for one in stub.asked)
    home = session.server.home
    written = [file for file in home.rglob("*") if file.is_file() and not file.is_symlink()]
    assert [file for file in written if SECRET.encode() in file.read_bytes()] == []


def test_where_only_briefs_are_judged_a_subagent_has_the_time_for_it(
    session: Session, stub: SystemOneStub
) -> None:
    session.says("judge", "use", "custom", "--url", stub.url, "--model", stub.model)
    for surface in ("rerank", "historical-query"):
        session.says("judge", "off", surface)
    # the first ask loads what all of them need, and this machine may be busy
    dispatch(session)
    begin(session)
    wait_until(lambda: stub.asked, "it judges")
    stub.delay_s = 0.4
    dispatch(session, 2, f"{TASK} And who named it?")
    outcome = begin(session, "a2")
    assert "40 seconds" in outcome.given
    assert "Ada" not in outcome.given
    assert outcome.seconds > stub.delay_s

    def outcomes() -> list[str]:
        query = "SELECT outcome FROM judgment_log WHERE surface = 'brief-rank' ORDER BY id"
        return [str(row[0]) for row in rows(session.server.database, query)]

    wait_until(lambda: "injected" in "".join(outcomes()), "what became of it is noted")


def test_a_session_that_wants_no_hooks_has_none(session: Session) -> None:
    silent = replace(session, environ={"HITHERTO_DISABLE": "1"})
    assert dispatch(silent).is_silent
    assert begin(silent).is_silent
    assert begin(session).is_silent, "nothing was noted"


def test_an_ignored_folder_and_a_paused_session_brief_nobody(session: Session) -> None:
    session.says("pause", "--session", session.id)
    assert dispatch(session).is_silent
    assert begin(session).is_silent
    session.says("resume", "--session", session.id)
    session.says("ignore", str(session.folder))
    assert dispatch(session, 2).is_silent
    assert begin(session, "a2").is_silent
    query = "SELECT count(*) FROM injection WHERE channel = 'subagent'"
    assert rows(session.server.database, query) == [(0,)]


def test_a_server_that_is_away_costs_a_subagent_nothing(session: Session) -> None:
    session.server.run("stop")
    session.server.wait_for_its_end()
    assert dispatch(session).is_silent
    assert begin(session).is_silent
    spooled = (session.server.home / "spool" / "events").read_text()
    assert [line.split("\t")[0] for line in spooled.splitlines()] == ["PreToolUse", "SubagentStart"]
