"""What a backfill would take, found out without asking anybody."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from hitherto_server.judge.questions import as_wire
from hitherto_server.judge.surfaces import importance_kind, relations
from hitherto_server.maintenance.pairs import NotReadable, find_case
from hitherto_server.store import backfill as rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.judge.questions import Question
    from hitherto_server.models.traits import Traits
    from hitherto_server.store.backfill import Unjudged, Wanted
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection

CHARS_PER_TOKEN = 3.5
MOST_SAMPLED = 40
IN_BOTH_ORDERS = 1.15
"""Some pairs are asked about twice."""

Basis = Literal["log", "length"]


@dataclass(frozen=True)
class Estimate:
    """What is unjudged, and what judging it would take."""

    memories: int
    relate: int
    """Memories to be judged beside their neighbours."""
    classify: int
    requests: int
    input_tokens: int
    basis: Basis
    """Whether the tokens are measured on what was asked before, or guessed from lengths."""
    sampled: int
    """Memories whose neighbours were counted; the others are taken to be like them."""


async def estimate(store: Store, wanted: Wanted, model: Traits | None) -> Estimate:
    """Return what a run would judge and about how many tokens that takes."""
    run = store.readers.run
    found = await run(partial(rows.list_unjudged, wanted=wanted))
    sample = _sample([one for one in found if one.relate])
    # one by one: whoever waits for a recall has the reader in between
    pairs = [await run(partial(_pairs, one=one, model=model)) for one in sample]
    return await run(partial(_weighed, found=found, sample=sample, pairs=pairs))


def _weighed(
    connection: Connection,
    *,
    found: Sequence[Unjudged],
    sample: Sequence[Unjudged],
    pairs: Sequence[int],
) -> Estimate:
    relate = sum(one.relate for one in found)
    classify = [one for one in found if one.classify]
    share = sum(one > 0 for one in pairs) / len(pairs) if pairs else 0.0
    asked = round(relate * share)
    beside = rows.find_mean_tokens(connection, relations.SURFACE.name)
    alone = rows.find_mean_tokens(connection, importance_kind.SURFACE.name)
    each = _relate_tokens(connection, sample, pairs) if beside is None else beside
    is_logged = (beside is not None or not asked) and (alone is not None or not classify)
    return Estimate(
        memories=len(found),
        relate=relate,
        classify=len(classify),
        requests=asked + len(classify),
        input_tokens=round(asked * each + _classify_tokens(connection, classify, alone)),
        basis="log" if found and is_logged else "length",
        sampled=len(sample),
    )


def _sample(found: Sequence[Unjudged]) -> Sequence[Unjudged]:
    step = max(1, len(found) // MOST_SAMPLED)
    return found[::step][:MOST_SAMPLED]


def _pairs(connection: Connection, one: Unjudged, model: Traits | None) -> int:
    try:
        case = find_case(connection, one.id, model)
    except NotReadable:
        return 0
    return len(case.pairs) if case else 0


def _relate_tokens(
    connection: Connection, sample: Sequence[Unjudged], pairs: Sequence[int]
) -> float:
    """Return what one request about neighbours takes, by the lengths of what it shows."""
    if not any(pairs):
        return 0.0
    numbers = [one.number for one in sample]
    most = relations.MOST_CHARS
    text = rows.sum_lengths(connection, numbers, most_chars=most) / len(numbers)
    beside = sum(pairs) / sum(one > 0 for one in pairs)
    words = _words(relations.questions_for({0: "memory"}))
    return (text * (1 + beside) + words * beside) * IN_BOTH_ORDERS / CHARS_PER_TOKEN


def _classify_tokens(
    connection: Connection, classify: Sequence[Unjudged], mean: float | None
) -> float:
    if mean is not None:
        return len(classify) * mean
    numbers = [one.number for one in classify]
    most = importance_kind.MOST_CHARS
    text = rows.sum_lengths(connection, numbers, most_chars=most)
    words = _words(importance_kind.questions_for())
    return (text + words * len(classify)) / CHARS_PER_TOKEN


def _words(questions: Mapping[str, Question]) -> int:
    return len(json.dumps({key: as_wire(one) for key, one in questions.items()}))
