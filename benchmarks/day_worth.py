"""How often a memory's use is seen in a session that was not given it: what seen use is worth."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from hitherto_server.sessions.worth.acts import MEANT, Act
from hitherto_server.sessions.worth.assess import Given, worth_of
from hitherto_server.sessions.worth.traces import traces_of
from hitherto_server.sessions.worth.transcript import read_transcripts
from hitherto_server.store import worth as rows
from hitherto_server.store.driver import open_raw

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hitherto_server.store.driver import Connection, Row

BEFORE, GIVEN, AFTER = 0, 1_000_000_000_000, 2_000_000_000_000


def by_chance(database: Path, transcripts: Path, sessions: Sequence[str]) -> Counter[str]:
    """Count what would have become of each session's memories in each other session."""
    counts: Counter[str] = Counter()
    acts = {name: acts_of(transcripts, name) for name in sessions}
    with closing(open_raw(database, read_only=True)) as connection:
        for session in sessions:
            for row in rows.list_given(connection, session):
                files = rows.files_of(connection, [row["number"]]).get(row["number"], [])
                given = Given(row["number"], GIVEN, traces_of(row["content"], files))
                asked = asked_for(connection, session, row)
                for other in sessions:
                    if other != session and not has(connection, other, row["number"]):
                        counts[worth_of(given, [asked, *acts[other]], ()).outcome] += 1
    return counts


def acts_of(transcripts: Path, session: str) -> list[Act]:
    """Return what a session did, as if it came after the memory."""
    seen = read_transcripts(transcripts / f"{session}.jsonl")
    return [replace(act, at_ms=AFTER) for act in seen.acts if act.kind in MEANT] if seen else []


def asked_for(connection: Connection, session: str, row: Row) -> Act:
    """Return what the person had asked by the time that a memory was given."""
    said = rows.read(connection, "asked", session)
    text = "\n".join(one["text"] for one in said if one["at_ms"] <= row["at_ms"])
    return Act(BEFORE, "prompt", text)


def has(connection: Connection, session: str, number: int) -> bool:
    """Tell whether a session was given that memory too."""
    return any(row["number"] == number for row in rows.list_given(connection, session))
