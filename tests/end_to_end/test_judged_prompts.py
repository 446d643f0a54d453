"""Prompts of a real server and real hooks, beside a judge that answers, dawdles or hangs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.server_process import wait_until
from tests.session_process import Session
from tests.system_one_stub import HANGING, SystemOneStub
from tests.wiring import repository, rows

from hitherto_server.recall.pipeline import ASKED_JUDGE_S
from hitherto_server.sessions.prompt.patience import JUDGED_PROMPT_MS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.server_process import ServerProcess

WEAK = "`deploy_lock` was named by Ada."
STRONG = "`deploy_lock` is held for 40 seconds after a failed deploy."
PROMPT = "How long is deploy_lock held?"
CANARY = "canary sentence of a private file"
PLAIN_S = 0.3
SLACK_S = 1.5


def judged(state: Any, key: str, _question: dict[str, Any]) -> Any:
    if "candidates" not in state:
        return None
    return [0, 0, 0, 0, 1.0] if "40 seconds" in state["candidates"][key] else [1.0, 0, 0, 0, 0]


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub(judged) as serving:
        yield serving


@pytest.fixture
def session(server: ServerProcess, stub: SystemOneStub, tmp_path: Path) -> Session:
    """Return a session of a project that knows two things, judged by the stub's word."""
    server.start()
    session = Session(server, repository(tmp_path / "project", commit=False))
    session.remember(WEAK)
    session.remember(STRONG)
    session.says("judge", "use", "custom", "--url", stub.url, "--model", stub.model)
    # the first ask loads what all of them need, and this machine may be busy
    warm = {"query": "Who named deploy_lock?", "rerank": True}
    wait_until(lambda: session.call("recall", **warm)["ranked_by"] == "judgment", "it judges", 120)
    stub.requests.clear()
    return session


def test_a_prompt_is_given_what_was_judged_to_matter_though_that_takes_longer_than_recall(
    session: Session, stub: SystemOneStub
) -> None:
    stub.delay_s = 0.4
    outcome = session.prompt(PROMPT)
    assert "40 seconds" in outcome.given
    assert "Ada" not in outcome.given
    assert outcome.seconds > stub.delay_s
    assert "judged 0.0 < 1.5" in session.says("why")


def test_a_judge_that_hangs_costs_one_prompt_its_time_and_the_next_ones_nothing(
    session: Session, stub: SystemOneStub
) -> None:
    stub.fault = HANGING
    first = session.prompt(PROMPT)
    assert "40 seconds" in first.given  # by the measured floor
    assert first.seconds < JUDGED_PROMPT_MS / 1000 + SLACK_S
    following = [session.prompt(f"{PROMPT} And the {n}. time?") for n in range(3)]
    assert min(one.seconds for one in following) < PLAIN_S
    assert all(one.code == 0 for one in following)
    assert len(stub.asked) == 2, "both of the first prompt, at once"
    wait_until(lambda: _reasons(session), "the log tells of the prompts")
    assert _reasons(session)[0] == ("timeout",)


def _reasons(session: Session) -> list[tuple[Any, ...]]:
    query = (
        "SELECT unavailable_reason FROM judgment_log"
        " WHERE surface = 'rerank' AND origin = 'hook' ORDER BY id"
    )
    return rows(session.server.database, query)


def test_hooks_are_patient_only_while_a_judge_is_asked(
    session: Session, server: ServerProcess
) -> None:
    mark = server.home / "run" / "judged"
    assert mark.exists()
    session.says("judge", "off", "rerank")
    assert mark.exists(), "the past may still be asked about"
    session.says("judge", "off")
    assert not mark.exists()
    session.says("judge", "on")
    assert mark.exists()
    server.run("stop")
    wait_until(lambda: not mark.exists(), "the mark is gone with the server")
    server.wait_for_its_end()
    server.environ["HITHERTO_JUDGE"] = "off"
    server.start()
    session.hook("SessionStart", source="startup")
    assert not mark.exists()


def test_the_command_line_syncs_and_no_text_of_a_file_is_logged(
    session: Session, stub: SystemOneStub, server: ServerProcess
) -> None:
    stub.answers = {"still_describes": 0.9}
    (session.folder / "locks.py").write_text("HOLD_SECONDS = 40\n")
    known = session.remember("`HOLD_SECONDS` in locks.py is how long.", files=["locks.py"])
    (session.folder / "locks.py").write_text(f"HOLD_SECONDS = 41  # {CANARY}\n")
    assert f"still accurate  {known}  locks.py  P = 0.90" in session.says("sync")
    assert any(CANARY in one.raw.decode() for one in stub.asked)
    found = session.call("memories", view="get", ids=[known])["memories"][0]
    assert found["standing"] == "current"

    def logged() -> list[tuple[Any, ...]]:
        return rows(server.database, "SELECT * FROM judgment_log WHERE surface = 'stale-check'")

    wait_until(logged, "the judgment is logged")
    assert CANARY not in repr(rows(server.database, "SELECT * FROM judgment_log"))
    assert CANARY not in server.log + server.output.read_text()
    assert "ranked by judgment" in session.says("recall", PROMPT, "--rerank")


def test_ranked_recall_through_the_api_takes_no_longer_than_a_client_waits(
    session: Session, stub: SystemOneStub
) -> None:
    stub.fault = HANGING
    began = time.monotonic()
    reply = session.call("recall", query=PROMPT, rerank=True)
    assert time.monotonic() - began < ASKED_JUDGE_S + SLACK_S
    assert reply["notes"] == ["not ranked by judgment: timeout"]
