"""`hitherto serve`, `stop`, `status`, `doctor` and `reindex`: the server and its state."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hitherto_server import client
from hitherto_server.cli_control import quiet_line
from hitherto_server.cli_progress import progress
from hitherto_server.cli_shared import LONG_S, Json, absolute, ask, echo_lines, print_json
from hitherto_server.core.clock import minute_of
from hitherto_server.core.home import find_home

if TYPE_CHECKING:
    from collections.abc import Iterator


def serve() -> None:
    """Run the server in the foreground until Ctrl-C."""
    from hitherto_server.foreground import run

    run()


def stop(*, as_json: Json = False) -> None:
    """Stop the server and wait until it has; what it acknowledged is on the disk."""
    home = find_home()
    was_up = client.is_up(home)
    if was_up:
        client.ask(home, "/v1/stop", {})
        with progress("Stopping"):
            client.wait_until_gone(home)
    if as_json:
        print_json({"stopped": was_up})
    else:
        typer.echo("The server has stopped." if was_up else "No server was running.")


def status(*, as_json: Json = False) -> None:
    """Say how the server is, and give a fresh address of its pages."""
    home = find_home()
    if not client.is_up(home):
        raise client.away(home)
    answer = client.ask(home, "/v1/status")
    if as_json:
        print_json(answer)
        return
    echo_lines(_state(answer))
    typer.echo(client.ask(home, "/v1/login-code", {})["url"])


def _state(answer: dict[str, Any]) -> Iterator[str]:
    counts, model = answer["memories"], answer["model"]
    yield f"version {answer['version']}, process {answer['pid']}, home {answer['home']}"
    yield f"{answer['driver']}, schema {answer['schema_version']}"
    waiting = f"{counts['candidates']} waiting, " if counts["candidates"] else ""
    yield f"memories: {counts['admitted']} ({waiting}{counts['trashed']} in the trash)"
    if counts["conflicts"]:
        settle = "`hitherto clean conflicts --all`"
        yield f"conflicts that wait for your word: {counts['conflicts']} ({settle})"
    reads = f" (reads: {model['languages']}; words: every language)" if model["languages"] else ""
    yield f"model {model['name']}: {model['state']}{reads}"
    yield f"lost writes: {answer['lost_writes']}"
    yield _backups(answer["backups"])
    # the pauses are among the notices
    yield from (quiet_line(one).strip() for one in answer["quiet"] if one["kind"] == "ignore")
    yield from (f"! {notice}" for notice in answer["notices"])


def _backups(kept: dict[str, Any]) -> str:
    if not kept["count"]:
        return "backups: none yet; one is made daily while the server runs (`hitherto backup`)"
    at = minute_of(kept["newest_at_ms"])
    return f"backups: {kept['count']}, {kept['bytes'] / 1e6:.1f} MB, the newest of {at}"


def _salvage(out: str, *, as_json: bool) -> None:
    from hitherto_server.maintenance.salvage import report_of, salvage
    from hitherto_server.store.shelf import note_elsewhere

    target = Path(absolute(out))
    with progress("Reading what can be read"):
        told = report_of(salvage(find_home().database, target))
    note_elsewhere(find_home(), target, target.with_suffix(".texts"))
    if as_json:
        print_json({**told, "written": str(target)})
        return
    rows = told["rows"]
    typer.echo(f"{target}: {rows.get('memory', 0)} memories, {rows.get('revision', 0)} revisions")
    for table in told["damaged"]:
        typer.echo(f"! some rows of the table {table} could not be read")
    if told["texts_without_memory"]:
        texts = target.with_suffix(".texts")
        typer.echo(f"! {told['texts_without_memory']} texts without their memory: {texts}")
    typer.echo(f"`hitherto restore {shlex.quote(str(target))}` puts it in the store's place.")


def doctor(
    *,
    fix: Annotated[
        bool, typer.Option("--fix", help="First mend what agents were told of us.")
    ] = False,
    salvage: Annotated[
        str | None,
        typer.Option(metavar="OUT", help="Save what can be read of a damaged database to a file."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Look for faults, each with what mends it; the exit code is 1 if there are any."""
    if salvage is not None:
        _salvage(salvage, as_json=as_json)
        return
    from hitherto_server.doctor import examine
    from hitherto_server.doctor.mending import mend

    for line in mend(find_home()) if fix else ():
        typer.echo(line, err=as_json)
    with progress("Looking"):
        findings = examine(find_home())
    if as_json:
        print_json([vars(finding) for finding in findings])
    for finding in () if as_json else findings:
        echo_lines([f"{'ok ' if finding.ok else 'BAD'} {finding.what}: {finding.said}"])
        if not finding.ok:
            echo_lines([f"    {finding.mend}"])
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


def reindex(*, as_json: Json = False) -> None:
    """Rebuild the derived indexes from the store; memories are not touched."""
    with progress("Rebuilding the indexes"):
        built = ask("/v1/reindex", {}, timeout_s=LONG_S)
    if as_json:
        print_json(built)
    else:
        typer.echo(f"rebuilt: {', '.join(f'{count} {what}' for what, count in built.items())}")
