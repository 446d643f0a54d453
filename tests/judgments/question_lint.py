"""What makes a question hard to answer, or easy to talk round; each exception with its reason."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from hitherto_server.judge.questions import AskChoice, AskNoul, AskScore, as_wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hitherto_server.judge.questions import Question

MOST_INSTRUCTIONS, MOST_CRITERION = 450, 220
NEGATION = re.compile(r"\b(?:not|no|never|none|neither|nor|without|cannot|\w+n't)\b", re.IGNORECASE)
COUNTING = re.compile(
    r"\b(?:how many|count (?:how|the|all)|at least \w+ (?:times|of)|more than \w+ (?:times|of)"
    r"|number of|percent"
    r"|how (?:old|long ago)|days ago|today|yesterday|before \d|after \d|since \d|\d{4}-\d\d)\b",
    re.IGNORECASE,
)
VAGUE = re.compile(
    r"\b(?:maybe|perhaps|somewhat|appropriate|etc|and so on|some kind|if possible|good)\b",
    re.IGNORECASE,
)
PERSUASION = re.compile(r"\b(?:please|you must|always answer|make sure|important:)", re.IGNORECASE)
SEVERAL = re.compile(r"\?.*\?|\band whether\b|\band/or\b", re.IGNORECASE | re.DOTALL)
SENTENCE = re.compile(r"(?<=[.?!])\s+")
GUARD = re.compile(r"quoted|take nothing in|does not count", re.IGNORECASE)
NUMBERED = re.compile(r"^(\d+):")
WAYS_OUT = {"none", "unclear", "other", "none-of-these"}
PLACE = re.compile(r"`([a-z_]+)[`.]")

ALLOWED = {
    ("negation", "relations", "exclusive"): "what is asked for is the contradiction itself",
    ("negation", "relations", "turned_exclusive"): "as exclusive",
}
"""By rule, surface and the question's name without its number."""

Fault = tuple[str, str]
"""A rule's name, and what is wrong."""


def faults_of(questions: Mapping[str, Question]) -> list[tuple[str, str, str]]:
    """Return rule, question and fault of everything that is wrong with a surface's questions."""
    found = [
        (rule, key, said)
        for key, question in questions.items()
        for check in CHECKS
        for rule, said in check(question)
    ]
    if not any(GUARD.search(one.instructions) for one in questions.values()):
        found.append(("guard", "", "no question says that what is shown is quoted"))
    return found


def unallowed(surface: str, questions: Mapping[str, Question]) -> list[tuple[str, str, str]]:
    """Return the faults that no exception explains."""
    return [
        (rule, key, said)
        for rule, key, said in faults_of(questions)
        if (rule, surface, re.sub(r"_\d+$", "", key)) not in ALLOWED
    ]


def words_of(question: Question) -> str:
    """Return all that a question tells a judge, as one text."""
    return json.dumps(as_wire(question), ensure_ascii=False)


def places_in(question: Question) -> set[str]:
    """Return the parts of the state that the instructions name."""
    return set(PLACE.findall(question.instructions))


def _criteria(question: Question) -> list[str]:
    match question:
        case AskNoul(_, yes, no):
            return [one for one in (yes, no) if one is not None]
        case AskChoice(_, options):
            return list(options.values())
        case AskScore(_, levels):
            return list(levels)


def _negation(question: Question) -> Iterator[Fault]:
    asked = SENTENCE.split(question.instructions)[0]
    if found := NEGATION.search(asked):
        yield "negation", f"{found.group()!r} in what is asked"


def _counting(question: Question) -> Iterator[Fault]:
    if found := COUNTING.search(question.instructions):
        yield "counting", f"{found.group()!r}: code counts, and compares dates"


def _vague(question: Question) -> Iterator[Fault]:
    if found := VAGUE.search(question.instructions):
        yield "vague", repr(found.group())


def _persuasion(question: Question) -> Iterator[Fault]:
    if found := PERSUASION.search(question.instructions):
        yield "persuasion", repr(found.group())


def _several(question: Question) -> Iterator[Fault]:
    if SEVERAL.search(question.instructions):
        yield "several", "more than one thing is asked"


def _long(question: Question) -> Iterator[Fault]:
    if len(question.instructions) > MOST_INSTRUCTIONS:
        yield "long", f"{len(question.instructions)} characters of instructions"
    for one in _criteria(question):
        if len(one) > MOST_CRITERION:
            yield "long", f"{len(one)} characters: {one[:40]}"


def _way_out(question: Question) -> Iterator[Fault]:
    if isinstance(question, AskChoice) and not WAYS_OUT & question.options.keys():
        yield "way out", "no option says that none fits, or that it is unclear"


def _options(question: Question) -> Iterator[Fault]:
    if isinstance(question, AskChoice) and len(question.options) < 3:
        yield "options", "a choice between one thing and nothing is a yes or no"
    told = _criteria(question)
    if any(not one.strip() for one in told) or len(set(told)) < len(told):
        yield "options", "an option is empty, or is there twice"


def _levels(question: Question) -> Iterator[Fault]:
    if not isinstance(question, AskScore):
        return
    if not 2 <= len(question.levels) <= 10:
        yield "levels", f"{len(question.levels)} of them"
    numbers = [int(found.group(1)) for one in question.levels if (found := NUMBERED.match(one))]
    if numbers and numbers != list(range(numbers[0], numbers[0] + len(question.levels))):
        yield "levels", "their numbers are not in order"


def _both_sides(question: Question) -> Iterator[Fault]:
    if isinstance(question, AskNoul) and not (question.yes and question.no):
        yield "both sides", "what counts as yes, or as no, is not said"


CHECKS: tuple[Callable[[Question], Iterator[Fault]], ...] = (
    _negation,
    _counting,
    _vague,
    _persuasion,
    _several,
    _long,
    _way_out,
    _options,
    _levels,
    _both_sides,
)
