"""What earlier sessions said and did, in pieces, and how far their transcripts are read."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from hitherto_server.core.words import folded
from hitherto_server.store.derived import WORDS_TOKENIZER, note, recipe_of
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hitherto_server.core.clock import Clock
    from hitherto_server.store.driver import Connection, Row

RECIPE = "chunks-1"
WORDS_TABLE = f"""
CREATE VIRTUAL TABLE chunk_words USING fts5 (
    scope, body, context, content = '', contentless_delete = 1, tokenize = '{WORDS_TOKENIZER}'
)
"""

sql = load_queries("pieces")


@dataclass(frozen=True)
class NewPiece:
    """A piece of a session as it is kept: redacted and bounded by whoever passes it."""

    transcript_id: int
    session_id: str
    project_id: int
    message_id: str
    sequence: int
    from_offset: int
    to_offset: int
    started_at_ms: int
    ended_at_ms: int
    working_dir: str
    branch: str | None
    text: str
    files: str
    """A JSON list of names."""


@dataclass(frozen=True)
class Within:
    """Whose pieces are meant: a project's, of a time, but for one session."""

    project: int
    from_ms: int = 0
    to_ms: int = 2**62
    without: str = ""


@dataclass(frozen=True)
class Bounds:
    """How much is kept: since when, of a session, of a project."""

    before_ms: int
    most_of_session: int
    most_of_project: int


def prepare_pieces(connection: Connection, *, clock: Clock) -> None:
    """Create or rebuild the word index of the pieces if its recipe changed."""
    if recipe_of(connection, "chunks") != RECIPE:
        rebuild_pieces(connection, clock=clock)


def rebuild_pieces(connection: Connection, *, clock: Clock) -> int:
    """Build the word index of the pieces from the store; returns how many there are."""
    connection.execute("DROP TABLE IF EXISTS chunk_words")
    connection.execute(WORDS_TABLE)
    ids = [row[0] for row in connection.execute(sql["every"])]
    for number in ids:
        index_piece(connection, number)
    note(connection, "chunks", RECIPE, clock)
    return len(ids)


def index_piece(connection: Connection, number: int) -> None:
    """Bring the word index in step with a piece."""
    row = connection.execute(sql["indexed"], {"id": number}).fetchone()
    day = datetime.fromtimestamp(row["started_at_ms"] / 1000)  # noqa: DTZ006 - the person's own day
    context = [*json.loads(row["files"]), row["branch"] or "", f"{day:%Y-%m-%d %A %B}"]
    values = {
        "id": number,
        "scope": _scope_token(row["project_id"]),
        "body": folded(row["text"]),
        "context": folded(" ".join(context)),
    }
    connection.execute(sql["put_words"], values)


def hash_of_path(path: str) -> str:
    """Return what a transcript is known by when its path is not kept any more."""
    return hashlib.sha256(path.encode()).hexdigest()[:32]


def note_transcript(
    connection: Connection, path: str, session_id: str, *, at_ms: int, since_ms: int = 0
) -> Row:
    """Note that a transcript is there and return what is known of it."""
    values = {
        "path_hash": hash_of_path(path),
        "path": path,
        "session_id": session_id,
        "at_ms": at_ms,
        "since_ms": since_ms,
    }
    row: Row = connection.execute(sql["note_transcript"], values).fetchone()
    return row


def list_transcripts(connection: Connection) -> list[Row]:
    """Return the transcripts that may have grown, those first that were seen last."""
    return connection.execute(sql["transcripts"]).fetchall()


def find_open_piece(connection: Connection, transcript_id: int, offset: int) -> Row | None:
    """Return the piece in which reading ended, or the last one before it."""
    values = {"id": transcript_id, "offset": offset}
    row: Row | None = connection.execute(sql["open_piece"], values).fetchone()
    return row


def note_read(
    connection: Connection, transcript_id: int, *, offset: int, head: str, at_ms: int
) -> None:
    """Note how far a transcript is read."""
    values = {"id": transcript_id, "offset": offset, "head": head, "at_ms": at_ms}
    connection.execute(sql["note_read"], values)


def note_found(connection: Connection, transcript_id: int, offset: int) -> None:
    """Note until where findings were looked for."""
    connection.execute(sql["note_found"], {"id": transcript_id, "offset": offset})


def note_looked_for(connection: Connection, path: str) -> None:
    """Note that an import has looked for the findings of a transcript that nobody mined before."""
    connection.execute(sql["note_looked_for"], {"path_hash": hash_of_path(path)})


def drop_unheard(connection: Connection) -> int:
    """Forget transcripts that no hook told of, with their pieces; returns how many of those."""
    rows = connection.execute(sql["unheard"]).fetchall()
    for row in rows:
        begin_anew(connection, row["id"])
        connection.execute(sql["drop_transcript"], {"id": row["id"]})
    return len(rows)


def begin_anew(connection: Connection, transcript_id: int) -> None:
    """Forget what a file said that another has taken the place of."""
    rows = connection.execute(sql["of_transcript"], {"id": transcript_id}).fetchall()
    drop_pieces(connection, [row["id"] for row in rows])
    connection.execute(sql["begin_anew"], {"id": transcript_id})


def put_piece(connection: Connection, new: NewPiece) -> bool:
    """Keep a piece, in the indexes too; False if it was there and says nothing new."""
    row = connection.execute(sql["put"], vars(new)).fetchone()
    if row is None:
        return False
    connection.execute(sql["drop_vector"], {"id": row["id"]})
    index_piece(connection, row["id"])
    return True


def drop_pieces(connection: Connection, ids: Iterable[int]) -> int:
    """Forget pieces, their words and vectors; returns how many."""
    count = 0
    for number in ids:
        connection.execute(sql["drop_words"], {"id": number})
        connection.execute(sql["drop"], {"id": number})
        count += 1
    return count


def prune(connection: Connection, bounds: Bounds, *, most: int) -> int:
    """Forget some of what is too old or too much and return how many pieces that were."""
    rows = connection.execute(sql["outdated"], {**vars(bounds), "most": most}).fetchall()
    return drop_pieces(connection, [row["id"] for row in rows])


def find_by_words(
    connection: Connection, match: str, project: int, *, most: int
) -> dict[int, float]:
    """Return a project's pieces by the BM25 of a full text expression, best first."""
    within = f"scope : {_scope_token(project)} AND {{body context}} : ({match})"
    rows = connection.execute(sql["words"], {"match": within, "most": most})
    return {row["id"]: row["score"] for row in rows}


def _scope_token(project: int) -> str:
    """Return the word that marks a project's rows in the word index."""
    return f"p{project}"


def list_vectors(connection: Connection, project: int, model: str) -> list[Row]:
    """Return the vectors of a project's pieces: id, vector."""
    return connection.execute(sql["vectors"], {"project": project, "model": model}).fetchall()


def list_waiting(connection: Connection, *, model: str, most: int) -> list[Row]:
    """Return pieces that have no vector of this model yet: id, text."""
    return connection.execute(sql["waiting"], {"model": model, "most": most}).fetchall()


def put_vector(connection: Connection, waiting: Row, *, model: str, vector: bytes) -> None:
    """Keep a piece's vector, if it still reads as it did."""
    row = connection.execute(sql["text_of"], {"id": waiting["id"]}).fetchone()
    if row is not None and row["text"] == waiting["text"]:
        values = {"id": waiting["id"], "model": model, "vector": vector}
        connection.execute(sql["put_vector"], values)


def list_sessions(connection: Connection, within: Within, *, most: int) -> list[Row]:
    """Return sessions with their times, the latest first."""
    return connection.execute(sql["sessions"], {**vars(within), "most": most}).fetchall()


def list_shown(connection: Connection, ids: Iterable[int], within: Within) -> list[Row]:
    """Return those of some pieces that are meant."""
    values = {"ids": json.dumps(list(ids)), **vars(within)}
    return connection.execute(sql["shown"], values).fetchall()


def list_of_session(connection: Connection, session_id: str, within: Within) -> list[Row]:
    """Return the pieces of a session, in order."""
    return connection.execute(
        sql["of_session"], {**vars(within), "session_id": session_id}
    ).fetchall()


def counts(connection: Connection) -> dict[str, int]:
    """Return how many pieces are kept, and of how many sessions."""
    return dict(connection.execute(sql["counts"]).fetchone())


def find_holding(connection: Connection, texts: Sequence[str]) -> set[int]:
    """Return the pieces that hold one of the texts."""
    rows = (row for text in texts for row in connection.execute(sql["holding"], {"text": text}))
    return {row["id"] for row in rows}


def settle_pieces(connection: Connection, ids: Iterable[int], *, indexed: bool = True) -> None:
    """Bring indexes in step with pieces whose text was changed; a copy may have none for words."""
    for number in ids:
        connection.execute(sql["drop_vector"], {"id": number})
        if indexed:
            index_piece(connection, number)


def find_of_sessions(connection: Connection, sessions: Sequence[str]) -> list[int]:
    """Return the pieces of some sessions."""
    rows = connection.execute(sql["of_sessions"], {"sessions": json.dumps(list(sessions))})
    return [row["id"] for row in rows]


def list_places(connection: Connection) -> Iterator[tuple[int, str]]:
    """Yield each piece with the folder and each file that it names."""
    for row in connection.execute(sql["folders"]).fetchall():
        yield row["id"], row["working_dir"]
        for name in json.loads(row["files"]):
            yield row["id"], name if name.startswith("/") else f"{row['working_dir']}/{name}"


def close_transcripts(
    connection: Connection, *, at_ms: int, sessions: Sequence[str] | None = None
) -> None:
    """Never read again what transcripts hold by now: those of some sessions, or all."""
    if sessions is None:
        connection.execute(sql["close_all"], {"at_ms": at_ms})
    else:
        values = {"sessions": json.dumps(list(sessions)), "at_ms": at_ms}
        connection.execute(sql["close_some"], values)
