"""`hitherto export` and `hitherto import`: everything a store means, as a file, and back."""

from __future__ import annotations

import json
import secrets
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hitherto_server import client
from hitherto_server.cli_progress import progress
from hitherto_server.cli_shared import LONG_S, Json, absolute, ask, print_json, refuse_homeless
from hitherto_server.core.errors import InvalidInput, StoreFull
from hitherto_server.core.home import find_home
from hitherto_server.core.private_file import copy_private

if TYPE_CHECKING:
    from collections.abc import Iterator

SQLITE = b"SQLite format 3\x00"
SAID = {
    "memories": "new memories",
    "merged": "memories with a new history",
    "known": "known already",
    "duplicates": "said the same as one here",
    "rivals": "with another value for one state key",
    "projects": "new projects",
    "relations": "relations",
    "feedback": "words of feedback",
}


def export(
    *,
    out: Annotated[
        str | None, typer.Option(help="A file; with markdown a folder. Default: standard output.")
    ] = None,
    form: Annotated[
        Literal["jsonl", "markdown"],
        typer.Option("--format", help="jsonl: everything. markdown: to read and review."),
    ] = "jsonl",
    project: Annotated[
        str | None, typer.Option(help="Only this one: its name, identity or folder.")
    ] = None,
    trashed: Annotated[bool, typer.Option("--trashed", help="With what is in the trash.")] = False,
    as_json: Json = False,
) -> None:
    """Export the store, or one project: as JSON lines that `import` takes, or as Markdown."""
    if out is None and (form == "markdown" or as_json):
        message = "name where it goes: --out"
        raise InvalidInput(message, mend="`hitherto export --format markdown --out FOLDER`.")
    if out is not None:
        refuse_homeless(Path(absolute(out)))
    if project is not None and ("/" in project or project == ".") and ":" not in project:
        project = absolute(project)
    with progress("Exporting"):
        made = ask("/v1/export", {"project": project, "trashed": trashed}, timeout_s=LONG_S)
    made["written"] = _deliver(Path(made.pop("path")), out, form)
    if as_json:
        print_json(made)
        return
    told = ", ".join(f"{count} {kind}" for kind, count in made["counts"].items()) or "nothing"
    typer.echo(f"exported {told}", err=True)
    if made["trashed_left_out"]:
        left = made["trashed_left_out"]
        typer.echo(f"{left} memories in the trash were left out: --trashed exports them", err=True)


def import_file(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An export, or another memory.db.")],
    *,
    merge: Annotated[
        bool, typer.Option("--merge", help="Join what is here already: the newer state holds.")
    ] = False,
    mapped: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="OLD=NEW", help="Which project there is which here; repeat."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Take in an export or another store: all of it or nothing, after a backup."""
    home, source = find_home(), Path(absolute(file))
    client.ensure_server(home)  # its start removes what it finds half done
    name = _place(source, home.backups)
    asked = {"name": name, "merge": merge, "projects": dict(map(_pair, mapped or []))}
    try:
        with progress("Importing"):
            done = ask("/v1/import", asked, timeout_s=LONG_S)
    finally:
        (home.backups / name).unlink(missing_ok=True)
    if as_json:
        print_json(done)
        return
    _echo(done)


def _echo(done: dict[str, Any]) -> None:
    told = [
        f"{done['counts'][what]} {said}" for what, said in SAID.items() if what in done["counts"]
    ]
    typer.echo(f"{done['counts']['read']} memories read: {', '.join(told) or 'nothing new'}")
    for note in done["notes"]:
        typer.echo(f"! {note}")
    for memory in done["conflicts"]:
        typer.echo(f"! {memory} was changed on both sides: the newer text holds")
        typer.echo("  the other one is in its history")
    if done["backup"]:
        typer.echo(f"what was here before: {done['backup']}")


def _pair(text: str) -> tuple[str, str]:
    old, equals, new = text.partition("=")
    if not (old and equals and new):
        message = f"--map {text[:100]!r} is no pair"
        raise InvalidInput(message, mend="Write OLD=NEW: two names, identities or folders.")
    return old, new


def _deliver(made: Path, out: str | None, form: str) -> list[str]:
    """Move an export to where it is wanted; nothing of it stays in the data home."""
    from hitherto_server.store.shelf import note_elsewhere

    try:
        if out is None:
            with made.open("rb") as lines:
                shutil.copyfileobj(lines, sys.stdout.buffer)
            return []
        if form == "markdown":
            from hitherto_server.transfer.markdown import write_markdown

            written = write_markdown(_read(made), Path(absolute(out)))
            note_elsewhere(find_home(), *written)
            return [str(path) for path in written]
        _copy(made, Path(absolute(out)))
        note_elsewhere(find_home(), Path(absolute(out)))
        return [absolute(out)]
    except BrokenPipeError:  # whoever reads has enough
        raise
    except OSError as error:
        message = f"{out or 'standard output'}: {error.strerror}"
        raise StoreFull(message) from error
    finally:
        made.unlink(missing_ok=True)


def _read(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as lines:
        for line in lines:
            yield json.loads(line)


def _place(source: Path, folder: Path) -> str:
    """Copy a file to where the server reads it; a database with what its log still holds."""
    from hitherto_server.store.copies import copy_database

    try:
        with source.open("rb") as file:
            is_database = file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        message = f"{source}: {error.strerror}"
        raise InvalidInput(message, mend="Name a file of `hitherto export`.") from error
    name = f".import-{secrets.token_hex(8)}.{'db' if is_database else 'jsonl'}.part"
    if is_database:
        copy_database(source, folder / name)
    else:
        _copy(source, folder / name)
    return name


def _copy(source: Path, target: Path) -> None:
    try:
        copy_private(source, target)
    except OSError as error:
        message = f"{target}: {error.strerror}"
        raise StoreFull(message) from error
