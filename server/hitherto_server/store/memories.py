"""The rows of a memory: writing a state, keeping the one before, reading them back."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import hitherto_contract as contract
from hitherto_server.core.errors import NotFound, RevisionMoved
from hitherto_server.core.text import content_hash
from hitherto_server.store.derived import drop_memory, index_memory, index_text
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.store.driver import Connection, Row

sql = load_queries("memories")

Span = tuple[int, int]
"""Start and end of a passage, in characters."""


@dataclass(frozen=True)
class PartRow:
    """One thing that a memory names inside a file."""

    kind: str
    name: str
    region_hash: str | None


@dataclass(frozen=True)
class AnchorRow:
    """One file that a memory is tied to; `path` is relative to the project's root."""

    path: str
    file_hash: str | None
    parts: tuple[PartRow, ...] = ()
    commit: str | None = None


@dataclass(frozen=True)
class NewMemory:
    """All that is known of a memory at its birth; `project` 0 is user-wide."""

    id: str
    project: int
    content: str
    kind: str
    source: str
    actor: str
    device: str
    at_ms: int
    spans: tuple[Span, ...]
    anchors: tuple[AnchorRow, ...] = ()
    category_id: int | None = None
    tags: tuple[str, ...] = ()
    importance: int = 5
    tier: str = "admitted"
    held_back_because: str | None = None
    suspect: bool = False
    source_ref: str | None = None
    idempotency_key: str | None = None
    state_key: str | None = None
    true_from_ms: int | None = None
    true_until_ms: int | None = None
    expires_at_ms: int | None = None
    session_id: str | None = None
    commit: str | None = None
    branch: str | None = None
    working_dir: str | None = None


@dataclass(frozen=True)
class State:
    """What a change may touch; each revision keeps one."""

    content: str
    kind: str
    tags: str
    importance: int
    category_id: int | None
    state_key: str | None
    trashed_at_ms: int | None
    files: list[str] = field(default_factory=list)
    suspect: bool = False

    def rest(self) -> str:
        """Return all but the content, as JSON."""
        values = {name: value for name, value in vars(self).items() if name != "content"}
        return json.dumps(values, sort_keys=True)


def insert_memory(connection: Connection, new: NewMemory, *, change: str = "create") -> int:
    """Write a memory with its first revision, anchors, passages and index rows."""
    values = {**vars(new), "project_id": new.project or None, "commit_hash": new.commit}
    values["content_hash"] = content_hash(new.content)
    values["tags"] = json.dumps(list(new.tags))
    values["suspect"] = int(new.suspect)
    number = int(connection.execute(sql["insert"], values).fetchone()[0])
    put_anchors(connection, number, new.anchors, new.at_ms)
    put_passages(connection, number, new.spans)
    _keep_revision(connection, number, change, new.actor)
    index_memory(connection, number)
    return number


def change_memory(
    connection: Connection,
    row: Row,
    state: State,
    *,
    change: str,
    actor: str,
    at_ms: int,
    anchors: tuple[AnchorRow, ...] | None = None,
    spans: tuple[Span, ...] | None = None,
) -> int:
    """Give a memory another state and return its new revision; None leaves anchors or spans."""
    number = row["number"]
    values = {**vars(state), "content_hash": content_hash(state.content)}
    connection.execute(sql["update_state"], {**values, "number": number, "at_ms": at_ms})
    if anchors is not None:
        put_anchors(connection, number, anchors, at_ms)
    if spans is not None:
        drop_memory(connection, number)
        put_passages(connection, number, spans)
    revision = _keep_revision(connection, number, change, actor)
    if state.trashed_at_ms is None:
        index_memory(connection, number)
    else:
        drop_memory(connection, number)
    return revision


def _keep_revision(connection: Connection, number: int, change: str, actor: str) -> int:
    row = connection.execute("SELECT * FROM memory WHERE number = ?", (number,)).fetchone()
    state = state_of(connection, row)
    values = {
        "number": number,
        "revision": row["revision"],
        "change": change,
        "actor": actor,
        "at_ms": row["changed_at_ms"],
        "content": state.content,
        "state": state.rest(),
    }
    connection.execute(sql["put_revision"], values)
    return int(row["revision"])


def state_of(connection: Connection, row: Row) -> State:
    """Return the state that a memory has now."""
    files = connection.execute(
        "SELECT path FROM anchor WHERE memory_number = ? ORDER BY path", (row["number"],)
    )
    return State(
        content=row["content"],
        kind=row["kind"],
        tags=row["tags"],
        importance=row["importance"],
        category_id=row["category_id"],
        state_key=row["state_key"],
        trashed_at_ms=row["trashed_at_ms"],
        files=[found["path"] for found in files],
        suspect=bool(row["suspect"]),
    )


def earlier_state(connection: Connection, row: Row) -> State | None:
    """Return the state before the last change, or None if there is none."""
    kept = connection.execute(
        sql["revision"], {"number": row["number"], "revision": row["revision"] - 1}
    ).fetchone()
    return State(content=kept["content"], **json.loads(kept["state"])) if kept else None


def confirm_memory(connection: Connection, number: int, *, commit: str | None, at_ms: int) -> None:
    """Note that somebody who read the code says that the memory holds."""
    connection.execute(sql["confirm"], {"number": number, "commit_hash": commit, "at_ms": at_ms})


def put_anchors(
    connection: Connection, number: int, anchors: Sequence[AnchorRow], at_ms: int
) -> None:
    """Replace what ties a memory to files."""
    connection.execute(sql["drop_anchors"], {"number": number})
    for anchor in anchors:
        values = {
            "number": number,
            "path": anchor.path,
            "commit_hash": anchor.commit,
            "file_hash": anchor.file_hash,
            "at_ms": at_ms,
        }
        anchor_id = connection.execute(sql["put_anchor"], values).fetchone()[0]
        connection.executemany(
            sql["put_part"], [{**vars(part), "anchor_id": anchor_id} for part in anchor.parts]
        )


def retie(connection: Connection, row: Row, anchors: Sequence[AnchorRow], at_ms: int) -> None:
    """Tie a memory to its files as they are now; the indexes hold their paths."""
    put_anchors(connection, row["number"], anchors, at_ms)
    if row["trashed_at_ms"] is None:
        index_text(connection, row["number"])


def put_passages(connection: Connection, number: int, spans: Sequence[Span]) -> None:
    """Replace a memory's passages; their vectors go with them."""
    connection.execute(sql["drop_passages"], {"number": number})
    connection.executemany(
        sql["put_passage"],
        [
            {"number": number, "position": position, "start_char": start, "end_char": end}
            for position, (start, end) in enumerate(spans)
        ],
    )


def get_row(connection: Connection, memory_id: str, expected_revision: int | None = None) -> Row:
    """Return a memory's row; an unknown id or a moved revision is an error."""
    row: Row | None = connection.execute(sql["by_id"], {"id": memory_id}).fetchone()
    if row is None:
        message = f"no memory has the id {memory_id}"
        raise NotFound(message)
    if expected_revision is not None and row["revision"] != expected_revision:
        message = f"memory {memory_id} is at revision {row['revision']}, not {expected_revision}"
        raise RevisionMoved(message)
    return row


def find_same(connection: Connection, project: int, content: str) -> Row | None:
    """Return the live memory of a scope that says the very same, if there is one."""
    values = {"project": project, "content_hash": content_hash(content)}
    row: Row | None = connection.execute(sql["live_by_hash"], values).fetchone()
    return row


def find_by_key(connection: Connection, project: int, key: str) -> Row | None:
    """Return the memory that was written under an idempotency key, if there is one."""
    values = {"project": project, "idempotency_key": key}
    row: Row | None = connection.execute(sql["by_idempotency"], values).fetchone()
    return row


def first_content(connection: Connection, row: Row) -> str:
    """Return the text that a memory was born with."""
    values = {"number": row["number"], "revision": 1}
    kept = connection.execute(sql["revision"], values).fetchone()
    return str(kept["content"])


def list_by_state(connection: Connection, project: int, key: str, number: int) -> list[Row]:
    """Return the other current memories of a state key."""
    values = {"project": project, "state_key": key, "number": number}
    return connection.execute(sql["live_by_state"], values).fetchall()


def list_views(connection: Connection, ids: Sequence[str]) -> list[contract.MemoryView]:
    """Return what the outside sees of some memories, in the order of the ids."""
    rows = connection.execute(sql["views"], {"ids": json.dumps(list(ids))}).fetchall()
    found = {row["id"]: view_of(row) for row in rows}
    return [found[memory_id] for memory_id in ids if memory_id in found]


def view_of(row: Row) -> contract.MemoryView:
    """Turn a row of the query `views` into a view."""
    same = ("id", "revision", "content", "kind", "importance", "source", "source_ref", "state_key",
            "tier", "actor", "device", "learned_at_ms", "true_from_ms", "true_until_ms",
            "confirmed_at_ms", "trashed_at_ms", "superseded_by", "branch")  # fmt: skip
    return contract.MemoryView(
        **{name: row[name] for name in same},
        scope="user" if row["project_id"] is None else "project",
        project=row["project_name"],
        category=row["category_name"],
        tags=json.loads(row["tags"]),
        files=json.loads(row["files"]),
        commit=row["commit_hash"],
        suspect=bool(row["suspect"]),
    )


def list_revisions(connection: Connection, memory_id: str) -> list[contract.RevisionView]:
    """Return all states that a memory had, the oldest first."""
    row = get_row(connection, memory_id)
    return [
        contract.RevisionView(
            id=memory_id,
            revision=kept["revision"],
            change=kept["change"],
            actor=kept["actor"],
            changed_at_ms=kept["changed_at_ms"],
            content=kept["content"],
        )
        for kept in connection.execute(sql["revisions"], {"number": row["number"]})
    ]


def list_ids(
    connection: Connection,
    *,
    projects: Sequence[int] | None,
    kind: str | None,
    trashed: bool,
    limit: int,
    offset: int,
) -> tuple[list[str], int]:
    """Return a page of ids, the newest first, and how many there are in all."""
    scope = None if projects is None else json.dumps(list(projects))
    values = {"projects": scope, "kind": kind}
    listed, count = ("listed_trash", "count_trash") if trashed else ("listed", "count")
    rows = connection.execute(sql[listed], {**values, "limit": limit, "offset": offset})
    ids = [row["id"] for row in rows]
    return ids, int(connection.execute(sql[count], values).fetchone()[0])


def totals(connection: Connection) -> dict[str, int]:
    """Return how many memories there are, by tier, trash and scope, and undecided conflicts."""
    return dict(connection.execute(sql["totals"]).fetchone())


def totals_by_kind(connection: Connection) -> dict[str, int]:
    """Return how many live memories there are of each kind."""
    return {row["kind"]: row["count"] for row in connection.execute(sql["totals_by_kind"])}
