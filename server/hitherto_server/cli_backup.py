"""`hitherto backup` and `hitherto restore`: a copy of everything, and the way back to one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hitherto_server.cli_progress import progress
from hitherto_server.cli_shared import LONG_S, Json, absolute, ask, print_json, refuse_homeless
from hitherto_server.core.clock import minute_of
from hitherto_server.core.errors import InvalidInput, StoreFull
from hitherto_server.core.home import find_home
from hitherto_server.core.private_file import copy_private

MB = 1_000_000


def backup(
    path: Annotated[
        str | None, typer.Argument(metavar="[PATH]", help="Where to; default: the data home.")
    ] = None,
    *,
    show: Annotated[bool, typer.Option("--list", help="Say which there are.")] = False,
    as_json: Json = False,
) -> None:
    """Make a backup of the store beside the running server, and prove that it can be read."""
    if show:
        _list(as_json=as_json)
        return
    target = _target(path)
    with progress("Backing up"):
        made = ask("/v1/backup", {}, timeout_s=LONG_S)
    if target is not None:
        _move(Path(made["path"]), target)
        from hitherto_server.store.shelf import note_elsewhere

        note_elsewhere(find_home(), target)
        made["path"] = str(target)
    if as_json:
        print_json(made)
        return
    size = f"{made['size_bytes'] / MB:.1f} MB"
    typer.echo(f"{made['path']}: {made['memories']} memories, {size}, proved")
    if target is not None:
        typer.echo("It lies outside the data home: `hitherto erase` names it, but leaves it.")


def restore(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A backup, or a salvaged store.")],
    *,
    as_json: Json = False,
) -> None:
    """Put a backup in the store's place; what is there now is kept, under a name that is told."""
    from hitherto_server.handover import stopped_server
    from hitherto_server.store.restoring import refuse_unusable, restore_store

    home, source = find_home(), Path(absolute(file))
    home.create()
    refuse_unusable(source)  # before anything is stopped for it
    with progress("Restoring"), stopped_server(home):
        done = restore_store(home, source)
    answer: dict[str, Any] = {
        "restored": str(source),
        "memories": done.memories,
        "kept": str(done.kept) if done.kept else None,
    }
    if as_json:
        print_json(answer)
        return
    typer.echo(f"restored {source}: {done.memories} memories")
    if done.kept:
        typer.echo(f"what was there before is kept: {done.kept}")


def _list(*, as_json: bool) -> None:
    # read here: the server may be away because its database is damaged
    home = find_home()
    from hitherto_server.maintenance.backups import read_failure
    from hitherto_server.store.shelf import list_backups

    found, failure = list_backups(home.backups), read_failure(home)
    if as_json:
        listed = [{**vars(one), "path": str(one.path)} for one in found]
        print_json({"backups": listed, "failure": vars(failure) if failure else None})
        return
    for one in found:
        size = f"{one.size_bytes / MB:.1f} MB"
        typer.echo(f"{one.path}  {minute_of(one.made_at_ms)}  {one.why}  {size}")
    if not found:
        typer.echo("There is no backup yet: `hitherto backup` makes one.")
    if failure:
        typer.echo(f"! the last one failed: {failure.message}")
        typer.echo(f"  {failure.mend}")


def _target(path: str | None) -> Path | None:
    if path is None:
        return None
    target = Path(absolute(path))
    if target.is_dir():
        message = f"{target} is a folder"
        raise InvalidInput(message, mend="Name the file: `hitherto backup FOLDER/memories.db`.")
    refuse_homeless(target)
    if target.exists():
        message = f"{target} is there already"
        raise InvalidInput(message, mend="Name another file, or delete that one first.")
    return target


def _move(made: Path, target: Path) -> None:
    """Move a backup to another disk."""
    try:
        copy_private(made, target)
    except OSError as error:
        message = f"{target}: {error.strerror}; the backup is in {made}"
        raise StoreFull(message) from error
    made.unlink(missing_ok=True)
