"""Projects: which one a folder belongs to, remembered under the surest of its names."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError, InvalidInput
from hitherto_server.core.git import WorkTree, find_root_commit, find_work_tree, list_roots
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.core.clock import Clock
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection, Row

USER_WIDE = 0
SEED_CATEGORIES = ("architecture", "conventions", "operations", "pitfalls")
KEEP_S = 300.0
"""A folder's project is looked up again after this time: remotes change, rarely."""

MOST_KNOWN = 1000

sql = load_queries("projects")


@dataclass(frozen=True)
class Project:
    """A project as recall and the gates need it."""

    number: int
    identity: str
    name: str
    root: Path


@dataclass
class Projects:
    """Finds the project of a folder."""

    store: Store
    clock: Clock
    known: dict[str, tuple[float, Project]] = field(default_factory=dict)
    _seeing: set[asyncio.Task[None]] = field(default_factory=set)

    async def find(self, folder: str) -> Project:
        """Return the folder's project; it is created when it is seen first."""
        if not folder.startswith("/"):
            message = f"the folder {folder[:100]!r} is not absolute"
            raise InvalidInput(message, mend="Name the project's folder by its absolute path.")
        held = self.known.get(folder)
        if held is not None and time.monotonic() - held[0] < KEEP_S:
            return held[1]
        try:
            tree = await asyncio.to_thread(find_work_tree, Path(folder))
        except (OSError, RuntimeError, ValueError) as error:  # a circle of links; a NUL
            message = f"the folder {folder[:100]!r} cannot be resolved"
            raise InvalidInput(message) from error
        project = await self._known(tree) or await self._new(tree)
        if len(self.known) >= MOST_KNOWN:
            self.known.pop(next(iter(self.known)))
        self.known[folder] = (time.monotonic(), project)
        return project

    async def _known(self, tree: WorkTree) -> Project | None:
        if held := next((p for _, p in self.known.values() if _is_of(p, tree)), None):
            return held
        identity = f"remote:{tree.remote}" if tree.remote else None
        if identity is None:
            return None
        row = await self.store.readers.run(lambda c: find_identity(c, identity))
        if row is None:
            return None
        seeing = asyncio.create_task(self._see(row["id"], tree.root))  # a prompt need not wait
        self._seeing.add(seeing)
        seeing.add_done_callback(self._seeing.discard)
        return _project(row, tree.root)

    async def _see(self, number: int, root: Path) -> None:
        values = {"root": str(root), "at_ms": self.clock(), "id": number}
        with suppress(HithertoError):  # it is seen again
            await self.store.writer.run(lambda c: c.execute(sql["see"], values).rowcount)

    async def _new(self, tree: WorkTree) -> Project:
        root_commit = await asyncio.to_thread(find_root_commit, tree.root)
        names = identities(tree, root_commit)
        beside = await asyncio.to_thread(list_roots, tree.root)
        job = partial(
            resolve, names=names, name=tree.name, root=tree.root, at_ms=self.clock(), beside=beside
        )
        row = await self.store.writer.run(job)
        return _project(row, tree.root)


def _is_of(project: Project, tree: WorkTree) -> bool:
    return project.root == tree.root and project.identity == f"remote:{tree.remote}"


def identities(tree: WorkTree, root_commit: str | None) -> list[str]:
    """Return the names of a project, the surest first."""
    names = [f"path:{tree.path}"]
    if root_commit:
        names.insert(0, f"root:{root_commit}")
    if tree.remote:
        names.insert(0, f"remote:{tree.remote}")
    return names


def find_identity(connection: Connection, identity: str) -> Row | None:
    """Return the project row of that name, if there is one."""
    row: Row | None = connection.execute(sql["by_identity"], {"identity": identity}).fetchone()
    return row


def resolve(
    connection: Connection,
    names: list[str],
    *,
    name: str,
    root: Path,
    at_ms: int,
    beside: Sequence[str] = (),
) -> Row:
    """Return the project of any of these names, under the surest one; create it if new.

    A project that was known by a weaker name (a path before `git init`, a root commit
    before the first remote) keeps its memories when a surer name appears; it may have
    been seen last in a work tree `beside` this one.
    """
    roots = {str(root), *beside}
    row = find_identity(connection, names[0]) or _formerly(connection, names[1:], roots)
    if row is None:
        number = _insert(connection, names[0], name, root, at_ms)
    else:
        number = row["id"]
        if row["identity"] != names[0]:
            connection.execute(sql["rename"], {"identity": names[0], "name": name, "id": number})
    connection.execute(sql["see"], {"root": str(root), "at_ms": at_ms, "id": number})
    found: Row = connection.execute(sql["by_number"], {"id": number}).fetchone()
    return found


def _formerly(connection: Connection, weaker: list[str], roots: set[str]) -> Row | None:
    """Return the project that these folders had under a weaker name; a fork's is another."""
    for identity in weaker:
        row = find_identity(connection, identity)
        if row is not None and row["seen_root"] in roots:
            return row
    return None


def _insert(connection: Connection, identity: str, name: str, root: Path, at_ms: int) -> int:
    values = {"identity": identity, "name": name, "root": str(root), "at_ms": at_ms}
    number = int(connection.execute(sql["insert"], values).fetchone()[0])
    for category in SEED_CATEGORIES:
        connection.execute(
            sql["insert_category"], {"project_id": number, "name": category, "at_ms": at_ms}
        )
    return number


def list_categories(connection: Connection, project: int) -> dict[str, int]:
    """Return the live categories of a project (0: user-wide) by name."""
    rows = connection.execute(sql["categories"], {"project": project})
    return {row["name"]: row["id"] for row in rows}


def list_projects(connection: Connection) -> list[Project]:
    """Return every project, the one that was seen last first."""
    return [_project(row, Path(row["seen_root"])) for row in connection.execute(sql["listed"])]


def _project(row: Row, root: Path) -> Project:
    return Project(row["id"], row["identity"], row["name"], root)
