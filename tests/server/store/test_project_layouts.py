"""Monorepos, repositories within repositories, bare ones, none, and folders with odd names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.wiring import git, repository

from hitherto_server.core import paths
from hitherto_server.store.projects import Projects

if TYPE_CHECKING:
    from pathlib import Path

    from tests.wiring import TestClock

    from hitherto_server.store.database import Store
    from hitherto_server.store.projects import Project

REMOTE = "git@example.com:owner/name.git"
NAMES = ["with space", 'it\'s "quoted" $HOME `x`', "дом 家 🏠", "-dash", "a\\b", "new\nline"]


async def found(store: Store, clock: TestClock, folder: Path | str) -> Project:
    """Ask as a server would that was started just now."""
    return await Projects(store, clock).get(str(folder))


async def test_the_packages_of_a_monorepo_are_one_project(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    for remote in (REMOTE, None):
        root = repository(tmp_path / f"mono {remote is None}", remote)
        packages = [root / "packages" / name / "src" for name in ("web", "api")]
        for package in packages:
            package.mkdir(parents=True)
            (package.parent / "package.json").write_text("{}")
        projects = [await found(store, clock, folder) for folder in (root, *packages)]
        assert len({project.number for project in projects}) == 1
        assert {project.root for project in projects} == {root}


async def test_a_repository_within_a_repository_is_its_own(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    outer = repository(tmp_path / "outer", REMOTE)
    inner = repository(outer / "vendor" / "inner")
    (inner / "src").mkdir()
    projects = [await found(store, clock, folder) for folder in (outer, inner, inner / "src")]
    assert projects[0].number != projects[1].number == projects[2].number
    assert projects[2].root == inner


async def test_a_submodule_is_its_own_and_the_same_as_its_clone(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    library = repository(tmp_path / "library")
    outer = repository(tmp_path / "outer", REMOTE)
    allowed = ("-c", "protocol.file.allow=always")
    git(outer, *allowed, "submodule", "--quiet", "add", str(library), "deps/library")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(library), str(clone))
    within = await found(store, clock, outer / "deps" / "library")
    assert within.number != (await found(store, clock, outer)).number
    assert within.number == (await found(store, clock, clone)).number
    assert within.root == outer / "deps" / "library"


async def test_a_bare_repository_is_the_project_of_its_work_trees(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    source = repository(tmp_path / "source")
    bare = tmp_path / "shop.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(source), str(bare))
    git(bare, "remote", "remove", "origin")
    trees = [tmp_path / "one", tmp_path / "two"]
    for tree in trees:
        git(bare, "worktree", "add", "--quiet", "--detach", str(tree))
    of_bare, *of_trees = [await found(store, clock, folder) for folder in (bare, *trees)]
    assert of_trees[0].number == of_trees[1].number
    assert [project.root for project in of_trees] == trees
    assert of_bare.root == bare


async def test_a_folder_outside_git_within_no_project_is_itself(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    folder = tmp_path / "notes" / "2026"
    folder.mkdir(parents=True)
    assert (await found(store, clock, folder)).root == folder
    assert (await found(store, clock, folder.parent)).number != (
        await found(store, clock, folder)
    ).number


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("is_repository", [True, False])
async def test_a_folder_may_be_called_anything(
    store: Store, clock: TestClock, tmp_path: Path, name: str, is_repository: bool
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    if is_repository:
        repository(folder)
    (folder / "sub").mkdir()
    project = await found(store, clock, folder / "sub")
    assert project.root == (folder if is_repository else folder / "sub")
    assert (await found(store, clock, folder / "sub")).number == project.number


async def test_a_path_of_four_thousand_characters_is_a_project(
    store: Store, clock: TestClock, tmp_path: Path
) -> None:
    here, depth = os.open(tmp_path, os.O_RDONLY), 0
    names = ["d" * 200] * 15
    for name in names:
        os.mkdir(name, dir_fd=here)
        deeper = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here, depth = deeper, depth + 1
    os.close(here)
    folder = "/".join([str(tmp_path), *names])
    project = await found(store, clock, folder)
    assert str(project.root) == folder


async def test_what_windows_names_is_the_folder_that_wsl_mounts(
    store: Store, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "this_system", lambda: "wsl")
    monkeypatch.setenv("WSL_DISTRO_NAME", "Ubuntu")
    projects = Projects(store, clock)
    named = await projects.get("C:\\nowhere\\Shop")
    assert str(named.root) == "/mnt/c/nowhere/Shop"
    assert (await projects.get("/mnt/c/Nowhere/shop")).number == named.number
    assert str((await projects.get("\\\\wsl$\\Ubuntu\\nowhere")).root) == "/nowhere"
