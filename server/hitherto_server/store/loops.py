"""Loops: a task that a session works on again and again, how far it is, and its journal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection, Row

State = Literal["running", "paused", "ended"]
Paused = Literal["blocked", "waiting", "idle"]
"""The agent said so; its last words ask the person; it has used no tool for long."""
Ended = Literal["done", "goal", "iterations", "time", "stopped", "person", "session"]
"""Said by the agent; judged; bounds; ended by the agent, by the person, with the session."""
Writer = Literal["agent", "reply"]
"""The agent by the tool, or the opening of its last words where it did not."""

MOST_ENTRIES = 60

sql = load_queries("loops")


@dataclass(frozen=True)
class Loop:
    """One loop as it is now."""

    id: int
    session_id: str
    project: str | None
    task: str
    state: State
    reason: Paused | Ended | None
    iteration: int
    """The one that is worked on; a loop that starts is in its first."""
    most_iterations: int
    started_at_ms: int
    until_ms: int
    ended_at_ms: int | None
    prompt_id: str
    """Of the prompt in whose turn the iteration was asked for, or the loop paused."""
    idle: int
    """How many iterations in a row were asked for without a tool call between them."""
    asked_at_ms: int
    """When the iteration was asked for; 0: the loop was started in it."""
    is_told: bool

    @property
    def is_live(self) -> bool:
        """Whether it may go on."""
        return self.state != "ended"


@dataclass(frozen=True)
class NewLoop:
    """A loop to begin; the task has lost its secrets and is cut."""

    session_id: str
    project_id: int | None
    task: str
    most_iterations: int
    at_ms: int
    until_ms: int


@dataclass(frozen=True)
class Entry:
    """One line of a journal, without secrets."""

    iteration: int
    written_by: Writer
    text: str
    at_ms: int


def begin_loop(connection: Connection, new: NewLoop) -> Loop | None:
    """Begin a loop; None where one goes on in that session."""
    end_in_time(connection, new.at_ms)
    row = connection.execute(sql["begin"], vars(new)).fetchone()
    return None if row is None else get_loop(connection, int(row[0]))


def last_loop(connection: Connection, session_id: str) -> Loop | None:
    """Return the loop of a session that goes on, else the one that ended last."""
    return _loop(connection.execute(sql["last"], {"session_id": session_id}).fetchone())


def get_loop(connection: Connection, number: int) -> Loop | None:
    """Return a loop by its number."""
    return _loop(connection.execute(sql["by_id"], {"id": number}).fetchone())


def newest_loops(
    connection: Connection, *, live: bool, project_id: int | None, limit: int
) -> list[Loop]:
    """Return the newest loops, those that go on before the others."""
    values = {"live": live, "project_id": project_id, "limit": limit}
    found = map(_loop, connection.execute(sql["newest"], values))
    return [one for one in found if one is not None]


def ask_iteration(
    connection: Connection, loop: Loop, to_iteration: int, *, prompt_id: str, idle: int, at_ms: int
) -> bool:
    """Note that an iteration is asked for; False where the loop has moved on meanwhile."""
    values = {
        "id": loop.id,
        "iteration": loop.iteration,
        "asked_at_ms": loop.asked_at_ms,
        "to_iteration": to_iteration,
        "prompt_id": prompt_id,
        "idle": idle,
        "at_ms": at_ms,
    }
    return bool(connection.execute(sql["ask"], values).rowcount == 1)


def take_back(connection: Connection, before: Loop, at_ms: int) -> None:
    """Note that the iteration which was asked for at that time was not delivered."""
    connection.execute(sql["take_back"], {**vars(before), "at_ms": at_ms})


def pause_loop(connection: Connection, loop: Loop, reason: Paused, prompt_id: str) -> bool:
    """Let a loop wait for the person; False where it has moved on meanwhile."""
    values = {
        "id": loop.id,
        "asked_at_ms": loop.asked_at_ms,
        "reason": reason,
        "prompt_id": prompt_id,
    }
    return bool(connection.execute(sql["pause"], values).rowcount == 1)


def say_blocked(connection: Connection, number: int) -> None:
    """Let a loop wait because its agent says so."""
    connection.execute(sql["block"], {"id": number})


def resume_loop(connection: Connection, number: int) -> None:
    """Let a loop that waits go on."""
    connection.execute(sql["resume"], {"id": number})


def end_loop(connection: Connection, number: int, reason: Ended, at_ms: int) -> bool:
    """End a loop; False where it has ended already."""
    values = {"id": number, "reason": reason, "at_ms": at_ms}
    return bool(connection.execute(sql["end"], values).rowcount == 1)


def end_loops_of(connection: Connection, session_id: str, at_ms: int) -> None:
    """End what a session has begun before it ended."""
    connection.execute(sql["end_of_session"], {"session_id": session_id, "at_ms": at_ms})


def end_in_time(connection: Connection, now_ms: int) -> None:
    """End the loops whose time has run out."""
    connection.execute(sql["end_in_time"], {"now_ms": now_ms})


def is_first_telling(connection: Connection, number: int) -> bool:
    """Note that the person is told of a loop's end; False where that was done."""
    return bool(connection.execute(sql["tell"], {"id": number}).rowcount == 1)


def used_tool(connection: Connection, loop: Loop) -> bool:
    """Tell whether a tool of the session was heard of since the iteration was asked for."""
    values = {"session_id": loop.session_id, "loop_id": loop.id, "since_ms": loop.asked_at_ms}
    return connection.execute(sql["used_tool"], values).fetchone() is not None


def has_written(connection: Connection, loop: Loop) -> bool:
    """Tell whether the agent has written into the journal since the iteration was asked for."""
    values = {"loop_id": loop.id, "since_ms": loop.asked_at_ms}
    return connection.execute(sql["has_written"], values).fetchone() is not None


def write_entry(
    connection: Connection, loop: Loop, written_by: Writer, text: str, at_ms: int
) -> None:
    """Add to a loop's journal; what a reply says only where nothing else is."""
    place = {"loop_id": loop.id, "iteration": loop.iteration}
    if written_by == "reply" and connection.execute(sql["has_note"], place).fetchone():
        return
    entry = {**place, "written_by": written_by, "text": text, "at_ms": at_ms}
    connection.execute(sql["note"], entry)
    connection.execute(sql["drop_notes"], {"loop_id": loop.id, "most": MOST_ENTRIES})


def journal_of(connection: Connection, number: int, most: int = MOST_ENTRIES) -> list[Entry]:
    """Return the last entries of a journal, the oldest of them first."""
    rows = connection.execute(sql["journal"], {"loop_id": number, "most": most}).fetchall()
    return [Entry(**dict(row)) for row in reversed(rows)]


def is_by_client(connection: Connection, session_id: str, prompt_id: str) -> bool:
    """Tell whether a prompt was the client's own word, as of a task that came to its end."""
    values = {"session_id": session_id, "prompt_id": prompt_id}
    row = connection.execute(sql["prompt_by_client"], values).fetchone()
    return row is not None and bool(row["by_client"])


FIELDS = tuple(name for name in Loop.__dataclass_fields__ if name != "is_told")


def _loop(row: Row | None) -> Loop | None:
    if row is None:
        return None
    return Loop(**{name: row[name] for name in FIELDS}, is_told=bool(row["is_told"]))


REASONS: frozenset[str] = frozenset((*get_args(Paused), *get_args(Ended)))
"""All of them: a test compares them with the table's own list."""
