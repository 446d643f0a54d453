"""When git is asked for a folder's project, what serves until it answers, and what makes none."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.server_process import is_alive
from tests.wiring import git, repository, rows

from hitherto_server.core.errors import GitSlow, InvalidInput
from hitherto_server.core.git import Head, find_head, find_root_commit, find_work_tree
from hitherto_server.store.projects import Projects

if TYPE_CHECKING:
    from pathlib import Path

    from tests.wiring import TestClock

    from hitherto_server.store.database import Store

REMOTE = "git@example.com:owner/name.git"
WRAPPER = """#!/bin/sh
echo "$$ $*" >> "{asked}"
for held in $(cat "{held}"); do
    case "$*" in *$held*) while [ -s "{held}" ]; do sleep 0.01; done ;; esac
done
exec "{git}" "$@"
"""


@dataclass(frozen=True)
class SlowGit:
    """The real git behind a script that notes what is asked, and holds some of it up."""

    folder: Path

    @property
    def asked(self) -> str:
        return (self.folder / "asked").read_text()

    def hold(self, *words: str) -> None:
        (self.folder / "held").write_text(" ".join(words))

    def let_go(self) -> None:
        self.hold()


@pytest.fixture
def slow_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SlowGit:
    folder = tmp_path / "bin"
    folder.mkdir()
    script = WRAPPER.format(
        asked=folder / "asked", held=folder / "held", git=shutil.which("git") or "git"
    )
    (folder / "git").write_text(script)
    (folder / "git").chmod(0o755)
    (folder / "asked").touch()
    (folder / "held").touch()
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    return SlowGit(folder)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give git one and a half seconds, which a real one keeps on a busy machine too."""
    monkeypatch.setattr("hitherto_server.core.git.TIMEOUT_S", 1.5)
    monkeypatch.setattr("hitherto_server.core.git.WALK_TIMEOUT_S", 1.5)


@pytest.fixture
def projects(store: Store, clock: TestClock) -> Projects:
    return Projects(store, clock)


def expire(projects: Projects) -> None:
    """Let the time pass after which a folder is looked up again."""
    projects.known = {folder: (-1e9, project) for folder, (_, project) in projects.known.items()}


async def until_looked_up(projects: Projects) -> None:
    async with asyncio.timeout(10):
        while projects._looks or projects._seeing:
            pending = [*projects._looks.values(), *projects._seeing]
            await asyncio.gather(*pending, return_exceptions=True)


def identities_in(store: Store) -> list[str]:
    return [row[0] for row in rows(store.path, "SELECT identity FROM project ORDER BY id")]


async def test_a_history_is_walked_once_and_not_again_after_a_restart(
    store: Store, clock: TestClock, projects: Projects, tmp_path: Path, slow_git: SlowGit
) -> None:
    folder = str(repository(tmp_path / "project"))
    first = await projects.get(folder)
    for known in (projects, Projects(store, clock)):
        expire(known)
        assert (await known.get(folder)).number == first.number
        await until_looked_up(known)
        assert (await known.get(folder, within_s=0)).number == first.number
    assert slow_git.asked.count("rev-list") == 1


async def test_to_ask_twice_from_an_unknown_folder_walks_its_history_once(
    projects: Projects, tmp_path: Path, slow_git: SlowGit
) -> None:
    folder = str(repository(tmp_path / "project"))
    assert [await projects.find(folder), await projects.find(folder)] == [None, None]
    assert slow_git.asked.count("rev-list") == 1


async def test_many_callers_wait_for_one_look_at_a_new_folder(
    projects: Projects, tmp_path: Path, slow_git: SlowGit
) -> None:
    folder = str(repository(tmp_path / "project"))
    found = await asyncio.gather(*(projects.get(folder) for _ in range(8)))
    assert len({project.number for project in found}) == 1
    assert slow_git.asked.count("rev-list") == 1


async def test_a_project_with_a_remote_needs_no_walk(
    projects: Projects, tmp_path: Path, slow_git: SlowGit
) -> None:
    await projects.get(str(repository(tmp_path / "project", REMOTE)))
    assert "rev-list" not in slow_git.asked


async def test_a_caller_that_gives_up_takes_the_look_from_no_other(
    projects: Projects, tmp_path: Path, slow_git: SlowGit
) -> None:
    folder = str(repository(tmp_path / "project"))
    slow_git.hold("rev-list")
    callers = [asyncio.create_task(projects.get(folder)) for _ in range(2)]
    async with asyncio.timeout(10):
        while "rev-list" not in slow_git.asked:
            await asyncio.sleep(0.01)
    callers[0].cancel()
    slow_git.let_go()
    assert (await callers[1]).root == tmp_path / "project"


async def test_a_walk_ends_with_the_server_that_waits_for_it(
    tmp_path: Path, slow_git: SlowGit
) -> None:
    folder = repository(tmp_path / "project")
    slow_git.hold("rev-list")
    walking = asyncio.create_task(find_root_commit(folder))
    async with asyncio.timeout(10):
        while "rev-list" not in slow_git.asked:
            await asyncio.sleep(0.01)
    walking.cancel()
    await asyncio.gather(walking, return_exceptions=True)
    assert not is_alive(int(slow_git.asked.splitlines()[-1].split()[0]))


async def test_a_known_project_serves_while_git_is_asked_again(
    projects: Projects, tmp_path: Path, slow_git: SlowGit
) -> None:
    folder = repository(tmp_path / "project", REMOTE)
    first = await projects.get(str(folder))
    git(folder, "remote", "set-url", "origin", "git@example.com:owner/other.git")
    expire(projects)
    slow_git.hold("rev-parse")
    assert await projects.get(str(folder)) == first
    assert await projects.find(str(folder)) == first
    slow_git.let_go()
    await until_looked_up(projects)
    assert (await projects.get(str(folder))).identity == "remote:example.com/owner/other"


async def test_a_write_waits_for_what_git_says_now(projects: Projects, tmp_path: Path) -> None:
    folder = repository(tmp_path / "project", REMOTE)
    await projects.get(str(folder))
    git(folder, "remote", "set-url", "origin", "git@example.com:owner/other.git")
    found = await projects.get(str(folder), within_s=0)
    assert found.identity == "remote:example.com/owner/other"


@pytest.mark.parametrize("held", ["rev-parse", "config", "rev-list", "worktree", "is-shallow"])
@pytest.mark.usefixtures("impatient")
async def test_git_that_is_slow_makes_no_second_project(
    store: Store, clock: TestClock, tmp_path: Path, slow_git: SlowGit, held: str
) -> None:
    projects = Projects(store, clock)
    folder = str(repository(tmp_path / "project"))
    slow_git.hold(held)
    with pytest.raises(GitSlow):
        await projects.get(folder)
    assert identities_in(store) == []
    slow_git.let_go()
    first = await projects.get(folder)
    slow_git.hold("rev-parse", "config", "rev-list", "worktree", "cat-file")
    expire(projects)
    assert await projects.get(folder) == first
    await until_looked_up(projects)
    assert await projects.get(folder, within_s=0) == first, "it is known: it serves"
    with pytest.raises(GitSlow):
        await Projects(store, clock).get(folder)
    slow_git.let_go()
    assert identities_in(store) == [first.identity]


@pytest.mark.usefixtures("impatient")
def test_a_repository_whose_git_is_slow_is_not_taken_for_a_plain_folder(
    tmp_path: Path, slow_git: SlowGit
) -> None:
    folder = repository(tmp_path / "project")
    slow_git.hold("rev-parse")
    with pytest.raises(GitSlow):
        find_work_tree(folder)
    assert find_head(folder) == Head(None, None), "what a memory can do without"


async def test_to_ask_makes_no_project(store: Store, projects: Projects, tmp_path: Path) -> None:
    repository(tmp_path / "plain")
    repository(tmp_path / "cloned", REMOTE)
    for folder in ("/nonexistent", str(tmp_path), *map(str, tmp_path.iterdir())):
        assert await projects.find(folder) is None
    assert identities_in(store) == []
    assert rows(store.path, "SELECT count(*) FROM category") == [(0,)]


@pytest.mark.parametrize("remote", [REMOTE, None])
async def test_to_ask_finds_what_a_session_made(
    store: Store, clock: TestClock, tmp_path: Path, remote: str | None
) -> None:
    folder = str(repository(tmp_path / "project", remote))
    made = await Projects(store, clock).get(folder)
    assert await Projects(store, clock).find(folder) == made


async def test_to_ask_finds_a_project_by_the_name_that_it_had(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    folder = repository(tmp_path / "project")
    made = await Projects(store, clock).get(str(folder))
    git(folder, "remote", "add", "origin", REMOTE)
    found = await Projects(store, clock).find(str(folder))
    assert found is not None
    assert found.number == made.number


async def test_to_ask_from_a_folder_without_a_whole_name_is_refused(projects: Projects) -> None:
    with pytest.raises(InvalidInput):
        await projects.find("relative")


async def test_a_repository_that_takes_the_folder_of_another_is_another_project(
    projects: Projects, tmp_path: Path
) -> None:
    folder = repository(tmp_path / "project")
    first = await projects.get(str(folder))
    shutil.rmtree(folder)
    repository(folder, commit=False)
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "Something else")
    assert (await projects.get(str(folder), within_s=0)).number != first.number


async def test_a_first_commit_that_is_amended_keeps_the_memories(
    projects: Projects, tmp_path: Path
) -> None:
    folder = repository(tmp_path / "project")
    first = await projects.get(str(folder))
    git(folder, "commit", "--quiet", "--amend", "--allow-empty", "-m", "Start better")
    assert (await projects.get(str(folder), within_s=0)).number == first.number


async def test_a_session_that_outlives_its_work_tree_keeps_its_project(
    store: Store, projects: Projects, tmp_path: Path
) -> None:
    folder = repository(tmp_path / "project", REMOTE)
    first = await projects.get(str(folder))
    shutil.rmtree(folder)
    expire(projects)
    for _ in range(2):
        assert await projects.get(str(folder)) == first
        await until_looked_up(projects)
    assert identities_in(store) == [first.identity]


async def test_relative_remotes_of_two_folders_are_two_projects(
    projects: Projects, tmp_path: Path
) -> None:
    here, there = (repository(tmp_path / name / "work", "../shared.git") for name in "ab")
    beside = repository(tmp_path / "a" / "beside", "../shared.git")
    first = await projects.get(str(here))
    assert first.identity == f"remote:{tmp_path}/a/shared"
    assert (await projects.get(str(beside))).number == first.number
    assert (await projects.get(str(there))).number != first.number
    (here / "src").mkdir()
    assert (await projects.get(str(here / "src"))).number == first.number


async def test_a_first_remote_keeps_the_memories_though_a_worktree_was_seen_last(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    main = repository(tmp_path / "main")
    tree = tmp_path / "tree"
    git(main, "worktree", "add", "--quiet", "--detach", str(tree))
    numbers = [(await Projects(store, clock).get(str(folder))).number for folder in (main, tree)]
    git(main, "remote", "add", "origin", REMOTE)
    renamed = await Projects(store, clock).get(str(main))
    assert renamed.identity == "remote:example.com/owner/name"
    assert {renamed.number, *numbers} == {numbers[0]}


@pytest.mark.parametrize("remote", [REMOTE, None])
async def test_a_project_notes_where_and_when_it_was_seen_last(
    store: Store, clock: TestClock, projects: Projects, tmp_path: Path, remote: str | None
) -> None:
    main = repository(tmp_path / "main", remote)
    git(main, "worktree", "add", "--quiet", "--detach", str(tmp_path / "tree"))
    for folder in (main, tmp_path / "tree", main, main):
        clock.pass_ms(300_000)
        expire(projects)
        await projects.get(str(folder))
        await until_looked_up(projects)
        seen = rows(store.path, "SELECT seen_root, seen_at_ms FROM project")
        assert seen == [(str(folder), clock.now_ms)]
