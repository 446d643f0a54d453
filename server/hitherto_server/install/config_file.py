"""One configuration file of the client: read strictly, replaced whole, never half-written."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hitherto_server.core.errors import UnreadableConfig, UnwritableConfig
from hitherto_server.install.formats import Format, format_of

BOM = b"\xef\xbb\xbf"
MAX_RACES = 5


@dataclass(frozen=True)
class State:
    """What a file held when it was read; without bytes there was none."""

    target: Path
    content: bytes | None
    status: os.stat_result | None
    format: Format

    @property
    def text(self) -> str:
        """The text without its byte order mark."""
        return self.format.absent if self.content is None else text_of(self.content)

    @property
    def mode(self) -> int | None:
        """The file's permissions."""
        return None if self.status is None else stat.S_IMODE(self.status.st_mode)

    def is_still_there(self) -> bool:
        """Whether nobody replaced or changed the file since."""
        return signature(self.status) == signature(status_of(self.target))


Change = Callable[[State], bytes | None]


def text_of(content: bytes) -> str:
    """Return the text without its byte order mark."""
    return content.removeprefix(BOM).decode()


def read(path: Path) -> State:
    """Return the file's state; raises UnreadableConfig unless it is an object or absent."""
    kind = format_of(path)
    # A linked file stays linked: what is read and replaced is the file that the link leads to.
    target = Path(os.path.realpath(path))
    try:
        status = status_of(target)
        if status is None:
            return State(target, None, None, kind)
        if not stat.S_ISREG(status.st_mode):
            raise IsADirectoryError("it is not a regular file")
        state = State(target, target.read_bytes(), status, kind)
        value = kind.parse(state.text)
    except (OSError, ValueError) as error:
        msg = f"{path} cannot be read as {kind.name}: {error}."
        raise UnreadableConfig(msg) from error
    if not isinstance(value, dict):
        msg = f"{path} holds no JSON object at its top level."
        raise UnreadableConfig(msg)
    return state


def edit(
    path: Path,
    change: Change,
    back_up: Callable[[State], None],
    mode_of: Callable[[State], int | None] = lambda _: None,
) -> bool:
    """Whether the change changed the file; what it held before is backed up first."""
    for _ in range(MAX_RACES):
        before = read(path)
        content = changed(path, before, change)
        mode = mode_of(before)
        if content == before.content and mode in {None, before.mode}:
            return False
        back_up(before)
        if replace(before, content, mode):
            return True
    msg = f"{path} is being changed by another program."
    raise UnwritableConfig(msg, mend="Close the client, then run the command again.")


def changed(path: Path, before: State, change: Change) -> bytes | None:
    """Return what the file shall hold; raises from the error tree where that cannot be."""
    try:
        return change(before)
    except TypeError as error:
        msg = f"{path} has a part of the wrong type: {error}."
        raise UnreadableConfig(msg) from error
    except UnicodeEncodeError as error:
        msg = f"{path} cannot hold a path that is not UTF-8."
        raise UnwritableConfig(msg, mend="Move Hitherto to a folder with another name.") from error


def with_text(before: State, text: str) -> bytes | None:
    """Return the content that holds this text, and the same content where the text is the same."""
    if text == before.text:
        return before.content
    before.format.parse(text)
    has_bom = before.content is not None and before.content.startswith(BOM)
    return (BOM if has_bom else b"") + text.encode()


def replace(before: State, content: bytes | None, mode: int | None = None) -> bool:
    """Put the content in the file's place, or remove the file; False if it changed meanwhile."""
    target = before.target
    try:
        if content is None:
            return before.is_still_there() and remove(target)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = write_beside(target, content, before.status)
        try:
            if mode is not None:
                temporary.chmod(mode)
            if not before.is_still_there():
                return False
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(target.parent)
    except OSError as error:
        msg = f"{target} cannot be written: {error}."
        raise UnwritableConfig(msg) from error
    return True


def remove(target: Path) -> bool:
    """Remove the file; always True."""
    target.unlink()
    sync_folder(target.parent)
    return True


def write_beside(target: Path, content: bytes, like: os.stat_result | None) -> Path:
    """Write a temporary file in the same folder, with mode and owner of the one it replaces."""
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - it is a descriptor, not a path
            file.write(content)
            file.flush()
            if like is not None:
                keep_mode_and_owner(descriptor, like)
            os.fsync(descriptor)
    except BaseException:
        Path(name).unlink()
        raise
    return Path(name)


def keep_mode_and_owner(descriptor: int, like: os.stat_result) -> None:
    """Give an open file the mode and the owner of another."""
    mine = os.fstat(descriptor)
    if (like.st_uid, like.st_gid) != (mine.st_uid, mine.st_gid):
        os.fchown(descriptor, like.st_uid, like.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(like.st_mode))


def write_whole(target: Path, content: bytes, mode: int) -> bool:
    """Whether the file had to be written to hold that content in that mode."""
    status = status_of(target)
    is_right_mode = status is not None and stat.S_IMODE(status.st_mode) == mode
    if is_right_mode and target.read_bytes() == content:
        return False
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = write_beside(target, content, None)
    temporary.chmod(mode)
    temporary.replace(target)
    sync_folder(target.parent)
    return True


def keep_copy(folder: Path, name: str, content: bytes) -> Path:
    """Write a backup that only the owner can read; returns where."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    moment = datetime.now(tz=UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    copy = folder / f"{name}.{moment}"
    write_whole(copy, content, 0o600)
    return copy


def backup_name(path: Path) -> str:
    """Return a name for the backups of that file, apart from those of its namesakes."""
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:8]
    return f"{path.name.lstrip('.')}-{digest}"


def status_of(path: Path) -> os.stat_result | None:
    """Return the file's status, None where there is no file."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def signature(status: os.stat_result | None) -> tuple[int, ...] | None:
    """Return what differs between two states of a file."""
    if status is None:
        return None
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def sync_folder(folder: Path) -> None:
    """Make a rename in that folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
