"""The table of standings, row by row."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hitherto_contract.words import Standing
from hitherto_server.judge.surfaces.stale_check import SURFACE, decide
from hitherto_server.standing.decide import MemoryFacts, Verdict, joint_verdict, standing_of
from hitherto_server.standing.verify import AnchorFinding, AnchorState, PartFinding, PartState

FACTS = MemoryFacts("user-told", learned_at_ms=1_790_000_000_000)


def part(state: PartState, name: str = "act", new_name: str | None = None) -> PartFinding:
    return PartFinding("symbol", name, state, new_name)


def edited(*parts: PartFinding) -> AnchorFinding:
    return AnchorFinding("a.py", "edited", parts)


SAME = AnchorFinding("b.py", "same", (part("intact", "keep"),))
GONE = AnchorFinding("c.py", "gone", (part("gone", "lost"),))
WITHHELD = AnchorFinding(".env", "withheld", note="it may hold secrets")
TABLE = [
    ([SAME], None, "current", "its files are as they were"),
    ([edited(part("intact"))], None, "current", "a.py changed, the named parts read as before"),
    ([edited(part("differs"))], 0.6, "current", "judged to hold still (P = 0.60)"),
    ([edited(part("differs"))], None, "changed", "act differs in a.py"),
    ([edited(part("differs"))], 0.5, "changed", "act differs in a.py"),
    ([edited(part("differs"))], 0.4, "changed", "act differs in a.py"),
    ([edited(part("gone"), part("intact", "b"))], None, "changed", "act is gone from a.py"),
    ([edited(part("gone")), SAME], None, "changed", "act is gone from a.py"),
    ([edited(part("renamed", new_name="do"))], None, "changed", "act was renamed to do in a.py"),
    ([edited()], None, "changed", "a.py changed and nothing can be told apart in it"),
    ([GONE, SAME], None, "changed", "c.py is gone"),
    ([GONE], None, "stale", "c.py gone"),
    ([GONE], 0.9, "stale", "c.py gone"),
    ([edited(part("gone")), GONE], None, "stale", "act, lost gone"),
    ([edited(part("differs"))], 0.39, "stale", "judged no longer true of its files (P = 0.39)"),
    ([SAME, WITHHELD], None, "current", "its files are as they were"),
    ([WITHHELD], None, "unverified", "its files may not be read; from user-told, 2026-09-21"),
    ([], None, "unverified", "nothing to check it against; from user-told, 2026-09-21"),
    ([SAME, AnchorFinding("d.py", "unchecked")], None, "unverified", "not checked in time"),
]


@pytest.mark.parametrize(("findings", "verdict", "standing", "reason"), TABLE)
def test_the_table_of_standings_holds(
    findings: list[AnchorFinding], verdict: float | None, standing: str, reason: str
) -> None:
    view = standing_of(FACTS, findings, verdict=None if verdict is None else judged(verdict))
    assert view.standing == standing
    assert view.reason.startswith(reason)


def judged(probability: float) -> Verdict | None:
    """What a probability decides by the surface's own thresholds."""
    said = decide(probability, **SURFACE.thresholds)
    return None if said == "undecided" else Verdict(said == "holds", probability)


TWO_FILES = [edited(part("differs")), AnchorFinding("d.py", "edited", ())]


@pytest.mark.parametrize(
    ("said", "decided"),
    [
        ({}, None),
        ({"a.py": 0.9}, None),
        ({"a.py": 0.9, "d.py": 0.7}, 0.7),
        ({"a.py": 0.9, "d.py": 0.5}, None),
        ({"a.py": 0.9, "d.py": 0.2}, 0.2),
        ({"d.py": 0.2}, 0.2),
    ],
)
def test_one_judgment_against_a_memory_is_enough_and_for_it_every_doubt_must_be_judged(
    said: dict[str, float], decided: float | None
) -> None:
    found = joint_verdict(TWO_FILES, lambda f: judged(said[f.path]) if f.path in said else None)
    assert (None if found is None else found.probability) == decided


def test_a_judgment_for_a_memory_brings_back_no_file_that_is_gone() -> None:
    assert joint_verdict([edited(part("differs")), GONE], lambda _: judged(0.9)) is None


def test_a_file_that_is_as_it_was_needs_no_judgment() -> None:
    assert joint_verdict([SAME], lambda _: judged(0.1)) is None


def test_a_replaced_memory_is_superseded_and_names_its_successor() -> None:
    view = standing_of(FACTS, [SAME], superseded_by="m2", conflicts=["m3"])
    assert (view.standing, view.reason) == ("superseded", "replaced by m2")


def test_an_undecided_conflict_is_named() -> None:
    view = standing_of(FACTS, [SAME], conflicts=["m3"])
    assert (view.standing, view.reason) == ("conflicting", "undecided against m3")


def test_an_unverified_memory_shows_its_source_and_its_last_confirmation() -> None:
    facts = MemoryFacts("agent", 1_790_000_000_000, 1_795_000_000_000)
    reason = standing_of(facts, []).reason
    assert "from agent, 2026-09-21, confirmed 2026-11-18" in reason


def test_a_long_reason_names_three_things_and_counts_the_rest() -> None:
    parts = [part("differs", f"act_{n}") for n in range(5)]
    assert standing_of(FACTS, [edited(*parts)]).reason.endswith("act_2 differs in a.py and 2 more")


part_findings = st.builds(
    PartFinding,
    st.just("symbol"),
    st.sampled_from(["a", "b", "c"]),
    st.sampled_from(get_args(PartState)),
    st.just("new"),
)
anchor_findings = st.builds(
    AnchorFinding,
    st.sampled_from(["x.py", "y.py"]),
    st.sampled_from(get_args(AnchorState)),
    st.lists(part_findings, max_size=3).map(tuple),
)


@given(st.lists(anchor_findings, max_size=4))
def test_without_a_verdict_only_intact_evidence_is_current(findings: list[AnchorFinding]) -> None:
    view = standing_of(FACTS, findings)
    assert view.standing in get_args(Standing)
    assert view.reason
    if view.standing == "current":
        states = {finding.state for finding in findings}
        parts = {
            part.state
            for finding in findings
            for part in finding.parts
            if finding.state != "withheld"
        }
        assert states <= {"same", "edited", "withheld"}
        assert parts <= {"intact"}
