"""What became of a memory is told from what came after it was given, and from nothing before."""

from __future__ import annotations

import pytest

from hitherto_server.sessions.worth.acts import Act
from hitherto_server.sessions.worth.assess import Change, Given, worth_of
from hitherto_server.sessions.worth.traces import traces_of

TEXT = "`RefundQueue` in src/refunds.py waits; run `make codegen` after a change."
TRACES = traces_of(TEXT, ("src/refunds.py",))
GIVEN = Given(7, 1_000_000, TRACES, standing="current")
BEFORE, AFTER = 900_000, 1_100_000


def edit(at_ms: int, path: str = "/p/src/refunds.py", text: str = "", agent: str = "") -> Act:
    return Act(at_ms, "edit", text, path, agent)


def command(at_ms: int, line: str) -> Act:
    return Act(at_ms, "command", line)


@pytest.mark.parametrize(
    ("act", "because"),
    [
        (edit(AFTER), "file src/refunds.py"),
        (edit(AFTER, "/p/other.py", "RefundQueue().wait()"), "name RefundQueue"),
        (command(AFTER, "cd api && make codegen"), "command make codegen"),
        (command(AFTER, "grep -n RefundQueue -r ."), "name RefundQueue"),
        (Act(AFTER, "look", path="/p/src/refunds.py"), "file src/refunds.py"),
        (Act(AFTER, "reply", "I use RefundQueue for it."), "name RefundQueue"),
    ],
)
def test_a_memory_whose_file_name_or_command_is_touched_afterwards_was_used(
    act: Act, because: str
) -> None:
    worth = worth_of(GIVEN, [act], [])
    assert (worth.outcome, worth.because) == ("used", because)


def test_what_was_touched_before_is_no_use() -> None:
    worth = worth_of(GIVEN, [edit(BEFORE), edit(AFTER)], [])
    assert worth.outcome == "ignored"


def test_what_the_prompt_itself_names_is_no_use() -> None:
    asked = Act(GIVEN.at_ms + 50, "prompt", "look at RefundQueue in src/refunds.py")
    assert worth_of(GIVEN, [asked, edit(AFTER)], []).outcome == "ignored"


def test_a_memory_of_which_all_was_known_before_cannot_be_told() -> None:
    asked = Act(BEFORE, "prompt", "`make codegen` RefundQueue src/refunds.py")
    assert worth_of(GIVEN, [asked, edit(AFTER)], []).outcome == "unclear"


def test_a_memory_beside_which_something_else_was_done_was_ignored() -> None:
    assert worth_of(GIVEN, [edit(AFTER, "/p/src/other.py")], []).outcome == "ignored"


def test_a_session_that_did_nothing_afterwards_tells_nothing() -> None:
    assert worth_of(GIVEN, [edit(BEFORE)], []).outcome == "unclear"


def test_a_part_of_another_name_is_no_use() -> None:
    other = edit(AFTER, "/p/a.py", "RefundQueues = MyRefundQueue()")
    assert worth_of(GIVEN, [other], []).outcome == "ignored"


def test_what_a_subagent_was_given_only_it_can_use() -> None:
    given = Given(7, 1_000_000, TRACES, agent="a1")
    assert worth_of(given, [edit(AFTER)], []).outcome == "unclear"
    assert worth_of(given, [edit(AFTER, agent="a1")], []).outcome == "used"


def test_a_persons_word_counts_more_than_any_use() -> None:
    said = Change(7, "said-wrong", AFTER)
    worth = worth_of(GIVEN, [edit(AFTER)], [said])
    assert (worth.outcome, worth.blame) == ("contradicted", "false")


def test_a_memory_that_was_replaced_was_false_unless_the_session_changed_its_file_first() -> None:
    replaced = Change(7, "superseded", AFTER)
    assert worth_of(GIVEN, [], [replaced]).blame == "false"
    assert worth_of(GIVEN, [edit(AFTER - 10)], [replaced]).blame == "stale"
    assert worth_of(GIVEN, [edit(AFTER + 10)], [replaced]).blame == "false"


def test_a_memory_that_was_given_as_changed_was_outdated_and_not_false() -> None:
    given = Given(7, 1_000_000, TRACES, standing="changed")
    assert worth_of(given, [], [Change(7, "superseded", AFTER)]).blame == "stale"


def test_what_was_said_before_it_was_given_is_not_about_that() -> None:
    assert worth_of(GIVEN, [edit(AFTER)], [Change(7, "superseded", BEFORE)]).outcome == "used"


def test_a_confirmed_memory_was_used() -> None:
    assert worth_of(GIVEN, [], [Change(7, "confirmed", AFTER)]).outcome == "used"
