"""Reads what a System One server answers: each answer by itself, and none on trust."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

from hitherto_server.judge.answers import (
    Choice,
    Noul,
    Score,
    Unavailable,
    choice_confidence,
    score_confidence,
)
from hitherto_server.judge.configuration import is_number
from hitherto_server.judge.questions import AskChoice, AskNoul, AskScore

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.judge.answers import Answer
    from hitherto_server.judge.questions import Question

SUM_SLACK = 0.05
ARGMAX_SLACK = 0.005
SCORE_SLACK = 0.02
EXACT = 1e-9
MOST_MODEL_CHARS = 200


class UnreadableError(Exception):
    """The reply, or one answer of it, is not what the protocol says."""


@dataclass(frozen=True)
class WireReply:
    """What a backend said."""

    by_key: Mapping[str, Answer | Unavailable]
    model: str
    calibrated: bool = True
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None

    @property
    def usable(self) -> int:
        """How many of the answers can be used."""
        return sum(not isinstance(one, Unavailable) for one in self.by_key.values())


def read_json(body: bytes) -> dict[str, Any]:
    """Return a reply's map; raise `UnreadableError` if it is none."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        message = "the reply is no JSON"
        raise UnreadableError(message) from error
    if not isinstance(found, dict):
        message = "the reply is no map"
        raise UnreadableError(message)
    return found


def read_reply(body: bytes, questions: Mapping[str, Question]) -> WireReply:
    """Return the answers to these questions; an invalid one is `Unavailable`, the others stand."""
    said = read_json(body)
    answers, model = said.get("answers"), said.get("model")
    if not isinstance(answers, dict) or not isinstance(model, str) or not model.strip():
        message = "the reply names no model or has no answers"
        raise UnreadableError(message)
    usage = said.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return WireReply(
        by_key={
            key: read_answer(question, answers.get(key)) for key, question in questions.items()
        },
        model=model[:MOST_MODEL_CHARS],
        input_tokens=count_of(usage.get("input_tokens")),
        output_tokens=count_of(usage.get("output_tokens")),
        cost_usd=_cost_of(usage.get("cost")),
    )


def read_answer(question: Question, said: Any) -> Answer | Unavailable:
    """Return one answer, or why it can't be used."""
    try:
        if not isinstance(said, dict):
            message = "no answer to this question"
            raise UnreadableError(message)
        match question:
            case AskNoul():
                return _noul(said)
            case AskChoice(_, options):
                return _choice(said, list(options))
            case AskScore(_, levels):
                return _score(said, len(levels))
            case _:
                assert_never(question)
    except UnreadableError as error:
        return Unavailable("invalid", str(error))


def _noul(said: Mapping[str, Any]) -> Noul:
    _check_type(said, "noul")
    return Noul(_probability(said.get("noul")))


def _choice(said: Mapping[str, Any], options: Sequence[str]) -> Choice:
    _check_type(said, "choice")
    odds = dict(zip(options, _distribution(said.get("probabilities"), options), strict=True))
    chosen = said.get("choice")
    if chosen not in odds or max(odds.values()) - odds[chosen] > ARGMAX_SLACK + EXACT:
        message = "the choice is not the most probable option"
        raise UnreadableError(message)
    return Choice(chosen, odds, choice_confidence(odds))


def _score(said: Mapping[str, Any], levels: int) -> Score:
    _check_type(said, "score")
    names = [str(level) for level in range(levels)]
    odds = tuple(_distribution(said.get("probabilities"), names))
    score, expected = said.get("score"), sum(level * p for level, p in enumerate(odds))
    # rounded probabilities move the expectation by half a digit for each level
    slack = SCORE_SLACK + ARGMAX_SLACK * levels * (levels - 1) / 2
    if not is_number(score) or abs(score - expected) > slack:
        message = "the score is not what its probabilities give"
        raise UnreadableError(message)
    return Score(expected, odds, score_confidence(odds))


def _check_type(said: Mapping[str, Any], wanted: str) -> None:
    if said.get("type") != wanted:
        message = f"the answer is no {wanted}"
        raise UnreadableError(message)


def _distribution(said: Any, names: Sequence[str]) -> list[float]:
    """Return the probabilities in the order of the names, brought to a sum of 1."""
    if not isinstance(said, dict) or set(said) != set(names):
        message = "the probabilities are not of the options that were asked about"
        raise UnreadableError(message)
    values = [_probability(said[name]) for name in names]
    total = sum(values)
    if abs(total - 1) > SUM_SLACK + EXACT:
        message = f"the probabilities add up to {total:.2f}"
        raise UnreadableError(message)
    return values if math.isclose(total, 1, abs_tol=1e-6) else [one / total for one in values]


def _probability(value: Any) -> float:
    if not is_number(value) or not 0 <= value <= 1:
        message = "a probability is no number from 0 to 1"
        raise UnreadableError(message)
    return float(value)


def count_of(value: Any) -> int | None:
    """Return a count of tokens, if it is one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _cost_of(value: Any) -> float | None:
    return float(value) if is_number(value) and value >= 0 else None
