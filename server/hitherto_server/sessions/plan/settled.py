"""What a decision settles, clause by clause, and what a step makes of it instead.

Each way to go against a decision is told by its own words; all of them ask that the step be about
the same thing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from hitherto_server.core.words import folded
from hitherto_server.recall.stem import stem
from hitherto_server.sessions.plan.amounts import AMOUNT, amounts_in, bound_of, breaks
from hitherto_server.sessions.plan.likeness import is_same, share, shared
from hitherto_server.sessions.plan.reading import shown
from hitherto_server.sessions.plan.settled_words import (
    BEFORE,
    DISCARDS,
    EVERY,
    FOR_NOW,
    FORBIDS,
    JOINT,
    LASTING,
    LIMITED,
    NAMED_NUMBER,
    NEVER,
    NUMBER,
    ONLY_SOME,
    PART,
    REASON,
    REMAINS,
    SENTENCE_PART,
    THEN,
)
from hitherto_server.sessions.plan.ways import takes_another, without_ways
from hitherto_server.sessions.plan.words import DOING, RULES_OUT
from hitherto_server.sessions.stems import stems_of

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from hitherto_server.sessions.plan.reading import Plan, Step

LEAST_SHARED = 0.5
FEWEST_SHARED = 2
MOST_KEPT = 256
"""So many steps are read once for all decisions that they are held against."""
EARLY = 12
"""Within so many characters of its beginning a step's verb governs what follows."""


def goes_otherwise(plan: Plan, statement: str) -> str | None:
    """Say what of a plan goes against a statement of a decision; None: nothing seen."""
    for look in LOOKS:
        if reason := look(plan, statement):
            return reason
    return None


def _uses_forbidden(plan: Plan, statement: str) -> str | None:
    """Name a step with what was forbidden, given up or turned down."""
    for clause in JOINT.split(statement):
        found = FORBIDS.search(clause)
        thing = stems_of(clause[: found.start()]) - DOING if found else frozenset()
        for step in plan.steps:
            if not thing or step.denies or DISCARDS.search(step.text):
                continue
            there = shared(thing, step.stems)
            if there >= min(FEWEST_SHARED, len(thing)) and there / len(thing) >= LEAST_SHARED:
                return f"was given up: {shown(step)}"
    return None


def _does_what_never(plan: Plan, statement: str) -> str | None:
    """Name a step that does what is never to be done, with the very verb."""
    for clause in SENTENCE_PART.split(statement):
        if LIMITED.search(clause):
            continue  # `never without` demands, and `never but` allows
        for found in NEVER.finditer(clause):
            verb = _stem(found[1])
            about = stems_of(statement) - DOING - {verb}
            for step in plan.steps:
                if verb not in DOING and not step.denies and _does(step, verb, about, plan.title):
                    return f"rules out: {shown(step)}"
    return None


def _does(step: Step, verb: str, about: frozenset[str], title: frozenset[str]) -> bool:
    if not any(is_same(verb, one) for one in step.stems):
        return False
    if shared(about, step.stems) or shared(about, step.stems | title) >= FEWEST_SHARED:
        return True
    return _stem(step.text.split(maxsplit=1)[0]) == verb and bool(shared(about, title))


def _restricts(plan: Plan, statement: str) -> str | None:
    """Name a step that does only for some what is to be done for all."""
    if not EVERY.search(statement) or RULES_OUT.search(statement):
        return None
    return _first(plan, stems_of(statement) - DOING, ONLY_SOME, "for all: ")


def _puts_off(plan: Plan, statement: str) -> str | None:
    """Name a step that leaves for later what a decision wants done."""
    if FOR_NOW.search(statement):
        return None
    return _first(plan, stems_of(statement) - DOING, FOR_NOW, "is put off: ")


def _first(plan: Plan, about: frozenset[str], wording: re.Pattern[str], why: str) -> str | None:
    found = (one for one in plan.steps if wording.search(one.text))
    near = (one for one in found if shared(about, one.stems) >= FEWEST_SHARED)
    return next((f"{why}{shown(one)}" for one in near), None)


def _removes(plan: Plan, statement: str) -> str | None:
    """Name a step that removes what is to remain."""
    for clause in PART.split(statement):
        found = REMAINS.search(clause)
        if not found or RULES_OUT.search(clause):
            continue
        subjects = [stems_of(one) - DOING for one in JOINT.split(clause[: found.start()])]
        for step in plan.steps:
            removed = _removed_by(step)
            if any(one and share(one, removed) >= LEAST_SHARED for one in subjects):
                return f"is to stay: {shown(step)}"
    return None


@lru_cache(maxsize=MOST_KEPT)
def _removed_by(step: Step) -> frozenset[str]:
    found = DISCARDS.search(step.text)
    if found is None or step.denies:
        return frozenset()
    behind = step.text[found.end() :] if found.start() < EARLY else step.text
    return stems_of(PART.split(behind, maxsplit=1)[0])


def _takes_another_way(plan: Plan, statement: str) -> str | None:
    """Name a step that takes another way to do what it shares a word with."""
    about = stems_of(without_ways(statement)) - DOING
    for step in plan.steps:
        other = takes_another(statement, step.text)
        if other and shared(about, step.stems):
            return f"another way {other}: {shown(step)}"
    return None


def _turns_order(plan: Plan, statement: str) -> str | None:
    """Name two steps of a list that come in the other order than a decision wants."""
    for clause in SENTENCE_PART.split(statement):
        found = THEN.match(clause) or BEFORE.match(clause)
        if not found or RULES_OUT.search(clause):
            continue
        first, then = (stems_of(found[at]) - DOING for at in (1, 2))
        earlier, later = _place(plan, first - then, 1), _place(plan, then - first, len(then))
        if earlier is not None and later is not None and earlier > later:
            return f"comes after {shown(plan.steps[later])}: {shown(plan.steps[earlier])}"
    return None


def _place(plan: Plan, stems: frozenset[str], of: int) -> int | None:
    """Return where the item stands that shares most of some stems, at least half of `of`."""
    there = [(shared(stems, one.stems), -at) for at, one in enumerate(plan.steps) if one.is_item]
    most, at = max(there, default=(0, 0))
    return -at if most >= max(1, (of + 1) // 2) else None


def _other_amount(plan: Plan, statement: str) -> str | None:
    """Name a step about the same thing that gives another amount than a clause."""
    for clause in PART.split(statement):
        settled, bound = amounts_in(clause), bound_of(clause)
        about = _lasting(stems_of(AMOUNT.sub(" ", clause)))
        for step in plan.steps if settled else ():
            planned, there = amounts_in(step.text), _lasting(step.stems)
            if bound == "just" and bound_of(step.text) != "just":
                continue
            if not shared(about, there) or shared(about, there | plan.title) < FEWEST_SHARED:
                continue
            for kind in settled.keys() & planned.keys():
                (ours, *others), theirs = settled[kind], planned[kind]
                if not others and len(theirs) == 1 and breaks(ours, min(theirs), bound):
                    return f"value changed {ours:g} -> {min(theirs):g} ({kind})"
    return None


def _lasting(stems: frozenset[str]) -> frozenset[str]:
    """Return stems with one word for all that says how long something is there."""
    others = frozenset({"last"}) if stems & LASTING else frozenset[str]()
    return (stems - DOING - LASTING) | others


def _other_number(plan: Plan, statement: str) -> str | None:
    """Name a step that gives what a decision names another number."""
    settled = _numbered(statement)
    for step in plan.steps if settled else ():
        planned = _numbered(step.text)
        for name in settled.keys() & planned.keys():
            if settled[name] != planned[name]:
                return f"value changed {name} {settled[name]} -> {planned[name]}"
    return None


@lru_cache(maxsize=MOST_KEPT)
def _numbered(text: str) -> Mapping[str, str]:
    """Return the one number that a text gives, by each word of what it names; none of several."""
    plain = AMOUNT.sub(" ", REASON.split(text, maxsplit=1)[0])
    found = NAMED_NUMBER.search(plain)
    if found is None or len(NUMBER.findall(plain)) != 1:
        return {}
    names, number = found.groups()
    return {name: number.rstrip(".") for name in stems_of(names) - DOING}


def _stem(word: str) -> str:
    return stem(folded(word)).removesuffix("e")


LOOKS = (
    _uses_forbidden,
    _does_what_never,
    _restricts,
    _puts_off,
    _removes,
    _takes_another_way,
    _turns_order,
    _other_amount,
    _other_number,
)
