"""What of a prompt is searched for: neither what it leaves alone nor where a wording stands."""

from __future__ import annotations

import time

import pytest

from hitherto_server.sessions.prompt.sought import MOST_CHARS, sought

LEFT_OUT = [
    ("don't touch the retry logic, just rename the helper", "retry", "rename the helper"),
    ("dont change the parser. sort the imports", "parser", "sort the imports"),
    ("please don't bother with the cache, show me the log", "cache", "show me the log"),
    ("leave the migrations alone; bump the version", "migrations", "bump the version"),
    ("without touching the scheduler, split this file", "scheduler", "split this file"),
    ("ignore the flaky tests for now, what is in the Dockerfile?", "flaky", "Dockerfile"),
    ("no changes to the schema! rename the column alias", "schema", "column alias"),
    ("keep the lock as it is, move the comment", "lock", "move the comment"),
    ("leave the queue as is and show me who calls it", "queue", "show me who calls it"),
    ("don't change the cache and the lock, rename the file", "lock", "rename the file"),
    ("not the gateway. the proxy", "gateway", "the proxy"),
    ("lass die Migration so, benenne nur die Variable um", "Migration", "benenne"),
    ("die Warteschlange nicht anfassen, sortiere die Importe", "Warteschlange", "sortiere"),
    ("ne touche pas au cache, renomme la variable", "cache", "renomme"),
    ("fix the typo in the README section on retries", "retries", "typo in the README section"),
    ("in my other project we use Redis, how is a session kept here?", "Redis", "session kept here"),
    ("correct the paragraph about rate limits in the guide", "rate limits", "the paragraph"),
]
WHOLE = [
    "why don't we retry on 500?",
    "don't forget the migration when you add the column",
    "the client does not reconnect after a timeout",
    "leave a comment that says why the lock is taken twice",
    "don't touch the retry logic",
    "why does the other worker in this project wait?",
    "what does the README say about retries?",
    "it fails with 'permission denied', not 'not found'",
    "skip to the part where the queue is drained",
    "",
]


@pytest.mark.parametrize(("prompt", "gone", "kept"), LEFT_OUT)
def test_what_is_left_alone_is_not_searched(prompt: str, gone: str, kept: str) -> None:
    assert gone not in sought(prompt)
    assert kept in sought(prompt)


@pytest.mark.parametrize("prompt", WHOLE)
def test_what_is_asked_about_stays_whole(prompt: str) -> None:
    assert sought(prompt) == prompt


@pytest.mark.parametrize(
    "prompt",
    [
        "how did we set up the cache in the other repo?",
        "copy the linter's rules from another project",
    ],
)
def test_what_another_project_knows_is_not_asked_here(prompt: str) -> None:
    assert sought(prompt) == ""


def test_a_pasted_text_stays_whole() -> None:
    pasted = "don't touch the cache, rename it. " + "x" * MOST_CHARS
    assert sought(pasted) == pasted


@pytest.mark.parametrize(
    "piece",
    ["leave ", "don't ", "keep x ", "ohne ", " ", "und ", "no a b c ", "lass ", "docs a about "],
)
def test_a_hostile_prompt_is_told_quickly(piece: str) -> None:
    prompt = (piece * MOST_CHARS)[:MOST_CHARS]
    began = time.perf_counter()
    sought(prompt)
    assert time.perf_counter() - began < 0.5
