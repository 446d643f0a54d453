"""Cases of two memories: relations, supersession, and the duplicate gate."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.benches.sets import load_duplicates, load_relations
from hitherto_server.benches.trial import UNSAID, Aspect, Case, Label, Said, Trial
from hitherto_server.judge.surfaces import duplicate_gate, relations, supersession

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.benches.items import Pair, Relation, Repeat
    from hitherto_server.benches.trial import Ask
    from hitherto_server.gates.duplicates import Kinship
    from hitherto_server.judge.surfaces.relations import Heard, Later, Limits, Turn

MEANT = {
    "duplicate": "duplicate",
    "conflict": "conflicting",
    "similar": "related",
    "nothing": "unrelated",
}
"""A ruling in the words of the set."""
KINSHIP: dict[Kinship, Relation] = {
    "duplicate": "duplicate",
    "update": "conflicting",
    "conflict": "conflicting",
    "similar": "related",
    "related": "related",
    "unrelated": "unrelated",
}
"""What the slot check says in the words of the set."""
SAME_DAY = "2026-06-01"
"""The gate's pairs were told on one day: their words alone decide."""


async def heard_of(ask: Ask, pair: Pair, limits: Limits) -> Heard | None:
    """Ask about a pair as the background does: in doubt once more, the other way round."""
    memory = relations.Record(pair.newer.content, pair.newer.recorded_on)
    known = relations.Record(pair.older.content, pair.older.recorded_on)
    one = await _heard(ask, memory, known, "as_written")
    if one is None or not relations.is_in_doubt(one, limits):
        return one
    turned = await _heard(ask, memory, known, "turned")
    return one if turned is None else relations.joined(one, turned)


async def _heard(
    ask: Ask, memory: relations.Record, known: relations.Record, turn: Turn
) -> Heard | None:
    later: Later | None = "memory" if memory.recorded_on > known.recorded_on else None
    state = relations.state_of(memory, {0: known}, turn)
    answers = await ask(state, relations.questions_for({0: later}, turn))
    return None if answers is None else relations.hear(answers, [0])[0]


def limits_of(thresholds: Mapping[str, float]) -> Limits:
    """Return the thresholds of both surfaces, of which each is measured with its own."""
    own = {**relations.SURFACE.thresholds, **thresholds}
    newer = thresholds.get("newer", supersession.SURFACE.thresholds["least_probability"])
    return relations.Limits(own["least_confidence"], own["least_probability"], newer)


def relation_case(one: Pair) -> Case:
    """Return a pair as `relations` asks about it."""
    label = Label(one.id, "relation", one.hard, one.relation)
    return Case((label,), partial(_relation, pair=one))


async def _relation(ask: Ask, thresholds: Mapping[str, float], *, pair: Pair) -> Sequence[Said]:
    limits = limits_of(thresholds)
    heard = await heard_of(ask, pair, limits)
    if heard is None:
        return [UNSAID]
    ruling, choice = relations.decide(heard, limits), heard.relation
    if choice is None:
        return [UNSAID]
    chance = choice.probabilities[choice.choice]
    return [Said(MEANT.get(ruling.said), chance, choice.choice)]


def supersession_cases() -> list[Case]:
    """Return the pairs of different days: of others nobody asks which replaces which."""
    pairs = load_relations()
    return [
        supersession_case(one) for one in pairs if one.older.recorded_on < one.newer.recorded_on
    ]


def supersession_case(one: Pair) -> Case:
    """Return a pair as the rider of `relations` asks about it."""
    label = Label(one.id, "replaces", one.hard, "replaces" if one.supersedes else "keeps")
    return Case((label,), partial(_replacement, pair=one))


async def _replacement(ask: Ask, thresholds: Mapping[str, float], *, pair: Pair) -> Sequence[Said]:
    least = thresholds["least_probability"]
    limits = limits_of({"newer": least})
    heard = await heard_of(ask, pair, limits)
    if heard is None or heard.newer is None:
        return [UNSAID]
    rulings = {0: relations.decide(heard, limits)}
    chosen = supersession.choose(relations.replacements({0: heard}, rulings), least)
    return [Said("keeps" if chosen is None else "replaces", heard.newer, "replaces")]


def duplicate_case(one: Repeat) -> Case:
    """Return a statement as the gate asks about it, also where the slot check would bar it."""
    label = Label(one.id, "same", one.hard, "same" if one.same else "other")
    return Case((label,), partial(_repeat, repeat=one))


async def _repeat(ask: Ask, thresholds: Mapping[str, float], *, repeat: Repeat) -> Sequence[Said]:
    new = duplicate_gate.Stated(repeat.newer, SAME_DAY)
    known = duplicate_gate.Stated(repeat.older, SAME_DAY)
    least = thresholds["least_probability"]
    probability = await _probability(ask, new, known)
    if probability is None:
        return [UNSAID]
    turned = None
    if duplicate_gate.is_in_doubt(probability, least):
        turned = await _probability(ask, known, new)
    is_same = duplicate_gate.decide(probability, turned, least)
    return [Said("same" if is_same else "other", probability, "same")]


async def _probability(
    ask: Ask, new: duplicate_gate.Stated, known: duplicate_gate.Stated
) -> float | None:
    answers = await ask(duplicate_gate.state_of(new, [known]), duplicate_gate.questions_for(1))
    return None if answers is None else duplicate_gate.probabilities_of(answers, 1).get(0)


RELATIONS = Trial(
    relations.SURFACE,
    ("relations",),
    (Aspect("relation", ("duplicate", "conflicting", "related", "unrelated")),),
    lambda: [relation_case(one) for one in load_relations()],
)
SUPERSESSION = Trial(
    supersession.SURFACE,
    ("relations",),
    (Aspect("replaces", ("replaces", "keeps"), positive="replaces"),),
    supersession_cases,
)
DUPLICATE_GATE = Trial(
    duplicate_gate.SURFACE,
    ("duplicates",),
    (Aspect("same", ("same", "other"), positive="same"),),
    lambda: [duplicate_case(one) for one in load_duplicates()],
)
