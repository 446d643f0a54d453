"""The kinds of what is said unasked, in words."""

from __future__ import annotations

STANDINGS = {
    "current": "that it still holds",
    "changed": "that its files have changed",
    "stale": "that it no longer holds",
    "superseded": "that a newer one replaces it",
    "conflicting": "that it conflicts with another one",
    "unverified": "that nothing could be checked",
    "judged-stale": "that it was judged not to hold any more",
}
OTHERS = {
    "nudge:task-boundary": "a line: work before a new task isn't stored",
    "nudge:session-lookup": "a line: earlier sessions can be looked up",
    "nudge:recall": "a line: memories lie near",
    "nudge:preference": "a line: it seemed to be a preference",
    "advice:plan-conflict": "advice that a plan goes against a decision",
    "block:claim-check": "a stop held up: a claim that nothing shows",
    "block:turn-worth": "a stop held up: something learned and not stored",
}
FAMILIES = {"notice": "a notice", "standing": "beside a memory"}


def in_words(kind: str) -> str:
    """Return a kind as a person reads it; one of another version stays as it is."""
    family, _, what = kind.partition(":")
    if family in FAMILIES and what in STANDINGS:
        return f"{FAMILIES[family]}: {STANDINGS[what]}"
    return OTHERS.get(kind, kind)
