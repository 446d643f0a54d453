"""The benchmark of the import counts what is wrong and what is missed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extraction import FIXTURES, HALVES, Half, bars_of
from written_history import Expected, Session, read_sessions

from hitherto_server.history.findings import Finding, Support

if TYPE_CHECKING:
    from hitherto_contract.words import Kind


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
