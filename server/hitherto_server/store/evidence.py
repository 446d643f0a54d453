"""Evidence: what a turn's tools did, without secrets and within bounds, for whoever judges it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hitherto_server.core.clock import DAY_MS
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hitherto_server.store.driver import Connection, Row

Kind = Literal["command", "edit", "result", "memory"]

MOST_OF_TURN = 200
MOST_OF_SESSION = 200
MOST_DROPPED = 500
KEPT_MS = 30 * DAY_MS

sql = load_queries("evidence")


@dataclass(frozen=True)
class NewEvidence:
    """One thing that a tool call did: redacted and cut by whoever passes it."""

    session_id: str
    prompt_id: str
    call_id: str
    kind: Kind
    subject: str
    at_ms: int
    agent_id: str | None = None
    """None: the session's own agent."""
    failed: bool | None = None
    """None: nobody knows, as of what goes on in the background."""
    exit_code: int | None = None
    tail: str = ""


@dataclass(frozen=True)
class Command:
    """A command that was run."""

    line: str
    failed: bool | None
    exit_code: int | None
    tail: str
    at_ms: int
    agent_id: str | None = None


@dataclass(frozen=True)
class Result:
    """What another tool answered."""

    tool: str
    failed: bool | None
    tail: str
    at_ms: int
    agent_id: str | None = None


@dataclass(frozen=True)
class Edit:
    """One change of a file."""

    path: str
    at_ms: int
    agent_id: str | None = None


@dataclass(frozen=True)
class Evidence:
    """What was done, each kind in the order of time."""

    commands: tuple[Command, ...] = ()
    results: tuple[Result, ...] = ()
    edits: tuple[Edit, ...] = ()

    @property
    def size(self) -> int:
        """How much was kept of it."""
        return len(self.commands) + len(self.results) + len(self.edits)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that were edited, each once."""
        return tuple(dict.fromkeys(one.path for one in self.edits))


def put_evidence(connection: Connection, new: NewEvidence) -> None:
    """Keep what a tool call did, once; of a turn's very many only the last."""
    connection.execute(sql["put"], vars(new))
    turn = {"session_id": new.session_id, "prompt_id": new.prompt_id, "most": MOST_OF_TURN}
    connection.execute(sql["drop_beyond"], turn)


def end_later(
    connection: Connection,
    session_id: str,
    call_id: str,
    *,
    failed: bool,
    exit_code: int | None,
) -> None:
    """Note how a command ended that went on in the background."""
    values = {
        "session_id": session_id,
        "call_id": call_id,
        "failed": failed,
        "exit_code": exit_code,
    }
    connection.execute(sql["end_later"], values)


def drop_old(connection: Connection, now_ms: int) -> None:
    """Forget some of what is older than anybody asks for."""
    connection.execute(sql["drop_old"], {"before_ms": now_ms - KEPT_MS, "most": MOST_DROPPED})


def turn_evidence(
    connection: Connection, session_id: str, prompt_id: str, agent_id: str | None = None
) -> Evidence:
    """Return what was done for a prompt; with an agent, what that subagent did, else by all."""
    values = {"session_id": session_id, "prompt_id": prompt_id, "agent_id": agent_id}
    return _evidence_of(connection.execute(sql["of_turn"], values))


def session_evidence(connection: Connection, session_id: str) -> Evidence:
    """Return what was done last in a session, for whichever prompt."""
    values = {"session_id": session_id, "most": MOST_OF_SESSION}
    return _evidence_of(reversed(connection.execute(sql["of_session"], values).fetchall()))


def began_at_ms(connection: Connection, session_id: str) -> int | None:
    """Return when a session began, if it was heard of from its beginning."""
    found = connection.execute(sql["began_here"], {"session_id": session_id}).fetchone()
    return None if found is None else int(found[0])


def last_memory_ms(connection: Connection, session_id: str) -> int | None:
    """Return when a session last stored or changed a memory, if it ever did."""
    found = connection.execute(sql["last_memory"], {"session_id": session_id}).fetchone()
    return None if found[0] is None else int(found[0])


def _evidence_of(rows: Iterable[Row]) -> Evidence:
    commands: list[Command] = []
    results: list[Result] = []
    edits: list[Edit] = []
    for row in rows:
        failed = None if row["failed"] is None else bool(row["failed"])
        who, at_ms, subject = row["agent_id"], row["at_ms"], row["subject"]
        match row["kind"]:
            case "command":
                commands.append(Command(subject, failed, row["exit_code"], row["tail"], at_ms, who))
            case "edit" if not failed:
                edits.append(Edit(subject, at_ms, who))
            case "result":
                results.append(Result(subject, failed, row["tail"], at_ms, who))
            case _:
                pass
    return Evidence(tuple(commands), tuple(results), tuple(edits))
