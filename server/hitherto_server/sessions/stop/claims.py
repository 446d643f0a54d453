"""By rule: what does a message say to have passed, to work, or to have been tried out or done?

The rule is built to be quiet: where anything in the message leaves room for doubt, nothing is
said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hitherto_server.core.commands import CHECKS, Check
from hitherto_server.sessions.stop.claim_words import (
    COMPILES,
    COMPOUND,
    COUNTED,
    DEED,
    GONE,
    HANDS_ON,
    LINTED,
    MEASURED,
    OF_A_RUN,
    PIPELINE,
    SAYS,
    SAYS_ALL,
    TELLS_CONTENT,
    TRIED,
    TYPE_CHECKS,
    WENT_WELL,
    WORKS,
    clauses_of,
)
from hitherto_server.sessions.stop.doubt_words import (
    ADMITS,
    ELSEWHERE,
    HAS_PASSED,
    STANDS,
    TOLD_OF,
    UNSURE,
    WISHED,
)
from hitherto_server.sessions.stop.waiting import CODE, MARKS, sentences

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

About = Literal["check", "pipeline", "trial", "effect", "gone", "deed", "command"]
"""A known check; one that runs elsewhere; something tried out in whatever way; how a program
behaves or measures; what is seen no more; something done beyond the files; a command that did its
work."""

MOST_READ = 6000
OTHER_WORDS = {"tests": COUNTED, "build": COMPILES, "lint": LINTED, "types": TYPE_CHECKS}
"""How a check is said to have passed that is not named."""
OTHERS: tuple[tuple[About, re.Pattern[str]], ...] = (
    ("pipeline", PIPELINE),
    ("deed", DEED),
    ("trial", TRIED),
    ("effect", WORKS),
    ("effect", MEASURED),
    ("gone", GONE),
    ("command", WENT_WELL),
)


@dataclass(frozen=True)
class Claim:
    """What a message says to have passed, in its own words."""

    check: Check | None
    """None: all of them."""
    sentence: str
    about: About = "check"


def claims_in(message: str) -> list[Claim]:
    """Return what a message plainly says to have passed; none where it admits anything."""
    prose = CODE.sub(_quoted, message[-MOST_READ:])
    said = sentences(prose)
    if any(_admits(one) for one in said):
        return []
    stated = (one for one in said if not one.endswith(tuple(MARKS)))
    clauses = (clause for one in stated for clause in clauses_of(one))
    return [claim for one in clauses for claim in _claims_of(one)]


def is_told_of(said: str) -> bool:
    """Tell whether a person says that something passed: then somebody else has run it."""
    told = (one for one in sentences(said) if not one.endswith(tuple(MARKS)))
    return any(HAS_PASSED.search(one) and not WISHED.search(one) for one in told)


def _quoted(found: re.Match[str]) -> str:
    text = found[0]
    # a command's name between ticks belongs to the sentence, and its dots end none
    is_name = text.startswith("`") and not text.startswith("```")
    return text.strip("`").replace("...", "\u2026").rstrip(".") if is_name else " \u2026 "


def _admits(sentence: str) -> bool:
    """Tell whether a sentence is honest about something that is amiss, and tells no old story."""
    if not ADMITS.search(sentence):
        return False
    return STANDS.search(sentence) is not None or TOLD_OF.search(sentence) is None


def _claims_of(clause: str) -> Iterator[Claim]:
    if UNSURE.search(clause):
        return
    is_elsewhere = ELSEWHERE.search(clause) is not None
    if not is_elsewhere:
        if SAYS_ALL.search(clause):
            yield Claim(None, clause)
        yield from (Claim(one, clause) for one in CHECKS if _says(one, clause))
    found = (about for about, wording in OTHERS if wording.search(clause))
    yield from (Claim(None, clause, one) for one in found if one == "pipeline" or not is_elsewhere)


def _says(check: Check, clause: str) -> bool:
    if any(map(_is_of_a_run, SAYS[check].finditer(clause))):
        return True
    return OTHER_WORDS[check].search(clause) is not None


def _is_of_a_run(found: re.Match[str]) -> bool:
    """Tell whether it is a check that passed, and no part of the program that is named after it."""
    if HANDS_ON.match(found.string, found.end()) or TELLS_CONTENT.search(found[0]):
        return False
    compound = COMPOUND.match(found[0])
    return compound is None or OF_A_RUN.fullmatch(compound[1]) is not None
