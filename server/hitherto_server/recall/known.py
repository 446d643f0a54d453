"""What was read of candidates: each row once, and what can be early, while the model works."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hitherto_server.recall.candidates import match_of
from hitherto_server.store import recall as rows

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from hitherto_server.recall.candidates import Match
    from hitherto_server.recall.query import PreparedQuery
    from hitherto_server.store.driver import Connection, Row


@dataclass
class Known:
    """The rows of a recall's candidates, as far as they were asked for."""

    query: PreparedQuery
    scopes: tuple[int, ...]
    model: str | None
    """The model whose vectors are read."""
    _states: dict[int, Row | None] = field(default_factory=dict)
    _texts: dict[int, Row] = field(default_factory=dict)
    _matches: dict[int, Match] = field(default_factory=dict)
    _vectors: dict[int, list[Row]] = field(default_factory=dict)

    def read_early(
        self, connection: Connection, likely: Collection[int], all_found: Collection[int]
    ) -> None:
        """Read the likely candidates, and the vectors of all that were found without one."""
        fit = self.states(connection, likely)
        for number in self.texts(connection, fit):
            self.match(number)
        if self.model is not None:
            self.vectors(connection, self.model, all_found)

    def states(self, connection: Connection, numbers: Collection[int]) -> dict[int, Row]:
        """Return what decides whether memories may be shown; those of other scopes are left out."""
        if missing := [number for number in numbers if number not in self._states]:
            found = rows.list_states(connection, missing, self.scopes)
            self._states.update({number: found.get(number) for number in missing})
        states = ((number, self._states[number]) for number in numbers)
        return {number: state for number, state in states if state is not None}

    def texts(self, connection: Connection, numbers: Iterable[int]) -> dict[int, Row]:
        """Return what is shown of memories."""
        numbers = list(numbers)
        if missing := [number for number in numbers if number not in self._texts]:
            self._texts.update(rows.list_texts(connection, missing))
        return {number: self._texts[number] for number in numbers}

    def text(self, number: int) -> Row:
        """Return what is shown of a memory whose text was read."""
        return self._texts[number]

    def match(self, number: int) -> Match:
        """Return what a memory whose state and text were read holds of the question."""
        if number not in self._matches:
            state = self._states[number]
            assert state is not None  # noqa: S101 - a text is read only of what has a state
            self._matches[number] = match_of(state, self._texts[number], self.query)
        return self._matches[number]

    def vectors(self, connection: Connection, model: str, numbers: Collection[int]) -> list[Row]:
        """Return the stored vectors of memories for one model."""
        if model != self.model:
            return rows.list_vectors_of(connection, model, numbers)
        if missing := [number for number in numbers if number not in self._vectors]:
            self._vectors.update({number: [] for number in missing})
            for row in rows.list_vectors_of(connection, model, missing):
                self._vectors[row["number"]].append(row)
        return [row for number in numbers for row in self._vectors[number]]
