"""While any surface waits for its answer, every reader and the writer serve others."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.server.maintenance.conftest import Bench, judging
from tests.system_one_stub import SystemOneStub
from tests.wiring import TestClock, repository

from hitherto_contract import RecallRequest, RememberRequest
from hitherto_server.api.cleaning import make_cleaner
from hitherto_server.api.operations import perform, perform_named
from hitherto_server.cleaning.cleaner import EVERYWHERE
from hitherto_server.cleaning.expendable import OLD_MS
from hitherto_server.cleaning.triage import A_REQUEST
from hitherto_server.core.clock import uuid7
from hitherto_server.gates import filing
from hitherto_server.gates.remember import remember
from hitherto_server.judge.answers import Unavailable
from hitherto_server.judge.client import Judge
from hitherto_server.judge.register import surfaces
from hitherto_server.maintenance import classifying, judged_work, queue, relating
from hitherto_server.recall.admission import Occasion
from hitherto_server.recall.hits import Question
from hitherto_server.sessions.call import read_call
from hitherto_server.sessions.loop.loops import loop_on_stop
from hitherto_server.store.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine
    from pathlib import Path

    from hitherto_server.store.driver import Connection

AT_ONCE = 2
WITHIN_S = 30.0
CODE = "def wait_for_lock(timeout=30):\n    return lock.take(timeout)\n"
FACT = "`wait_for_lock` in locks.py waits 30 seconds for the lock."
SEED = "".join(("q7Zk2Vx9", "Lm4Tb8Rc", "1Wn6Yd3H", "s5Pj0Gf7"))


@dataclass
class Slow:
    """A judge that answers nobody until it is told to."""

    released: asyncio.Event = field(default_factory=asyncio.Event)
    asked: Counter[str] = field(default_factory=Counter)

    async def ask(self, _judge: Judge, surface: Any, *given: Any) -> Unavailable:
        """Wait as long as a test wants."""
        asking = given[-1]
        self.asked.update((surface.name, *asking.riders))
        await self.released.wait()
        return Unavailable("timeout")


@dataclass
class World:
    """A server's parts, a project, and what asks the slow judge."""

    bench: Bench
    project: Path
    running: list[asyncio.Task[Any]] = field(default_factory=list)

    def begin(self, asking: Coroutine[Any, Any, Any]) -> None:
        self.running.append(asyncio.create_task(asking))

    async def know(self, content: str, **values: Any) -> str:
        request = RememberRequest(content=content, project_dir=str(self.project), **values)
        writes = self.bench.services.writes
        return (await remember(writes, request, waits=False)).id

    async def remember(self, content: str) -> None:
        request = RememberRequest(content=content, project_dir=str(self.project))
        await remember(self.bench.services.writes, request)

    async def recall(self, query: str, **values: Any) -> None:
        request = RecallRequest(query=query, project_dir=str(self.project), **values)
        await perform(self.bench.services, request)


async def _relate(world: World) -> None:
    for number in range(AT_ONCE):
        place = f"place {number}"
        await world.bench.write(f"The lock of queue {number} is held by a.", at=place)
        later = await world.bench.write(f"Queue {number} has another lock.", at=place, days=1)
        await world.bench.ask_for(later, relating.KIND)


async def _classify(world: World) -> None:
    for number in range(AT_ONCE):
        written = await world.bench.write(f"The lock of queue {number} is held by a.")
        await world.bench.ask_for(written, classifying.KIND)


async def _file(world: World) -> None:
    for number in range(AT_ONCE):
        written = await world.know(f"Deploy {number} runs at night.", category="pitfalls")
        await world.bench.ask_for(written, filing.KIND)


async def _ask_of_the_past(world: World) -> None:
    older = await world.know("The deploy script waits 30 seconds for the lock.")
    await world.know("The deploy script waits 90 seconds for the lock.", supersedes=[older])
    for number in range(AT_ONCE):
        world.begin(world.recall(f"How long does deploy script {number} wait for the lock?"))


async def _rank(world: World) -> None:
    await world.know("The deploy script waits 30 seconds for the lock.")
    await world.know("The deploy script fails while the lock is held.")
    for number in range(AT_ONCE):
        query = f"Why does deploy script {number} wait for the lock?"
        world.begin(world.recall(query, rerank=True))


async def _brief(world: World) -> None:
    await world.know("The deploy script fails while the deploy lock is held.")
    services = world.bench.services
    project = await services.projects.get(str(world.project))
    for number in range(AT_ONCE):
        at_ms = services.clock()
        occasion = Occasion(f"s{number}", "subagent", uuid7(at_ms), at_ms, 3, 600)
        occasion = replace(occasion, judge_until=time.monotonic() + WITHIN_S)
        text = "Why does the deploy script fail while the deploy lock is held?"
        question = Question(text, project.number, project.root)
        world.begin(services.recaller.consider(question, occasion))


async def _repeat(world: World) -> None:
    for number in range(AT_ONCE):
        await world.know(f"Run `make lint{number}` before every push.")
        world.begin(world.remember(f"Before every push, run `make lint{number}`."))


async def _doubt(world: World) -> None:
    for number in range(AT_ONCE):
        text = f"The nightly run {number} prints fingerprint_of_run: {SEED}{number} at its end."
        world.begin(world.remember(text))


async def _know_files(world: World) -> list[str]:
    names = [f"locks{number}.py" for number in range(AT_ONCE)]
    for name in names:
        (world.project / name).write_text(CODE)
        await world.know(FACT.replace("locks.py", name), files=[name])
        (world.project / name).write_text(CODE.replace("30", "45"))
    return names


async def _sync(world: World) -> None:
    for name in await _know_files(world):
        asked = {"project_dir": str(world.project), "files": [name]}
        world.begin(perform_named(world.bench.services, "sync", asked))


async def _edit(world: World) -> None:
    services = world.bench.services
    services.sessions.tools.edits.quiet_s = 0.01
    for name in await _know_files(world):
        edit = {"file_path": str(world.project / name), "old_string": "30", "new_string": "45"}
        body = {"session_id": name, "cwd": str(world.project), "tool_name": "Edit"}
        raw = json_of({**body, "tool_input": edit})
        call = read_call("PostToolUse", raw, at_ms=services.clock())
        await services.sessions.take(call)


async def _triage(world: World) -> None:
    for number in range(AT_ONCE * A_REQUEST):
        await world.know(f"Leftover {number} of a finished task.", importance=2)
    world.bench.clock.pass_ms(OLD_MS + 1)
    cleaner = make_cleaner(world.bench.services)
    run = await cleaner.begin_triage(EVERYWHERE, most=100, origin="ui")

    async def follow() -> None:
        async for _ in run.follow():
            pass

    world.begin(follow())


async def _end_iterations(world: World) -> None:
    services = world.bench.services
    for number in range(AT_ONCE):
        session = f"loop{number}"
        start = {"action": "start", "task": "Mend the tests.", "session_id": session}
        await perform_named(services, "loop", start)
        stop = json_of({"session_id": session, "last_assistant_message": "One test is left."})
        call = read_call("Stop", stop, at_ms=services.clock())
        world.begin(loop_on_stop(services.sessions.tools, call, Evidence()))


async def _prompt(world: World) -> None:
    services = world.bench.services
    for number in range(AT_ONCE):
        about = {"session_id": f"s{number}", "cwd": str(world.project)}
        edit = {"file_path": str(world.project / "locks.py"), "old_string": "1", "new_string": "2"}
        edited = {**about, "prompt_id": "p1", "tool_name": "Edit", "tool_input": edit}
        for event, more in (
            ("PostToolUse", {**edited, "tool_use_id": f"t{number}"}),
            (
                "UserPromptSubmit",
                {**about, "prompt_id": "p2", "prompt": "Why does the queue lock twice?"},
            ),
        ):
            call = read_call(event, json_of(more), at_ms=services.clock())
            world.begin(services.sessions.take(call))
            await asyncio.sleep(0)
            if event == "PostToolUse":
                await world.running[-1]


async def _end_turns(world: World) -> None:
    services = world.bench.services
    for number in range(AT_ONCE):
        body = {"session_id": f"t{number}", "cwd": str(world.project), "prompt_id": "p"}
        edit = {"file_path": "/x/a.py", "old_string": "30", "new_string": "45"}
        edited = json_of({**body, "tool_name": "Edit", "tool_input": edit, "tool_use_id": "e"})
        await services.sessions.take(read_call("PostToolUse", edited, at_ms=services.clock()))
        said = json_of({**body, "last_assistant_message": "It waits 45 seconds now."})
        world.begin(services.sessions.take(read_call("Stop", said, at_ms=services.clock())))


async def _compact(world: World) -> None:
    for number in range(AT_ONCE):
        body = {"session_id": f"compact{number}", "cwd": str(world.project)}
        desk = world.bench.services.sessions
        prompt = {"prompt": f"Build importer {number} for the parish registers.", **body}
        for event, raw in (("UserPromptSubmit", prompt), ("PreCompact", body)):
            at_ms = world.bench.services.clock()
            await desk.take(read_call(event, json_of(raw), at_ms=at_ms, spooled=event[0] == "U"))
            world.bench.clock.pass_ms(1)


async def _approve(world: World) -> None:
    await world.know("Thumbnails are 480 px wide.", kind="decision")
    services = world.bench.services
    for number in range(AT_ONCE):
        plan = f"Plan {number}. Thumbnails are made 320 px wide."
        body = {
            "session_id": f"plan{number}",
            "cwd": str(world.project),
            "tool_name": "ExitPlanMode",
            "tool_response": {"plan": plan},
        }
        call = read_call("PostToolUse", json_of(body), at_ms=services.clock())
        world.begin(services.sessions.take(call))


ASKS: dict[str, Callable[[World], Coroutine[Any, Any, None]]] = {
    "relations": _relate,
    "supersession": _relate,
    "importance-kind": _classify,
    "category-check": _file,
    "historical-query": _ask_of_the_past,
    "rerank": _rank,
    "brief-rank": _brief,
    "duplicate-gate": _repeat,
    "secret-gate": _doubt,
    "stale-check": _sync,
    "edit-stale": _edit,
    "trash-triage": _triage,
    "prompt-urgency": _prompt,
    "task-boundary": _prompt,
    "session-lookup": _prompt,
    "user-learning": _prompt,
    "loop-goal": _end_iterations,
    "compact-digest": _compact,
    "plan-conflict": _approve,
    "agent-message": _end_turns,
    "turn-worth": _end_turns,
    "claim-check": _end_turns,
}
"""By surface, how it comes to ask twice at once."""


def json_of(value: Any) -> bytes:
    import json

    return json.dumps(value).encode()


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    monkeypatch.setattr(queue, "BUSY_S", 0.02)
    monkeypatch.setattr(judged_work, "BEGINS_AFTER_S", 0.0)
    found = Slow()

    async def ask(judge: Judge, *given: Any) -> Unavailable:
        return await found.ask(judge, *given)

    monkeypatch.setattr(Judge, "ask", ask)
    return found


@pytest.fixture
async def world(tmp_path: Path, slow: Slow) -> AsyncIterator[World]:
    with SystemOneStub() as stub:
        async with judging(tmp_path / "home", stub, TestClock()) as bench:
            made = World(bench, repository(tmp_path / "project", commit=False))
            try:
                yield made
            finally:
                slow.released.set()
                await asyncio.gather(*made.running)


async def readers_all_serve(world: World) -> None:
    """Have all readers work at the same moment: one that is held keeps the others waiting."""
    count = world.bench.services.settings.readers
    together = threading.Barrier(count, timeout=WITHIN_S)

    def job(connection: Connection) -> None:
        connection.execute("SELECT 1")
        together.wait()

    readers = world.bench.services.store.readers
    await asyncio.gather(*(readers.run(job) for _ in range(count)))


def test_every_surface_is_asked_here() -> None:
    assert ASKS.keys() == surfaces().keys()


@pytest.mark.parametrize("name", ASKS)
async def test_while_a_surface_waits_for_its_answer_others_write_read_and_ask(
    name: str, world: World, slow: Slow
) -> None:
    begun = asyncio.create_task(ASKS[name](world))
    async with asyncio.timeout(WITHIN_S):
        # twice: no lock that the surface itself takes is held either
        while slow.asked[name] < AT_ONCE:
            if begun.done():
                await begun
            await asyncio.sleep(0.01)
        await begun
        await world.know("Something else was learned meanwhile.")
        await readers_all_serve(world)
        await perform_named(
            world.bench.services, "recall", {"query": "learned", "project_dir": str(world.project)}
        )
    assert not slow.released.is_set()
