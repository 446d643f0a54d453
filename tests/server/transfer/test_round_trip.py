"""An export holds everything that a store means: taken in elsewhere it is the same store."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import faults_in, rows

from hitherto_contract import transfer as contract
from hitherto_server.core.errors import ExportNewer, ImportConflict, InvalidInput
from hitherto_server.store.driver import open_raw
from hitherto_server.store.memories import State

from .conftest import fill

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Side

# what an export leaves out, and why
NOT_EXPORTED = {
    "backfill": "runs that judged that store's memories; the verdicts are exported",
    "bench_run": "what that machine's backend and rules were measured at",
    "config": "settings of one installation",
    "counter": "what that store lost or dropped",
    "derived_index": "derived: rebuilt where the export is taken in",
    "embedding": "vectors: made anew by the model there",
    "embedding_model": "which models serve there",
    "history_file": "which transcripts of that machine were read",
    "history_import": "imports of a client's history on that machine: undone there or not at all",
    "history_memory": "which memories such an import brought, for its undo",
    "injection": "the ledger: what sessions of that machine were given",
    "job": "work that waits in that store",
    "judgment_cache": "answers that its judge gave, for a while",
    "judgment_log": "calls of that machine to a judge",
    "cleaning_action": "what was done there; memories and relations have what came of it",
    "cleaning_step": "as above: how it would be undone there",
    "recalled": "how often memories were asked for there",
    "migration": "how that database came to its schema",
    "evidence": "what tools did in sessions of that machine",
    "memory_worth": "what became of what sessions of that machine were given",
    "notice_switch": "kinds of notices that were switched on again there",
    "obligation": "what sessions of that machine still had to do",
    "passage": "derived: split anew, by the same rule",
    "session_worth": "what sessions of that machine took",
    "shown_notice": "what sessions of that machine were shown",
    "approval": "when plans were approved in sessions of that machine",
    "chunk": "what sessions of that machine said: read anew from its transcripts or not at all",
    "chunk_vector": "derived from those",
    "digest": "what sessions of that machine were to keep over a compaction",
    "loop": "what sessions of that machine worked at again and again",
    "loop_entry": "the journals of those",
    "transcript": "which files of that machine were read, and how far",
    "unstated": "what a writer left open: elsewhere it counts as stated, so no judgment touches it",
    "vector_block": "derived",
    "vector_place": "derived",
}
# each exported table, without numbers of the database: memories by id, projects by identity
EQUAL = {
    "project": "SELECT identity, name, seen_root, created_at_ms, seen_at_ms FROM project",
    "category": """
        SELECT p.identity, u.name, c.name, c.created_at_ms, c.trashed_at_ms FROM category AS c
        LEFT JOIN project AS p ON p.id = c.project_id LEFT JOIN category AS u ON u.id = c.parent_id
    """,
    "memory": """
        SELECT m.id, p.identity, c.name, m.kind, m.content, m.content_hash, m.tags, m.importance,
               m.tier, m.held_back_because, m.suspect, m.source, m.source_ref, m.idempotency_key,
               m.actor, m.device, m.state_key, m.true_from_ms, m.true_until_ms, m.learned_at_ms,
               m.expires_at_ms, m.session_id, m.commit_hash, m.branch, m.working_dir, m.revision,
               m.changed_at_ms, m.confirmed_at_ms, m.confirmed_commit, m.trashed_at_ms
        FROM memory AS m LEFT JOIN project AS p ON p.id = m.project_id
        LEFT JOIN category AS c ON c.id = m.category_id
    """,
    "revision": """
        SELECT m.id, r.revision, r.change, r.actor, r.changed_at_ms, r.content,
               json_remove(r.state, '$.category_id'), c.name
        FROM revision AS r JOIN memory AS m ON m.number = r.memory_number
        LEFT JOIN category AS c ON c.id = json_extract(r.state, '$.category_id')
    """,
    "anchor": """
        SELECT m.id, a.path, a.commit_hash, a.file_hash, a.verified_at_ms
        FROM anchor AS a JOIN memory AS m ON m.number = a.memory_number
    """,
    "part": """
        SELECT m.id, a.path, p.kind, p.name, p.region_hash FROM part AS p
        JOIN anchor AS a ON a.id = p.anchor_id JOIN memory AS m ON m.number = a.memory_number
    """,
    "support": """
        SELECT m.id, e.session_id, e.body_hash, s.sentence, s.polarity, s.trust
        FROM support AS s JOIN memory AS m ON m.number = s.memory_number
        JOIN event AS e ON e.id = s.event_id
    """,
    "event": """
        SELECT session_id, name, body_hash, occurred_at_ms, received_at_ms, spooled, tool_name,
               detail FROM event
    """,
    "session": """
        SELECT s.id, s.client, p.identity, s.working_dir, s.parent_session_id, s.started_at_ms,
               s.seen_at_ms, s.ended_at_ms, s.end_reason, s.generation, s.paused
        FROM session AS s LEFT JOIN project AS p ON p.id = s.project_id
    """,
    "turn": """
        SELECT session_id, prompt_id, prompt, reply, started_at_ms, ended_at_ms FROM turn
    """,
    "relation": """
        SELECT r.kind, n.id, o.id, r.said_by, r.probability, r.reason, r.slot, r.created_at_ms,
               r.decided_at_ms, r.undone_at_ms, r.undone_by
        FROM relation AS r JOIN memory AS n ON n.number = r.newer_number
        JOIN memory AS o ON o.number = r.older_number
    """,
    "verdict": """
        SELECT m.id, v.revision, v.surface, v.answer, v.probability, v.basis_hash, v.judged_at_ms
        FROM verdict AS v JOIN memory AS m ON m.number = v.memory_number
    """,
    "feedback": """
        SELECT f.session_id, f.admission, m.id, f.revision, f.reason, f.said_by, f.said_at_ms,
               f.undone_at_ms FROM feedback AS f JOIN memory AS m ON m.number = f.memory_number
    """,
    "candidate_use": """
        SELECT m.id, u.session_id, u.used_at_ms FROM candidate_use AS u
        JOIN memory AS m ON m.number = u.memory_number
    """,
    "merge_conflict": """
        SELECT m.id, c.kept_revision, c.other_revision, c.found_at_ms FROM merge_conflict AS c
        JOIN memory AS m ON m.number = c.memory_number
    """,
    "quiet": "SELECT kind, session_id, path, began_at_ms, until_ms, ended_at_ms FROM quiet",
}
NUMBERS = {"id", "number", "parent_id", "category_id", "project_id", "newer_number", "older_number",
           "memory_number", "anchor_id", "event_id"}  # fmt: skip
"""Columns that stand for a row: what they refer to is compared by its name."""


def tables_of(database: Path) -> dict[str, set[str]]:
    query = """
        SELECT t.name, c.name FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c
        WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite%'
    """
    found: dict[str, set[str]] = {}
    for table, column in rows(database, query):
        found.setdefault(table, set()).add(column)
    return found


def held(database: Path, table: str) -> list[tuple[Any, ...]]:
    return sorted(rows(database, EQUAL[table]), key=repr)


async def test_every_table_is_equal_after_export_and_import_into_an_empty_store(
    sides: tuple[Side, Side], project: Path
) -> None:
    here, there = sides
    await fill(there, project)
    reply = await here.imported(await there.exported())
    for table in EQUAL:
        wanted = held(there.database, table)
        assert wanted, f"the test's store has no {table}"
        assert held(here.database, table) == wanted, table
    assert reply.conflicts == []
    assert reply.notes == []
    passages = """
        SELECT m.id, p.position, p.start_char, p.end_char FROM passage AS p
        JOIN memory AS m ON m.number = p.memory_number ORDER BY 1, 2
    """
    assert rows(here.database, passages) == rows(there.database, passages)
    assert faults_in(here.database) == [], "the indexes say what the store says"


async def test_an_export_of_what_was_imported_is_the_same_export(
    sides: tuple[Side, Side], project: Path
) -> None:
    here, there = sides
    await fill(there, project)
    first = await there.exported()
    await here.imported(first)
    again = await here.exported()

    def lines(path: Path) -> list[Any]:
        read = [json.loads(line) for line in lines_in(path)[1:]]
        for one in read:  # numbers of events are the file's own
            one.pop("key", None)
            for support in one.get("supports", ()):
                support.pop("event")
        return sorted(read, key=repr)

    assert lines(again) == lines(first)


async def test_every_table_and_column_is_exported_or_left_out_for_a_reason(
    sides: tuple[Side, Side],
) -> None:
    tables = tables_of(sides[0].database)
    assert set(tables) == set(EQUAL) | set(NOT_EXPORTED)
    for table, query in EQUAL.items():
        missing = [name for name in tables[table] - NUMBERS if name not in query]
        assert missing == [], f"{table} is compared without these columns"


def test_a_revision_is_exported_with_all_that_a_change_may_touch() -> None:
    fields = {"category" if name == "category_id" else name for name in State.__annotations__}
    assert set(contract.StatePart.model_fields) == fields - {"content"}


async def test_what_is_in_the_trash_is_exported_only_if_asked_for(
    sides: tuple[Side, Side], project: Path
) -> None:
    here, there = sides
    await fill(there, project)
    await here.imported(await there.exported(trashed=False))
    [(trashed,)] = rows(
        here.database, "SELECT count(*) FROM memory WHERE trashed_at_ms IS NOT NULL"
    )
    [(live,)] = rows(here.database, "SELECT count(*) FROM memory")
    assert (trashed, live) == (0, 6)


async def test_one_project_is_exported_with_what_is_its_own_and_nothing_else(
    sides: tuple[Side, Side], project: Path
) -> None:
    here, there = sides
    await fill(there, project)
    await there.told("Another project's matter", await other(project))
    reply = await here.imported(await there.exported("app"))
    assert rows(here.database, "SELECT name FROM project") == [("app",)]
    assert reply.counts["memories"] == 5
    assert rows(here.database, "SELECT count(*) FROM memory WHERE project_id IS NULL") == [(0,)]
    assert rows(here.database, "SELECT count(*) FROM quiet") == [(0,)]


async def other(project: Path) -> Path:
    from tests.wiring import repository

    return repository(project.with_name("other"), "git@example.com:owner/other.git")


async def test_the_same_file_again_changes_nothing(sides: tuple[Side, Side], project: Path) -> None:
    here, there = sides
    await fill(there, project)
    file = await there.exported()
    await here.imported(file)
    before = {table: held(here.database, table) for table in EQUAL}
    reply = await here.imported(file)
    assert {table: held(here.database, table) for table in EQUAL} == before
    assert reply.counts.get("memories", 0) == 0
    assert reply.counts["known"] == reply.counts["read"] == 7
    assert reply.backup is not None


async def test_what_is_here_in_another_state_refuses_the_whole_import(
    sides: tuple[Side, Side], project: Path
) -> None:
    here, there = sides
    first = await there.told("The port is 8080", project)
    await here.imported(await there.exported())
    await there.edited(first, "The port is 9090")
    await there.told("One more", project)
    with pytest.raises(ImportConflict, match=first):
        await here.imported(await there.exported())
    assert await here.contents() == {first: "The port is 8080"}


def lines_in(file: Path) -> list[str]:
    """Return the lines of an export; Python's own idea of a line is a wider one."""
    return file.read_bytes().decode().removesuffix("\n").split("\n")


def changed(file: Path, number: int, **values: Any) -> Path:
    """Return a copy of an export, one line of which says something else."""
    lines = lines_in(file)
    line = {**json.loads(lines[number]), **values}
    lines[number] = json.dumps(line)
    copy = file.with_name("changed.jsonl")
    copy.write_text("\n".join(lines) + "\n")
    return copy


async def test_a_file_that_is_not_as_it_should_be_is_refused_with_its_line(
    sides: tuple[Side, Side], project: Path
) -> None:
    here, there = sides
    await fill(there, project)
    file = await there.exported()
    lines = [f"{line}\n" for line in lines_in(file)]
    number = next(place for place, line in enumerate(lines) if '"type": "memory"' in line)
    cut = file.with_name("cut.jsonl")
    refused: list[tuple[Path, type[Exception], str]] = [
        (changed(file, 0, format=2), ExportNewer, "format 2"),
    ]
    for path, kind, said in refused:
        with pytest.raises(kind, match=said):
            await here.imported(path)
    changes: list[tuple[dict[str, Any], str]] = [
        ({"importance": 11}, f"line {number + 1}: importance"),
        ({"colour": "red"}, f"line {number + 1}: colour"),
        ({"type": "molecule"}, f"line {number + 1}"),
        ({"content": "something else"}, "newest revision"),
        ({"project": "path:/nowhere"}, "does not hold"),
        ({"supports": [{"event": 77, "sentence": "x", "polarity": "affirms", "trust": "user"}]},
         "event 77"),
    ]  # fmt: skip
    for change, said in changes:
        with pytest.raises(InvalidInput, match=said):
            await here.imported(changed(file, number, **change))
    for text, said in [
        ("".join(lines[:-3]), "cut off"),
        ("".join([*lines[:number], *lines[number + 1 :]]), "lacks lines"),
        ("".join(lines)[:-40], "line"),
        ("hello\n", "no export"),
        ("", "no export"),
        ('{"type": "hitherto-export"}\n', "line 1"),
    ]:
        cut.write_text(text)
        with pytest.raises(InvalidInput, match=said):
            await here.imported(cut)
    assert rows(here.database, "SELECT count(*) FROM memory") == [(0,)]
    assert rows(here.database, "SELECT count(*) FROM project") == [(0,)]
    assert list(here.services.home.backups.glob(".*")) == []


async def test_secrets_are_taken_out_of_what_is_imported(
    sides: tuple[Side, Side], project: Path
) -> None:
    here, there = sides
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    memory = await there.told("The token of the deploy user lies in the vault", project)
    file = await there.exported()
    text = file.read_text().replace("lies in the vault", f"is {secret}")
    file.write_text(text)
    reply = await here.imported(file)
    assert any("secrets" in note for note in reply.notes)
    assert (await here.contents())[memory].startswith("The token of the deploy user is [redacted")
    [(tags,)] = rows(here.database, "SELECT tags FROM memory")
    assert "redacted" in tags
    for path in here.services.home.root.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path.name


async def test_an_import_that_fails_late_leaves_nothing_behind(
    sides: tuple[Side, Side], project: Path
) -> None:
    here, there = sides
    await fill(there, project)
    file = await there.exported()
    lines = lines_in(file)
    place = next(n for n, line in enumerate(lines) if '"type": "memory"' in line)
    memory = json.loads(lines[place + 3])
    memory["supports"] = [{"event": 99, "sentence": "x", "polarity": "affirms", "trust": "user"}]
    lines[place + 3] = json.dumps(memory)
    file.write_text("\n".join(lines) + "\n")
    with pytest.raises(InvalidInput):
        await here.imported(file)
    with closing(open_raw(here.database, read_only=True)) as connection:
        for table in EQUAL:
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0, table
