"""The sweep: files are looked at before anybody asks, and what ends or breaks it."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import TestClock, git, opened, repository

from hitherto_contract import RememberRequest
from hitherto_server.core import background
from hitherto_server.core.errors import StoreBusy
from hitherto_server.gates.remember import remember
from hitherto_server.maintenance import sweep as sweep_module
from hitherto_server.recall import standings as standings_module
from hitherto_server.recall.hits import Question
from hitherto_server.standing import files as files_module
from hitherto_server.standing.reading import read_file
from hitherto_server.standing.stamp import stamp_of
from hitherto_server.store.notices import list_anchored

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from hitherto_server.services import Services
    from hitherto_server.standing.reading import FileState
    from hitherto_server.standing.stamp import Stamp
    from hitherto_server.store.projects import Project

CODE = "".join(f"def step_{n}(value):\n    return value * {n} + {n * n}\n\n\n" for n in range(50))


@pytest.fixture
async def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Services]:
    monkeypatch.setattr(sweep_module, "TOGETHER_S", 0.01)
    monkeypatch.setattr(background, "RETRY_S", 0.01)
    async with opened(tmp_path / "home", TestClock()) as services:
        yield services


@pytest.fixture
async def project(services: Services, tmp_path: Path) -> Project:
    folder = repository(tmp_path / "project", commit=False)
    for number in range(5):
        (folder / f"m{number}.py").write_text(CODE)
        content = f"`step_{number}` in m{number}.py squares."
        await remember(services.writes, RememberRequest(content=content, project_dir=str(folder)))
    return await services.projects.get(str(folder))


async def until(holds: Callable[[], Any], what: str) -> None:
    try:
        async with asyncio.timeout(20):
            while not holds():
                await asyncio.sleep(0.01)
    except TimeoutError:
        pytest.fail(f"waited in vain until {what}")


async def standings_of(services: Services, project: Project) -> list[tuple[str | None, str | None]]:
    question = Question(text="what squares?", project=project.number, root=project.root, limit=5)
    reply = await services.recaller.recall(question)
    return [(hit.standing, hit.standing_reason) for hit in reply.hits]


async def test_after_a_sweep_a_recall_reads_no_file(
    services: Services, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "SETTLED_NS", 0)
    for number in range(5):
        (project.root / f"m{number}.py").write_text(f"{CODE}last = {number}\n")
    services.sweep.notify(project)
    await until(lambda: services.sweep.count, "the sweep was there")
    read: list[str] = []

    def recording(root: Path, name: str) -> FileState:
        read.append(name)
        return read_file(root, name)

    monkeypatch.setattr(files_module, "read_file", recording)
    found = await standings_of(services, project)
    assert {standing for standing, _ in found} == {"current"}
    assert read == []


async def test_a_second_sweep_looks_only_at_what_changed_since(
    services: Services, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "SETTLED_NS", 0)
    services.sweep.notify(project)
    await until(lambda: services.sweep.count == 1, "the first sweep was there")
    looked: list[str] = []
    real = services.recaller.lookout.warm

    def recording(anchors: Any, root: Path, deadline: float) -> None:
        looked.extend(anchor.path for anchor in anchors)
        real(anchors, root, deadline)

    monkeypatch.setattr(services.recaller.lookout, "warm", recording)
    (project.root / "m3.py").write_text(f"{CODE}last = 3\n")
    services.sweep.notify(project)
    await until(lambda: services.sweep.count == 2, "the second sweep was there")
    assert looked == ["m3.py"]


async def test_what_comes_together_is_one_sweep(services: Services, project: Project) -> None:
    for _ in range(50):
        services.sweep.notify(project)
    await until(lambda: services.sweep.count, "the sweep was there")
    assert services.sweep.count == 1


async def test_what_a_recall_had_no_time_for_is_looked_at_afterwards(
    services: Services, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "SETTLED_NS", 0)
    for number in range(5):
        (project.root / f"m{number}.py").write_text(f"{CODE}last = {number}\n")
    monkeypatch.setattr(standings_module, "LOOKING_S", -1)
    found = await standings_of(services, project)
    assert {reason.split(";")[0] for _, reason in found if reason} == {"not checked in time"}
    await until(lambda: services.sweep.count, "the sweep was there")
    monkeypatch.setattr(standings_module, "LOOKING_S", 0.1)
    assert {standing for standing, _ in await standings_of(services, project)} == {"current"}


async def test_a_file_written_a_moment_ago_is_looked_at_once_more(
    services: Services, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_module, "SETTLED_S", 0.01)
    monkeypatch.setattr(files_module, "SETTLED_NS", 500_000_000)
    (project.root / "m1.py").write_text(f"{CODE}last = 1\n")
    services.sweep.notify(project)
    files = services.recaller.lookout.files
    await until(lambda: files._known(project.root, "m1.py"), "the file's status is known")


async def test_a_moved_head_is_noticed_without_any_event(
    services: Services, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_module, "WATCH_S", 0.02)
    services.sweep.notify(project)
    await until(lambda: services.sweep.count == 1, "the first sweep was there")
    git(project.root, "add", "--all")
    git(project.root, "commit", "--quiet", "--message", "a step")
    await until(lambda: services.sweep.count > 1, "the commit was noticed")


async def test_a_bug_does_not_end_the_sweeping(
    services: Services, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    met: list[object] = []

    def broken(*arguments: object) -> None:
        met.append(arguments)
        raise ZeroDivisionError

    with monkeypatch.context() as broken_there:
        broken_there.setattr(sweep_module, "stamp_of", broken)
        services.sweep.notify(project)
        await until(lambda: met, "the bug was met")
    services.sweep.notify(project)
    await until(lambda: services.sweep.count, "the next sweep was there")


async def test_what_a_busy_store_kept_from_being_looked_at_is_looked_at_later(
    services: Services, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = [StoreBusy("another process holds it")]

    def busy_once(*arguments: Any, **named: Any) -> list[int]:
        if refusals:
            raise refusals.pop()
        return list_anchored(*arguments, **named)

    monkeypatch.setattr(sweep_module, "list_anchored", busy_once)
    services.sweep.notify(project)
    await until(lambda: services.sweep.count, "the sweep was there")
    assert refusals == []


async def test_a_bug_in_one_folder_keeps_no_other_from_being_swept(
    services: Services, project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = await services.projects.get(str(repository(tmp_path / "other", commit=False)))

    def broken_there(root: Path) -> Stamp | None:
        if root == project.root:
            raise ZeroDivisionError
        return stamp_of(root)

    monkeypatch.setattr(sweep_module, "stamp_of", broken_there)
    services.sweep.notify(project)
    services.sweep.notify(other)
    await until(lambda: services.sweep.count, "the other folder was swept")


async def test_a_folder_that_is_gone_is_swept_in_silence(
    services: Services, project: Project
) -> None:
    project.root.rename(project.root.with_name("elsewhere"))
    services.sweep.notify(project)
    await until(lambda: services.sweep.count, "the sweep was there")


async def test_closing_does_not_wait_for_a_long_sweep(
    services: Services, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[float] = []

    def slow(*_: Any) -> None:
        looked.append(time.monotonic())
        time.sleep(0.05)

    monkeypatch.setattr(services.recaller.lookout, "warm", slow)
    services.sweep.notify(project)
    await until(lambda: looked, "the sweep is under way")
    began = time.monotonic()
    await services.sweep.close()
    assert time.monotonic() - began < 5
    assert len(looked) < 5


def test_a_stamp_shows_what_moves_a_working_tree(tmp_path: Path) -> None:
    folder = repository(tmp_path / "project")
    seen = [stamp_of(folder)]

    def moved() -> bool:
        seen.append(stamp_of(folder))
        return seen[-1] is not None and seen[-1] != seen[-2]

    assert not moved()
    (folder / "a.py").write_text("x = 1\n")
    git(folder, "add", "a.py")
    assert moved()
    git(folder, "commit", "--quiet", "--message", "a step")
    assert moved()
    git(folder, "checkout", "--quiet", "-b", "other")
    assert moved()
    git(folder, "worktree", "add", "--quiet", str(tmp_path / "tree"), "HEAD~1")
    assert stamp_of(tmp_path / "tree") not in {None, seen[-1]}
    assert stamp_of(tmp_path) is None
