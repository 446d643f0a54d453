"""One run of the installer: under a lock, with backups, writing down what it does."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from hitherto_server.core.errors import ClientConfigError, UnwritableConfig
from hitherto_server.install import config_file
from hitherto_server.install.formats import format_of
from hitherto_server.install.receipt import Receipt, folder, read_receipt, write_receipt

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hitherto_server.core.home import Home
    from hitherto_server.install.changes import TextChange
    from hitherto_server.install.config_file import Change, State

LOCK_TIMEOUT_S = 10.0
OWNERS = 0o700


@dataclass(frozen=True)
class Changes:
    """What a run of the installer changed, and what it left alone with the reason."""

    written: tuple[Path, ...] = ()
    removed: tuple[Path, ...] = ()
    backups: tuple[Path, ...] = ()
    skipped: tuple[str, ...] = ()


@dataclass
class Work:
    """The state of one run."""

    home: Home
    receipt: Receipt
    written: list[Path] = field(default_factory=list)
    removed: list[Path] = field(default_factory=list)
    backups: list[Path] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def changes(self) -> Changes:
        """What was done so far."""
        lists = (self.written, self.removed, self.backups, self.skipped)
        written, removed, backups, skipped = lists
        return Changes(tuple(written), tuple(removed), tuple(backups), tuple(skipped))

    def keep(self, receipt: Receipt) -> None:
        """Write the receipt down if it says something new."""
        if receipt != self.receipt:
            write_receipt(self.home, receipt)
            self.receipt = receipt

    def check(self, path: Path, change: Change) -> None:
        """Raise what `edit` would raise, and change nothing."""
        config_file.changed(path, config_file.read(path), change)

    def edit(self, path: Path, change: Change, *, is_private: bool | None = None) -> None:
        """Change the file, after a backup; a private one is closed to others, else reopened."""
        made_folder = not path.parent.exists()
        back_up = partial(self.back_up, path)
        mode_of = partial(self.mode_of, path, is_private)
        if not config_file.edit(path, change, back_up, mode_of):
            return
        if is_private is False and str(path) in self.receipt.modes:
            modes = {file: mode for file, mode in self.receipt.modes.items() if file != str(path)}
            self.keep(replace(self.receipt, modes=modes))
        if not path.exists():
            self.removed.append(path)
            return
        self.written.append(path)
        if made_folder:
            folders = (*self.receipt.folders, str(path.parent))
            self.keep(replace(self.receipt, folders=folders))

    def mode_of(self, path: Path, is_private: bool | None, before: State) -> int | None:  # noqa: FBT001 - bound by `partial`
        """The mode that the file shall have; None where it keeps the one it has."""
        if before.mode is None or is_private is None:
            return None
        if is_private:
            if before.mode & ~OWNERS and str(path) not in self.receipt.modes:
                modes = {**self.receipt.modes, str(path): before.mode}
                self.keep(replace(self.receipt, modes=modes))
            return before.mode & OWNERS
        return self.receipt.modes.get(str(path))

    def mend(self, path: Path, change: Change) -> None:
        """Change the file if it can be read, else say that it was left alone."""
        try:
            self.edit(path, change)
        except ClientConfigError as error:
            self.skipped.append(error.message)

    def back_up(self, path: Path, before: State) -> None:
        """Keep what the file holds, and remember what it held before our first change."""
        name, content = None, before.content
        if content is not None:
            copies = folder(self.home)
            copy = config_file.keep_copy(copies, config_file.backup_name(path), content)
            self.backups.append(copy)
            name = copy.name
        if str(path) not in self.receipt.originals:
            originals = {**self.receipt.originals, str(path): name}
            self.keep(replace(self.receipt, originals=originals))

    def original_value(self, path: Path) -> object | None:
        """What the file said before our first change, None where there was no file."""
        content = self.original(path)
        return None if content is None else format_of(path).parse(config_file.text_of(content))

    def original(self, path: Path) -> bytes | None:
        """The file's bytes before our first change, None where there were none or nobody knows."""
        name = self.receipt.originals.get(str(path))
        if name is None:
            return None
        try:
            return (folder(self.home) / name).read_bytes()
        except OSError:
            return None

    def taken_back(self, path: Path, change: TextChange) -> Change:
        """The change that, where nothing but ours was different, gives the original's bytes."""

        def content_after(before: State) -> bytes | None:
            content = config_file.with_text(before, change(before.text))
            if content is None or content == before.content:
                return before.content
            parse = before.format.parse
            value = parse(config_file.text_of(content))
            original = self.original(path)
            if original is not None:
                is_same = same(value, parse(config_file.text_of(original)))
                return original if is_same else content
            was_absent = str(path) in self.receipt.originals
            return None if was_absent and value == {} else content

        return content_after


@contextmanager
def begin(home: Home) -> Iterator[Work]:
    """Start a run; there is one at a time."""
    try:
        home.create()
        with FileLock(home.run / "install.lock", timeout=LOCK_TIMEOUT_S, mode=0o600):
            yield Work(home, read_receipt(home))
    except Timeout as error:
        msg = f"Another installer is at work in {home.root}."
        raise UnwritableConfig(
            msg, mend="Wait for it to end, then run the command again."
        ) from error
    except OSError as error:
        msg = f"The data home {home.root} cannot be written: {error}."
        raise UnwritableConfig(msg) from error


def applied(change: TextChange) -> Change:
    """The change of a file's content that changes its text so."""
    return lambda before: config_file.with_text(before, change(before.text))


def same(one: object, other: object) -> bool:
    """Whether two values would be written alike, the order of their members included."""
    # TOML has dates, which JSON has not
    return json.dumps(one, default=repr) == json.dumps(other, default=repr)
