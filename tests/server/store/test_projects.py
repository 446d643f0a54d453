"""Which project a folder belongs to: remotes, root commits, paths, and what never matches."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.wiring import git, repository

from hitherto_server.core.errors import InvalidInput
from hitherto_server.core.git import normalised_remote
from hitherto_server.store.categories import list_leaves
from hitherto_server.store.projects import Projects

if TYPE_CHECKING:
    from pathlib import Path

    from tests.wiring import TestClock

    from hitherto_server.store.database import Store

REMOTE = "git@example.com:owner/name.git"
SPELLINGS = [
    "git@example.com:owner/name.git",
    "git@example.com:owner/name",
    "example.com:owner/name.git",
    "ssh://git@example.com/owner/name.git",
    "ssh://git@example.com:2222/owner/name",
    "https://example.com/owner/name.git",
    "https://example.com/owner/name/",
    "https://someone:secret-token@EXAMPLE.com/owner/name.git",
    "https://secret-token@example.com:8443/owner/name",
    "http://example.com/owner/name",
    "git://example.com/owner/name.git",
    " https://example.com/owner/name.git\n",
]


@pytest.fixture
def projects(store: Store, clock: TestClock) -> Projects:
    return Projects(store, clock)


async def number(store: Store, clock: TestClock, folder: Path) -> int:
    """Ask as a server would that was started just now."""
    return (await Projects(store, clock).get(str(folder))).number


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_remote_is_one_however_it_is_spelled(spelling: str) -> None:
    assert normalised_remote(spelling) == "example.com/owner/name"


@pytest.mark.parametrize(
    ("remote", "other"),
    [
        ("https://example.com/owner/name", "https://example.com/other/name"),
        ("https://example.com/owner/name", "https://example.org/owner/name"),
        ("https://example.com/owner/name", "https://example.com/owner/name2"),
        ("https://example.com/group/sub/name", "https://example.com/group/name"),
        ("/srv/git/name.git", "/srv/other/name.git"),
        ("file:///srv/git/name.git", "https://srv/git/name.git"),
    ],
)
def test_remotes_that_differ_are_two(remote: str, other: str) -> None:
    assert normalised_remote(remote) != normalised_remote(other)


def test_a_local_remote_is_one_with_or_without_its_scheme() -> None:
    assert normalised_remote("file:///srv/git/name.git") == normalised_remote("/srv/git/name")


async def test_no_credential_of_a_remote_is_kept(projects: Projects, tmp_path: Path) -> None:
    repository(tmp_path / "a", "https://someone:secret-token@example.com/owner/name.git")
    project = await projects.get(str(tmp_path / "a"))
    assert project.identity == "remote:example.com/owner/name"
    assert project.name == "name"


async def test_two_clones_of_a_remote_share_a_project(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    repository(tmp_path / "a", REMOTE)
    repository(tmp_path / "b", "https://example.com/owner/name")
    assert await number(store, clock, tmp_path / "a") == await number(store, clock, tmp_path / "b")


async def test_a_worktree_shares_its_repositorys_project(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    for remote in (REMOTE, None):
        main = repository(tmp_path / f"main {remote is None}", remote)
        tree = tmp_path / f"tree {remote is None}"
        git(main, "worktree", "add", "--quiet", str(tree), "-b", "other")
        assert await number(store, clock, main) == await number(store, clock, tree)
        found = await Projects(store, clock).get(str(tree))
        assert found.root == tree, "but its files are its own"


async def test_a_worktree_without_a_commit_in_common_memory_shares_by_its_git_folder(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    main = repository(tmp_path / "main")
    first = await number(store, clock, main)
    tree = tmp_path / "tree"
    git(main, "worktree", "add", "--quiet", "--detach", str(tree))
    assert await number(store, clock, tree) == first


async def test_a_fork_with_another_remote_is_another_project(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    original = repository(tmp_path / "original", REMOTE)
    shutil.copytree(original, tmp_path / "fork")
    git(tmp_path / "fork", "remote", "set-url", "origin", "git@example.com:me/name.git")
    first = await number(store, clock, original)
    assert await number(store, clock, tmp_path / "fork") != first
    assert await number(store, clock, original) == first


async def test_a_fork_seen_before_its_original_does_not_give_its_memories_away(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    fork = repository(tmp_path / "fork", "git@example.com:me/name.git")
    first = await number(store, clock, fork)
    shutil.copytree(fork, tmp_path / "original")
    git(tmp_path / "original", "remote", "set-url", "origin", REMOTE)
    assert await number(store, clock, tmp_path / "original") != first


async def test_a_checkout_without_a_remote_may_move(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    repository(tmp_path / "here")
    first = await number(store, clock, tmp_path / "here")
    (tmp_path / "here").rename(tmp_path / "there")
    assert await number(store, clock, tmp_path / "there") == first


async def test_a_folder_keeps_its_memories_when_it_gets_git_then_a_commit_then_a_remote(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    folder = tmp_path / "young"
    folder.mkdir()
    first = await number(store, clock, folder)
    git(folder, "init", "--quiet")
    assert await number(store, clock, folder) == first
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "Start")
    assert await number(store, clock, folder) == first
    git(folder, "remote", "add", "origin", REMOTE)
    assert await number(store, clock, folder) == first
    found = await Projects(store, clock).get(str(folder))
    assert found.identity == "remote:example.com/owner/name"


async def test_a_folder_within_a_repository_belongs_to_it(
    projects: Projects, tmp_path: Path
) -> None:
    main = repository(tmp_path / "main", REMOTE)
    (main / "src" / "deep").mkdir(parents=True)
    within = await projects.get(str(main / "src" / "deep"))
    assert within == await projects.get(str(main))
    assert within.root == main


async def test_a_name_that_occurs_within_another_path_never_matches(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    folders = [tmp_path / name for name in ("app", "app2", "my-app", "app/app", "x/app")]
    for folder in folders:
        folder.mkdir(parents=True)
    numbers = [await number(store, clock, folder) for folder in folders]
    assert len(set(numbers)) == len(folders)


async def test_a_folder_outside_git_is_a_project_of_its_own(
    projects: Projects, tmp_path: Path
) -> None:
    project = await projects.get(str(tmp_path))
    assert project.identity == f"path:{tmp_path}"
    assert project.root == tmp_path


async def test_a_folder_that_is_a_link_is_the_folder_that_it_leads_to(
    projects: Projects, tmp_path: Path
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    linked = await projects.get(str(tmp_path / "link"))
    assert linked == await projects.get(str(tmp_path / "real"))


async def test_a_new_project_is_seeded_with_categories(
    store: Store, projects: Projects, tmp_path: Path
) -> None:
    project = await projects.get(str(tmp_path))
    known = await store.readers.run(lambda c: list_leaves(c, project.number))
    assert {one.name for one in known} == {"architecture", "conventions", "operations", "pitfalls"}


async def test_eight_callers_of_a_new_folder_make_one_project(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    import asyncio

    repository(tmp_path / "new")
    found = await asyncio.gather(*(number(store, clock, tmp_path / "new") for _ in range(8)))
    assert len(set(found)) == 1


@pytest.mark.parametrize("folder", ["", "relative", "../up", "~/home", "/with\x00nul"])
async def test_a_folder_that_is_no_absolute_path_is_refused(
    projects: Projects, folder: str
) -> None:
    with pytest.raises(InvalidInput):
        await projects.get(folder)


async def test_a_circle_of_links_is_refused(projects: Projects, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(InvalidInput):
        await projects.get(str(tmp_path / "loop"))


async def test_folders_beyond_number_are_not_all_kept_in_mind(
    projects: Projects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hitherto_server.store.projects.MOST_KNOWN", 5)
    for name in range(12):
        (tmp_path / str(name)).mkdir()
        await projects.get(str(tmp_path / str(name)))
    assert len(projects.known) == 5
