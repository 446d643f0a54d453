"""The three kinds of question, in the words that a surface fixed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class AskNoul:
    """A yes or no."""

    instructions: str
    yes: str | None = None
    """What counts as yes."""
    no: str | None = None


@dataclass(frozen=True)
class AskChoice:
    """One of 2 to 255 options, each with what it means; one of them says "none of these"."""

    instructions: str
    options: Mapping[str, str]


@dataclass(frozen=True)
class AskScore:
    """One of 2 to 10 ordered levels, the lowest first."""

    instructions: str
    levels: tuple[str, ...]


Question = AskNoul | AskChoice | AskScore


def as_wire(question: Question) -> dict[str, Any]:
    """Return a question as the System One protocol has it."""
    match question:
        case AskNoul(instructions, yes, no):
            criteria = {"true": yes, "false": no}
            told = {key: text for key, text in criteria.items() if text is not None}
            return {
                "type": "noul",
                "instructions": instructions,
                **({"criteria": told} if told else {}),
            }
        case AskChoice(instructions, options):
            return {"type": "choice", "instructions": instructions, "criteria": dict(options)}
        case AskScore(instructions, levels):
            return {"type": "score", "instructions": instructions, "criteria": list(levels)}
        case _:
            assert_never(question)


def question_hash(questions: Mapping[str, Question]) -> str:
    """Return 16 hexadecimal digits that change with any word of the questions or their keys."""
    text = json.dumps({key: as_wire(one) for key, one in questions.items()}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
