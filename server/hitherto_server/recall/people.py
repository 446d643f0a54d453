"""Who speaks in a project, and what it is called: names that say nothing about a subject."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hitherto_server.core.text import people_in
from hitherto_server.core.words import folded, words_in
from hitherto_server.recall.stop_words import STOP_WORDS
from hitherto_server.store.recall import find_project_name, list_actors

if TYPE_CHECKING:
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection

KEEP_S = 600.0
"""A prompt waits for the look, and who is new here may be embedded a few times."""
MOST_SCOPES = 64
MOST_ACTORS = 200


@dataclass(frozen=True)
class Acquainted:
    """The names that are known where a question is asked, folded."""

    people: frozenset[str] = frozenset()
    project: frozenset[str] = frozenset()


NOBODY_KNOWN = Acquainted()


@dataclass
class Acquaintances:
    """Keeps in mind who is known in each scope, and looks again after a while."""

    known: dict[tuple[int, ...], tuple[float, Acquainted]] = field(default_factory=dict)

    async def of(self, store: Store, scopes: tuple[int, ...]) -> Acquainted:
        """Return the names that are known within the scopes."""
        at_s, found = self.known.get(scopes, (-KEEP_S, NOBODY_KNOWN))
        if time.monotonic() - at_s < KEEP_S:
            return found
        found = await store.readers.run(lambda reading: acquainted(reading, scopes))
        while len(self.known) >= MOST_SCOPES:
            self.known.pop(next(iter(self.known)), None)
        self.known[scopes] = (time.monotonic(), found)
        return found


def acquainted(connection: Connection, scopes: tuple[int, ...]) -> Acquainted:
    """Read who said what the scopes hold, and what their project is called."""
    actors = list_actors(connection, scopes, most=MOST_ACTORS)
    parts = {folded(part) for actor in actors for part in people_in(actor)}
    names = (find_project_name(connection, scope) for scope in scopes)
    words = {word for name in names if name for word in words_in(folded(name))}
    return Acquainted(frozenset(parts - STOP_WORDS), frozenset(words - STOP_WORDS))
