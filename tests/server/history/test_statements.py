"""Sentences that state something lasting, and those that only look like it."""

from __future__ import annotations

import time

import pytest

from hitherto_server.history.spoken import own_words
from hitherto_server.history.statements import retracts, stated_in

MOST_CPU_S = 1.5
STATES = {
    "Always run the migrations before the seeds.": "preference",
    "please never commit the lock file of the demo app": "preference",
    "Don't log request bodies in production, they hold card numbers.": "preference",
    "We use pnpm instead of npm.": "decision",
    "From now on write tests first.": "preference",
    "we decided to keep Postgres for the queue": "decision",
    "We cap uploads at 20 MB because the proxy times out above that.": "decision",
    "Let's go with SQLite for the cache.": "decision",
    "Remember that the staging database is wiped every Sunday.": "fact",
    "I prefer dataclasses over dictionaries.": "preference",
    "we never fetch in effects": "preference",
    "no new services without asking me first": "preference",
    "money is in cents, never floats": "fact",
    "LTS is 18 because of the plugin host": "fact",
    "hm no. we use vitest": "decision",
    "whenever you add a column, write a migration": "preference",
    "nie direkt auf main pushen": "preference",
    "keine neuen Dienste ohne Rückfrage": "preference",
    "wir haben uns auf Kafka geeinigt": "decision",
    "non, ici on utilise poetry, jamais pip": "preference",
    "nous avons décidé de garder Postgres": "decision",
    "nunca edites los archivos generados": "preference",
    "Could you please always explain the plan before you edit?": "preference",
}
STATES_NOTHING = (
    "Why do we always retry twice?",
    "the upload never works on the first try",
    "Never mind, it works.",
    "Don't touch the tests yet.",
    "use a list instead of a set here",
    "maybe we should use Redis instead of Postgres",
    "Let's go with option 2.",
    "For now use the mock instead of the real gateway.",
    "Never do that again.",
    "Marta said we should never rebase.",
    "The cache should never be stale but it is.",
    "I always forget this flag",
    "you never run the tests",
    "the server is down, so no deploy",
    "there was no output without the flag",
    "the callback is registered, never called",
    "every time we save, the list jumps",
    "der Test läuft immer in den Timeout",
    "on a un problème ici",
    "ça ne marche jamais",
    "es falla siempre en CI",
    "Scripts rely on it so this must never change.",
    "Kim left this in the review, help me answer\nAlways put tests next to the code.",
    "We moved on to the next ticket.",
    'Add the sentence "always run wadi migrate first" to the README.',
)


@pytest.mark.parametrize(("text", "kind"), STATES.items())
def test_a_lasting_statement_is_found_with_its_kind(text: str, kind: str) -> None:
    assert [one.kind for one in stated_in(own_words(text))] == [kind]


@pytest.mark.parametrize("text", STATES_NOTHING)
def test_what_only_looks_like_a_statement_is_left(text: str) -> None:
    assert stated_in(own_words(text)) == []


def test_a_sentence_that_the_next_one_calls_a_rule_is_kept_with_it() -> None:
    (found,) = stated_in(
        "Exit code 2 is a usage error. Scripts rely on it, this must never change."
    )
    assert found.content.endswith("usage error. Scripts rely on it, this must never change.")


def test_the_reason_that_follows_is_kept_with_its_statement() -> None:
    (found,) = stated_in("Never deploy on Fridays. Otherwise nobody is there to roll back.")
    assert found.content == "Never deploy on Fridays. Otherwise nobody is there to roll back."
    assert found.sentence == "Never deploy on Fridays."


def test_words_that_only_lead_up_to_a_statement_are_left_out() -> None:
    (found,) = stated_in("ok, and please always use UTC in the reports")
    assert found.content == "Always use UTC in the reports"


@pytest.mark.parametrize(
    "prompt",
    [
        "<system-reminder>Always use tabs instead of spaces.</system-reminder>",
        "<hitherto-memories>\n- We use pnpm instead of npm.\n</hitherto-memories>",
        "```\nNever edit generated files by hand.\n```",
        "> Never edit generated files by hand.",
        "<command-name>/init</command-name>\nAlways use tabs instead of spaces.",
        "/review always use tabs instead of spaces",
        "review this guide:\nAlways use tabs instead of spaces.",
        "This session is being continued from a previous conversation. We decided to use Go.",
        "[Request interrupted by user] always use tabs instead of spaces",
        "Always use tabs instead of spaces.\n</hitherto-memories>\nlook at this",
        "Stop hook feedback:\nAlways use tabs instead of spaces.",
        "Hitherto [judged]: Always use tabs instead of spaces.",
    ],
)
def test_client_text_quotes_and_pasted_text_are_not_the_persons_words(prompt: str) -> None:
    assert stated_in(own_words(prompt)) == []


def test_words_around_client_text_are_the_persons() -> None:
    prompt = "<ide_selection>x = 1</ide_selection>\nWe use attrs instead of pydantic."
    assert [one.content for one in stated_in(own_words(prompt))] == [
        "We use attrs instead of pydantic."
    ]


def test_taking_something_back_is_understood() -> None:
    assert retracts("hmm, on second thought keep jest")
    assert retracts("Revert that please.")
    assert not retracts("looks good, go on with the next file")


HOSTILE = {
    "open elements": "<a-b " * 4000,
    "announcements": "error " * 3300,
    "quotation marks": '"' * 20_000,
    "one word": "always " * 2800,
    "half a rule": "we use " * 2800,
    "one letter": "a" * 20_000,
    "blanks": " " * 20_000,
    "lead-in": "ok, " * 5000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_makes_the_rules_slow(text: str) -> None:
    began = time.process_time()
    stated_in(own_words(text))
    retracts(text)
    assert time.process_time() - began < MOST_CPU_S
