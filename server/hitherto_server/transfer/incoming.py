"""Taking an export in: one transaction, in which everything gets its numbers here."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hitherto_server.core.errors import ImportConflict, InvalidInput
from hitherto_server.store.derived import (
    TEXT_INDEXES,
    drop_memory,
    drop_note,
    index_memory,
    index_session,
    note,
)
from hitherto_server.store.neighbours import note_waiting
from hitherto_server.store.projects import USER_WIDE
from hitherto_server.store.transfer import sql
from hitherto_server.transfer.projects import match_projects
from hitherto_server.transfer.relating import put_feedback, put_relation
from hitherto_server.transfer.remembering import put_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from hitherto_server.core.clock import Clock
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.memories import Span

    Line = dict[str, Any]

MOST_NAMED = 5
TEXT = "text"
"""Under this name the recipe of the word indexes is noted."""


@dataclass
class Report:
    """What became of the lines of one import."""

    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    """Memories that are here in another state: without a merge they refuse the import."""
    numbers: list[int] = field(default_factory=list)
    sessions: list[str] = field(default_factory=list)
    """What the indexes are to be brought in step with, after it."""


@dataclass
class Intake:
    """What one import knows of the names in its file and the numbers here."""

    connection: Connection
    splitter: Callable[[str], Sequence[Span]]
    at_ms: int
    told: Mapping[str, str]
    report: Report = field(default_factory=Report)
    projects: dict[str, int] = field(default_factory=dict)
    categories: dict[tuple[int, tuple[str, ...]], int] = field(default_factory=dict)
    events: dict[int, int] = field(default_factory=dict)
    memories: dict[str, int] = field(default_factory=dict)
    """Numbers by id; of a memory that says the same as another one, the other's number."""
    revisions: dict[str, dict[int, int]] = field(default_factory=dict)
    """For each memory its revisions there and here."""
    touched: dict[int, str] = field(default_factory=dict)
    """Numbers of what the indexes must hold, or drop, with their ids."""
    sessions: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)

    def project(self, identity: str | None) -> int:
        """Return the number of a project here; what holds everywhere has 0."""
        if identity is None:
            return USER_WIDE
        if identity not in self.projects:
            message = f"a line names the project {identity[:100]!r}, which the file does not hold"
            raise InvalidInput(message)
        return self.projects[identity]

    def category(self, project: int, path: Sequence[str] | None, **times: Any) -> int | None:
        """Return the number of a category here, made with its containers where it is missing."""
        number = None
        for depth in range(1, len(path or ()) + 1):
            key = project, tuple((path or ())[:depth])
            if key not in self.categories:
                self.categories[key] = self._category(project, number, key[1][-1], times)
            number = self.categories[key]
        return number

    def _category(self, project: int, parent: int | None, name: str, times: Line) -> int:
        values = {"project": project, "parent": parent or 0, "name": name}
        row = self.connection.execute(sql["category_at"], values).fetchone()
        if row is None:
            times = {"created_at_ms": self.at_ms, "trashed_at_ms": None, **times}
            row = self.connection.execute(sql["put_category"], {**values, **times}).fetchone()
            self.report.counts["categories"] += 1
        return int(row[0])


def take_in(
    connection: Connection,
    lines: Iterable[bytes],
    *,
    splitter: Callable[[str], Sequence[Span]],
    at_ms: int,
    merge: bool,
    told: Mapping[str, str],
    is_empty: bool,
) -> Report:
    """Take all lines in, or raise; runs in the writer's transaction."""
    intake = Intake(connection, splitter, at_ms, told)
    waiting: list[Line] = []
    for line in lines:
        value = json.loads(line)
        if value["type"] == "project":  # matched together: a name counts if it is one only
            waiting.append(value)
            continue
        if not intake.projects:
            _take_projects(intake, waiting)
        _TAKERS[value["type"]](intake, value)
    if not intake.projects:
        _take_projects(intake, waiting)
    if not merge:
        _refuse_differing(intake.report)
    intake.report.numbers = list(intake.touched)
    intake.report.sessions = intake.sessions
    drop_note(connection, TEXT)  # a start before all of it is indexed builds the index anew
    if not is_empty:  # else what was said of its memories came with them
        for memory_id in intake.new:
            note_waiting(connection, memory_id, at_ms=at_ms)
    return intake.report


def _refuse_differing(report: Report) -> None:
    if not report.differing:
        return
    named = ", ".join(report.differing[:MOST_NAMED])
    count = len(report.differing)
    message = f"{count} memories are here already, in another state or under another id: {named}"
    raise ImportConflict(message)


def index_some(connection: Connection, numbers: Sequence[int]) -> None:
    """Bring the indexes in step with some memories that were taken in."""
    for number in numbers:
        row = connection.execute(sql["trashed_at"], {"number": number}).fetchone()
        if row is None:
            continue
        if row["trashed_at_ms"] is None:
            index_memory(connection, number)
        else:
            drop_memory(connection, number)


def index_rest(connection: Connection, sessions: Sequence[str], *, clock: Clock) -> None:
    """Bring the indexes in step with what sessions were about, and note that they are whole."""
    for session_id in sessions:
        index_session(connection, session_id)
    note(connection, TEXT, TEXT_INDEXES, clock)


def _take_projects(intake: Intake, there: list[Line]) -> None:
    here = [dict(row) for row in intake.connection.execute(sql["all_projects"])]
    matched = match_projects(there, here, intake.told)
    intake.report.notes += matched.notes
    for row in there:
        place = matched.places[row["identity"]]
        if place is None:
            number = int(intake.connection.execute(sql["put_project"], row).fetchone()[0])
            intake.report.counts["projects"] += 1
        else:
            number = here[place]["id"]
        intake.projects[row["identity"]] = number


def _take_category(intake: Intake, line: Line) -> None:
    times = {name: line[name] for name in ("created_at_ms", "trashed_at_ms")}
    intake.category(intake.project(line["project"]), line["path"], **times)


def _take_session(intake: Intake, line: Line) -> None:
    project = intake.project(line["project"]) or None
    values = {**line, "project_id": project, "paused": int(line["paused"])}
    known = intake.connection.execute("SELECT 1 FROM session WHERE id = ?", (line["id"],))
    if known.fetchone() is not None:
        intake.sessions.append(line["id"])  # its first prompt may be another now
    intake.connection.execute(sql["put_session"], values)
    for turn in line["turns"]:
        intake.connection.execute(sql["put_turn"], {**turn, "session_id": line["id"]})
    intake.report.counts["sessions"] += 1


def _take_event(intake: Intake, line: Line) -> None:
    values = {**line, "spooled": int(line["spooled"]), "detail": json.dumps(line["detail"])}
    row = intake.connection.execute(sql["same_event"], values).fetchone()
    if row is None:
        row = intake.connection.execute(sql["put_event"], values).fetchone()
        intake.report.counts["events"] += 1
    intake.events[line["key"]] = int(row[0])


def _take_quiet(intake: Intake, line: Line) -> None:
    put = intake.connection.execute(sql["put_quiet"], line).rowcount
    intake.report.counts["quiet"] += max(put, 0)


_TAKERS: dict[str, Callable[[Intake, Line], None]] = {
    "category": _take_category,
    "session": _take_session,
    "event": _take_event,
    "memory": put_memory,
    "relation": put_relation,
    "feedback": put_feedback,
    "quiet": _take_quiet,
}
