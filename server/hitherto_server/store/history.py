"""Imports of a client's history: which files were read, and which memories they brought."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hitherto_server.core.text import content_hash
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.store.driver import Connection, Row

ACTOR = "import"
"""Who changes what an import brings; whoever else does makes it theirs."""

Trust = Literal["user", "repository", "tool"]
"""Who speaks for a sentence: the person, a file of the project, or the client's own memory."""

sql = load_queries("history")


@dataclass(frozen=True)
class Evidence:
    """What shows that a sentence was said, as the store keeps it."""

    session_id: str
    body_hash: str
    at_ms: int
    detail: str
    sentence: str
    trust: Trust


def begin_import(connection: Connection, client_home: str, *, admits: bool, at_ms: int) -> int:
    """Note that an import begins and return its number."""
    values = {"client_home": client_home, "admits": int(admits), "at_ms": at_ms}
    return int(connection.execute(sql["begin"], values).fetchone()[0])


def find_unfinished(connection: Connection) -> Row | None:
    """Return the import that goes on, if there is one."""
    row: Row | None = connection.execute(sql["unfinished"]).fetchone()
    return row


def find_import(connection: Connection, number: int | None) -> Row | None:
    """Return an import; without a number the newest that brought something."""
    if number is None:
        row: Row | None = connection.execute(sql["newest"]).fetchone()
    else:
        row = connection.execute(sql["by_id"], {"id": number}).fetchone()
    return row


def list_imports(connection: Connection) -> list[Row]:
    """Return every import with how many of its memories are live, the newest first."""
    return connection.execute(sql["listed"]).fetchall()


def finish_import(connection: Connection, number: int, at_ms: int) -> None:
    """Note that all was read."""
    connection.execute(sql["finish"], {"id": number, "at_ms": at_ms})


def mark_import_undone(connection: Connection, number: int, at_ms: int) -> None:
    """Note that an import was taken back."""
    connection.execute(sql["undo"], {"id": number, "at_ms": at_ms})


def file_states(connection: Connection) -> dict[str, str]:
    """Return the files that were read, each with the state that it had then."""
    return {row["path"]: row["state"] for row in connection.execute(sql["file_states"])}


def put_file(
    connection: Connection,
    import_id: int,
    file: tuple[str, str],
    counts: Mapping[str, int],
    at_ms: int,
) -> None:
    """Note that a file (its path, its state) was read, and what became of what it said."""
    values = {"import_id": import_id, "path": file[0], "state": file[1], "at_ms": at_ms}
    connection.execute(sql["put_file"], {**values, "counts": json.dumps(dict(counts))})


def counts_of(connection: Connection, import_id: int) -> dict[str, int]:
    """Return what became of all that an import's files said."""
    total: Counter[str] = Counter()
    for row in connection.execute(sql["counts"], {"id": import_id}):
        total.update(json.loads(row["counts"]))
    return dict(total)


def put_memory(connection: Connection, number: int, import_id: int, at_ms: int) -> None:
    """Note which import brought a memory."""
    values = {"number": number, "import_id": import_id, "at_ms": at_ms}
    connection.execute(sql["put_memory"], values)


def mark_undone(connection: Connection, number: int, at_ms: int) -> None:
    """Note that an undo put a memory into the trash."""
    connection.execute(sql["mark_undone"], {"number": number, "at_ms": at_ms})


def list_memories(connection: Connection, import_id: int) -> list[Row]:
    """Return an import's live memories, each with whether somebody had a hand in it since."""
    return connection.execute(sql["memories"], {"id": import_id, "actor": ACTOR}).fetchall()


def find_trashed(connection: Connection, project: int, content: str) -> Row | None:
    """Return what said the very same and is in the trash: put there by a person, if any was."""
    values = {"project": project, "content_hash": content_hash(content)}
    row: Row | None = connection.execute(sql["trashed_same"], values).fetchone()
    return row


def is_imported(connection: Connection, number: int) -> bool:
    """Tell whether an import brought a memory."""
    return connection.execute(sql["is_imported"], {"number": number}).fetchone() is not None


def begin_past_session(
    connection: Connection, session_id: str, *, project: int, working_dir: str, at_ms: int
) -> None:
    """Note a session of the past; one that hooks told of stays as it is."""
    values = {"id": session_id, "project_id": project or None, "at_ms": at_ms}
    connection.execute(sql["begin_session"], {**values, "working_dir": working_dir})


def put_support(connection: Connection, number: int, evidence: Evidence, at_ms: int) -> None:
    """Tie a sentence of a memory to what shows that it was said, each once."""
    values = {**vars(evidence), "received_at_ms": at_ms}
    found = connection.execute(sql["find_event"], values).fetchone()
    found = found or connection.execute(sql["put_event"], values).fetchone()
    connection.execute(sql["put_support"], {**values, "number": number, "event_id": found[0]})
