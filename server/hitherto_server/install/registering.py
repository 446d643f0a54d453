"""Registering with a client, mending the registration, and taking it back."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server.core.errors import ScopeNotPossible
from hitherto_server.install.edits import dead_edits, unwanted_edits, wanted_edits
from hitherto_server.install.places import places_of
from hitherto_server.install.shims import (
    Programs,
    find_programs,
    is_usual,
    remove_shims,
    shims_work,
    starts_server,
    write_shims,
)
from hitherto_server.install.work import Changes, Work, applied, begin

if TYPE_CHECKING:
    from hitherto_server.core.home import Home
    from hitherto_server.install.receipt import Registration


def register(
    registration: Registration, *, home: Home, programs: Programs | None = None
) -> Changes:
    """Register hooks and MCP server in that place; raises before the first change, or succeeds."""
    refuse_impossible(registration, home)
    programs = programs or find_programs()
    with begin(home) as work:
        edits = wanted_edits(registration, work, programs)
        for path, change in edits:
            work.check(path, applied(change))
        work.written += write_shims(home, programs)
        work.keep(work.receipt.with_registration(registration))
        for path, change in edits:
            work.edit(path, applied(change), is_private=is_private(registration, path))
        return work.changes()


def unregister(registration: Registration, *, home: Home) -> Changes:
    """Take exactly our own out of that place; a file that only we changed is as it was."""
    with begin(home) as work:
        edits = unwanted_edits(registration, work)
        for path, change in edits:
            work.check(path, work.taken_back(path, change))
        for path, change in edits:
            work.edit(path, work.taken_back(path, change), is_private=False)
        forget(work, registration)
        return work.changes()


def repair(home: Home, *, programs: Programs | None = None, port: int | None = None) -> Changes:
    """Mend what we registered and whose programs or server moved; touches nothing else."""
    with begin(home) as work:
        if not work.receipt.is_in_use:
            return Changes()
        programs = programs or find_programs()
        if not (shims_work(home) and starts_server(home)):
            work.written += write_shims(home, programs)
        for registration in work.receipt.registrations:
            for path, change in dead_edits(registration, work, programs, port):
                work.mend(path, applied(change))
        return work.changes()


def refuse_impossible(registration: Registration, home: Home) -> None:
    """Raise where that place can't hold what would be entered."""
    if registration.scope == "project" and not is_usual(home, Path(registration.client_home)):
        msg = f"Project settings name $HOME/.hitherto, but the data home is {home.root}."
        raise ScopeNotPossible(msg)
    if registration.transport == "http" and registration.scope != "user":
        msg = "The http transport has a token in the settings: it is for the scope `user` alone."
        raise ScopeNotPossible(msg)
    if registration.transport == "http" and registration.client != "claude-code":
        msg = "Codex has no http hooks."
        raise ScopeNotPossible(msg, mend="Run `hitherto install codex` without a transport.")


def is_private(registration: Registration, path: Path) -> bool | None:
    """Whether the file holds a token; None where its mode is none of our business."""
    if registration.client != "claude-code" or path != places_of(registration).settings:
        return None
    return registration.transport == "http"


def forget(work: Work, registration: Registration) -> None:
    """Drop what only that registration needed: first states, folders we made, the last shims."""
    receipt = work.receipt.without(registration)
    places = [places_of(other) for other in receipt.registrations]
    files = {str(path) for place in places for path in (place.settings, place.servers)}
    folders = tuple(made for made in receipt.folders if is_above_any(made, files))
    for made in set(receipt.folders) - set(folders):
        with suppress(OSError):  # somebody keeps something there
            Path(made).rmdir()
    originals = {path: name for path, name in receipt.originals.items() if path in files}
    modes = {path: mode for path, mode in receipt.modes.items() if path in files}
    work.keep(replace(receipt, originals=originals, folders=folders, modes=modes))
    if not work.receipt.is_in_use:
        work.removed += remove_shims(work.home)


def is_above_any(parent: str, files: set[str]) -> bool:
    """Whether one of the files lies in that folder."""
    return any(file.startswith(f"{parent}/") for file in files)
