"""Which subagent was given which task: dispatches that wait for the start of their subagent.

The client tells the task before it starts a subagent, and the start names no task. So a start is
matched with what was dispatched; where two different tasks could be meant, none is.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

KEPT_MS = 120_000
"""How long a dispatch waits: the person may be asked before it starts, or may refuse it."""
MOST_OPEN = 16
MOST_SESSIONS = 256
MOST_LINKS = 64
DEFAULT_TYPE = "general-purpose"
"""What the client starts where a dispatch names no type."""


@dataclass(frozen=True)
class Dispatch:
    """A task that was given to a subagent which has not started yet."""

    call_id: str
    agent_type: str
    prompt_id: str
    task: str
    at_ms: int


@dataclass(frozen=True)
class Start:
    """The start of a subagent, as the client tells it."""

    agent_id: str
    agent_type: str
    prompt_id: str
    at_ms: int


@dataclass
class _Desk:
    """One session's dispatches; the oldest first."""

    open: list[Dispatch] = field(default_factory=list)
    links: OrderedDict[str, str] = field(default_factory=OrderedDict)
    """By the subagent's id, the call that dispatched it."""
    puzzles: list[Start] = field(default_factory=list)
    """Starts of which it is not known what they began."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass
class Dispatches:
    """Remembers, in memory and for a short while, what each session dispatched."""

    _desks: OrderedDict[str, _Desk] = field(default_factory=OrderedDict)

    def note(self, session_id: str, dispatch: Dispatch) -> None:
        """Remember a dispatch until its subagent starts."""
        desk = self._desk(session_id)
        if any(one.call_id == dispatch.call_id for one in desk.open):
            return
        desk.open = sorted([*desk.open, dispatch], key=lambda one: one.at_ms)[-MOST_OPEN:]

    def link(self, session_id: str, agent_id: str, call_id: str) -> None:
        """Learn which call dispatched a subagent, before or after it started."""
        desk = self._desk(session_id)
        desk.links[agent_id] = call_id
        while len(desk.links) > MOST_LINKS:
            desk.links.popitem(last=False)
        if any(one.agent_id == agent_id for one in desk.puzzles):
            desk.puzzles = [one for one in desk.puzzles if one.agent_id != agent_id]
            desk.open = [one for one in desk.open if one.call_id != call_id]
        desk.changed.set()

    async def take(self, session_id: str, start: Start, wait_s: float) -> Dispatch | None:
        """Return what a subagent was given to do; None where that is not known for certain.

        It waits a moment for a link where it can't tell the tasks apart.
        """
        desk = self._desk(session_id)
        loop = asyncio.get_running_loop()
        ends = loop.time() + wait_s
        while (found := _match(desk, start)) == "unclear" and (left_s := ends - loop.time()) > 0:
            desk.changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(desk.changed.wait(), left_s)
        if found == "unclear":
            desk.puzzles.append(start)
            _settle(desk, start)
            return None
        if found == "none":
            return None
        desk.open.remove(found)
        _settle(desk, start)
        desk.changed.set()
        return found

    def _desk(self, session_id: str) -> _Desk:
        desk = self._desks.setdefault(session_id, _Desk())
        self._desks.move_to_end(session_id)
        while len(self._desks) > MOST_SESSIONS:
            self._desks.popitem(last=False)
        return desk


def _match(desk: _Desk, start: Start) -> Dispatch | Literal["none", "unclear"]:
    """Return the dispatch that the start belongs to, if the tasks leave no choice."""
    linked = desk.links.get(start.agent_id)
    if linked is not None:
        return next((one for one in desk.open if one.call_id == linked), "none")
    taken = set(desk.links.values())
    fitting = [one for one in _fitting(desk.open, start) if one.call_id not in taken]
    if not fitting:
        return "none"
    return fitting[0] if len({one.task for one in fitting}) == 1 else "unclear"


def _settle(desk: _Desk, start: Start) -> None:
    """Drop the dispatches that must all have started, whichever was whose."""
    left = _fitting(desk.open, start)
    puzzles = [one for one in desk.puzzles if _is_alike(one, start)]
    if puzzles and len(puzzles) >= len(left):
        desk.open = [one for one in desk.open if one not in left]
    too_old = [one for one in desk.puzzles if start.at_ms - one.at_ms > KEPT_MS]
    gone = [*too_old, *(puzzles if not _fitting(desk.open, start) else [])]
    desk.puzzles = [one for one in desk.puzzles if one not in gone]


def _fitting(dispatches: Iterable[Dispatch], start: Start) -> list[Dispatch]:
    return [one for one in dispatches if _is_alike(one, start)]


def _is_alike(one: Dispatch | Start, start: Start) -> bool:
    """Tell whether a dispatch may have led to a start: its type, its prompt, not long ago."""
    prompts = {one.prompt_id, start.prompt_id} - {""}
    is_recent = abs(start.at_ms - one.at_ms) <= KEPT_MS
    return one.agent_type == start.agent_type and len(prompts) <= 1 and is_recent
