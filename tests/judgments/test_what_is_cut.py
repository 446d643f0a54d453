"""What is too long is cut, and never through a secret: half of one no longer looks like one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hitherto_server.core.text import ending_of, opening_of
from hitherto_server.judge import turn_state
from hitherto_server.judge.register import surfaces
from hitherto_server.judge.surfaces import (
    category_check,
    compact_digest,
    duplicate_gate,
    historical_query,
    importance_kind,
    loop_goal,
    plan_conflict,
    prompt_urgency,
    relations,
    rerank,
    session_lookup,
    stale_check,
    task_boundary,
    trash_triage,
    user_learning,
)
from hitherto_server.sessions.moments import MAX_QUERY_CHARS, asked_in

if TYPE_CHECKING:
    from collections.abc import Callable

TOKEN = "".join(("gh", "p_", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"))
PIECE = 8
WORDS = "The lock is held while the file is written. "


def _related(text: str) -> Any:
    one = relations.Record(text, "2026-01-01")
    return relations.state_of(one, {0: one}, "as_written")


def _triaged(text: str) -> Any:
    return trash_triage.state_of(
        [trash_triage.Candidate("c1", text, None, 5, "2026-01-01", 0, duplicates_another=False)]
    )


def _stale(text: str) -> Any:
    return stale_check.state_of(stale_check.Pair(text, "a.py", text, ("lock",)))


def _ranked(text: str) -> Any:
    return rerank.state_of(text, [rerank.Candidate("c1", text)])


def _ended(text: str) -> Any:
    ran = turn_state.Ran(text, failed=True, exit_code=1, output_end=text)
    return turn_state.state_of(turn_state.Ended(text, [ran], [("tool", text)], [text]))


SHOWS: dict[str, Callable[[str], Any]] = {
    "relations": _related,
    "supersession": _related,
    "importance-kind": lambda text: importance_kind.state_of(
        importance_kind.Statement(text, None, None)
    ),
    "historical-query": historical_query.state_of,
    "rerank": _ranked,
    "brief-rank": _ranked,
    "duplicate-gate": lambda text: duplicate_gate.state_of(
        duplicate_gate.Stated(text, "2026-01-01", ()),
        [duplicate_gate.Stated(text, "2026-01-01", ())],
    ),
    "category-check": lambda text: category_check.state_of(text, "fact", None, ()),
    "stale-check": _stale,
    "edit-stale": _stale,
    "trash-triage": _triaged,
    "prompt-urgency": lambda text: prompt_urgency.state_of(text, "project"),
    "task-boundary": lambda text: task_boundary.state_of(
        text, task_boundary.UnsavedWork(text, ("a.py",), 1)
    ),
    "session-lookup": session_lookup.state_of,
    "user-learning": user_learning.state_of,
    "agent-message": _ended,
    "turn-worth": _ended,
    "claim-check": _ended,
    "compact-digest": lambda text: compact_digest.state_of(
        text, [compact_digest.Message("person", text, 0)]
    ),
    "plan-conflict": lambda text: plan_conflict.state_of(
        text, [plan_conflict.Decision(text, "2026-01-01")]
    ),
    "loop-goal": lambda text: loop_goal.state_of(
        text, text, [text], [loop_goal.Ran(text, 1, failed=True, tail=text)]
    ),
}
MASKED = {"secret-gate"}
"""What it shows went through the gate as a whole, before anything of it was cut."""


def halves_in(state: Any) -> list[str]:
    """Return the pieces of the token that are shown where it is not shown whole."""
    shown = json.dumps(state).replace(TOKEN, "")
    pieces = [TOKEN[at : at + PIECE] for at in range(len(TOKEN) - PIECE + 1)]
    return [one for one in pieces if one in shown]


def test_every_surface_says_here_what_it_shows() -> None:
    assert SHOWS.keys() | MASKED == surfaces().keys()


@pytest.mark.parametrize("name", SHOWS)
@pytest.mark.parametrize("before", ["", 'KEY = "', "postgres://me:"])
def test_no_surface_shows_half_a_secret(name: str, before: str) -> None:
    for length in range(900, 8100, 11):
        opening = (WORDS * 200)[: length - len(before) - 1]
        text = f"{opening} {before}{TOKEN}@db\n{WORDS * 200}"
        assert halves_in(SHOWS[name](text)) == [], length


def test_no_line_of_a_file_is_shown_with_half_a_secret() -> None:
    for length in range(stale_check.MOST_LINE_CHARS - 45, stale_check.MOST_LINE_CHARS + 5):
        line = ("lock " * 100)[: length - 1] + " " + TOKEN
        text = f"{WORDS * 300}\n{line}\n{WORDS * 100}"
        assert halves_in(_stale(text)) == [], length


def test_a_prompt_that_is_cut_in_the_middle_shows_half_a_secret_on_neither_side() -> None:
    for length in range(MAX_QUERY_CHARS // 2 - 45, MAX_QUERY_CHARS // 2 + 5):
        one = ("lock " * 1000)[: length - 1] + " " + TOKEN + " "
        assert halves_in(asked_in(one + WORDS * 200)) == [], length
        assert halves_in(asked_in(WORDS * 200 + one[::-1].replace(TOKEN[::-1], TOKEN))) == []


@pytest.mark.parametrize(
    ("text", "most", "opening"),
    [
        ("one two", 7, "one two"),
        ("one two", 5, "one "),
        ("one two", 4, "one "),
        ("one two", 3, "one"),
        ("one", 2, ""),
        ("one", 0, ""),
        ("日本語の文", 3, "日本語"),
        ('{"ab":"c"}', 3, '{"'),
    ],
)
def test_an_opening_ends_between_words(text: str, most: int, opening: str) -> None:
    assert opening_of(text, most) == opening
    assert ending_of(text[::-1], most) == opening[::-1]
