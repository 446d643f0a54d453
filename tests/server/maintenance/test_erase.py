"""What was erased is in no byte of the data home: not in rows, indexes, logs, spool or backups."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import repository, rows

from hitherto_contract import EraseRequest, ReflectRequest, RememberRequest
from hitherto_server.core.errors import NotFound
from hitherto_server.gates.reflect import reflect
from hitherto_server.gates.remember import remember
from hitherto_server.maintenance import erase as erase_module
from hitherto_server.maintenance.erase import Eraser
from hitherto_server.store.derived import index_text
from hitherto_server.store.driver import open_raw
from hitherto_server.store.erase import number_of
from hitherto_server.store.memories import list_views
from hitherto_server.store.turns import NewTurn, put_turn

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.services import Services

WORD = "zyqxwvkolibri"
SLIPPED = f'codename "{WORD}" für Köln'
"""Quotes and letters that JSON spells in its own way, and a word that nothing else has.

The word is its own stem: so the word index would hold it as it is.
"""


def eraser(services: Services) -> Eraser:
    writes = services.writes
    return Eraser(
        services.home, services.store, writes.splitter, writes.on_written, services.backups
    )


async def told(services: Services, project: Path, content: str, **values: Any) -> str:
    request = RememberRequest(content=content, project_dir=str(project), **values)
    return (await remember(services.writes, request)).id


async def changed(services: Services, project: Path, memory: str, content: str) -> None:
    request = ReflectRequest(action="edit", id=memory, content=content, project_dir=str(project))
    await reflect(services.writes, request)


async def spread(services: Services, memory: str, text: str) -> None:
    """Put a text where sessions, hooks and logs could have left it, and into a backup."""

    def job(connection: Any) -> None:
        connection.execute(
            "INSERT INTO session (id, client, started_at_ms, seen_at_ms) VALUES ('s', 'c', 1, 1)"
        )
        connection.execute(
            "INSERT INTO turn (session_id, prompt_id, prompt, started_at_ms)"
            " VALUES ('s', 'p', ?, 1)",
            (f"remember {text} please",),
        )
        connection.execute(
            "INSERT INTO event (session_id, name, body_hash, occurred_at_ms, received_at_ms,"
            " detail) VALUES ('s', 'Stop', 'h', 1, 1, ?)",
            (json.dumps({"reason": text}),),
        )
        connection.execute(
            "INSERT INTO injection (session_id, generation, admission, channel, query, outcome,"
            " reason, decided_at_ms) VALUES ('s', 0, 'a', 'prompt', ?, 'abstained', 'none', 1)",
            (text,),
        )
        connection.execute(
            "INSERT INTO embedding SELECT p.id, 'm', 2, ? FROM passage AS p"
            " JOIN memory AS m ON m.number = p.memory_number WHERE m.id = ?",
            (b"VECTOR-OF-IT", memory),
        )

    await services.store.writer.run(job)
    home = services.home
    (home.logs / "server.log").write_text(f"WARNING said {text}\nINFO all is well\n")
    line = json.dumps({"session_id": "s", "prompt": f"x {text}"})
    (home.spool / "events.unreadable").write_text(f"torn\t{line}\n")
    await services.store.writer.maintain(
        lambda c: c.execute("VACUUM INTO ?", (str(home.backups / "before.db"),))
    )


def bytes_of(home: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(home)): path.read_bytes().lower()
        for path in home.rglob("*")
        if path.is_file()
    }


def places_of(home: Path, needle: bytes) -> list[str]:
    return [name for name, content in bytes_of(home).items() if needle.lower() in content]


async def test_an_erased_text_is_in_no_file_and_the_rest_of_its_memories_stays(services, project):
    memory = await told(services, project, f"The release has the {SLIPPED}, due in May", tags=["x"])
    await spread(services, memory, SLIPPED)
    once = await told(services, project, f"Once it had {SLIPPED}; the port is 8080")
    await changed(services, project, once, "It lost that; the port is 8080")
    home = services.home.root
    assert len(places_of(home, WORD.encode())) >= 4
    assert places_of(home, b"VECTOR-OF-IT") != []

    reply = await eraser(services).erase(EraseRequest(text=SLIPPED, confirmed=True))

    assert places_of(home, WORD.encode()) == []
    assert places_of(home, b"VECTOR-OF-IT") == []
    assert (reply.done, reply.left, reply.backups) == (True, [], ["backups/before.db"])
    assert set(reply.memories) == {memory, once}
    view = (await services.store.readers.run(lambda c: list_views(c, [memory])))[0]
    assert view.content == "The release has the [erased], due in May"
    assert "INFO all is well" in (services.home.logs / "server.log").read_text()
    [kept] = rows(services.home.backups / "before.db", "SELECT content FROM memory")
    assert kept == ("The release has the [erased], due in May",)


async def test_an_erased_memory_goes_with_its_history_and_wherever_it_was_quoted(services, project):
    memory = await told(services, project, f"First it was {WORD}")
    await changed(services, project, memory, f"Then it was {WORD}, again")
    await spread(services, memory, f"Then it was {WORD}, again")
    other = await told(services, project, "The retry budget is three")

    reply = await eraser(services).erase(EraseRequest(memory=memory, confirmed=True))

    assert reply.memories == [memory]
    assert places_of(services.home.root, WORD.encode()) == []
    found = rows(services.home.database, "SELECT id FROM memory")
    assert found == [(other,)]
    assert rows(services.home.backups / "before.db", "SELECT id FROM memory") == []


async def test_without_a_confirmation_it_is_only_counted(services, project):
    memory = await told(services, project, f"The release is {WORD}")
    await spread(services, memory, WORD)
    reply = await eraser(services).erase(EraseRequest(text=WORD))
    assert (reply.done, reply.memories) == (False, [memory])
    assert reply.counts == {
        "memory": 1, "revision": 1, "turn": 1, "event": 1, "injection": 1, "logs": 1, "spool": 1
    }  # fmt: skip
    assert places_of(services.home.root, WORD.encode()) != []


async def test_a_memory_that_says_nothing_else_goes_and_one_that_would_be_a_twin_goes_too(
    services, project
):
    bare = await told(services, project, SLIPPED)
    one = await told(services, project, f"The key is {SLIPPED} of old")
    two = await told(services, project, "The key is [erased] of old")
    await eraser(services).erase(EraseRequest(text=SLIPPED, confirmed=True))
    found = {row[0] for row in rows(services.home.database, "SELECT id FROM memory")}
    assert (found & {bare, one}, two in found) == (set(), True)


async def test_another_memory_that_says_the_same_is_named_and_left(services, project):
    memory = await told(services, project, f"It is {WORD} here")
    other = await told(services, project, f"As said: It is {WORD} here")
    reply = await eraser(services).erase(EraseRequest(memory=memory, confirmed=True))
    assert other in reply.notes[0]
    assert rows(services.home.database, "SELECT id FROM memory") == [(other,)]


async def test_a_backup_that_cannot_be_rewritten_is_named(services, project):
    memory = await told(services, project, f"It is {WORD} here")
    (services.home.backups / "torn.db").write_bytes(b"SQLite format 3\0" + b"torn" * 2000)
    reply = await eraser(services).erase(EraseRequest(memory=memory, confirmed=True))
    assert [one.split(":")[0] for one in reply.left] == ["backups/torn.db"]


async def test_a_memory_of_one_common_word_is_erased_and_no_name_that_has_the_word(
    services, tmp_path
):
    place = repository(tmp_path / "project", "git@example.com:owner/testing.git")
    memory = await told(services, place, "testing")
    reply = await eraser(services).erase(EraseRequest(memory=memory, confirmed=True))
    assert reply.memories == [memory]
    assert rows(services.home.database, "SELECT id FROM memory") == []
    [(identity,)] = rows(services.home.database, "SELECT identity FROM project")
    assert identity.endswith("owner/testing")


@pytest.mark.parametrize("word", ["decision", "importance"])
async def test_a_word_that_is_also_one_of_ours_is_erased_where_somebody_said_it(
    services, project, word
):
    memory = await told(services, project, f"No {word} without the CFO", kind="decision")
    other = await told(services, project, "The port is 8080", kind="decision")
    await changed(services, project, other, "The port is 9090")
    reply = await eraser(services).erase(EraseRequest(text=word, confirmed=True))
    assert reply.memories == [memory]
    await reflect(
        services.writes,
        ReflectRequest(action="undo", id=other, expected_revision=2, project_dir=str(project)),
    )
    found = rows(services.home.database, "SELECT kind, content FROM memory ORDER BY number")
    assert found == [("decision", "No [erased] without the CFO"), ("decision", "The port is 8080")]


async def test_an_erased_text_is_in_no_tag_of_the_history_either(services, project):
    memory = await told(services, project, "The port is 8080", tags=[SLIPPED])
    await reflect(
        services.writes,
        ReflectRequest(action="edit", id=memory, tags=["net"], project_dir=str(project)),
    )
    await eraser(services).erase(EraseRequest(text=SLIPPED, confirmed=True))
    assert places_of(services.home.root, WORD.encode()) == []


async def test_an_unknown_memory_is_an_error(services):
    with pytest.raises(NotFound):
        await eraser(services).erase(EraseRequest(memory="0" * 8 + "-0000-0000-0000-" + "0" * 12))


async def test_a_backup_stays_a_single_file_that_can_be_opened(services, project):
    memory = await told(services, project, f"It is {WORD} here")
    await spread(services, memory, WORD)
    await eraser(services).erase(EraseRequest(text=WORD, confirmed=True))
    assert [path.name for path in services.home.backups.iterdir()] == ["before.db"]
    with closing(open_raw(services.home.backups / "before.db")) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


async def test_what_stood_beside_an_erased_chunk_does_not_hold_its_words(services, project):
    said = {"source": "transcript", "session_id": "s"}
    await told(services, project, "Where did you swim?", **said)
    chunk = await told(services, project, f"In {WORD}, far out.", **said)
    await told(services, project, "Was it cold?", **said)
    await eraser(services).erase(EraseRequest(memory=chunk, confirmed=True))
    assert places_of(services.home.root, WORD.encode()) == []


async def test_what_a_session_stored_does_not_hold_the_words_of_its_erased_prompt(
    services, project
):
    def ask(connection: Any) -> None:
        connection.execute(
            "INSERT INTO session (id, client, started_at_ms, seen_at_ms) VALUES ('s', 'c', 1, 1)"
        )
        put_turn(connection, NewTurn("s", "p", f"Move {WORD} to the archive", 1, ""))

    stored = await told(services, project, "Archives are monthly.", session_id="s")
    await services.store.writer.run(ask)
    await eraser(services).erase(EraseRequest(text=WORD, confirmed=True))
    assert places_of(services.home.root, WORD.encode()) == []
    assert rows(services.home.database, "SELECT id FROM memory") == [(stored,)]


async def test_an_erased_name_of_a_person_or_a_category_finds_nothing_any_more(services, project):
    said = await told(services, project, "The lake is cold.", actor=f"Maria {WORD}")
    filed = await told(services, project, "The sea is colder.")

    def file(connection: Any) -> None:
        put = "INSERT INTO category (id, project_id, name, created_at_ms) VALUES (9, 1, ?, 1)"
        connection.execute(put, (WORD,))
        connection.execute("UPDATE memory SET category_id = 9 WHERE id = ?", (filed,))
        index_text(connection, number_of(connection, filed))

    await services.store.writer.run(file)
    await eraser(services).erase(EraseRequest(text=WORD, confirmed=True))
    assert places_of(services.home.root, WORD.encode()) == []
    left = rows(services.home.database, "SELECT id FROM memory ORDER BY number")
    assert left == [(said,), (filed,)]


async def test_a_spool_that_is_renamed_meanwhile_is_looked_for_once_more(
    services, project, monkeypatch
):
    memory = await told(services, project, f"First it was {WORD}")
    taken = services.home.spool / "events.draining"
    taken.write_text(f"Stop\t1\t\t{{}} First it was {WORD}\n")
    listed = Eraser._files
    renamed = iter([[services.home.spool / "events"]])
    monkeypatch.setattr(
        Eraser, "_files", lambda self: iter(next(renamed, None) or list(listed(self)))
    )
    found = await services.store.readers.run(
        lambda c: erase_module._look(c, EraseRequest(memory=memory, confirmed=True))
    )
    eraser(services)._erase_files(found.texts)
    assert WORD not in taken.read_text()
