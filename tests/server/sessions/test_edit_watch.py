"""After an edit the memories of that file are judged once, in the quiet, and told of once."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.system_one_stub import BROKEN, SystemOneStub, use_stub
from tests.wiring import rows

from hitherto_server.api.operations import perform_named
from hitherto_server.judge.configuration import SurfaceChoice
from hitherto_server.judge.register import surfaces
from hitherto_server.judge.surfaces.edit_stale import MOST_JUDGED, Touched, ranked
from hitherto_server.sessions.control.quiet import Target
from hitherto_server.sessions.edit_watch import EditWatch, edited_texts

from .conftest import context_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hitherto_server.services import Services

    from .conftest import Client

CODE = "def wait_for_lock(timeout=30):\n    return lock.take(timeout)\n"
FACT = "`wait_for_lock` in locks.py waits 30 seconds for the lock."
QUIET_S = 0.1


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub({"still_describes": 0.1}) as serving:
        yield serving


@pytest.fixture
async def watch(services: Services, stub: SystemOneStub) -> EditWatch:
    """Return the watch, of less patience than usual, with the stub as the judge."""
    await use_stub(services.judge, stub)
    off = {name: SurfaceChoice(on=False) for name in surfaces() if name != "edit-stale"}
    await services.judge.change(lambda config: replace(config, surfaces=off))
    watch = services.sessions.tools.edits
    watch.quiet_s = QUIET_S
    return watch


@pytest.fixture
async def known(client: Client, watch: EditWatch) -> str:
    (client.project / "locks.py").write_text(CODE)
    return await client.knows(FACT, files=["locks.py"])


async def edits(
    client: Client, before: str, after: str, name: str = "locks.py", **body: Any
) -> str:
    """Edit a file as the client's tool does, and return what the session hears."""
    path = client.project / name
    path.write_text(path.read_text().replace(before, after))
    given = {"file_path": str(path), "old_string": before, "new_string": after}
    said = {"tool_name": "Edit", "tool_input": given, **body}
    return context_of(await client.says("PostToolUse", **said))


async def runs(client: Client, **body: Any) -> str:
    """What the session hears after a command that changes nothing."""
    said = {"tool_name": "Bash", "tool_input": {"command": "true"}, **body}
    return context_of(await client.says("PostToolUse", **said))


async def settled(watch: EditWatch) -> None:
    """Wait until every burst was looked at."""
    async with asyncio.timeout(30):
        while watch._timers or watch._working:
            await asyncio.sleep(0.01)


async def standing(client: Client, memory_id: str) -> str:
    asked = {"view": "get", "ids": [memory_id], "project_dir": str(client.project)}
    reply = await perform_named(client.services, "memories", asked)
    return str(reply["memories"][0]["standing"])


@pytest.mark.parametrize("named", ["session", "folder"])
async def test_who_pauses_before_the_quiet_is_over_is_left_alone(
    client: Client, watch: EditWatch, stub: SystemOneStub, known: str, named: str
) -> None:
    watch.quiet_s = 1.0
    await edits(client, "30", "45")
    assert watch._timers
    session = next(iter(watch._timers)).session_id
    by_session, by_folder = Target(session_id=session), Target(path=str(client.project))
    target = by_session if named == "session" else by_folder
    await client.services.quiet.begin("pause", target)
    await settled(watch)
    assert stub.requests == []


def verdicts(client: Client) -> list[tuple[Any, ...]]:
    query = "SELECT surface, answer FROM verdict ORDER BY id"
    return rows(client.services.home.database, query)


async def test_a_memory_that_an_edit_made_untrue_is_stale_and_the_session_is_told_once(
    client: Client, watch: EditWatch, known: str
) -> None:
    assert await edits(client, "timeout=30", "timeout=90") == ""
    await settled(watch)
    assert verdicts(client) == [("edit-stale", "stale")]
    assert await standing(client, known) == "stale"
    said = await runs(client)
    assert f"{known} · stale (judged no longer true of its files (P = 0.10))" in said
    assert "About a file that this session edited" in said
    owed = "SELECT subject FROM obligation WHERE cleared_at_ms IS NULL"
    assert rows(client.services.home.database, owed) == []
    assert await runs(client) == ""
    assert await runs(client, session_id="another") == ""


async def test_the_next_prompt_brings_the_news_too(
    client: Client, watch: EditWatch, known: str
) -> None:
    await edits(client, "timeout=30", "timeout=90")
    await settled(watch)
    assert known in await client.prompts("Please write the release notes for Tuesday")


async def test_a_memory_that_was_given_before_is_told_of_as_given(
    client: Client, watch: EditWatch, known: str
) -> None:
    assert known in await client.prompts("How long does wait_for_lock in locks.py wait?")
    (client.project / "locks.py").write_text(CODE + "\nEXTRA = 1\n")
    await edits(client, "EXTRA = 1", "EXTRA = 2")
    await settled(watch)
    said = await runs(client)
    assert "Given earlier in this session" in said
    assert said.count(known) == 1


@pytest.mark.parametrize("judged", [(0.9, "current"), (0.5, "changed")])
async def test_a_memory_that_holds_is_current_and_what_is_undecided_stays_changed(
    client: Client, watch: EditWatch, known: str, stub: SystemOneStub, judged: tuple[float, str]
) -> None:
    likely, now = judged
    stub.answers = {"still_describes": likely}
    await edits(client, "timeout=30", "timeout=90")
    await settled(watch)
    assert await standing(client, known) == now
    assert await runs(client) == ""


async def test_a_burst_of_edits_is_judged_once_when_it_is_over(
    client: Client, watch: EditWatch, known: str, stub: SystemOneStub
) -> None:
    watch.quiet_s = 1.0
    asked_at: list[float] = []

    def answer(*_: Any) -> float:
        asked_at.append(time.monotonic())
        return 0.1

    stub.answers = answer
    for n in range(31, 36):
        await edits(client, f"timeout={n - 1}", f"timeout={n}")
        ended_at = time.monotonic()
        await asyncio.sleep(watch.quiet_s / 3)
    await settled(watch)
    assert len(stub.asked) == 1
    assert asked_at[0] - ended_at >= watch.quiet_s - 0.1
    assert "timeout=35" in stub.asked[0].state["file"]["content"]


async def test_the_same_content_and_revision_are_never_judged_twice(
    client: Client, watch: EditWatch, known: str, stub: SystemOneStub
) -> None:
    stub.answers = {"still_describes": 0.5}
    for before, after in (("30", "90"), ("90", "30"), ("30", "90")):
        await edits(client, f"timeout={before}", f"timeout={after}")
        await settled(watch)
    await client.services.judge.flush()
    # a second ask would be answered from the cache, and logged as well
    assert rows(client.services.home.database, "SELECT count(*) FROM judgment_log") == [(1,)]


async def test_at_most_three_are_judged_those_first_whose_names_the_edit_took_away(
    client: Client, watch: EditWatch, known: str, stub: SystemOneStub
) -> None:
    (client.project / "locks.py").write_text(CODE + "\nRETRY_LIMIT = 3\nLOCK_NAME = 'x'\n")
    for n in range(4):
        await client.knows(f"`lock.take` in locks.py has trait {n}.", files=["locks.py"])
    await client.knows("`RETRY_LIMIT` in locks.py bounds the tries.", files=["locks.py"])
    await edits(client, "RETRY_LIMIT = 3", "MOST_TRIES = 3")
    await settled(watch)
    judged = [one.state["memory"]["content"] for one in stub.asked]
    assert len(judged) == MOST_JUDGED
    assert judged[0].startswith("`RETRY_LIMIT`")


async def test_two_files_are_judged_at_a_time(
    client: Client, watch: EditWatch, known: str, stub: SystemOneStub
) -> None:
    together, most, lock = [0], [0], threading.Lock()
    meeting = threading.Barrier(2)

    def answer(*_: Any) -> float:
        with lock:
            together[0] += 1
            most[0] = max(most[0], together[0])
        meeting.wait(20)  # two come together, or the test fails
        time.sleep(0.1)  # time for a third to come, if nothing held it back
        with lock:
            together[0] -= 1
        return 0.9

    stub.answers = answer
    for name in ("a.py", "b.py", "c.py", "d.py"):
        (client.project / name).write_text(CODE)
        await client.knows(f"`wait_for_lock` in {name} waits 30 seconds.", files=[name])
    for name in ("a.py", "b.py", "c.py", "d.py"):
        await edits(client, "timeout=30", "timeout=90", name=name)
    await settled(watch)
    assert (len(stub.asked), most[0]) == (4, 2)


async def test_no_edit_waits_for_a_judge_that_takes_two_seconds_nor_does_a_writer(
    client: Client, watch: EditWatch, known: str, stub: SystemOneStub
) -> None:
    stub.delay_s = 2.0
    await edits(client, "timeout=30", "timeout=90")
    async with asyncio.timeout(20):
        while not stub.requests:
            await asyncio.sleep(0.01)
    began = time.monotonic()
    await client.knows("Something else was learned meanwhile.")
    await edits(client, "timeout=90", "timeout=91")
    assert time.monotonic() - began < 1.2
    assert watch._working
    await settled(watch)
    assert len(stub.asked) == 2


async def test_without_an_answer_the_parts_decide(
    client: Client, watch: EditWatch, known: str, stub: SystemOneStub
) -> None:
    stub.fault = BROKEN
    await edits(client, "timeout=30", "timeout=90")
    await settled(watch)
    assert verdicts(client) == []
    assert await standing(client, known) == "changed"


async def test_a_switched_off_surface_notes_nothing(
    client: Client, watch: EditWatch, known: str, stub: SystemOneStub
) -> None:
    off = {"edit-stale": SurfaceChoice(on=False)}
    await client.services.judge.change(lambda config: replace(config, surfaces=off))
    await edits(client, "timeout=30", "timeout=90")
    assert not watch._timers
    assert stub.requests == []


async def test_a_file_that_may_hold_secrets_is_not_sent(
    client: Client, watch: EditWatch, known: str, stub: SystemOneStub, tmp_path: Path
) -> None:
    (client.project / ".env").write_text("DEPLOY_MODE=fast\n")
    await client.knows("`DEPLOY_MODE` is fast.", files=[".env"])
    await edits(client, "fast", "slow", name=".env")
    await settled(watch)
    assert stub.requests == []


async def test_a_desk_that_closes_breaks_off_what_waits(
    client: Client, watch: EditWatch, known: str, stub: SystemOneStub
) -> None:
    watch.quiet_s = 60
    await edits(client, "timeout=30", "timeout=90")
    await watch.close()
    assert stub.requests == []


def test_the_texts_of_every_editing_tool_are_read() -> None:
    edit = {"old_string": "a", "new_string": "b"}
    assert list(edited_texts(edit)) == [("a", "b")]
    assert list(edited_texts({"edits": [edit, edit, 3]})) == [("a", "b"), ("a", "b")]
    assert list(edited_texts({"file_path": "x", "content": "c"})) == [("", "c")]
    assert list(edited_texts({"new_source": "n"})) == [("", "n")]
    assert list(edited_texts("nothing")) == list(edited_texts({"old_string": 3})) == []


def test_names_that_were_taken_away_count_most() -> None:
    touched = Touched.of("lock_name = RETRY_LIMIT", "lock_name = MOST_TRIES")
    memories = {1: ["other_name"], 2: ["lock_name"], 3: ["config.RETRY_LIMIT"]}
    assert ranked(memories, touched) == [3, 2, 1]
