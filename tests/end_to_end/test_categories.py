"""Categories from the command line and by an agent, in a real server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.wiring import repository

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server_process import ServerProcess

TEXT = "Deploys run at night, since the nightly job locks the tables."


def test_a_person_makes_a_tree_files_in_it_and_moves_what_is_filed(
    server: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    folder = repository(tmp_path / "project")

    def says(*arguments: str) -> str:
        done = server.run(*arguments, cwd=folder)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    kept = json.loads(says("remember", TEXT, "--category", "pitfalls", "--json"))["id"]
    says("categories", "add", "team")
    listed = says("categories", "add", "team/nights")
    assert "pitfalls  1 memory" in listed
    assert "team  holds categories" in listed
    says("edit", kept, "--category", "team/nights")
    assert "category: nights" in says("show", kept)
    says("undo", kept)
    assert "category: pitfalls" in says("show", kept)
    says("categories", "rename", "team/nights", "evenings")
    assert "team/evenings  0 memories  in the trash" in says("categories", "trash", "evenings")
    assert "in the trash" not in says("categories", "trash", "evenings", "--undo")
    refused = server.run("remember", "Nothing.", "--category", "nowhere", cwd=folder)
    assert refused.returncode == 2
    assert b"there is no category 'nowhere'; there are: architecture" in refused.stderr
    names = [one["name"] for one in json.loads(says("categories", "list", "--json"))["categories"]]
    assert names == ["architecture", "conventions", "operations", "pitfalls", "team",
                     "team/evenings"]  # fmt: skip


def test_a_paused_or_ignored_folder_gets_no_new_category(
    server: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    folder = repository(tmp_path / "project")
    server.run("remember", TEXT, cwd=folder)
    assert server.run("ignore", str(folder), cwd=folder).returncode == 0
    refused = server.run("categories", "add", "secret plans", cwd=folder)
    assert refused.returncode == 1
    assert b"folder_ignored" in refused.stderr
    assert server.run("categories", "list", cwd=folder).returncode == 0
