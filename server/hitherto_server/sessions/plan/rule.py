"""The rule for plans: a step gives another value than a decision, or does what it rules out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.text import opening_of
from hitherto_server.core.words import folded, words_in
from hitherto_server.gates.slots import Comparison, compare
from hitherto_server.recall.sentences import FENCED, sentence_spans, sentences_of
from hitherto_server.recall.stem import stem
from hitherto_server.recall.stop_words import STOP_WORDS
from hitherto_server.sessions.stems import stems_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_STEPS = 60
FEWEST_WORDS = 2
SHOWN_CHARS = 80
MARKER = re.compile(r"^\s*(?:[-*+\u2022]|\d+[.)]|#+|\[[ x]\])\s*")
RULES_OUT = re.compile(
    r"\b(?:never|no(?: longer| more)?|not|nothing|nobody|without|instead of|rather than|avoid)\b"
    r"|n't\b",
    re.IGNORECASE,
)
STAYS = re.compile(
    r"\b(?:stays?|must stay|keeps?|remains?|must not be touched|leave\w* .{1,40}alone|left alone"
    r"|has to keep|needs to stay)\b",
    re.IGNORECASE,
)
TAKES_AWAY = re.compile(
    r"\b(?:remov\w+|delet\w+|drop\w*|replac\w+|mov(?:e|es|ing)|migrat\w+|turn\w* off|switch\w* off"
    r"|shut\w* down|get(?:ting)? rid of|clean\w* up|renam\w+|rewrit\w+)\b",
    re.IGNORECASE,
)
SPARES = re.compile(
    r"\b(strip|remov|delet|drop|exempt|avoid|omit|exclud|leav|skip|disabl|forbid|reject|refus)\w*",
    re.IGNORECASE,
)
"""A step that does this to something does not do what rules out the thing, but the doing itself."""
LIMITS = re.compile(
    r"\b(?:only|but|except|unless|until|at once|immediately|exempt)\b", re.IGNORECASE
)
"""What is allowed within limits is not ruled out: nobody can tell by words which side a step is."""
_NUMBERS = "one two three four five six seven eight nine ten twelve twenty thirty hundred thousand"
AMOUNT = re.compile(rf"\d|\b(?:{'|'.join(_NUMBERS.split())})\b", re.IGNORECASE)
NAME_AND_NUMBER = re.compile(r"\b([^\W\d_]{3,})[ :=@]v?(\d[\d.]*)\b(?![%:])")
NUMBER_AND_UNIT = re.compile(r"\S+ ([^\W\d_]{3,}?)s? -> \S+ ([^\W\d_]{3,}?)s?$")
CLAUSE = re.compile(r"[,;:.!?()]|\b(?:because|since|so that|as|but|until|unless|when|while|and)\b")
LEAST_SHARED = 0.5
FEWEST_SHARED = 2
"""So many words must two statements share before another value in one of them counts."""
LEAST_RULED_OUT = 0.6
SAME_BEGINNING = 5
_DOING = "use do make have add write offer allow need keep take put run go let get set give want"
DOING = frozenset(stem(one).removesuffix("e") for one in _DOING.split())
"""Verbs that say nothing of what is ruled out."""


@dataclass(frozen=True)
class Step:
    """One statement of a plan, and the stems of its own words."""

    text: str
    stems: frozenset[str]
    denies: bool


@dataclass(frozen=True)
class RuledOut:
    """What a decision rules out: what must be in a step, and what must be in the plan besides."""

    out: frozenset[str]
    about: frozenset[str]


@dataclass(frozen=True)
class Plan:
    """A plan as the rule reads it: without code and list marks, the first so-many statements."""

    steps: tuple[Step, ...]
    stems: frozenset[str]


def read_plan(text: str) -> Plan:
    """Return the statements of a plan."""
    plain = FENCED.sub("\n", text)
    pieces = (MARKER.sub("", plain[a:b]).strip() for a, b in sentence_spans(plain))
    found = [one for one in pieces if len(words_in(folded(one))) >= FEWEST_WORDS]
    steps = (Step(one, stems_of(one), bool(RULES_OUT.search(one))) for one in found[:MOST_STEPS])
    return Plan(tuple(steps), stems_of(plain))


def goes_against(plan: Plan, decision: str) -> str | None:
    """Say what of a plan goes against a decision, in the rule's words; None: nothing seen."""
    steps, whole = plan.steps, plan.stems
    for statement in sentences_of(decision):
        if reason := _changes_value(steps, statement):
            return reason
        ruled = [one for one in _ruled_out(statement) if not one.about or one.about & whole]
        for step in steps:
            if any(_does(step, one.out, statement) for one in ruled):
                return f"rules out: {_shown(step)}"
            if STAYS.search(statement) and TAKES_AWAY.search(step.text) and _names(step, statement):
                return f"is to stay: {_shown(step)}"
    return None


def _changes_value(steps: Sequence[Step], statement: str) -> str | None:
    for step in steps:
        found = compare(statement, step.text)
        match found.verdict:
            case "value" | "unit" if _is_of_same(found):
                return found.reason
            case "polarity" if _is_opposite(found, step, statement):
                return found.reason
            case _:
                pass
        if other := _other_number(statement, step.text):
            return other
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


def _is_of_same(found: Comparison) -> bool:
    """Tell whether two values are of the same thing: shared words say so, or one unit."""
    units = NUMBER_AND_UNIT.search(found.reason)
    fewest = 1 if units and units[1] == units[2] else FEWEST_SHARED
    before, _, after = found.reason.partition(" -> ")
    if not (AMOUNT.search(before) and AMOUNT.search(after)):
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
        found = RULES_OUT.search(clause)
        if found is None:
            continue
        subject = stems_of(clause[: found.start()]) - DOING
        behind = stems_of(clause[found.end() :]) - DOING
        if subject | behind:
            rest = stems_of(statement) - subject - behind - DOING
            yield RuledOut(subject | behind, frozenset() if subject else rest)


def _does(step: Step, ruled_out: frozenset[str], statement: str) -> bool:
    if step.denies or LIMITS.search(statement) or _spares(step, statement):
        return False
    return _share(ruled_out, step.stems) >= LEAST_RULED_OUT


def _names(step: Step, statement: str) -> bool:
    """Tell whether a step takes away what a statement wants to stay: its subject, by name."""
    before, _, behind = STAYS.sub("\0", statement, count=1).partition("\0")
    subject = stems_of(before) - DOING or stems_of(CLAUSE.split(behind, maxsplit=1)[0]) - DOING
    return _share(subject, step.stems) >= LEAST_RULED_OUT


def _share(wanted: frozenset[str], there: frozenset[str]) -> float:
    """Return how many of some stems are there, also as the beginning of others."""
    found = sum(any(_is_same(one, other) for other in there) for one in wanted)
    return found / len(wanted) if wanted else 0.0


def _is_same(one: str, other: str) -> bool:
    return one == other or (
        min(len(one), len(other)) >= SAME_BEGINNING
        and one[:SAME_BEGINNING] == other[:SAME_BEGINNING]
    )


def _shown(step: Step) -> str:
    return opening_of(step.text, SHOWN_CHARS)
