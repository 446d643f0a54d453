"""What a prompt's own words say: an earlier session, something settled, or a small thing."""

from __future__ import annotations

import pytest

from hitherto_server.sessions.prompt.rules import asks_about_a_session, tier_by_rule


@pytest.mark.parametrize(
    "prompt",
    [
        "carry on with the parser from Tuesday",
        "you fixed this on Monday in another session, do it the same way",
        "how did we end up solving the socket leak the other day?",
        "list what you did this morning before the laptop died",
        "wie hast du das gestern gelöst?",
        "remind me which options we tried for the cache",
        "was there anything left open from our last chat?",
    ],
)
def test_what_was_done_together_before_is_of_an_earlier_session(prompt: str) -> None:
    assert asks_about_a_session(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "why did we leave the invoices out of the export?",
        "or did we settle on the smaller pool?",
        "we compared three mailers, which one was the cheapest?",
        "what was the outcome of the load test?",
        "the cache is stale again. you had a theory about it, tell me",
        "I recall we ruled that out, correct?",
        "which port it was I don't remember, and I can't recall why it isn't 80",
        "Warum haben wir die Queue damals verworfen?",
        "¿qué decidimos sobre los reembolsos?",
        "pourquoi on avait choisi ce format ?",
    ],
)
def test_who_asks_what_came_of_something_asks_for_the_session_in_which_it_did(prompt: str) -> None:
    assert asks_about_a_session(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "why do we set a timeout at all?",
        "what do we get from the endpoint without a token?",
        "did the build pass?",
        "remember to close the file",
        "what is the reason for the 403?",
        "we need a retry here, can you add one?",
    ],
)
def test_who_asks_how_something_is_asks_for_no_session(prompt: str) -> None:
    assert not asks_about_a_session(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "we changed the proxy yesterday and now uploads fail",
        "list all users who logged in this morning",
        "find the commit from last week that touched auth.py",
        "how many errors did we have yesterday? check the logs",
        "did we get any alerts this morning? look at grafana",
        "what did you change in the last edit?",
    ],
)
def test_what_the_software_went_through_is_of_no_session(prompt: str) -> None:
    assert not asks_about_a_session(prompt)


@pytest.mark.parametrize(
    ("prompt", "tier"),
    [
        ("what's the port of the metrics service again?", "must"),
        ("name the table after our usual scheme", "must"),
        ("didn't we drop support for node 16?", "must"),
        ("Wie war nochmal die Regel für Branches?", "must"),
        ("do for invoices what we did for receipts", "must"),
        ("use the colours that we agreed on", "must"),
        ("bump it with the steps from the last upgrade", "must"),
        ("do you remember the thing with the time zones? same customer", "must"),
        ("it hangs at start, like in March", "must"),
        ("run the migration of the orders again and show its whole output", "should"),
        ("rename the flag in cli.py to --dry-run", "consider"),
        ("where is the retry count read?", "consider"),
        ("fix the typo in the title of the help page", "consider"),
        ("rename the column in all tables", "should"),
        ("find out why the label is empty", "should"),
    ],
)
def test_a_prompt_depends_on_what_was_settled_more_than_on_its_size(prompt: str, tier: str) -> None:
    assert tier_by_rule(prompt) == tier
