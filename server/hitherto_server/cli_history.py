"""`hitherto import-history` and `hitherto candidates`: value from the sessions before."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from hitherto_server.cli_progress import progress
from hitherto_server.cli_shared import Json, ask, echo_lines, folder, one_line, print_json
from hitherto_server.core.clock import DAY_MS, date_of, now_ms
from hitherto_server.core.errors import HithertoError, ServerAway

POLL_S = 0.1
IDLE_POLLS = 50
"""So often a server that was restarted is asked whether it has taken the work up again."""
BUSY = {"looking", "importing", "finishing"}
MOST_SHOWN = 160
MEGABYTE = 1_000_000
MOST_PROJECTS = 12
PLURALS = {"memory": "memories"}


def import_history(
    *,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Import without asking; admits what you said.")
    ] = False,
    candidates_only: Annotated[
        bool,
        typer.Option(
            "--candidates-only", help="Admit nothing: all of it waits to be used or confirmed."
        ),
    ] = False,
    preview: Annotated[bool, typer.Option("--preview", help="Count only, write nothing.")] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take the last import back, or that of --number.")
    ] = False,
    number: Annotated[
        int | None, typer.Option(metavar="N", help="Which import to take back.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the imports.")] = False,
    client_home: Annotated[
        Path | None,
        typer.Option(help="The client's folder; default: CLAUDE_CONFIG_DIR, ~/.claude."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Read your past Claude Code sessions and its memory files; see first what that brings."""
    if undo:
        _undo(number, as_json=as_json)
    elif list_:
        _list(as_json=as_json)
    else:
        home = (client_home or client_folder()).expanduser().absolute()
        asks = not (yes or preview or as_json)
        done = _run(home, admits=not candidates_only, asks=asks, only_look=preview, as_json=as_json)
        if as_json:
            print_json(done)


def candidates(
    *,
    admit: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Admit this one; repeat.")
    ] = None,
    everywhere: Annotated[bool, typer.Option("--all", help="Of every project.")] = False,
    limit: Annotated[int, typer.Option(help="How many at most.")] = 50,
    as_json: Json = False,
) -> None:
    """List what waits to be used or confirmed, and why; `--admit ID` makes it a memory."""
    if admit:
        answer = ask("/v1/candidates/admit", {"ids": admit})
        if as_json:
            print_json(answer)
        else:
            _echo(f"Admitted: {len(answer['admitted'])}.")
        return
    payload: dict[str, Any] = {"limit": limit}
    answer = ask("/v1/candidates", payload if everywhere else {**payload, "project_dir": folder()})
    if as_json:
        print_json(answer)
        return
    for one in answer["candidates"]:
        waits = (now_ms() - one["waits_since_ms"]) // DAY_MS
        place = one["project"] or "everywhere"
        _echo(f"{one['id']}  {one['kind']}  {place}  waits {waits} d  ({one['because']})")
        _echo(f"  {one_line(one['content'], MOST_SHOWN)}")
    _echo(f"{_counted(len(answer['candidates']), 'candidate')}.")


def client_folder() -> Path:
    """Return the folder where Claude Code keeps what is the person's own."""
    named = os.environ.get("CLAUDE_CONFIG_DIR")
    return Path(named) if named else Path.home() / ".claude"


def offer_import(home: Path, *, yes: bool, no_import: bool) -> None:
    """After an installation: import at once, ask a person at a terminal, or leave a hint."""
    if no_import or not _has_history(home):
        return
    if yes or (sys.stdin.isatty() and sys.stdout.isatty()):
        try:
            _run(home, admits=True, asks=not yes)
        except HithertoError as error:  # what was installed is installed all the same
            _echo(f"The history was not imported: {error.message}")
    else:
        _echo("There are past sessions: `hitherto import-history` shows what they hold.")


def _has_history(home: Path) -> bool:
    try:
        return next((home / "projects").glob("*/*.jsonl"), None) is not None
    except OSError:
        return False


def _run(
    home: Path, *, admits: bool, asks: bool, only_look: bool = False, as_json: bool = False
) -> dict[str, Any]:
    if asks or only_look:
        found = _await(ask("/v1/history/look", {"client_home": str(home)}), "Reading sessions (MB)")
        if not as_json:
            _say_found(found, admits=admits)
        if only_look or not found["by_kind"]:
            return found
        if not typer.confirm("Import this?", default=True):
            return found
    payload = {"client_home": str(home), "admits": admits}
    done = _await(ask("/v1/history/import", payload), "Importing (MB)")
    if not as_json:
        _say_done(done)
    return done


def _await(now: dict[str, Any], what: str) -> dict[str, Any]:
    """Follow the server's work to its end; a server that is restarted meanwhile goes on with it."""
    idle_polls = 0
    with progress(what) as shown:
        while now["phase"] in BUSY or (now["phase"] == "idle" and idle_polls < IDLE_POLLS):
            idle_polls = idle_polls + 1 if now["phase"] == "idle" else 0
            shown.at(now["bytes_done"] // MEGABYTE, now["bytes"] // MEGABYTE or None)
            time.sleep(POLL_S)
            now = ask("/v1/history")
    if now["phase"] != "done":
        because = now["failure"] or "the server was restarted"
        message = f"the history was not read to its end: {because}"
        raise ServerAway(message, mend="Run it again.")
    return now


def _say_found(found: dict[str, Any], *, admits: bool) -> None:
    total = sum(found["by_kind"].values())
    already = f", {found['unchanged']} read before" if found["unchanged"] else ""
    _echo(f"{_counted(found['files'], 'file')} read{already}: {_counted(total, 'candidate')}.")
    if not total:
        return
    _echo("  " + ", ".join(f"{count} {kind}" for kind, count in _sorted(found["by_kind"])))
    for project, count in _sorted(found["by_project"])[:MOST_PROJECTS]:
        _echo(f"  {count:4d}  {project}")
    _echo("For example:")
    for one in found["samples"]:
        _echo(f"  {one['kind']} · {one['project']} · {one_line(one['text'], MOST_SHOWN)}")
    said = (
        "What you said yourself is given to sessions at once; the rest" if admits else "All of it"
    )
    _echo(f"{said} waits until it is used or confirmed. Nothing is written yet.")


def _say_done(done: dict[str, Any]) -> None:
    outcomes = done["outcomes"]
    stored = outcomes.pop("stored", 0)
    rest = [f"{count} {what}" for what, count in _sorted(outcomes)]
    waiting = max(stored - done["admitted"], 0)
    _echo(
        f"Import {done['number']}: {_counted(stored, 'memory')}, {done['admitted']} admitted,"
        f" {waiting} waiting (`hitherto candidates --all`)."
    )
    if rest:
        _echo(f"  Not anew: {', '.join(rest)}.")
    if done["skipped_lines"]:
        _echo(f"  {_counted(done['skipped_lines'], 'line')} could not be read.")
    if done["failed_files"]:
        _echo(f"  {_counted(done['failed_files'], 'file')} could not be taken in: see the log.")
    if shown := done["shown"]:
        _echo(
            f"On {date_of(shown['asked_at_ms'])} you asked: {one_line(shown['prompt'], MOST_SHOWN)}"
        )
        if_so = ", once it is admitted" if shown["is_candidate"] else ""
        _echo(f"Recall would have given, from {date_of(shown['learned_at_ms'])}{if_so}:")
        _echo(f"  {one_line(shown['content'], MOST_SHOWN)}")
    _echo(f"Take it all back: `hitherto import-history --undo --number {done['number']}`")


def _undo(number: int | None, *, as_json: bool) -> None:
    done = ask("/v1/history/undo", {} if number is None else {"number": number})
    if as_json:
        print_json(done)
        return
    _echo(f"Import {done['number']} is taken back: {done['trashed']} in the trash.")
    if done["stays"]:
        _echo(f"{len(done['stays'])} stay: somebody confirmed, changed or admitted them since.")
        for one in done["stays"]:
            _echo(f"  {one}")


def _list(*, as_json: bool) -> None:
    answer = ask("/v1/history/imports")
    if as_json:
        print_json(answer)
        return
    for one in answer["imports"]:
        if one["undone_at_ms"]:
            state = f"taken back on {date_of(one['undone_at_ms'])}"
        else:
            state = "done" if one["finished_at_ms"] else "goes on"
        began = date_of(one["began_at_ms"])
        _echo(f"{one['number']:4d}  {began}  {_counted(one['memories'], 'memory')}  {state}")


def _echo(line: str) -> None:
    echo_lines((line,))


def _sorted(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _counted(count: int, noun: str) -> str:
    plural = PLURALS.get(noun, f"{noun}s")
    return f"{count} {noun if count == 1 else plural}"
