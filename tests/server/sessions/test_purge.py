"""Purge: counted first, then gone; memories stay, or go where they can be restored from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import repository, rows

from hitherto_contract import PurgeRequest, RestoreRequest, WrongRequest
from hitherto_server.api.control import say_wrong
from hitherto_server.api.operations import perform
from hitherto_server.cli_control import ROWS, _purged
from hitherto_server.sessions.control.purge import purge

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_contract import PurgeReply
    from hitherto_server.store.driver import Connection

    from .conftest import Client

LESSON = "parse_config reads its file twice, first for the encoding."
QUESTION = "Why does parse_config read its file twice for the encoding?"
HELD = (
    "session", "turn", "event", "evidence", "injection", "feedback", "obligation", "judgment_log",
)  # fmt: skip


TABLES = {
    "sessions": "session", "turns": "turn", "events": "event", "evidence": "evidence",
    "ledger": "injection", "feedback": "feedback", "obligations": "obligation",
    "judgments": "judgment_log", "pieces": "chunk", "support": "support", "digests": "digest",
    "approvals": "approval", "shown": "shown_notice", "worth": "memory_worth",
    "cost": "session_worth", "loops": "loop", "cached": "judgment_cache",
}  # fmt: skip
LEFT = (
    "INSERT INTO digest (session_id, asked_at_ms, chosen_by, items) VALUES ('s', 1, 'rule', '[]')",
    (
        "INSERT INTO approval (session_id, memory_number, file, at_ms)"
        " SELECT 's', min(number), '', 1 FROM memory"
    ),
    "INSERT INTO shown_notice (kind, session_id, subject, shown_at_ms) VALUES ('x', 's', 'y', 1)",
    (
        "INSERT INTO memory_worth (session_id, agent, generation, memory_number, revision, outcome,"
        " because, given_at_ms) SELECT 's', '', 0, min(number), 1, 'used', 'x', 1 FROM memory"
    ),
    "INSERT INTO session_worth (session_id, through_event, computed_at_ms) VALUES ('s', 1, 1)",
    (
        "INSERT INTO loop (id, session_id, task, most_iterations, started_at_ms, until_ms)"
        " VALUES (1, 's', 'x', 2, 1, 2)"
    ),
    (
        "INSERT INTO loop_entry (loop_id, iteration, written_by, text, at_ms)"
        " VALUES (1, 1, 'agent', 'x', 1)"
    ),
    (
        "INSERT INTO support (memory_number, event_id, sentence, polarity, trust)"
        " SELECT m, e, 'x', 'affirms', 'user' FROM"
        " (SELECT min(number) AS m FROM memory), (SELECT min(id) AS e FROM event)"
    ),
    (
        "INSERT INTO judgment_cache (request_hash, model, calibrated, answers, answered_at_ms,"
        " expires_at_ms) VALUES ('h', 'm', 1, '{}', 1, 2)"
    ),
)


async def purges(client: Client, **values: Any) -> PurgeReply:
    services = client.services
    return await purge(services.store, services.clock, PurgeRequest.model_validate(values))


async def works(client: Client, session: str, folder: Path) -> None:
    """Do a little of everything that leaves something behind."""
    body = {"session_id": session, "cwd": str(folder)}
    await client.says("UserPromptSubmit", prompt=QUESTION, **body)
    await client.says("PostToolUse", tool_name="Edit", tool_input={"file_path": "/x/a.py"}, **body)
    await client.services.sessions.close()
    await say_wrong(client.services, WrongRequest(session_id=session))
    database = client.services.home.database
    await client.services.store.writer.run(
        lambda c: (
            c.executemany(
                "INSERT INTO obligation (session_id, generation, kind, subject, raised_at_ms)"
                " VALUES (?, 0, 'check', 'x', 1)",
                [(session,)],
            ).rowcount
        )
    )
    assert rows(database, "SELECT count(*) FROM turn WHERE session_id = ?", session) == [(1,)]


def files_with(client: Client, word: bytes) -> list[str]:
    files = (file for file in client.services.home.root.rglob("*") if file.is_file())
    return [file.name for file in files if word in file.read_bytes()]


def held(client: Client) -> dict[str, int]:
    database = client.services.home.database
    return {one: rows(database, f"SELECT count(*) FROM {one}")[0][0] for one in HELD}


@pytest.fixture
async def elsewhere(client: Client, tmp_path: Path) -> Path:
    """Return a second project, with a session in each of both."""
    other = repository(tmp_path / "project-too", commit=False)
    await client.knows(LESSON, scope="user")
    await works(client, "s", client.project)
    await works(client, "t", other)
    return other


async def test_without_a_confirmation_it_is_only_counted(client: Client, elsewhere: Path) -> None:
    before = held(client)
    reply = await purges(client, session_id="s")
    assert not reply.done
    assert reply.counts == {
        "sessions": 1, "turns": 1, "events": 2, "evidence": 1, "ledger": 1, "feedback": 1,
        "obligations": 1, "judgments": 0, "memories": 0, "pieces": 0, "support": 0, "digests": 0,
        "approvals": 0, "shown": 0, "worth": 0, "cost": 0, "loops": 0, "cached": 0,
    }  # fmt: skip
    assert held(client) == before
    assert "may still run" in reply.notes[0]


async def test_the_preview_names_everything_that_a_purge_removes(client: Client) -> None:
    await client.knows(LESSON)
    await works(client, "s", client.project)
    await client.services.store.writer.run(left_behind)
    await client.services.judge.close()
    before = counted_tables(client)
    preview = await purges(client, session_id="s")
    assert counted_tables(client) == before
    await purges(client, session_id="s", confirmed=True)
    after = counted_tables(client)
    gone = {one: before[one] - after[one] for one in before if after[one] < before[one]}
    gone.pop("loop_entry")  # goes with its loop
    assert gone == {TABLES[kind]: count for kind, count in preview.counts.items() if count}
    assert set(gone) == set(TABLES.values()) - {"chunk", "judgment_log"}
    assert {*ROWS, "memories"} == set(preview.counts)
    told = "\n".join(_purged(preview.model_dump(), memories=False, yes=False))
    assert "1 session, 1 prompt, " in told
    assert "1 digest, 1 approval of a plan, 1 loop, " in told


def left_behind(connection: Connection) -> None:
    """Write what `works` leaves no trace of."""
    for query in LEFT:
        connection.execute(query)


def counted_tables(client: Client) -> dict[str, int]:
    database = client.services.home.database
    query = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
    kept = [name for (name,) in rows(database, query) if not name.startswith("sqlite_")]
    kept = [name for name in kept if "fulltext" not in name and "identifiers" not in name]
    return {one: rows(database, f"SELECT count(*) FROM {one}")[0][0] for one in kept}


@pytest.mark.parametrize("by", ["session", "path", "link"])
async def test_a_session_is_gone_and_the_other_stays(
    client: Client, elsewhere: Path, tmp_path: Path, by: str
) -> None:
    (tmp_path / "link").symlink_to(client.project)
    target = {
        "session": {"session_id": "s"},
        "path": {"path": str(client.project)},
        "link": {"path": str(tmp_path / "link")},
    }[by]
    before = held(client)
    reply = await purges(client, **target, confirmed=True)
    assert reply.done
    assert held(client) == {
        "session": 1, "turn": 1, "event": 2, "evidence": 1, "injection": 1, "feedback": 1,
        "obligation": 1, "judgment_log": 0,
    }  # fmt: skip
    assert before["event"] == 4
    database = client.services.home.database
    assert {row[0] for row in rows(database, "SELECT session_id FROM event")} == {"t"}


async def test_the_text_of_a_prompt_is_gone_from_the_files(client: Client) -> None:
    for number in range(200):
        await client.prompts(f"{QUESTION} Zanzibar{number}")
        if number == 0:
            await client.services.sessions.close()
            await client.knows(LESSON, session_id="s")
    await client.services.sessions.close()
    assert files_with(client, b"Zanzibar")
    await purges(client, session_id="s", confirmed=True)
    assert rows(client.services.home.database, "SELECT count(*) FROM turn") == [(0,)]
    assert files_with(client, b"Zanzibar") == []


async def test_memories_that_were_learned_there_go_into_the_trash_when_that_is_asked(
    client: Client,
) -> None:
    learned = await client.knows(LESSON, session_id="s")
    await client.says("Stop")
    kept = await purges(client, session_id="s", confirmed=True)
    assert (kept.counts["memories"], kept.trashed) == (1, 0)
    query = "SELECT trashed_at_ms IS NULL FROM memory"
    assert rows(client.services.home.database, query) == [(1,)]
    trashed = await purges(client, session_id="s", memories=True, confirmed=True)
    assert trashed.trashed == 1
    assert rows(client.services.home.database, query) == [(0,)]
    await perform(client.services, RestoreRequest(id=learned))
    assert rows(client.services.home.database, query) == [(1,)]


async def test_events_elsewhere_that_name_a_file_of_the_folder_go_too(
    client: Client, tmp_path: Path
) -> None:
    private = client.project / "private"
    for name in (private / "a.py", client.project / "private-not" / "a.py"):
        await client.says("PostToolUse", tool_name="Edit", tool_input={"file_path": str(name)})
    await purges(client, path=str(private), confirmed=True)
    (event,) = await client.events()
    assert "private-not" in event["detail"]["file"]


async def test_a_prompt_that_is_kept_later_than_its_session_was_purged_is_not_kept(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hitherto_server.sessions.prompt.keeper.AFTER_REPLY_S", 3600.0)
    await client.prompts(QUESTION)
    await purges(client, session_id="s", confirmed=True)
    await client.services.sessions.close()
    assert rows(client.services.home.database, "SELECT count(*) FROM turn") == [(0,)]
