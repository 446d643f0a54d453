"""Cases of a session: what a digest keeps of it, and which decisions its plan goes against."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.benches.sets import text_of
from hitherto_server.benches.trial import UNSAID, Aspect, Case, Label, Said, Trial
from hitherto_server.judge.surfaces import compact_digest, plan_conflict
from hitherto_server.sessions.compaction.rule import labels_by_rule
from hitherto_server.sessions.plan.reading import read_plan
from hitherto_server.sessions.plan.rule import goes_against

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.benches.cosines import Cosines
    from hitherto_server.benches.trial import Ask
    from hitherto_server.judge.surfaces.compact_digest import Role

DAY = "2026-05-01"


@dataclass(frozen=True)
class Spoken:
    """A message of a session, and whether whoever goes on after a compaction needs it."""

    role: Role
    text: str
    kept: bool
    hard: bool


@dataclass(frozen=True)
class Spelled:
    """A decision beside a plan, and whether the plan goes against it."""

    content: str
    against: bool
    hard: bool


@dataclass(frozen=True)
class Conversation:
    """A session, as far as it was spoken."""

    id: str
    messages: tuple[Spoken, ...]

    def shown(self) -> list[compact_digest.Message]:
        """Return it as the product reads it."""
        return [
            compact_digest.Message(one.role, one.text, at) for at, one in enumerate(self.messages)
        ]


@dataclass(frozen=True)
class Planned:
    """A plan with decisions that were made before."""

    id: str
    plan: str
    decisions: tuple[Spelled, ...]


def load_digests() -> list[Conversation]:
    """Return sessions with what is to be kept of them."""
    rows = map(json.loads, text_of("digests").splitlines())
    return [Conversation(row["id"], tuple(Spoken(**m) for m in row["messages"])) for row in rows]


def load_plans() -> list[Planned]:
    """Return plans with what they go against."""
    rows = map(json.loads, text_of("plans").splitlines())
    return [
        Planned(row["id"], row["plan"], tuple(Spelled(**one) for one in row["decisions"]))
        for row in rows
    ]


def digest_case(one: Conversation) -> Case:
    """Return a session whose messages are kept or left out."""
    labels = (
        Label(one.id, "digest", message.hard, "kept" if message.kept else "left out")
        for message in one.messages
    )
    return Case(tuple(labels), partial(_digest, item=one))


async def _digest(
    ask: Ask, thresholds: Mapping[str, float], *, item: Conversation
) -> Sequence[Said]:
    messages = item.shown()
    state = compact_digest.state_of(messages[0].text, messages)
    answers = await ask(state, compact_digest.questions_for(messages))
    if answers is None:
        return [UNSAID for _ in messages]
    said = compact_digest.decide(answers, len(messages), thresholds["least_confidence"])
    return [UNSAID if one == "" else Said("kept" if one else "left out") for one in said]


def plan_case(one: Planned) -> Case:
    """Return a plan beside decisions."""
    labels = (
        Label(one.id, "conflict", decision.hard, "against" if decision.against else "beside")
        for decision in one.decisions
    )
    return Case(tuple(labels), partial(_plan, item=one))


async def _plan(ask: Ask, thresholds: Mapping[str, float], *, item: Planned) -> Sequence[Said]:
    decisions = [plan_conflict.Decision(one.content, DAY) for one in item.decisions]
    state = plan_conflict.state_of(item.plan, decisions)
    answers = await ask(state, plan_conflict.questions_for(decisions))
    if answers is None:
        return [UNSAID for _ in decisions]
    said = plan_conflict.decide(answers, len(decisions), thresholds["least_probability"])
    chances = [answers.noul(f"c{at}") for at in range(1, len(decisions) + 1)]
    return [
        UNSAID if one is None else Said("against" if one else "beside", chance, "against")
        for one, chance in zip(said, chances, strict=True)
    ]


async def digest_by_rule(_: Cosines) -> list[Sequence[Said]]:
    """Say what the rule keeps of each session."""
    labels = (labels_by_rule(one.shown()) for one in load_digests())
    return [[Said("kept" if one else "left out") for one in some] for some in labels]


async def plan_by_rule(_: Cosines) -> list[Sequence[Said]]:
    """Say which decisions the rule sees each plan go against."""
    said: list[Sequence[Said]] = []
    for one in load_plans():
        plan = read_plan(one.plan)
        seen = (goes_against(plan, decision.content) for decision in one.decisions)
        said.append([Said("beside" if why is None else "against") for why in seen])
    return said


COMPACT_DIGEST = Trial(
    compact_digest.SURFACE,
    ("digests",),
    (Aspect("digest", ("kept", "left out"), positive="kept"),),
    lambda: [digest_case(one) for one in load_digests()],
)
PLAN_CONFLICT = Trial(
    plan_conflict.SURFACE,
    ("plans",),
    (Aspect("conflict", ("against", "beside"), positive="against"),),
    lambda: [plan_case(one) for one in load_plans()],
)
