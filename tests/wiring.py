"""The server's own parts over a real database file, for tests that need no process."""

from __future__ import annotations

import subprocess
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitherto_server.app import open_services
from hitherto_server.core.home import Home
from hitherto_server.core.settings import Settings
from hitherto_server.store.check import disagreements
from hitherto_server.store.driver import open_raw

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hitherto_server.services import Services

NOW_MS = 1_796_000_000_000


@dataclass
class TestClock:
    """A clock that goes when it is told to."""

    __test__ = False
    now_ms: int = NOW_MS

    def __call__(self) -> int:
        return self.now_ms

    def pass_ms(self, some: int) -> None:
        self.now_ms += some


@asynccontextmanager
async def opened(root: Path, clock: TestClock) -> AsyncIterator[Services]:
    """Open what a server wires, without serving it; at the end the store must be sound."""
    home = Home(root)
    home.create()
    async with open_services(home, Settings(), token="t", port=0, clock=clock) as services:
        yield services
    assert faults_in(home.database) == []


def faults_in(database: Path) -> list[str]:
    """Return where a database that nobody writes contradicts itself."""
    with closing(open_raw(database)) as connection:
        return disagreements(connection)


def rows(database: Path, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """Look into a database from the outside."""
    with closing(open_raw(database, read_only=True)) as connection:
        return [tuple(row) for row in connection.execute(query, values)]


def git(folder: Path, *arguments: str) -> str:
    """Run git as a person without any configuration would, under a name of its own."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *who, "-C", str(folder), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def repository(folder: Path, remote: str | None = None, *, commit: bool = True) -> Path:
    """Make a git repository, with a first commit of its own unless told otherwise."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet")
    if commit:
        git(folder, "commit", "--quiet", "--allow-empty", "-m", f"Start {folder}")
    if remote is not None:
        git(folder, "remote", "add", "origin", remote)
    return folder
