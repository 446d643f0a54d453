"""What an earlier prompt of a session led to and nobody has stored, and what it has stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection

MOST_EDITS = 50

sql = load_queries("unsaved")


@dataclass(frozen=True)
class Unsaved:
    """The edits that were made for one earlier prompt."""

    prompt_id: str
    request: str
    """What was asked; empty where no prompts are kept."""
    files: tuple[str, ...]
    edits: int
    has_ended: bool
    """Whether the agent stopped by itself after them; False: it was interrupted."""


def find_unsaved(connection: Connection, session_id: str, prompt_id: str) -> Unsaved | None:
    """Return the last edits for an earlier prompt, if nothing was stored since."""
    values = {"session_id": session_id, "prompt_id": prompt_id, "most": MOST_EDITS}
    rows = connection.execute(sql["edits"], values).fetchall()
    if not rows:
        return None
    earlier, since_ms = rows[0]["prompt_id"], rows[0]["at_ms"]
    files = [row["subject"] for row in rows if row["prompt_id"] == earlier]
    about = {"session_id": session_id, "prompt_id": earlier, "since_ms": since_ms}
    asked = connection.execute(sql["request"], about).fetchone()
    return Unsaved(
        prompt_id=earlier,
        request="" if asked is None else asked["prompt"],
        files=tuple(dict.fromkeys(files)),
        edits=len(files),
        has_ended=connection.execute(sql["has_ended"], about).fetchone() is not None,
    )


def has_preference(connection: Connection, session_id: str) -> bool:
    """Tell whether a preference that a session showed is stored."""
    found = connection.execute(sql["has_preference"], {"session_id": session_id}).fetchone()
    return found is not None
