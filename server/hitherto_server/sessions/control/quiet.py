"""What is paused or ignored: known in memory, in force at once, told to a session in one line."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from hitherto_server.core.clock import DAY_MS
from hitherto_server.core.paths import local_path, path_key
from hitherto_server.core.private_file import write_private
from hitherto_server.store.quiet import begin_rule, end_rule, list_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from hitherto_server.core.clock import Clock
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.store.database import Store
    from hitherto_server.store.quiet import QuietKind, QuietRule

log = logging.getLogger(__name__)

KEPT_MS = 30 * DAY_MS
"""How long a rule that ended is remembered: the spool may hold events of its time."""
RESOLVED_S = 3.0
"""How long the place that a path's links lead to is taken as known."""
MOST_TOLD = 4096


@dataclass(frozen=True)
class Target:
    """A session, or a folder by its absolute path; one of both is given."""

    session_id: str | None = None
    path: str | None = None


@dataclass
class Quiet:
    """Says what of the hooks' calls and of the files is to be left alone."""

    store: Store
    clock: Clock
    note: Path
    """The file that tells the hooks of it, for the time when no server answers."""
    rules: tuple[QuietRule, ...] = ()
    _told: dict[tuple[str, int], None] = field(default_factory=dict)
    _hidden: tuple[float, tuple[str, ...]] = (0.0, ())

    async def load(self) -> None:
        """Read the rules; to be called before anything is taken in, and after each change."""
        since_ms = self.clock() - KEPT_MS
        self.rules = await self.store.readers.run(lambda c: list_rules(c, since_ms=since_ms))
        self._hidden = (0.0, ())
        await asyncio.to_thread(self._tell_hooks, self.in_force())

    def _tell_hooks(self, rules: Sequence[QuietRule]) -> None:
        lines = [line for rule in rules for line in _lines_of(rule)]
        try:
            if lines:
                write_private(self.note, "".join(f"{line}\n" for line in lines))
            else:
                self.note.unlink(missing_ok=True)
        except OSError as error:  # what they write down meanwhile is not taken in
            log.warning("the hooks were not told what is paused: %s", error)

    def in_force(self, kind: QuietKind | None = None) -> tuple[QuietRule, ...]:
        """Return what is left alone now."""
        now_ms = self.clock()
        return tuple(
            rule for rule in self.rules if rule.holds_at(now_ms) and kind in (None, rule.kind)
        )

    async def begin(self, kind: QuietKind, target: Target, until_ms: int | None = None) -> None:
        """Leave a session or a folder alone from now on; said again, the last time counts."""
        old = [rule.number for rule in self.in_force(kind) if _is_of(rule, target)]
        at_ms = self.clock()
        job = partial(begin_rule, kind=kind, at_ms=at_ms, until_ms=until_ms, **vars(target))
        await self.store.writer.run(job)
        await self._end(old)

    async def end(self, kind: QuietKind, target: Target) -> int:
        """Take back what is said of exactly that session or folder; return how much that was."""
        old = [rule.number for rule in self.in_force(kind) if _is_of(rule, target)]
        await self._end(old)
        return len(old)

    async def _end(self, numbers: list[int]) -> None:
        at_ms = self.clock()
        for number in numbers:
            await self.store.writer.run(partial(end_rule, number=number, at_ms=at_ms))
        await self.load()

    async def over(self, call: HookCall) -> QuietRule | None:
        """Return what says that a hook's call is to be left alone, if anything does."""
        if not self.rules:
            return None
        named = (call.project_dir, call.text("cwd"))
        folders = [local_path(folder) or folder for folder in named if folder]
        return await self.rule_for(call.session_id, folders, at_ms=call.at_ms, late=call.spooled)

    async def rule_for(
        self,
        session_id: str | None,
        folders: Iterable[str],
        *,
        at_ms: int | None = None,
        late: bool = False,
    ) -> QuietRule | None:
        """Return the rule over a session in some folders; what is `late` is judged by its time.

        A folder that is ignored by now is ignored also for what comes late.
        """
        if not self.rules:
            return None
        now_ms = self.clock()
        then_ms = now_ms if at_ms is None else at_ms
        holding = [
            rule
            for rule in self.rules
            if rule.session_id in (None, session_id)
            and (
                rule.holds_at(then_ms)
                or (rule.holds_at(now_ms) and (rule.kind == "ignore" or not late))
            )
        ]
        holding.sort(key=lambda rule: rule.kind)  # what is ignored is more than paused
        if not any(rule.path for rule in holding):
            return holding[0] if holding else None
        absolute = [folder for folder in folders if folder.startswith("/")]
        return await asyncio.to_thread(_first_over, holding, absolute)

    def hides(self, path: Path) -> bool:
        """Tell whether a file lies in a folder that is ignored; may read links, so on a thread."""
        if not self.rules:
            return False
        resolved_at, folders = self._hidden
        now = time.monotonic()
        if now - resolved_at > RESOLVED_S:
            named = [rule.path for rule in self.in_force("ignore") if rule.path]
            folders = tuple(place for one in named for place in spellings(one))
            self._hidden = (now, folders)
        return bool(folders) and lies_in(str(path), folders)

    def has_told(self, session_id: str, rule: QuietRule) -> bool:
        """Tell whether a session was told of a rule; from now on it was."""
        key = session_id, rule.number
        if key in self._told:
            return True
        while len(self._told) >= MOST_TOLD:
            self._told.pop(next(iter(self._told)))
        self._told[key] = None
        return False


def _lines_of(rule: QuietRule) -> list[str]:
    until_ms = rule.until_ms or 0
    if rule.path is None:
        return [f"{until_ms}\tsession\t{rule.session_id}"]
    places = [quote(os.fsencode(place.rstrip("/"))) for place in spellings(rule.path)]
    return [f"{until_ms}\tpath\t{place}" for place in places]


def _is_of(rule: QuietRule, target: Target) -> bool:
    if target.path is None or rule.path is None:
        return rule.session_id == target.session_id and rule.path == target.path
    return bool(set(spellings(rule.path)) & set(spellings(target.path)))


def _first_over(rules: list[QuietRule], folders: list[str]) -> QuietRule | None:
    for rule in rules:
        if rule.path is None:
            return rule
        within = spellings(rule.path)
        if any(lies_in(folder, within) for folder in folders):
            return rule
    return None


def spellings(path: str) -> tuple[str, ...]:
    """Return a path as it is named and as its links lead; both count, as either may change."""
    named = os.path.normpath(path)
    try:
        resolved = os.path.realpath(path)
    except (OSError, ValueError):
        resolved = named
    return (named,) if named == resolved else (named, resolved)


def lies_in(path: str, folders: Iterable[str]) -> bool:
    """Tell whether a path is one of the folders or lies inside of one, by whole names."""
    within = [path_key(folder).rstrip("/") + "/" for folder in folders]
    places = [path_key(place) + "/" for place in spellings(path)]
    return any(place.startswith(folder) for place in places for folder in within)
