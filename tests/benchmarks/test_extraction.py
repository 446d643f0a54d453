"""The benchmark of the import counts what is wrong and what is missed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extraction import FIXTURES, HALVES, Half, bars_of
from written_history import Expected, Session, read_sessions, write_transcript

from hitherto_server.history.findings import Finding, Support

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_contract.words import Kind

LEAST_WHOLE = 30


def finding(kind: Kind, content: str) -> Finding:
    return Finding(kind, content, (Support(content, "prompt", "m", 0, "user"),))


def test_a_label_is_used_once_and_its_kind_counts() -> None:
    half = Half()
    session = Session("p", "t", [], [Expected("statement", "UTC"), Expected("issue", "UTC")])
    half.add(session, [finding("preference", "Use UTC."), finding("decision", "UTC it is.")])
    assert (half.right, len(half.wrong), len(half.missed)) == (1, 1, 1)
    assert (half.precision, half.recall) == (0.5, 0.5)
    assert bars_of("test", half)[0].ok is False


def test_nothing_found_is_no_precision() -> None:
    half = Half()
    half.add(Session("p", "t"), [])
    assert half.precision is None
    assert bars_of("test", half)[0].value is None


def test_the_halves_share_no_project_and_half_of_each_are_traps() -> None:
    projects = {}
    for name in HALVES:
        sessions = [one for file in (FIXTURES / name).glob("*.txt") for one in read_sessions(file)]
        projects[name] = {one.project for one in sessions}
        traps = sum(one.is_trap for one in sessions)
        assert 0.4 <= traps / len(sessions) <= 0.6, name
    assert not projects["test"] & projects["development"]
    assert not projects["whole"] & (projects["test"] | projects["development"])


def test_what_is_saved_of_a_session_that_holds_nothing_is_counted() -> None:
    half = Half()
    half.add(Session("p", "trap"), [finding("preference", "Use UTC.")])
    half.add(Session("p", "other trap"), [])
    said = Session("p", "t", [], [Expected("statement", "UTC")])
    half.add(said, [finding("preference", "Use UTC.")])
    over_saving, a_session = bars_of("test", half)[2:]
    assert (over_saving.value, over_saving.ok, a_session.value) == (0.5, False, 0.6667)


def test_what_was_given_to_a_session_may_stand_in_nothing_that_is_kept() -> None:
    half = Half()
    session = Session("p", "t", [], [], ["heron"])
    half.add(session, [])
    half.check(session, ["Asked: about the heron", "Said: nothing"])
    assert half.mined_back == ["p, t: heron"]


def test_whole_transcripts_hold_what_the_client_keeps_beside_the_conversation(
    tmp_path: Path,
) -> None:
    files = sorted((FIXTURES / "whole").glob("*.txt"))
    sessions = [one for file in files for one in read_sessions(file)]
    assert len(sessions) >= LEAST_WHOLE
    kinds = {kind for session in sessions for kind, _, _ in session.steps}
    assert {"note", "nudge", "block", "boundary", "compact", "agent", "recall", "slash"} <= kinds
    for day, session in enumerate(sessions):
        path = write_transcript(session, tmp_path, "/home/dev/p", day=day)
        has_agent = any(kind == "agent" for kind, _, _ in session.steps)
        assert has_agent == any(path.with_suffix("").rglob("agent-*.jsonl"))
