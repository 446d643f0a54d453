"""Cases of a turn that ends: does it wait, is it worth a memory, and is its success shown?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from hitherto_server.benches.sets import text_of
from hitherto_server.benches.trial import UNSAID, Aspect, Case, Label, Said, Trial
from hitherto_server.judge.surfaces import agent_message, claim_check, turn_worth
from hitherto_server.judge.turn_state import state_of
from hitherto_server.sessions.stop.learned import learned_in
from hitherto_server.sessions.stop.showing import unshown
from hitherto_server.sessions.stop.turn_end import ended
from hitherto_server.sessions.stop.waiting import is_blocked, waits
from hitherto_server.store.evidence import Command, Edit, Evidence, Result

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.benches.trial import Ask

SET = "turns"


@dataclass(frozen=True)
class Turn:
    """A turn: what was asked, what was done, how it ended, and what a person says of that."""

    id: str
    hard: bool
    prompt: str
    message: str
    done: Evidence
    before: Evidence
    """What was done for earlier prompts of the session."""
    blocked: bool
    waiting: bool
    worth: bool
    unsupported: bool

    @property
    def everything(self) -> Evidence:
        """What was done in the session until then."""
        return Evidence(
            self.before.commands + self.done.commands,
            self.before.results + self.done.results,
            self.before.edits + self.done.edits,
        )


def load_turns() -> list[Turn]:
    """Return turns that have ended."""
    return [_turn(json.loads(line)) for line in text_of(SET).splitlines()]


def _turn(row: dict[str, Any]) -> Turn:
    earlier, steps = row.pop("earlier"), row.pop("steps")
    return Turn(**row, before=_evidence(earlier, 0), done=_evidence(steps, len(earlier)))


def _evidence(steps: list[dict[str, Any]], began: int) -> Evidence:
    commands: list[Command] = []
    results: list[Result] = []
    edits: list[Edit] = []
    for at_ms, step in enumerate(steps, began):
        if "run" in step:
            code = step["exit"]
            failed = None if code is None else code != 0
            agent = step.get("agent")
            commands.append(Command(step["run"], failed, code, step["tail"], at_ms, agent))
        elif "edit" in step:
            edits.append(Edit(step["edit"], at_ms))
        else:
            results.append(Result(step["used"], failed=False, tail=step["said"], at_ms=at_ms))
    return Evidence(tuple(commands), tuple(results), tuple(edits))


def waiting_labels(one: Turn) -> tuple[Label, Label]:
    """Return for what a turn waits."""
    return (
        Label(one.id, "waiting", one.hard, "waits" if one.waiting else "goes on"),
        Label(one.id, "blocked", one.hard, "blocked" if one.blocked else "free"),
    )


def worth_label(one: Turn) -> Label:
    """Return whether a turn is worth a memory."""
    return Label(one.id, "worth", one.hard, "worth" if one.worth else "routine")


def claim_label(one: Turn) -> Label:
    """Return whether a turn claims what nothing shows."""
    return Label(one.id, "claim", one.hard, "unshown" if one.unsupported else "fair")


def _shown(one: Turn) -> dict[str, Any]:
    return state_of(ended(one.message, one.done, one.everything))


async def _waiting(ask: Ask, thresholds: Mapping[str, float], *, item: Turn) -> Sequence[Said]:
    answers = await ask(_shown(item), agent_message.questions_for())
    if answers is None:
        return [UNSAID, UNSAID]
    said = agent_message.decide(answers, thresholds)
    waits_chance, blocked_chance = (
        answers.noul(key) for key in (agent_message.WAITING, agent_message.BLOCKED)
    )
    at_all, blocked = said.at_all, said.blocked
    return [
        UNSAID if at_all is None else Said("waits" if at_all else "goes on", waits_chance, "waits"),
        UNSAID if blocked is None else Said(_blocked(blocked), blocked_chance, "blocked"),
    ]


async def _worth(ask: Ask, thresholds: Mapping[str, float], *, item: Turn) -> Sequence[Said]:
    answers = await ask(_shown(item), turn_worth.questions_for())
    if answers is None:
        return [UNSAID]
    said = turn_worth.decide(answers, thresholds)
    label = {"worth": "worth", "not worth": "routine", "undecided": None}[said]
    return [Said(label, answers.noul(turn_worth.KEY), "worth")]


async def _claim(ask: Ask, thresholds: Mapping[str, float], *, item: Turn) -> Sequence[Said]:
    answers = await ask(_shown(item), claim_check.questions_for())
    if answers is None:
        return [UNSAID]
    said = claim_check.decide(answers, thresholds)
    label = {"unshown": "unshown", "shown": "fair", "undecided": None}[said]
    return [Said(label, answers.noul(claim_check.KEY), "unshown")]


def _blocked(is_so: bool) -> str:  # noqa: FBT001 - the word for it
    return "blocked" if is_so else "free"


async def waiting_by_rule(_: object) -> list[Sequence[Said]]:
    """Answer every case of agent-message by its rule."""
    return [
        [
            Said("waits" if waits(one.message) or is_blocked(one.message) else "goes on"),
            Said(_blocked(is_blocked(one.message))),
        ]
        for one in load_turns()
    ]


async def worth_by_rule(_: object) -> list[Sequence[Said]]:
    """Answer every case of turn-worth by its rule."""
    found = [learned_in(one.message, one.done, one.prompt) for one in load_turns()]
    return [[Said("routine" if one is None else "worth")] for one in found]


async def claim_by_rule(_: object) -> list[Sequence[Said]]:
    """Answer every case of claim-check by its rule."""
    found = [
        unshown(one.message, one.prompt, one.everything, one.everything, is_whole=True)
        for one in load_turns()
    ]
    return [[Said("fair" if one is None else "unshown")] for one in found]


AGENT_MESSAGE = Trial(
    agent_message.SURFACE,
    (SET,),
    (
        Aspect("waiting", ("waits", "goes on"), positive="waits"),
        Aspect("blocked", ("blocked", "free"), positive="blocked"),
    ),
    lambda: [Case(waiting_labels(one), partial(_waiting, item=one)) for one in load_turns()],
)
TURN_WORTH = Trial(
    turn_worth.SURFACE,
    (SET,),
    (Aspect("worth", ("worth", "routine"), positive="worth"),),
    lambda: [Case((worth_label(one),), partial(_worth, item=one)) for one in load_turns()],
)
CLAIM_CHECK = Trial(
    claim_check.SURFACE,
    (SET,),
    (Aspect("claim", ("unshown", "fair"), positive="unshown"),),
    lambda: [Case((claim_label(one),), partial(_claim, item=one)) for one in load_turns()],
)
