"""The one place where this package opens files: confined, bounded, and blind to secrets."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias

from hitherto_server.standing.definitions import Source, source_of
from hitherto_server.standing.parts import normalise_line
from hitherto_server.standing.paths import confine, is_private

MAX_FILE_BYTES = 4 * 1024 * 1024
BINARY_PROBE_BYTES = 8192

Signature: TypeAlias = tuple[int, int, int, int, int]
Condition = Literal["read", "gone", "withheld"]


@dataclass(frozen=True)
class FileState:
    """A file as it was found: read, gone, or withheld for a reason."""

    condition: Condition
    reason: str = ""
    file_hash: str | None = None
    content: bytes | None = None  # None for a binary file too: only its hash tells something
    signature: Signature | None = None


Reader = Callable[[Path, str], FileState]


def read_file(root: Path, name: str) -> FileState:
    """Read a file below the root with its hash, or say why it was not read."""
    target = permitted(root, name)
    if isinstance(target, FileState):
        return target
    try:
        return _read(target)
    except (FileNotFoundError, NotADirectoryError):
        return FileState("gone")
    except OSError:
        return FileState("withheld", "it cannot be read")


def permitted(root: Path, name: str) -> Path | FileState:
    """Resolve a path that may be opened, or say why it may not."""
    target = confine(root, name)
    if target is None:
        return FileState("withheld", "it lies outside the project")
    if is_private(Path(name)) or is_private(target.relative_to(root.resolve())):
        return FileState("withheld", "it may hold secrets")
    return target


def signature_of(status: os.stat_result) -> Signature:
    """Give what a file's status shows of a change."""
    return (
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_size,
        status.st_ino,
        status.st_dev,
    )


def _read(target: Path) -> FileState:
    if not stat.S_ISREG(target.lstat().st_mode):  # opening a pipe would wake who writes to it
        return FileState("withheld", "it is not a plain file")
    # the path is resolved: a link that takes its place meanwhile is not followed
    handle = os.open(target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return FileState("withheld", "it is not a plain file")
        if status.st_size > MAX_FILE_BYTES:
            return FileState("withheld", "it is too large")
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(MAX_FILE_BYTES)
    finally:
        os.close(handle)
    digest = hashlib.sha256(content).hexdigest()
    binary = b"\0" in content[:BINARY_PROBE_BYTES]
    return FileState("read", "", digest, None if binary else content, signature_of(status))


class FileText:
    """A file's text, looked at as closely as is asked for."""

    def __init__(self, name: str, content: bytes, deadline: float | None = None) -> None:
        self.name = name
        self._content = content.removeprefix(b"\xef\xbb\xbf")
        self._deadline = deadline

    @cached_property
    def text(self) -> str:
        """Give the text, with a mark where a byte is no UTF-8."""
        return self._content.decode("utf-8", "replace")

    @cached_property
    def flat(self) -> str:
        """Give the text on one line, without the whitespace that a formatter may change."""
        return normalise_line(self.text)

    @cached_property
    def source(self) -> Source | None:
        """Give the structure, where the file has one that can be read."""
        return source_of(self.name, self._content, self._deadline)
