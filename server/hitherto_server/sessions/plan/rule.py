"""The rule for plans: a step gives another value than a decision, or does what it rules out."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hitherto_server.gates.slots import Comparison, compare
from hitherto_server.recall.sentences import sentences_of
from hitherto_server.recall.stop_words import STOP_WORDS
from hitherto_server.sessions.plan.amounts import AMOUNT as AMOUNT_OF_UNIT
from hitherto_server.sessions.plan.amounts import amounts_in, bound_of, breaks
from hitherto_server.sessions.plan.likeness import share, shared
from hitherto_server.sessions.plan.reading import Plan, Step, shown
from hitherto_server.sessions.plan.rivals import rivals_of, used_in
from hitherto_server.sessions.plan.settled import goes_otherwise
from hitherto_server.sessions.plan.words import (
    CHANGES,
    CLAUSE,
    DOING,
    LIMITS,
    OBLIGES,
    RULES_OUT,
    SPARES,
    STAYS,
    TAKES_AWAY,
    VERB,
)
from hitherto_server.sessions.stems import stems_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NUMBERS = "one two three four five six seven eight nine ten twelve twenty thirty hundred thousand"
AMOUNT = re.compile(rf"\d|\b(?:{'|'.join(_NUMBERS.split())})\b", re.IGNORECASE)
NAME_AND_NUMBER = re.compile(r"\b([^\W\d_]{3,})[ :=@]v?(\d[\d.]*)\b(?![%:])")
NUMBER_AND_UNIT = re.compile(r"\S+ ([^\W\d_]{3,}?)s? -> \S+ ([^\W\d_]{3,}?)s?$")
LEAST_SHARED = 0.5
FEWEST_SHARED = 2
"""So many words must two statements share before another value in one of them counts."""
LEAST_NAMED = 0.6
OTHER_VALUE = ("value changed", "unit changed")
"""How the reasons begin that name another value of the same, and not another way."""


@dataclass(frozen=True)
class RuledOut:
    """What a decision rules out: what must be in a step, and what must be in the plan besides."""

    out: frozenset[str]
    about: frozenset[str]


def goes_against(plan: Plan, decision: str) -> str | None:
    """Say what of a plan goes against a decision, in the rule's words; None: nothing seen."""
    steps, whole = plan.steps, plan.stems
    for statement in sentences_of(decision):
        if reason := _changes_value(plan, statement) or _takes_rival(steps, statement):
            return reason
        ruled = [one for one in _ruled_out(statement) if not one.about or one.about & whole]
        for step in steps:
            if any(_does(step, one.out, statement) for one in ruled):
                return f"rules out: {shown(step)}"
            if STAYS.search(statement) and TAKES_AWAY.search(step.text) and _names(step, statement):
                return f"is to stay: {shown(step)}"
        if reason := goes_otherwise(plan, statement):
            return reason
    return None


def states_constraint(text: str) -> bool:
    """Tell whether a text that nobody decided states a rule or a value."""
    return any(map(_binds, sentences_of(text)))


def goes_against_known(plan: Plan, known: str) -> str | None:
    """Say what of a plan goes against a rule, or a value that no step changes on purpose."""
    unaware = replace(plan, steps=tuple(one for one in plan.steps if not CHANGES.search(one.text)))
    for statement in filter(_binds, sentences_of(known)):
        if OBLIGES.search(statement):
            reason = goes_against(plan, statement)
        else:
            reason = _changes_value(unaware, statement)
            reason = reason if reason and reason.startswith(OTHER_VALUE) else None
        if reason is not None:
            return reason
    return None


def _binds(statement: str) -> bool:
    has_value = amounts_in(statement) or _numbered(statement)
    return bool(has_value or OBLIGES.search(statement))


def _takes_rival(steps: Sequence[Step], statement: str) -> str | None:
    """Name the tool that a plan takes in the place of one that a decision settles on."""
    settled = used_in(statement)
    planned = frozenset[str]().union(*(used_in(step.text) for step in steps))
    for tool in sorted(settled - planned):
        if others := rivals_of(tool) & planned - settled:
            return f"value changed {tool} -> {min(others)}"
    return None


def _changes_value(plan: Plan, statement: str) -> str | None:
    title = plan.steps[0].stems if plan.steps else frozenset()
    for step in plan.steps:
        found = compare(statement, step.text)
        match found.verdict:
            case "value" | "unit" if _is_of_same(found, statement):
                return found.reason
            case "polarity" if _is_opposite(found, step, statement):
                return found.reason
            case _:
                pass
        if other := _other_number(statement, step.text) or _other_amount(statement, step, title):
            return other
    return None


def _other_amount(statement: str, step: Step, title: frozenset[str]) -> str | None:
    """Name an amount that a decision settles otherwise than a step about the same thing."""
    about = stems_of(AMOUNT_OF_UNIT.sub(" ", statement)) - DOING
    if not shared(about, step.stems) and share(about, title) < LEAST_SHARED:
        return None
    settled, planned = amounts_in(statement), amounts_in(step.text)
    bound = bound_of(statement)
    for kind in settled.keys() & planned.keys():
        ours, theirs = settled[kind], planned[kind]
        if ours & theirs or len(ours) > 1:
            continue  # nobody knows which of several is meant
        if all(breaks(min(ours), one, bound) for one in theirs):
            return f"value changed {min(ours):g} -> {min(theirs):g} ({kind})"
    return None


def _other_number(statement: str, step: str) -> str | None:
    """Name what has one number in a decision and another in a step: a version, a port."""
    settled, planned = _numbered(statement), _numbered(step)
    for name, numbers in settled.items():
        others = planned.get(name, set())
        if others and not others & numbers:
            return f"value changed {name} {min(numbers)} -> {min(others)}"
    return None


def _numbered(text: str) -> dict[str, set[str]]:
    """Return the numbers that stand right behind a name."""
    found: dict[str, set[str]] = {}
    for name, number in NAME_AND_NUMBER.findall(text):
        if name.lower() not in STOP_WORDS:
            found.setdefault(name.lower(), set()).add(number.rstrip("."))
    return found


def _is_of_same(found: Comparison, statement: str) -> bool:
    """Tell whether two values are of the same thing: shared words say so, or one unit."""
    if bound_of(statement) != "just":
        return False  # an amount within a bound is no other value
    units = NUMBER_AND_UNIT.search(found.reason)
    fewest = 1 if units and units[1] == units[2] else FEWEST_SHARED
    before, _, after = found.reason.partition(" -> ")
    if not (AMOUNT.search(before) and AMOUNT.search(after)) or ", " in found.reason:
        return False  # another word in the same place may be about something else
    return found.words >= fewest and found.shared >= LEAST_SHARED


def _is_opposite(found: Comparison, step: Step, statement: str) -> bool:
    if found.words < FEWEST_SHARED or found.shared < LEAST_SHARED:
        return False
    if step.denies and RULES_OUT.search(statement):
        return False  # both keep off something
    return not (LIMITS.search(statement) or LIMITS.search(step.text) or _spares(step, statement))


def _spares(step: Step, statement: str) -> bool:
    """Tell whether a step keeps off something that a decision keeps off too."""
    found = SPARES.search(step.text)
    return found is not None and found[1].lower() not in statement.lower()


def _ruled_out(statement: str) -> Iterator[RuledOut]:
    """Yield what stands around the words that rule out, each within its clause."""
    for clause in CLAUSE.split(statement):
        found = RULES_OUT.findall(clause)
        if len(found) != 1 or LIMITS.search(clause):
            continue  # `never without` demands, and `never but` allows
        before, _, after = RULES_OUT.sub("\0", clause).partition("\0")
        subject, behind = stems_of(before) - DOING, stems_of(after) - DOING
        if subject | behind:
            rest = stems_of(statement) - subject - behind - DOING
            is_told = subject or len(behind) >= FEWEST_SHARED
            yield RuledOut(subject | behind, frozenset() if is_told else rest)


def _does(step: Step, ruled_out: frozenset[str], statement: str) -> bool:
    if step.denies or _spares(step, statement):
        return False
    if LIMITS.search(step.text) and LIMITS.search(statement):
        return False
    there = shared(ruled_out, step.stems)
    is_told_apart = there >= FEWEST_SHARED or there == len(ruled_out)
    return is_told_apart and there / len(ruled_out) >= LEAST_SHARED


def _names(step: Step, statement: str) -> bool:
    """Tell whether a step takes away what a statement wants to stay: its subject, by name."""
    before, _, behind = STAYS.sub("\0", statement, count=1).partition("\0")
    subject = stems_of(before) - DOING or stems_of(CLAUSE.split(behind, maxsplit=1)[0]) - DOING
    named = stems_of(VERB.split(before, maxsplit=1)[0]) - DOING
    return any(share(one, step.stems) >= LEAST_NAMED for one in (subject, named))
