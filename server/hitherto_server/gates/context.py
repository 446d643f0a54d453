"""What every write needs, wired once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hitherto_server.core.errors import InvalidInput
from hitherto_server.core.git import Head, find_head
from hitherto_server.judge.asking import NobodyAsks
from hitherto_server.standing.moves import Moves
from hitherto_server.standing.paths import confine, relative_name
from hitherto_server.standing.reading import Reader, read_file
from hitherto_server.store.memories import AnchorRow, Span
from hitherto_server.store.notices import list_edited
from hitherto_server.store.projects import KEEP_S, USER_WIDE, refuse_relative

if TYPE_CHECKING:
    from concurrent.futures import Future

    from hitherto_contract.memories import Placed
    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.asking import Asks
    from hitherto_server.models.traits import Role, Traits
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Row
    from hitherto_server.store.projects import Project, Projects


@dataclass(frozen=True)
class Place:
    """Where a write belongs: its scope, and the work tree it was made in."""

    project: Project | None
    head: Head

    @property
    def scope(self) -> int:
        return self.project.number if self.project else USER_WIDE


Anchorer = Callable[[str, Sequence[str], Sequence[str], Place], tuple[AnchorRow, ...]]
"""Ties a content to files: content, named files, files edited lately, where → anchors."""
Splitter = Callable[[str], Sequence[Span]]
"""Cuts a content into the passages that are searched."""


def _nothing() -> None:
    pass


class Embeds(Protocol):
    """What the gates need of an embedding model that may not be loaded."""

    @property
    def state(self) -> str: ...
    @property
    def model(self) -> Traits | None: ...
    def begin(self, text: str, role: Role) -> Future[Any]: ...


@dataclass(frozen=True)
class WriteContext:
    """The store and the ways in, as the gates use them."""

    store: Store
    projects: Projects
    anchorer: Anchorer
    splitter: Splitter
    clock: Clock
    device: str
    on_written: Callable[[], None]
    """Called after each durable write: there may be passages to embed."""
    read: Reader = read_file
    """Reads a file, unless it is private or ignored."""
    judge: Asks = field(default_factory=NobodyAsks)
    meaning: Embeds | None = None
    """Gives a text that is not stored yet its vectors."""
    on_work: Callable[[], None] = _nothing
    """Called once a job for the background is durable."""


async def find_place(context: WriteContext, placed: Placed, *, user_wide: bool = False) -> Place:
    """Return where a call is made; a project's memory needs the project's folder."""
    if placed.project_dir is None:
        if user_wide:
            return Place(None, Head(None, None))
        message = "project_dir is missing: a memory of a project needs its folder"
        raise InvalidInput(message, mend="Send project_dir, or use scope 'user'.")
    if user_wide:
        refuse_relative(placed.project_dir)
        return Place(None, await asyncio.to_thread(find_head, Path(placed.project_dir)))
    return await place_in(await context.projects.get(placed.project_dir, within_s=KEEP_S))


async def place_in(project: Project) -> Place:
    """Return the place that a project's work tree is, as it stands now."""
    return Place(project, await asyncio.to_thread(find_head, project.root))


async def tie(
    context: WriteContext,
    content: str,
    files: Sequence[str],
    place: Place,
    *,
    session_id: str | None = None,
) -> tuple[AnchorRow, ...]:
    """Return the anchors of a content in the place's work tree; user-wide ones have none.

    A name without a file may be one of a file that the session edited.
    """
    if place.project is None:
        return ()
    edited: list[str] = []
    if session_id is not None:
        edited = await context.store.readers.run(lambda c: list_edited(c, session_id))
    return await asyncio.to_thread(context.anchorer, content, files, edited, place)


async def still_there(anchors: Sequence[Row], place: Place, read: Reader = read_file) -> list[str]:
    """Return where a memory's files are in the place's work tree now: moved ones are followed."""
    if place.project is None:
        return []
    root = place.project.root
    return await asyncio.to_thread(
        lambda: [*filter(None, (_now_at(one, root, read) for one in anchors))]
    )


def _now_at(anchor: Row, root: Path, read: Reader) -> str | None:
    path = str(anchor["path"])
    if (root / path).exists():
        return path
    return Moves(root, read).find(path, anchor["commit_hash"], anchor["file_hash"])


async def confined(files: Sequence[str], place: Place) -> list[str]:
    """Return the files as paths within the place's project; one that leads out of it is refused."""
    if place.project is None:
        return list(files)
    root = place.project.root
    return await asyncio.to_thread(lambda: [_confined(name, root) for name in files])


def _confined(name: str, root: Path) -> str:
    target = confine(root, name) or confine(root, _unlinked(name))
    if target is None:
        message = f"files: {name[:100]!r} lies outside the project"
        raise InvalidInput(message, mend="Name files of the project, relative to its folder.")
    return relative_name(root, name) or target.relative_to(root).as_posix()


def _unlinked(name: str) -> str:
    """Spell an absolute path as the project's root is spelled: without links."""
    try:
        return str(Path(name).resolve()) if name.startswith("/") else ""
    except (OSError, RuntimeError, ValueError):
        return ""


def said_by(actor: str) -> Any:
    """Return who says so, in the words of a relation."""
    return "person" if actor in {"person", "cli", "ui"} else "agent"
