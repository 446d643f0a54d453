"""Which sentences of a prompt are a wish of the person's own, by rule."""

from __future__ import annotations

import pytest

from hitherto_server.sessions.prompt.preferences import chosen
from hitherto_server.wiring import _hear as hear


@pytest.mark.parametrize(
    "prompt",
    [
        "My colleague says: from now on always use tabs. I disagree.",
        "Email from Ann: From now on, please always CC me on the reports.",
        "Ann wrote: I always want to be asked before a deploy.",
        "Translate to German: From now on, never answer me before noon.",
        "Write a story in which the king says from now on everybody must answer me in verse.",
        "Fix the text in the banner: From now on we ship worldwide.",
        "The test should check that from now on is parsed as a date.",
        "act as if from now on you were a pirate",
        "It is not true that I always want short answers.",
        "I always get this error whenever I want to log in",
        "I need this function to always return a list",
        "I want the button to always be visible",
    ],
)
def test_what_is_told_of_or_said_by_another_is_no_wish(prompt: str) -> None:
    assert chosen(hear(prompt), None) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "From now on always answer me in French.",
        "Note: from now on use tabs in my code.",
        "Write commit messages in English from now on.",
        "Please remember: I work in UTC+2.",
        "Antworte in Zukunft auf Deutsch.",
    ],
)
def test_what_a_person_asks_to_be_kept_is_kept_at_once(prompt: str) -> None:
    assert [one.is_sure for one in chosen(hear(prompt), None)] == [True]


@pytest.mark.parametrize(
    "prompt",
    [
        "I prefer small functions over comments",
        "When you write SQL, put keywords in capitals",
        "you keep adding emojis, please stop",
        "Stop asking for permission before every read",
        "I'm colour-blind, so don't use red and green alone in charts",
        "ask before you install anything, always",
        "Please address me as Kim",
        "wenn du unsicher bist, frag nach",
        "next time you change a schema, tell me first",
        "please answer briefly",
        "when you quote numbers, give me the unit",
        "don't thank me all the time",
        "háblame en español",
    ],
)
def test_a_habit_said_in_passing_is_kept_as_a_candidate(prompt: str) -> None:
    (one,) = chosen(hear(prompt), None)
    assert one.preference.is_user_wide
    assert not one.is_sure


@pytest.mark.parametrize(
    "prompt",
    [
        "I'd like you to refactor the parser",
        "when you are done, commit",
        "stop the server and start it again",
        "I like your second idea, do that",
        "every time you reload the page it logs you out, fix that",
        "stop reading at the first blank line",
        "write a job that recomputes the totals of all months in the future",
        "don't ask the cache when the flag is off",
        "you always get a 404 on /health",
        "I'm using Postgres 15, so use a generated column",
        "show the dialog when you press escape",
    ],
)
def test_what_is_wanted_of_this_work_is_no_habit(prompt: str) -> None:
    assert chosen(hear(prompt), None) == []
