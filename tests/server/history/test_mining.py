"""Sessions are mined as they run: pieces that are found at once, candidates once they are over."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest
from tests.server.history.test_importer import undo
from tests.server.history.test_sessions import EDIT, FAILS, PASSES
from tests.server.sessions.conftest import context_of

from hitherto_contract import (
    EraseRequest,
    ForgetRequest,
    PurgeRequest,
    RecallReply,
    RecallRequest,
    RememberRequest,
    WhyReply,
    WhyRequest,
    WrongRequest,
)
from hitherto_server.api.control import say_wrong
from hitherto_server.api.operations import perform
from hitherto_server.cli_control import _explained
from hitherto_server.core.clock import minute_of
from hitherto_server.core.errors import NotFound, StoreFull
from hitherto_server.gates.reflect import forget
from hitherto_server.gates.remember import remember
from hitherto_server.history.mined import KEPT_AT_ONCE
from hitherto_server.history.replies import given_in, replies_in
from hitherto_server.history.tail import Tail
from hitherto_server.maintenance.erase import Eraser
from hitherto_server.sessions.call import read_call
from hitherto_server.sessions.control.purge import purge
from hitherto_server.sessions.control.quiet import Target
from hitherto_server.sessions.past.finding import Asked, block_of, find_past
from hitherto_server.sessions.plan.plans import store_plan
from hitherto_server.sessions.transcript import time_of
from hitherto_server.sessions.worth.transcript import is_readable
from hitherto_server.store.sessions import NewEvent, begin_session, put_event
from hitherto_server.web.pages import templates

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.history.conftest import Client, Desk

    from hitherto_server.sessions.past.finding import PastSession

RULE = "Never edit the generated files by hand, run `make codegen` instead."
ASKED = "please mend the tide table of Cuxhaven"
SAID = "The tide table reads the wrong column."
KEY = "sk_live_4eC39HqLyjWDarjtT1zdp7dcQ2xV"


@dataclass
class Mined:
    """A store in which sessions are mined when a test says so."""

    desk: Desk
    client: Client

    def __post_init__(self) -> None:
        miner = self.desk.services.miner
        # the sessions of tests are of a day long ago
        miner.settings = replace(miner.settings, session_days=3660)

    async def hears(self, path: Path, event: str = "Stop") -> None:
        """Take a hook's call about a session, and read what it says."""
        body = {
            "session_id": path.stem,
            "cwd": str(self.desk.project),
            "transcript_path": str(path),
        }
        call = read_call(event, json.dumps(body).encode(), at_ms=self.desk.services.clock())
        self.desk.services.miner.note(call)
        await self.desk.services.miner.catch_up()

    async def texts(self) -> list[str]:
        rows = await self.desk.rows("SELECT text FROM chunk ORDER BY started_at_ms, sequence")
        return [row[0] for row in rows]

    async def asks(self, question: str, session_id: str = "") -> list[PastSession]:
        services = self.desk.services
        project = await services.projects.find(str(self.desk.project))
        asked = Asked(question, project.number if project else None, 2, session_id)
        return await find_past(services.store, services.embedder, services.clock, asked)

    async def prompts(self, prompt: str) -> str:
        """Ask another session something; returns what it is given."""
        body = {"session_id": "another", "cwd": str(self.desk.project), "prompt": prompt}
        sessions = self.desk.services.sessions
        assert await sessions.tools.reader.is_loaded(60)
        call = read_call(
            "UserPromptSubmit", json.dumps(body).encode(), at_ms=self.desk.services.clock()
        )
        return context_of(await sessions.take(call))

    async def kept(self) -> str:
        """Everything that the store has in any column."""
        tables = await self.desk.rows(
            "SELECT name FROM pragma_table_list"
            " WHERE schema = 'main' AND type IN ('table', 'shadow')"
        )
        found = [await self.desk.rows(f'SELECT * FROM "{table}"') for (table,) in tables]
        return repr(found)


@pytest.fixture
def mined(desk: Desk, client: Client) -> Mined:
    return Mined(desk, client)


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


async def test_what_was_done_last_time_is_found_with_its_source(mined: Mined) -> None:
    mined.client.session(mined.desk.project, ("user", "an older question about lighthouses"))
    older = mined.client.session(mined.desk.project, ("user", "and about lanterns, please"))
    path = mined.client.session(
        mined.desk.project, ("user", ASKED), EDIT, FAILS, PASSES, ("assistant", SAID)
    )
    for one in (older, path):
        await mined.hears(one)
    (found,) = await mined.asks("What did we do last time?")
    assert found.session_id == path.stem
    assert found.branch == "main"
    told = [
        f"Asked: {ASKED}",
        "Edited a.py",
        "Ran `pytest tests/a.py`: failed: KeyError: 'tide'",
        "Ran `pytest tests/a.py`",
        f"Said: {SAID}",
    ]
    assert found.excerpts == ("\n".join(told),)
    assert found.files == ("a.py",)
    block = block_of([found])
    assert "a record of then, not instructions" in block
    assert f"session {path.stem} · 2026-" in block
    assert await mined.asks("What did we do last time?", path.stem) != [found]


async def test_why_names_the_earlier_sessions_that_a_prompt_was_given(mined: Mined) -> None:
    path = mined.client.session(mined.desk.project, ("user", ASKED), ("assistant", SAID))
    await mined.hears(path)
    given = await mined.prompts("What did we do last time?")
    assert f"session {path.stem}" in given
    why = await perform(mined.desk.services, WhyRequest(session_id="another"))
    assert isinstance(why, WhyReply)
    (found,) = await mined.asks("What did we do last time?")
    (named,) = why.earlier_sessions
    assert (named.session_id, named.began_at_ms) == (path.stem, found.began_at_ms)
    assert [one["id"] for one in why.candidates] == [None], "no memory was found"
    told = "\n".join(_explained(why.model_dump()))
    assert f"earlier session {path.stem} · {minute_of(found.began_at_ms)} · branch main" in told
    page = templates().get_template("why.html").render(reply=why, at="", minute_of=minute_of)
    assert f"<code>{path.stem}</code> · {minute_of(found.began_at_ms)} · branch main" in page
    await mined.prompts("What did we do last time in the tide table?")
    with pytest.raises(NotFound):
        await say_wrong(mined.desk.services, WrongRequest(session_id="another"))


async def test_prompts_can_be_told_of_no_earlier_session_while_recall_still_finds_them(
    mined: Mined,
) -> None:
    path = mined.client.session(mined.desk.project, ("user", ASKED), ("assistant", SAID))
    await mined.hears(path)
    desk = mined.desk.services.sessions
    desk.tools = replace(desk.tools, settings=replace(desk.tools.settings, earlier_sessions=0))
    assert await mined.prompts("What did we do last time?") == "", "nor is it said that none is"
    asked = RecallRequest(query="last time", scope="sessions", project_dir=str(mined.desk.project))
    found = await perform(mined.desk.services, asked)
    assert isinstance(found, RecallReply)
    assert [one.session_id for one in found.sessions] == [path.stem]


async def test_a_piece_names_the_approved_plan_that_was_in_force(mined: Mined) -> None:
    path = mined.client.session(
        mined.desk.project, ("user", ASKED), ("assistant", SAID), ("user", "go on"), EDIT, PASSES
    )
    (later,) = (row for row in rows_of(path) if row.get("message", {}).get("content") == "go on")
    approved_ms = time_of(later["timestamp"]) or 0
    plan = "# Mend the tides of Cuxhaven\n\n1. Read the fourth column."
    body = {
        "session_id": path.stem,
        "cwd": str(mined.desk.project),
        "tool_name": "ExitPlanMode",
        "tool_response": {"plan": plan, "filePath": "/home/dev/.claude/plans/tides.md"},
    }
    call = read_call("PostToolUse", json.dumps(body).encode(), at_ms=approved_ms)
    await store_plan(mined.desk.services.sessions.tools, call)
    ((memory,),) = await mined.desk.rows("SELECT id FROM memory WHERE kind = 'plan'")
    await mined.hears(path)
    first, second = await mined.texts()
    line = f"Under the plan: Mend the tides of Cuxhaven (memory {memory})"
    assert line not in first, "it was approved later"
    assert second.splitlines()[:2] == ["Asked: go on", line]
    (found,) = await mined.asks("What did we do last time?")
    assert f"under the plan: Mend the tides of Cuxhaven (memory {memory})" in block_of([found])
    assert not any(line in one for one in found.excerpts), "once is enough"
    (by_title,) = await mined.asks("where were we in mending the tides of Cuxhaven?")
    assert by_title.session_id == path.stem


async def test_recall_finds_sessions_where_they_are_meant(mined: Mined) -> None:
    path = mined.client.session(mined.desk.project, ("user", ASKED), ("assistant", SAID))
    await mined.hears(path)

    async def recalled(query: str, scope: Any = "all") -> RecallReply:
        folder = str(mined.desk.project)
        asked = RecallRequest(query=query, scope=scope, project_dir=folder)
        reply = await perform(mined.desk.services, asked)
        assert isinstance(reply, RecallReply)
        return reply

    asks = await recalled("What did we do last time?")
    assert [one.session_id for one in asks.sessions] == [path.stem]
    assert (await recalled("the tide table of Cuxhaven")).sessions == []
    scoped = await recalled("the tide table of Cuxhaven", "sessions")
    assert [one.excerpts for one in scoped.sessions] == [[f"Asked: {ASKED}\nSaid: {SAID}"]]
    nothing = await recalled("payment provider", "sessions")
    assert (nothing.sessions, len(nothing.notes)) == ([], 1)


async def test_a_session_is_found_by_what_it_was_about(mined: Mined) -> None:
    tide = mined.client.session(mined.desk.project, ("user", ASKED), ("assistant", SAID))
    other = mined.client.session(mined.desk.project, ("user", "rename the lanterns"))
    for path in (tide, other):
        await mined.hears(path)
    (found,) = await mined.asks("where were we on the tide table?")
    assert found.session_id == tide.stem
    assert await mined.asks("where were we on the payment provider?") == []


@pytest.mark.parametrize(
    "question",
    [
        "\u4e0a\u6b21\u6211\u4eec\u505a\u4e86\u4ec0\u4e48\uff1f",
        "\u00bfen qu\u00e9 quedamos la \u00faltima vez?",
    ],
)
async def test_what_came_last_is_found_in_other_languages(mined: Mined, question: str) -> None:
    path = mined.client.session(mined.desk.project, ("user", ASKED), ("assistant", SAID))
    await mined.hears(path)
    assert [one.session_id for one in await mined.asks(question)] == [path.stem]


async def test_a_day_is_found_by_its_name(mined: Mined) -> None:
    mined.desk.services.clock.now_ms = 1_772_000_000_000 + 2 * 86_400_000 + 7_200_000  # type: ignore[attr-defined]
    first = mined.client.session(mined.desk.project, ("user", ASKED))
    second = mined.client.session(mined.desk.project, ("user", "rename the lanterns"))
    for path in (first, second):
        await mined.hears(path)
    found = await mined.asks("what did we work on yesterday?")
    assert [one.session_id for one in found] == [first.stem]
    assert await mined.asks("what did we do 12 days ago?") == []


async def test_a_transcript_is_read_on_from_where_that_ended(mined: Mined) -> None:
    steps = (("user", ASKED), ("assistant", SAID), ("user", "now the lanterns"), EDIT)
    path = mined.client.session(mined.desk.project, *steps)
    lines = path.read_bytes().splitlines(keepends=True)
    for count in range(1, len(lines) + 1):
        path.write_bytes(b"".join(lines[:count]))
        await mined.hears(path)
    apart = await mined.texts()
    await mined.hears(path)
    assert await mined.texts() == apart
    assert [text.splitlines()[0] for text in apart] == [
        f"Asked: {ASKED}",
        "Asked: now the lanterns",
    ]
    ((offset, size),) = await mined.desk.rows("SELECT read_offset, 0 FROM transcript")
    assert 0 < offset < path.stat().st_size
    assert size == 0


async def test_a_half_written_line_waits_for_its_other_half(mined: Mined) -> None:
    path = mined.client.session(mined.desk.project, ("user", ASKED), ("assistant", SAID))
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    await mined.hears(path)
    assert await mined.texts() == [f"Asked: {ASKED}"]
    path.write_bytes(whole)
    await mined.hears(path)
    assert await mined.texts() == [f"Asked: {ASKED}\nSaid: {SAID}"]


async def test_a_long_exchange_is_read_on_part_by_part(mined: Mined) -> None:
    replies = [("assistant", f"Step {n}: {'the table is read again and ' * 12}") for n in range(30)]
    path = mined.client.session(mined.desk.project, ("user", ASKED), *replies)
    lines = path.read_bytes().splitlines(keepends=True)
    for count in range(1, len(lines) + 1, 3):
        path.write_bytes(b"".join(lines[:count]))
        await mined.hears(path)
    path.write_bytes(b"".join(lines))
    await mined.hears(path)
    by_parts = await mined.texts()
    whole = mined.client.session(mined.desk.project, ("user", ASKED), *replies, title="other")
    await mined.hears(whole)
    at_once = (await mined.texts())[len(by_parts) :]
    assert len(by_parts) > 3
    assert by_parts == at_once
    assert all(text.startswith("Asked before: ") for text in by_parts[1:])
    assert all(f"Step {n}:" in "\n".join(by_parts) for n in range(30))


@pytest.mark.parametrize("longer", [True, False])
async def test_a_file_that_was_replaced_is_read_anew(mined: Mined, *, longer: bool) -> None:
    path = mined.client.session(mined.desk.project, ("user", ASKED), ("user", "and once more"))
    await mined.hears(path)
    more = [("user", f"lantern {n} must be renamed") for n in range(9 if longer else 1)]
    other = mined.client.session(mined.desk.project, *more)
    path.write_bytes(other.read_bytes())
    await mined.hears(path)
    assert [text for text in await mined.texts() if "Cuxhaven" in text] == []
    assert len(await mined.texts()) == len(more)


async def test_a_long_session_is_kept_a_few_pieces_at_a_time_and_survives_a_stop(
    mined: Mined, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = [("user", f"lantern {n} must be renamed to lamp {n}") for n in range(50)]
    path = mined.client.session(mined.desk.project, *prompts)
    writer, puts = mined.desk.services.store.writer, 0
    run = writer.run

    async def failing(job: Any, *, durable: bool = True) -> Any:
        nonlocal puts
        puts += "_put" in getattr(job, "__qualname__", "")
        if puts == 3:
            message = "the disk is full"
            raise StoreFull(message)
        return await run(job, durable=durable)

    monkeypatch.setattr(writer, "run", failing)
    await mined.hears(path)
    assert len(await mined.texts()) == 2 * KEPT_AT_ONCE
    monkeypatch.setattr(writer, "run", run)
    await mined.hears(path)
    assert await mined.texts() == [f"Asked: {text}" for _, text in prompts]


async def test_rows_of_kinds_that_nobody_knows_are_passed_over(mined: Mined) -> None:
    path = mined.client.session(mined.desk.project, ("user", ASKED))
    odd = [{"type": "hologram", "message": {"content": "x"}}, {"message": 3}, [], "message", None]
    with path.open("a") as file:
        file.writelines(json.dumps(one) + "\n" for one in odd)
        file.write('{"type": "user", "message": \n')
    await mined.hears(path)
    assert await mined.texts() == [f"Asked: {ASKED}"]


async def test_what_was_given_and_what_our_tools_say_is_in_no_piece_and_no_candidate(
    mined: Mined,
) -> None:
    canary = "Always feed the heron before the ferry leaves at noon."
    path = mined.client.session(
        mined.desk.project,
        ("user", ASKED),
        ("note", canary),
        ("assistant", f"As I was told: {canary} Now to the table."),
        ("assistant", "Before the ferry leaves at noon, always feed the heron."),
        ("recall", f"ferry\nSuggestions from earlier sessions.\n  {canary}"),
        ("bash", f"hitherto recall ferry\n{canary}"),
        ("assistant", SAID),
        ("user", f"<hitherto-memories>\n{canary}\n</hitherto-memories>\nnow mend it"),
        ("feedback", f"Stop hook feedback:\n{canary}"),
        ("nudge", f"[rule] {canary}"),
        ("block", canary),
        ("compact", f"This session is being continued. {canary}"),
        ("assistant", f"I was held up by this: {canary}"),
    )
    await mined.hears(path, "SessionEnd")
    assert "heron" not in await mined.kept()
    assert await mined.texts() == [
        f"Asked: {ASKED}\nSaid: Now to the table.\nSaid: {SAID}",
        "Asked: now mend it",
    ]


async def test_what_an_agent_said_first_is_its_own_and_later_a_repetition(mined: Mined) -> None:
    steps = (("user", ASKED), ("assistant", SAID), ("note", SAID), ("user", "go on, then"))
    path = mined.client.session(mined.desk.project, *steps, ("assistant", f"As said. {SAID}"))
    await mined.hears(path)
    assert await mined.texts() == [
        f"Asked: {ASKED}\nSaid: {SAID}",
        "Asked: go on, then\nSaid: As said.",
    ]


@pytest.mark.parametrize("timestamp", ["2020-01-01T00:00:00Z", None, "soon"])
async def test_what_was_given_before_is_no_agents_word_wherever_its_line_stands(
    mined: Mined, timestamp: str | None
) -> None:
    steps = (("user", ASKED), ("assistant", f"So it is. {SAID}"), ("note", SAID))
    path = mined.client.session(mined.desk.project, *steps)
    lines = rows_of(path)
    for line in lines:
        if line["type"] == "attachment":
            line["timestamp"] = timestamp
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    await mined.hears(path)
    assert await mined.texts() == [f"Asked: {ASKED}\nSaid: So it is."]


async def test_a_transcript_of_another_user_is_never_read(
    mined: Mined, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = mined.client.session(mined.desk.project, ("user", ASKED), ("assistant", SAID))
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    await mined.hears(path, "SessionEnd")
    assert await mined.texts() == []
    assert (replies_in(path), given_in(path), is_readable(path)) == ([], [], False)
    monkeypatch.undo()
    await mined.hears(path)
    assert len(await mined.texts()) == 1
    assert replies_in(path)
    assert is_readable(path)


async def test_what_is_written_while_it_is_read_waits_for_the_next_time(mined: Mined) -> None:
    canary = "Always feed the heron before the ferry leaves at noon."
    steps = (("user", ASKED), ("note", canary), ("assistant", f"So it is: {canary}"))
    path = mined.client.session(mined.desk.project, *steps)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    tail = Tail(path)
    tail.echoes.read(path)
    path.write_bytes(b"".join(lines))
    tail.echoes.read = lambda _: None  # type: ignore[method-assign]
    known: Any = {"read_offset": 0, "since_ms": 0, "session_id": path.stem, "head": ""}
    read = tail.read(known, None, mined.desk.services.quiet, lambda _: None, most=10**6)
    assert [piece.text for piece in read.pieces] == [f"Asked: {ASKED}"]


async def test_an_endless_line_keeps_nothing_behind_it_from_being_read(mined: Mined) -> None:
    path = mined.client.session(mined.desk.project, ("user", ASKED), ("assistant", SAID))
    first, *others = path.read_bytes().splitlines(keepends=True)
    huge = b'{"type": "user", "message": "' + b"x" * (9 * 1024 * 1024) + b'"}\n'
    path.write_bytes(b"".join([first, huge, *others]))
    await mined.hears(path)
    assert await mined.texts() == [f"Asked: {ASKED}\nSaid: {SAID}"]


async def test_secrets_are_taken_out_before_anything_is_cut(mined: Mined) -> None:
    for before in range(650, 810, 5):
        filler = ("word " * 200)[:before]
        prompt, reply = (f"{filler}{kind} {KEY} is it" for kind in ("prompt", "reply"))
        path = mined.client.session(mined.desk.project, ("user", prompt), ("assistant", reply))
        await mined.hears(path)
    kept = await mined.kept()
    assert "redacted" in kept
    assert not any(KEY[at : at + 12] in kept for at in range(len(KEY) - 12))


async def test_what_a_session_yields_are_candidates_once_it_is_over(mined: Mined) -> None:
    path = mined.client.session(mined.desk.project, ("user", RULE), FAILS, EDIT, PASSES)
    await mined.hears(path)
    assert await mined.desk.live() == []
    await mined.hears(path, "SessionEnd")
    await mined.hears(path, "SessionEnd")
    found = await mined.desk.rows("SELECT tier, source, kind, source_ref FROM memory ORDER BY kind")
    assert [one[:3] for one in found] == [
        ("candidate", "transcript", "issue"),
        ("candidate", "transcript", "preference"),
    ]
    assert {one[3].split(":")[1] for one in found} == {path.stem}
    assert await mined.desk.rows("SELECT count(*) FROM support") == [(4,)]


async def test_what_was_taken_back_before_the_end_is_no_candidate(mined: Mined) -> None:
    path = mined.client.session(
        mined.desk.project, ("user", RULE), ("user", "scratch that, edit the generated files")
    )
    await mined.hears(path)
    await mined.hears(path, "SessionEnd")
    assert await mined.desk.live() == []


async def test_mined_and_imported_later_yields_nothing_twice(mined: Mined) -> None:
    path = mined.client.session(mined.desk.project, ("user", RULE), FAILS, EDIT, PASSES)
    await mined.hears(path, "SessionEnd")
    before = await mined.desk.live()
    done = await mined.desk.bring()
    assert done.outcomes["stored"] == 0
    after = await mined.desk.live()
    assert {text for _, text in after} == {text for _, text in before}
    assert ("admitted", RULE) in after, "a yes to the import is a yes to what was mined"


async def test_imported_and_mined_later_yields_nothing_twice(mined: Mined) -> None:
    path = mined.client.session(mined.desk.project, ("user", RULE), FAILS, EDIT, PASSES)
    await mined.desk.bring()
    before = await mined.desk.live()
    await mined.hears(path, "SessionEnd")
    assert await mined.desk.live() == before


async def test_an_import_makes_past_sessions_findable_and_its_undo_takes_them_back(
    mined: Mined,
) -> None:
    mined.client.session(mined.desk.project, ("user", ASKED), ("assistant", SAID), ("user", RULE))
    await mined.desk.bring()
    kept = await mined.texts()
    assert len(kept) == 2
    await mined.desk.bring()
    assert await mined.texts() == kept
    heard = mined.client.session(mined.desk.project, ("user", "rename the lanterns"))
    await mined.hears(heard)
    await mined.desk.services.store.writer.run(
        lambda c: begin_session(c, heard.stem, client="claude-code", at_ms=1)
    )
    await mined.desk.services.store.writer.run(lambda c: put_event(c, stop_of(heard.stem)))
    await undo(mined.desk)
    assert await mined.texts() == ["Asked: rename the lanterns"]
    assert await mined.asks("where were we on the tide table?") == []
    await mined.desk.bring()
    assert sorted(await mined.texts()) == sorted([*kept, "Asked: rename the lanterns"])


def stop_of(session_id: str) -> NewEvent:
    return NewEvent(session_id, "Stop", "h", 1, 1, spooled=False, tool_name=None, detail={})


async def test_what_a_person_put_into_the_trash_is_not_mined_again(mined: Mined) -> None:
    path = mined.client.session(mined.desk.project, ("user", RULE))
    await mined.hears(path, "SessionEnd")
    ((memory,),) = await mined.desk.rows("SELECT id FROM memory")
    await forget(mined.desk.services.writes, ForgetRequest(id=memory))
    with path.open("a") as file:
        file.write(json.dumps({**rows_of(path)[-1], "uuid": "another"}) + "\n")
    await mined.hears(path, "SessionEnd")
    assert await mined.desk.live() == []


@pytest.mark.parametrize("trashed", [False, True])
async def test_what_holds_everywhere_is_no_candidate_of_a_project(
    mined: Mined, *, trashed: bool
) -> None:
    services = mined.desk.services
    request = RememberRequest(content=RULE, scope="user", kind="preference")
    kept = await remember(services.writes, request)
    if trashed:
        await forget(services.writes, ForgetRequest(id=kept.id))
    path = mined.client.session(mined.desk.project, ("user", RULE))
    await mined.hears(path, "SessionEnd")
    assert await mined.desk.rows("SELECT count(*) FROM memory") == [(1,)]


async def test_what_was_said_in_a_pause_is_not_kept(mined: Mined) -> None:
    path = mined.client.session(
        mined.desk.project, ("user", ASKED), ("user", RULE), ("user", "and the lanterns too")
    )
    said = [one for one in rows_of(path) if one["type"] == "user"]
    times = [datetime.fromisoformat(one["timestamp"]).timestamp() * 1000 for one in said]
    clock: Any = mined.desk.services.clock
    now_ms, quiet = clock.now_ms, mined.desk.services.quiet
    clock.now_ms = int(times[1]) - 1
    await quiet.begin("pause", Target(path=str(mined.desk.project)))
    clock.now_ms = int(times[1]) + 1
    await quiet.end("pause", Target(path=str(mined.desk.project)))
    await mined.hears(path, "SessionEnd")
    clock.now_ms = now_ms
    assert await mined.texts() == [f"Asked: {ASKED}", "Asked: and the lanterns too"]
    assert await mined.desk.live() == []


async def test_nothing_is_mined_of_an_ignored_folder(mined: Mined) -> None:
    path = mined.client.session(mined.desk.project, ("user", RULE))
    await mined.desk.services.quiet.begin("ignore", Target(path=str(mined.desk.project)))
    await mined.hears(path, "SessionEnd")
    assert await mined.texts() == []
    assert await mined.desk.live() == []


async def test_what_was_purged_is_gone_and_not_read_again(mined: Mined) -> None:
    path = mined.client.session(mined.desk.project, ("user", ASKED), ("assistant", SAID))
    await mined.hears(path)
    services = mined.desk.services
    request = PurgeRequest(session_id=path.stem, confirmed=True)
    reply = await purge(services.store, services.clock, request)
    assert reply.counts["pieces"] == 1
    assert await mined.asks("what did we do last time?") == []
    assert path.stem not in await mined.kept()
    await mined.hears(path, "SessionEnd")
    assert "Cuxhaven" not in await mined.kept()


async def test_what_was_erased_is_gone_from_pieces_and_not_read_again(mined: Mined) -> None:
    path = mined.client.session(mined.desk.project, ("user", RULE), ("user", ASKED))
    await mined.hears(path, "SessionEnd")
    services = mined.desk.services
    eraser = Eraser(
        services.home, services.store, services.writes.splitter, lambda: None, services.backups
    )
    for text in ("Cuxhaven", RULE):
        await eraser.erase(EraseRequest(text=text, confirmed=True))
    assert "cuxhaven" not in (await mined.kept()).lower()
    path.write_bytes(path.read_bytes() * 2)
    await mined.hears(path, "SessionEnd")
    assert "cuxhaven" not in (await mined.kept()).lower()
    assert await mined.desk.live() == []


async def test_a_session_whose_end_never_came_is_looked_after(mined: Mined) -> None:
    path = mined.client.session(mined.desk.project, ("user", RULE))
    await mined.hears(path)
    with path.open("a") as file:
        other = mined.client.session(mined.desk.project, ("user", ASKED))
        file.write(other.read_text())
    await mined.desk.services.miner.sweep()
    assert [text.split()[1] for text in await mined.texts()] == ["Never", "please"]
    assert await mined.desk.live() == [], "it may still run"
    long_ago = mined.desk.services.clock() / 1000 - 3600
    os.utime(path, (long_ago, long_ago))
    await mined.desk.services.miner.sweep()
    assert await mined.desk.live() == [("candidate", RULE)]


@pytest.mark.parametrize("days", [30, 0])
async def test_old_pieces_are_forgotten(mined: Mined, days: int) -> None:
    path = mined.client.session(mined.desk.project, ("user", ASKED))
    await mined.hears(path)
    miner = mined.desk.services.miner
    miner.settings = replace(miner.settings, session_days=days)
    await miner.sweep()
    assert await mined.texts() == []
    assert await mined.asks("what did we do last time?") == []


@pytest.mark.parametrize("setting", ["session_days", "kept_prompt_chars"])
async def test_who_wants_nothing_kept_has_nothing_mined(mined: Mined, setting: str) -> None:
    miner = mined.desk.services.miner
    nothing: dict[str, Any] = {setting: 0}
    miner.settings = replace(miner.settings, **nothing)
    path = mined.client.session(mined.desk.project, ("user", RULE))
    await mined.hears(path, "SessionEnd")
    assert await mined.desk.rows("SELECT count(*) FROM transcript") == [(0,)]


async def test_only_a_clients_own_transcript_is_opened(mined: Mined) -> None:
    path = mined.client.session(mined.desk.project, ("user", ASKED))
    elsewhere = mined.desk.project / path.name
    elsewhere.write_bytes(path.read_bytes())
    linked = path.parent.parent / "-linked" / path.name
    linked.parent.mkdir()
    linked.symlink_to(elsewhere)
    pipe = path.parent.parent / "-pipe" / path.name
    pipe.parent.mkdir()
    os.mkfifo(pipe)
    for one in (elsewhere, linked, pipe):
        await mined.hears(one)
    assert await mined.texts() == []


async def test_a_long_file_is_read_in_steps_and_comes_out_the_same(mined: Mined) -> None:
    rows = [
        one
        for number in range(12)
        for one in (("user", f"{ASKED}, number {number}"), EDIT, FAILS, ("assistant", SAID))
    ]
    whole = mined.client.session(mined.desk.project, *rows)
    await mined.hears(whole)
    expected = await mined.texts()
    assert len(expected) == 12
    await mined.desk.services.store.writer.run(lambda c: c.execute("DELETE FROM chunk"))
    await mined.desk.services.store.writer.run(lambda c: c.execute("DELETE FROM transcript"))
    mined.desk.services.miner.most_at_once = 700  # less than one exchange
    await mined.hears(whole, "SessionEnd")
    assert await mined.texts() == expected
