"""`sync`: what is judged of memories beside their changed files, and what standing makes of it."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.system_one_stub import BROKEN, SystemOneStub, use_stub
from tests.wiring import TestClock, git, opened, repository, rows

from hitherto_contract import ReflectRequest, RememberRequest
from hitherto_server.api.operations import perform_named
from hitherto_server.core.errors import NotFound
from hitherto_server.gates.reflect import reflect
from hitherto_server.gates.remember import remember
from hitherto_server.judge.answers import Answers
from hitherto_server.judge.configuration import SurfaceChoice
from hitherto_server.judge.register import surfaces
from hitherto_server.judge.surfaces.stale_check import MOST_FILE_CHARS, MOST_PAIRS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from hitherto_server.services import Services

CODE = "def wait_for_lock(timeout=30):\n    return lock.take(timeout)\n"
CHANGED = CODE.replace("30", "90")
CHANGED_AGAIN = CODE.replace("30", "5")
FACT = "`wait_for_lock` in locks.py waits for the lock before it deploys."
CANARY = "canary-sentence-of-a-private-file"


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub({"still_describes": 0.9}) as serving:
        yield serving


@pytest.fixture
async def services(tmp_path: Path, stub: SystemOneStub) -> AsyncIterator[Services]:
    clock = TestClock()
    async with opened(tmp_path / "home", clock) as services:
        await services.sessions.close()
        await use_stub(services.judge, stub)
        await only(services, "stale-check")
        yield services


async def only(services: Services, *names: str) -> None:
    """Switch off every surface but those."""
    off = {name: SurfaceChoice(on=False) for name in surfaces() if name not in names}
    await services.judge.change(lambda config: replace(config, surfaces=off))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = repository(tmp_path / "project", commit=False)
    (folder / "locks.py").write_text(CODE)
    return folder


async def know(services: Services, project: Path, content: str = FACT, *files: str) -> str:
    request = RememberRequest(
        content=content, project_dir=str(project), files=list(files or ("locks.py",))
    )
    return (await remember(services.writes, request)).id


async def sync(services: Services, project: Path, **named: Any) -> dict[str, Any]:
    pass_time(services)
    return await perform_named(services, "sync", {"project_dir": str(project), **named})


def pass_time(services: Services) -> None:
    clock = services.clock
    assert isinstance(clock, TestClock)
    clock.pass_ms(1000)


async def standing(services: Services, project: Path, memory_id: str) -> str:
    asked = {"view": "get", "ids": [memory_id], "project_dir": str(project)}
    return str((await perform_named(services, "memories", asked))["memories"][0]["standing"])


def ids(pairs: list[dict[str, Any]]) -> list[str]:
    return [pair["id"] for pair in pairs]


async def test_a_memory_that_still_describes_its_changed_file_becomes_current(
    services: Services, project: Path, stub: SystemOneStub
) -> None:
    memory = await know(services, project)
    (project / "locks.py").write_text(CHANGED)
    assert await standing(services, project, memory) == "changed"
    reply = await sync(services, project)
    assert ids(reply["still_accurate"]) == [memory]
    assert reply["still_accurate"][0]["probability"] == 0.9
    assert await standing(services, project, memory) == "current"
    state = stub.asked[0].state
    assert state["memory"]["content"] == FACT
    assert state["file"] == {"path": "locks.py", "content": CHANGED, "truncated": False}


async def test_a_memory_that_does_not_becomes_stale(
    services: Services, project: Path, stub: SystemOneStub
) -> None:
    memory = await know(services, project)
    (project / "locks.py").write_text(CHANGED)
    stub.answers = {"still_describes": 0.2}
    assert ids((await sync(services, project))["stale"]) == [memory]
    assert await standing(services, project, memory) == "stale"


async def test_between_the_thresholds_nothing_is_decided(
    services: Services, project: Path, stub: SystemOneStub
) -> None:
    memory = await know(services, project)
    (project / "locks.py").write_text(CHANGED)
    stub.answers = {"still_describes": 0.5}
    reply = await sync(services, project)
    assert [(one["id"], one["reason"]) for one in reply["unjudged"]] == [(memory, "undecided")]
    assert await standing(services, project, memory) == "changed"


async def test_a_person_sets_from_where_on_a_judgment_decides(
    services: Services, project: Path, stub: SystemOneStub
) -> None:
    memory = await know(services, project)
    (project / "locks.py").write_text(CHANGED)
    stub.answers = {"still_describes": 0.5}
    lenient = {"stale-check": SurfaceChoice(thresholds={"holds_from": 0.5})}
    await services.judge.change(lambda config: replace(config, surfaces=lenient))
    assert ids((await sync(services, project))["still_accurate"]) == [memory]
    assert await standing(services, project, memory) == "current"


async def test_an_answer_that_is_not_calibrated_is_reported_and_decides_nothing(
    services: Services, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = services.judge.ask

    async def uncalibrated(*given: Any, **more: Any) -> Any:
        answers = await ask(*given, **more)
        assert isinstance(answers, Answers)
        return replace(answers, calibrated=False)

    monkeypatch.setattr(services.judge, "ask", uncalibrated)
    memory = await know(services, project)
    (project / "locks.py").write_text(CHANGED)
    reply = await sync(services, project)
    assert ids(reply["still_accurate"]) == [memory]
    assert "not calibrated" in reply["still_accurate"][0]["reason"]
    assert await standing(services, project, memory) == "changed"
    assert rows(services.home.database, "SELECT * FROM verdict") == []


async def test_of_two_changed_files_each_must_be_judged_to_hold(
    services: Services, project: Path, stub: SystemOneStub
) -> None:
    (project / "other.py").write_text("def give_back(lock):\n    lock.release()\n")
    content = "`wait_for_lock` in locks.py and `give_back` in other.py go together."
    memory = await know(services, project, content, "locks.py", "other.py")
    (project / "locks.py").write_text(CHANGED)
    (project / "other.py").write_text("def give_back(lock):\n    lock.free()\n")
    stub.answers = lambda state, *_: 0.9 if state["file"]["path"] == "locks.py" else 0.5
    await sync(services, project)
    assert await standing(services, project, memory) == "changed"
    stub.answers = {"still_describes": 0.9}
    (project / "other.py").write_text("def give_back(lock):\n    lock.free(now=True)\n")
    await sync(services, project)
    assert await standing(services, project, memory) == "current"


async def test_an_id_that_is_no_memory_of_the_project_is_named(
    services: Services, project: Path
) -> None:
    await know(services, project)
    unknown = "01a22e00-0000-7000-8000-000000000000"
    reply = await sync(services, project, ids=[unknown])
    assert reply["notes"] == [f"no memory of this project has the id {unknown}"]


async def test_a_verdict_counts_for_one_content_of_the_file_and_one_revision(
    services: Services, project: Path
) -> None:
    memory = await know(services, project)
    (project / "locks.py").write_text(CHANGED)
    await sync(services, project)
    (project / "locks.py").write_text(CHANGED_AGAIN)
    assert await standing(services, project, memory) == "changed"
    (project / "locks.py").write_text(CHANGED)
    assert await standing(services, project, memory) == "current"
    edit = ReflectRequest(action="edit", id=memory, importance=9, project_dir=str(project))
    await reflect(services.writes, edit)
    assert await standing(services, project, memory) == "changed"


async def test_who_confirms_a_memory_answers_a_verdict(
    services: Services, project: Path, stub: SystemOneStub
) -> None:
    memory = await know(services, project)
    (project / "locks.py").write_text(CHANGED)
    stub.answers = {"still_describes": 0.1}
    await sync(services, project)
    assert await standing(services, project, memory) == "stale"
    pass_time(services)
    confirm = ReflectRequest(action="confirm", id=memory, project_dir=str(project))
    await reflect(services.writes, confirm)
    assert await standing(services, project, memory) == "current"
    assert (await sync(services, project))["stale"] == []


async def test_a_verdict_from_before_a_confirmation_counts_no_more(
    services: Services, project: Path, stub: SystemOneStub
) -> None:
    memory = await know(services, project)
    (project / "locks.py").write_text(CHANGED)
    stub.answers = {"still_describes": 0.1}
    await sync(services, project)
    (project / "locks.py").write_text(CODE)
    pass_time(services)
    confirm = ReflectRequest(action="confirm", id=memory, project_dir=str(project))
    await reflect(services.writes, confirm)
    (project / "locks.py").write_text(CHANGED)
    assert await standing(services, project, memory) == "changed"


async def test_a_confirmation_answers_a_verdict_also_where_the_clock_was_set_back(
    services: Services, project: Path, stub: SystemOneStub
) -> None:
    memory = await know(services, project)
    (project / "locks.py").write_text(CHANGED)
    stub.answers = {"still_describes": 0.1}
    await sync(services, project)
    (project / "locks.py").write_text(CODE)
    assert isinstance(services.clock, TestClock)
    services.clock.now_ms -= 3_600_000
    confirm = ReflectRequest(action="confirm", id=memory, project_dir=str(project))
    await reflect(services.writes, confirm)
    (project / "locks.py").write_text(CHANGED)
    assert await standing(services, project, memory) == "changed"


async def test_a_confirmation_answers_also_what_is_being_judged(
    services: Services, project: Path, stub: SystemOneStub
) -> None:
    memory = await know(services, project)
    (project / "locks.py").write_text(CHANGED)
    stub.answers, stub.delay_s = {"still_describes": 0.1}, 1.0
    judging = asyncio.create_task(sync(services, project))
    async with asyncio.timeout(20):
        while not stub.requests:
            await asyncio.sleep(0.01)
    (project / "locks.py").write_text(CODE)
    pass_time(services)
    confirm = ReflectRequest(action="confirm", id=memory, project_dir=str(project))
    await reflect(services.writes, confirm)
    pass_time(services)
    await judging
    (project / "locks.py").write_text(CHANGED)
    assert await standing(services, project, memory) == "changed"


async def test_what_has_not_changed_is_not_judged_unless_it_was_named(
    services: Services, project: Path, stub: SystemOneStub
) -> None:
    memory = await know(services, project)
    assert (await sync(services, project))["looked_at"] == 1
    (project / "locks.py").write_text(CODE + "\n\ndef other():\n    return 1\n")
    assert await standing(services, project, memory) == "current"
    await sync(services, project)
    assert stub.asked == []
    assert ids((await sync(services, project, ids=[memory]))["still_accurate"]) == [memory]
    assert ids((await sync(services, project, files=["locks.py"]))["still_accurate"]) == [memory]
    assert (await sync(services, project, files=["elsewhere.py"]))["looked_at"] == 0


async def test_without_a_judge_the_changed_ones_are_listed_unjudged(
    services: Services, project: Path
) -> None:
    await services.judge.change(lambda config: replace(config, backend=None))
    memory = await know(services, project)
    (project / "locks.py").write_text(CHANGED)
    reply = await sync(services, project)
    assert [(one["id"], one["reason"]) for one in reply["unjudged"]] == [(memory, "no_backend")]
    assert await standing(services, project, memory) == "changed"


async def test_an_outage_leaves_everything_unjudged(
    services: Services, project: Path, stub: SystemOneStub
) -> None:
    for n in range(6):
        await know(services, project, f"`wait_for_lock` in locks.py matters for step {n}.")
    (project / "locks.py").write_text(CHANGED)
    stub.fault = BROKEN
    reply = await sync(services, project)
    assert len(reply["unjudged"]) == 6
    assert {one["reason"] for one in reply["unjudged"]} <= {"http", "breaker_open"}


async def test_at_most_twenty_pairs_are_judged_four_at_a_time_and_the_rest_is_counted(
    services: Services, project: Path, stub: SystemOneStub
) -> None:
    together, most, lock = [0], [0], threading.Lock()
    meeting = threading.Barrier(4)

    def answer(_state: Any, _key: str, _question: dict[str, Any]) -> Any:
        with lock:
            together[0] += 1
            most[0] = max(most[0], together[0])
        try:
            if len(stub.asked) <= MOST_PAIRS:  # four come together, or the test fails
                meeting.wait(20)
                time.sleep(0.1)  # time for a fifth to come, if nothing held it back
        finally:
            with lock:
                together[0] -= 1
        return 0.9

    stub.answers = answer
    for n in range(MOST_PAIRS + 3):
        await know(services, project, f"`wait_for_lock` in locks.py is about step {n} of deploys.")
    (project / "locks.py").write_text(CHANGED)
    reply = await sync(services, project)
    assert (len(reply["still_accurate"]), reply["beyond"]) == (MOST_PAIRS, 3)
    assert (len(stub.asked), most[0]) == (MOST_PAIRS, 4)
    assert len((await sync(services, project))["still_accurate"]) == 3


async def test_a_file_that_may_hold_secrets_or_is_ignored_is_never_read_nor_sent(
    services: Services, project: Path, stub: SystemOneStub, caplog: pytest.LogCaptureFixture
) -> None:
    (project / ".env").write_text(f"KEY={CANARY}\n")
    (project / "kept").mkdir()
    (project / "kept" / "notes.py").write_text(CODE)
    hidden = await know(services, project, "The `notes` are about deploys.", "kept/notes.py")
    secret = await know(services, project, "The key of the lock is set in .env.", ".env")
    (project / ".env").write_text(f"KEY={CANARY}2\n")
    (project / "kept" / "notes.py").write_text(f"# {CANARY}\n")
    await perform_ignore(services, project / "kept")
    reply = await sync(services, project, ids=[hidden, secret])
    assert set(ids(reply["unreadable"])) == {hidden, secret}
    assert stub.requests == []
    assert CANARY not in caplog.text


async def perform_ignore(services: Services, folder: Path) -> None:
    from hitherto_contract import IgnoreRequest
    from hitherto_server.api import control

    await control.ignore(IgnoreRequest(path=str(folder)), services)


async def test_no_text_of_a_file_is_in_the_log_of_judgments(
    services: Services, project: Path, stub: SystemOneStub, caplog: pytest.LogCaptureFixture
) -> None:
    await know(services, project)
    (project / "locks.py").write_text(f"{CHANGED}# {CANARY}\n")
    await sync(services, project)
    assert CANARY in stub.asked[0].raw.decode()
    await services.judge.flush()
    logged = rows(services.home.database, "SELECT * FROM judgment_log")
    assert len(logged) == 1
    assert CANARY not in repr(logged)
    assert FACT not in repr(logged)
    assert CANARY not in caplog.text


async def test_a_long_file_is_sent_by_its_beginning_and_the_lines_that_the_memory_names(
    services: Services, project: Path, stub: SystemOneStub
) -> None:
    await know(services, project)
    filler = "".join(f"value_{n} = {n}\n" for n in range(2000))
    (project / "locks.py").write_text(filler + CHANGED)
    await sync(services, project)
    file = stub.asked[0].state["file"]
    assert file["truncated"]
    assert len(file["content"]) <= MOST_FILE_CHARS
    assert file["content"].startswith("value_0 = 0")
    assert "def wait_for_lock(timeout=90):" in file["content"]


async def test_a_memory_that_was_edited_while_it_was_judged_keeps_no_verdict(
    services: Services, project: Path, stub: SystemOneStub
) -> None:

    memory = await know(services, project)
    (project / "locks.py").write_text(CHANGED)
    stub.delay_s = 1.0
    judging = asyncio.create_task(sync(services, project))
    async with asyncio.timeout(20):
        while not stub.requests:
            await asyncio.sleep(0.01)
    stub.delay_s = 0
    edit = ReflectRequest(action="edit", id=memory, importance=9, project_dir=str(project))
    await reflect(services.writes, edit)
    assert not judging.done()
    reply = await judging
    assert reply["unjudged"][0]["reason"] == "the memory was changed meanwhile"
    assert await standing(services, project, memory) == "changed"


async def test_a_folder_without_a_project_is_told_so(services: Services, tmp_path: Path) -> None:
    (tmp_path / "nowhere").mkdir()
    with pytest.raises(NotFound):
        await sync(services, tmp_path / "nowhere")


async def test_a_moved_file_is_judged_at_its_new_place(services: Services, project: Path) -> None:
    rest = "".join(f"value_{n} = {n}\n" for n in range(40))
    (project / "locks.py").write_text(CODE + rest)
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "Start")
    memory = await know(services, project)
    git(project, "mv", "locks.py", "locking.py")
    (project / "locking.py").write_text(CHANGED + rest)
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "Move")
    reply = await sync(services, project)
    assert [one["path"] for one in reply["still_accurate"]] == ["locking.py"]
    assert await standing(services, project, memory) == "current"
