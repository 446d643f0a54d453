"""Memories are tied to a commit and to files; a confirmation ties them anew."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.server_process import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BODY = "def send_invoice(customer):\n    total = sum(customer.items)\n    return total * 2\n"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    process = ServerProcess(tmp_path / "home").start()
    yield process
    process.end()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "billing.py").write_text(BODY)
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "a change")


def standing(server: ServerProcess, project: Path) -> tuple[str, str]:
    reply = server.call("recall", query="how is an invoice sent", project_dir=str(project))
    hit = reply["hits"][0]
    return hit["standing"], hit["standing_reason"]


def remember(server: ServerProcess, project: Path) -> str:
    kept = server.call(
        "remember",
        content="An invoice is sent by `send_invoice`, which doubles the total.",
        files=["billing.py"],
        project_dir=str(project),
    )
    return str(kept["id"])


def test_a_file_that_was_moved_in_a_later_commit_is_followed(
    server: ServerProcess, project: Path
) -> None:
    remember(server, project)
    git(project, "mv", "billing.py", "invoices.py")
    commit(project)
    found, reason = standing(server, project)
    assert found == "current"
    assert "invoices.py" in reason


def test_a_confirmation_makes_a_changed_memory_current_again(
    server: ServerProcess, project: Path
) -> None:
    memory = remember(server, project)
    (project / "billing.py").write_text(BODY.replace("* 2", "* 3"))
    assert standing(server, project)[0] == "changed"
    server.call("reflect", action="confirm", id=memory, project_dir=str(project))
    assert standing(server, project)[0] == "current"


def test_a_confirmation_leaves_the_files_that_are_gone(
    server: ServerProcess, project: Path
) -> None:
    memory = remember(server, project)
    (project / "billing.py").unlink()
    assert standing(server, project)[0] == "stale"
    server.call("reflect", action="confirm", id=memory, project_dir=str(project))
    assert standing(server, project)[0] == "unverified"
