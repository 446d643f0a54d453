"""What came of what was shown is told from what the session did afterwards."""

from __future__ import annotations

import pytest

from hitherto_server.sessions.worth.acts import Act
from hitherto_server.sessions.worth.assess import Change, Worth
from hitherto_server.sessions.worth.shown import Cleared, Course, Shown, settled, standing_settled
from hitherto_server.sessions.worth.traces import traces_of
from hitherto_server.store.obligations import UNMET

ID = "01a229f1-2800-7164-b9b1-e955957d2b91"
TRACES = {ID: (7, traces_of("`spin_up` is in plant/pump.py"))}
NOTICE = Shown("notice:changed", ID, 1000)
EDIT = Act(2000, "edit", path="/p/plant/pump.py")


def course(*acts: Act, changes: tuple[Change, ...] = (), **values: object) -> Course:
    return Course(acts=acts, changes=changes, traces=TRACES, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("edited", "right"),
        ("superseded", "right"),
        ("said-wrong", "right"),
        ("judged-stale", "right"),
        ("confirmed", "wrong"),
    ],
)
def test_a_notice_is_right_or_wrong_by_what_is_done_with_its_memory(
    kind: str, outcome: str
) -> None:
    change = Change(7, kind, 3000)  # type: ignore[arg-type]
    assert settled(NOTICE, course(EDIT, changes=(change,))).outcome == outcome
    earlier = Change(7, kind, 500)  # type: ignore[arg-type]
    assert settled(NOTICE, course(EDIT, changes=(earlier,))).outcome == "ignored"


@pytest.mark.parametrize(
    "act",
    [
        Act(2000, "look", path="/p/plant/pump.py"),
        Act(2000, "command", "git diff plant/pump.py"),
        Act(2000, "other", f"recall\n{ID}"),
    ],
)
def test_a_notice_after_which_its_file_or_memory_is_looked_at_was_heeded(act: Act) -> None:
    assert settled(NOTICE, course(act)).outcome == "heeded"
    assert settled(NOTICE, course(Act(900, act.kind, act.text, act.path))).outcome == "unclear"


def test_more_edits_of_the_file_that_it_came_from_heed_no_notice() -> None:
    assert settled(NOTICE, course(EDIT)).outcome == "ignored"


def test_a_nudge_to_store_is_heeded_by_a_memory_that_was_stored() -> None:
    nudge = Shown("nudge:preference", "session", 1000)
    assert settled(nudge, course(EDIT, stored_ms=(2000,))).outcome == "heeded"
    assert settled(nudge, course(EDIT, stored_ms=(900,))).outcome == "ignored"
    assert settled(nudge, course()).outcome == "unclear"


def test_a_nudge_to_recall_is_heeded_by_a_call_of_our_tools() -> None:
    nudge = Shown("nudge:recall", "p-1", 1000)
    assert settled(nudge, course(EDIT, called_ms=(2000,))).outcome == "heeded"


def test_advice_is_heeded_by_another_plan_and_not_refuted_by_the_decision_it_names() -> None:
    advice = Shown("advice:plan-conflict", ID, 1000)
    confirmed = Change(7, "confirmed", 2000)
    assert settled(advice, course(EDIT, planned_ms=(2500,))).outcome == "heeded"
    assert settled(advice, course(EDIT, changes=(confirmed,))).outcome == "ignored"
    replaced = Change(7, "superseded", 2000)
    assert settled(advice, course(EDIT, changes=(replaced,))).outcome == "right"


def done(by: str) -> Cleared:
    return Cleared("store", "p-1", 2000, by)


def test_a_block_is_right_where_what_was_owed_is_done() -> None:
    block = Shown("block:turn-worth", "p-1", 1000)
    assert settled(block, course(EDIT, cleared=(done(ID),))).outcome == "right"
    assert settled(block, course(EDIT, stored_ms=(2000,))).outcome == "right"
    assert settled(block, course(EDIT)).outcome == "ignored"


def test_a_claim_that_was_held_up_is_not_right_since_something_else_was_stored() -> None:
    block = Shown("block:claim-check", "p-1", 1000)
    stored = Cleared("store", "p-1", 2000, ID)
    assert settled(block, course(EDIT, cleared=(stored,), stored_ms=(2000,))).outcome == "ignored"
    checked = Cleared("check", "p-1", 2000, "shown or put right")
    assert settled(block, course(EDIT, cleared=(checked,))).outcome == "right"
    of_another_prompt = Cleared("check", "p-2", 2000, "shown or put right")
    assert settled(block, course(EDIT, cleared=(of_another_prompt,))).outcome == "ignored"


@pytest.mark.parametrize("by", sorted(UNMET))
def test_a_block_that_was_let_go_is_not_right(by: str) -> None:
    block = Shown("block:turn-worth", "p-1", 1000)
    assert settled(block, course(EDIT, cleared=(done(by),))).outcome == "ignored"


@pytest.mark.parametrize(
    ("standing", "worth", "outcome"),
    [
        ("current", Worth("used", "file a.py"), "right"),
        ("current", Worth("contradicted", "a person said that it is wrong", "false"), "wrong"),
        ("current", Worth("contradicted", "an edit made it stale", "stale"), "unclear"),
        ("current", Worth("ignored", "nothing"), "unclear"),
        ("changed", Worth("contradicted", "the session replaced it", "stale"), "right"),
        ("changed", Worth("used", "the session confirmed it"), "wrong"),
        ("changed", Worth("used", "the session brought it up to date"), "right"),
        ("stale", Worth("used", "file a.py"), "unclear"),
    ],
)
def test_a_standing_is_right_or_wrong_as_far_as_the_session_shows(
    standing: str, worth: Worth, outcome: str
) -> None:
    assert standing_settled(standing, worth).outcome == outcome
