"""Projects: which one a folder belongs to, remembered under the surest of its names."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server.core.errors import GitSlow, HithertoError, InvalidInput, StoreError
from hitherto_server.core.git import (
    WorkTree,
    find_root_commit,
    find_work_tree,
    has_commit,
    list_roots,
)
from hitherto_server.core.paths import local_path, path_key
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Collection

    from hitherto_server.core.clock import Clock
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection, Row

USER_WIDE = 0
SEED_CATEGORIES = ("architecture", "conventions", "operations", "pitfalls")
KEEP_S = 300.0
"""A folder's project is looked up again after this time: remotes change, rarely."""

MOST_KNOWN = 1000

sql = load_queries("projects")
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Project:
    """A project as recall and the gates need it."""

    number: int
    identity: str
    name: str
    root: Path


@dataclass
class Projects:
    """Finds the project of a folder; one that is known serves while git is asked again."""

    store: Store
    clock: Clock
    known: dict[str, tuple[float, Project]] = field(default_factory=dict)
    root_commits: dict[str, str] = field(default_factory=dict)
    """By common git folder: a history is walked once."""
    _looks: dict[tuple[str, bool], asyncio.Task[Project | None]] = field(default_factory=dict)
    _seeing: set[asyncio.Task[None]] = field(default_factory=set)

    async def get(self, folder: str, *, within_s: float = math.inf) -> Project:
        """Return the folder's project, created if it is new; one looked up earlier may serve."""
        folder = local_path(folder) or folder
        held = self._held(folder, within_s)
        project = held or await self._look_once(folder, creates=True)
        assert project is not None  # noqa: S101 - it was created
        return project

    async def find(self, folder: str, *, within_s: float = math.inf) -> Project | None:
        """Return the folder's project if it is known: to ask makes none."""
        folder = local_path(folder) or folder
        return self._held(folder, within_s) or await self._look_once(folder, creates=False)

    async def close(self) -> None:
        """End what runs beside the calls, before the store is closed."""
        running = [*self._looks.values(), *self._seeing]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _held(self, folder: str, within_s: float) -> Project | None:
        looked_at, project = self.known.get(folder, (0.0, None))
        if project is None:
            return None
        age_s = time.monotonic() - looked_at
        if age_s >= within_s:
            return None
        if age_s >= KEEP_S:
            self._look(folder, creates=False)  # beside the call, which does not wait
        return project

    async def _look_once(self, folder: str, *, creates: bool) -> Project | None:
        refuse_relative(folder)
        try:
            return await asyncio.shield(self._look(folder, creates=creates))
        except GitSlow:
            if folder not in self.known:
                raise
            return self.known[folder][1]

    def _look(self, folder: str, *, creates: bool) -> asyncio.Task[Project | None]:
        """Begin to look a folder up, or join who does already."""
        key = folder, creates
        if key not in self._looks:
            looking = asyncio.create_task(self._look_up(folder, creates=creates))
            self._looks[key] = looking
            looking.add_done_callback(partial(self._looked, key))
        return self._looks[key]

    def _looked(self, key: tuple[str, bool], looking: asyncio.Task[Project | None]) -> None:
        del self._looks[key]
        if looking.cancelled() or looking.exception() is None:
            return
        if held := self.known.get(key[0]):  # it stays, and is looked up again later
            log.warning("a project was not looked up again: %s", looking.exception())
            self.known[key[0]] = time.monotonic(), held[1]

    async def _look_up(self, folder: str, *, creates: bool) -> Project | None:
        held = self.known.get(folder)
        if held is not None and not await asyncio.to_thread(Path(folder).is_dir):
            project: Project | None = held[1]  # a session may outlive its work tree
        else:
            project = await self._project_of(await _tree_of(folder), creates=creates)
        self.known.pop(folder, None)
        if project is not None:
            if len(self.known) >= MOST_KNOWN:
                self.known.pop(next(iter(self.known)))
            self.known[folder] = time.monotonic(), project
        return project

    async def _project_of(self, tree: WorkTree, *, creates: bool) -> Project | None:
        run = self.store.readers.run
        names, roots = identities(tree, None), {str(tree.root)}
        row = await run(lambda c: find_identity(c, names[0])) if tree.remote else None
        if row is None:
            roots |= set(await asyncio.to_thread(list_roots, tree.root))
            names = identities(tree, await self._root_commit(tree, roots))
            row = await run(lambda c: find_named(c, names, roots))
        if row is not None and row["identity"] == names[0]:
            self._see_soon(row, tree.root)
        elif row is not None or creates:
            row = await self._resolve(tree, names, roots, row)
        return _project(row, tree.root) if row else None

    async def _root_commit(self, tree: WorkTree, roots: set[str]) -> str | None:
        """Return the root commit that may name the project; walks no history that it knows."""
        known = await self.store.readers.run(lambda c: list_root_commits(c, roots))
        if tree.path in self.root_commits:
            known.insert(0, self.root_commits[tree.path])
        for commit in known:
            # another repository may have taken the folder since
            if await asyncio.to_thread(has_commit, tree.root, commit):
                return commit
        if tree.remote:
            return None  # only what was seen in these folders could be renamed
        found = await find_root_commit(tree.root)
        if found is not None:
            if len(self.root_commits) >= MOST_KNOWN:
                self.root_commits.pop(next(iter(self.root_commits)))
            self.root_commits[tree.path] = found
        return found

    async def _resolve(
        self, tree: WorkTree, names: list[str], roots: set[str], found: Row | None
    ) -> Row:
        job = partial(
            resolve, names=names, name=tree.name, root=tree.root, at_ms=self.clock(), beside=roots
        )
        try:
            return await self.store.writer.run(job)
        except StoreError:
            if found is None:
                raise
            return found  # it is renamed another time

    def _see_soon(self, row: Row, root: Path) -> None:
        """Note beside the call where a project is; what was noted just now needs no write."""
        if row["seen_root"] == str(root) and self.clock() - row["seen_at_ms"] < KEEP_S * 1000:
            return
        seeing = asyncio.create_task(self._see(row["id"], root))
        self._seeing.add(seeing)
        seeing.add_done_callback(self._seeing.discard)

    async def _see(self, number: int, root: Path) -> None:
        values = {"root": str(root), "at_ms": self.clock(), "id": number}
        with suppress(HithertoError):  # it is seen again
            await self.store.writer.run(lambda c: c.execute(sql["see"], values).rowcount)


def refuse_relative(folder: str) -> None:
    """Refuse a folder that is named from where nobody knows."""
    if not folder.startswith("/"):
        message = f"the folder {folder[:100]!r} is not absolute"
        raise InvalidInput(message, mend="Name the project's folder by its absolute path.")


async def _tree_of(folder: str) -> WorkTree:
    try:
        return await asyncio.to_thread(find_work_tree, Path(folder))
    except (OSError, RuntimeError, ValueError) as error:  # a circle of links; a NUL
        message = f"the folder {folder[:100]!r} cannot be resolved"
        raise InvalidInput(message) from error


def identities(tree: WorkTree, root_commit: str | None) -> list[str]:
    """Return the names of a project, the surest first."""
    names = [f"path:{path_key(tree.path)}"]
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
    beside: Collection[str] = (),
) -> Row:
    """Return the project of any of these names, under the surest one; create it if new.

    A project that was known by a weaker name (a path before `git init`, a root commit
    before the first remote) keeps its memories when a surer name appears; it may have
    been seen last in a work tree `beside` this one.
    """
    roots = {str(root), *beside}
    row = find_named(connection, names, roots)
    if row is None:
        number = _insert(connection, names[0], name, root, at_ms)
    else:
        number = row["id"]
        if row["identity"] != names[0]:
            connection.execute(sql["rename"], {"identity": names[0], "name": name, "id": number})
    connection.execute(sql["see"], {"root": str(root), "at_ms": at_ms, "id": number})
    found: Row = connection.execute(sql["by_number"], {"id": number}).fetchone()
    return found


def find_named(connection: Connection, names: list[str], roots: set[str]) -> Row | None:
    """Return the project of the surest name, or what these folders had under a weaker one."""
    if row := find_identity(connection, names[0]):
        return row
    for identity in names[1:]:
        row = find_identity(connection, identity)
        if row is not None and row["seen_root"] in roots:  # a fork's is another
            return row
    return None


def list_root_commits(connection: Connection, roots: Collection[str]) -> list[str]:
    """Return the root commits that name projects which were seen last in these folders."""
    rows = connection.execute(sql["root_commits"], {"roots": json.dumps(sorted(roots))})
    return [row["identity"].removeprefix("root:") for row in rows]


def _insert(connection: Connection, identity: str, name: str, root: Path, at_ms: int) -> int:
    values = {"identity": identity, "name": name, "root": str(root), "at_ms": at_ms}
    number = int(connection.execute(sql["insert"], values).fetchone()[0])
    for category in SEED_CATEGORIES:
        connection.execute(
            sql["insert_category"], {"project_id": number, "name": category, "at_ms": at_ms}
        )
    return number


def list_projects(connection: Connection) -> list[Project]:
    """Return every project, the one that was seen last first."""
    return [_project(row, Path(row["seen_root"])) for row in connection.execute(sql["listed"])]


def find_root(connection: Connection, number: int) -> Path | None:
    """Return the working tree in which a project was seen last."""
    row = connection.execute(sql["root_of"], {"id": number}).fetchone()
    return None if row is None else Path(row["seen_root"])


def _project(row: Row, root: Path) -> Project:
    return Project(row["id"], row["identity"], row["name"], root)
