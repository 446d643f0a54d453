"""One ask on its way, what it is answered with, and what its log will say."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitherto_server.judge.answers import Answers, Unavailable
from hitherto_server.judge.log import as_json
from hitherto_server.judge.questions import question_hash
from hitherto_server.store.judgments import Entry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.judge.asking import Asking
    from hitherto_server.judge.configuration import Backend
    from hitherto_server.judge.questions import Question
    from hitherto_server.judge.reading import WireReply
    from hitherto_server.judge.surface import Surface


@dataclass
class Asked:
    """Who asks what, since when, and for how long."""

    surface: Surface
    asking: Asking
    questions: Mapping[str, Question]
    began_s: float
    at_ms: int
    timeout_s: float
    backend: Backend
    forgets: int
    """How often something was to be forgotten before."""
    preview: str | None = None


def answers_of(asked: Asked, reply: WireReply, *, latency_ms: float, cached: bool) -> Answers:
    """Return what the asker gets of a reply."""
    return Answers(
        by_key=reply.by_key,
        model=reply.model,
        calibrated=reply.calibrated,
        cached=cached,
        latency_ms=latency_ms,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cost_usd=0.0 if cached else _cost_of(reply, asked.backend),
    )


def entry_of(
    asked: Asked,
    found: Answers | Unavailable,
    *,
    number: int,
    latency_ms: float,
    preview: str | None,
) -> Entry:
    """Return what is logged of an ask."""
    asking = asked.asking
    return Entry(
        id=number,
        asked_at_ms=asked.at_ms,
        surface=asked.surface.name,
        riders=json.dumps(asking.riders),
        origin=asking.origin,
        session_id=asking.session_id,
        project_id=asking.project_id,
        question_hash=question_hash(asked.questions),
        preview=preview,
        latency_ms=latency_ms,
        **(_told(found) if isinstance(found, Answers) else _missing(found)),
    )


def _told(answers: Answers) -> dict[str, Any]:
    return {
        "model": answers.model,
        "input_tokens": answers.input_tokens,
        "output_tokens": answers.output_tokens,
        "cost_usd": answers.cost_usd,
        "answers": json.dumps({key: as_json(one) for key, one in answers.by_key.items()}),
        "cached": answers.cached,
    }


def _missing(why: Unavailable) -> dict[str, Any]:
    return {"unavailable_reason": why.reason, "detail": why.detail or None}


def _cost_of(reply: WireReply, backend: Backend) -> float | None:
    price = backend.profile.usd_per_million
    if reply.cost_usd is not None or price is None or reply.input_tokens is None:
        return reply.cost_usd
    return reply.input_tokens * price / 1_000_000
