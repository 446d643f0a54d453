"""Reads what a chat model said: the probability of each option, or why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
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
from hitherto_server.judge.reading import MOST_MODEL_CHARS, WireReply, count_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hitherto_server.judge.answers import Answer
    from hitherto_server.judge.questions import Question


@dataclass(frozen=True)
class Said:
    """One question's answer: the probability of each option, or why there is none."""

    odds: tuple[float, ...] | None
    why_not: str = ""
    has_odds: bool = True
    """False: the backend named one option, and nothing says how surely."""
    model: str = ""
    sent: int | None = None
    received: int | None = None


def top_logprobs(reply: Mapping[str, Any]) -> list[tuple[str, float]] | None:
    """Return the likeliest first tokens with their probabilities; None if the reply has none."""
    try:
        found = reply["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        pairs = [(str(one["token"]), one["logprob"]) for one in found]
    except (KeyError, IndexError, TypeError):
        return None
    told = [(token, math.exp(min(logprob, 0.0))) for token, logprob in pairs if is_number(logprob)]
    return told or None


def letter_of(token: str) -> str:
    """Return the letter that a token is: ` a`, `A.` and `(A)` are the same."""
    return token.strip(" \t\r\n.():*\"'\u2581\u0120").upper()


def content_of(reply: Mapping[str, Any]) -> str:
    try:
        return str(reply["choices"][0]["message"]["content"])
    except (KeyError, IndexError, TypeError):
        return ""


def said_by(
    reply: Mapping[str, Any],
    odds: tuple[float, ...] | None,
    why_not: str = "",
    *,
    has_odds: bool = True,
) -> Said:
    usage = reply.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    model = reply.get("model")
    return Said(
        odds=odds,
        why_not=why_not,
        has_odds=has_odds,
        model=model[:MOST_MODEL_CHARS] if isinstance(model, str) else "",
        sent=count_of(usage.get("prompt_tokens")),
        received=count_of(usage.get("completion_tokens")),
    )


def in_order(said: Said, order: Sequence[int]) -> Said:
    """Return what was said with its options in their own order again."""
    if said.odds is None:
        return said
    own = dict(zip(order, said.odds, strict=True))
    return replace(said, odds=tuple(own[at] for at in range(len(order))))


def reply_of(said: Mapping[str, Sequence[Said]], questions: Mapping[str, Question]) -> WireReply:
    every = [one for some in said.values() for one in some]
    used = [one for one in every if one.odds is not None]
    return WireReply(
        by_key={key: _answer(questions[key], some) for key, some in said.items()},
        model=next((one.model for one in every if one.model), "unnamed"),
        calibrated=all(one.has_odds for one in used),
        input_tokens=_sum(one.sent for one in every),
        output_tokens=_sum(one.received for one in every),
    )


def _answer(question: Question, said: Sequence[Said]) -> Answer | Unavailable:
    usable = [one.odds for one in said if one.odds is not None]
    if len(usable) < len(said):
        return Unavailable("invalid", next(one.why_not for one in said if one.odds is None))
    odds = tuple(sum(values) / len(usable) for values in zip(*usable, strict=True))
    match question:
        case AskNoul():
            return Noul(odds[0])
        case AskChoice(_, options):
            by_name = dict(zip(options, odds, strict=True))
            return Choice(
                max(by_name, key=by_name.__getitem__), by_name, choice_confidence(by_name)
            )
        case AskScore():
            score = sum(level * p for level, p in enumerate(odds))
            return Score(score, odds, score_confidence(odds))
        case _:
            assert_never(question)


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [one for one in counts if one is not None]
    return sum(known) if known else None
