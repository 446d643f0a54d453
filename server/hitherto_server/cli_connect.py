"""`hitherto connect`: print what connects another MCP client; nothing is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hitherto_server.cli_shared import Json, print_json
from hitherto_server.core.errors import InvalidInput
from hitherto_server.core.home import find_home

if TYPE_CHECKING:
    from hitherto_server.core.home import Home
    from hitherto_server.install.snippets import Reach


def connect(
    client: Annotated[str | None, typer.Argument(help="Which one; none lists them.")] = None,
    *,
    show_token: Annotated[
        bool, typer.Option(help="Print the token itself where one is needed.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print what connects an MCP client, and where it goes; nothing is written."""
    from hitherto_server.install.snippets import CLIENTS, snippet_for

    if client is None:
        if as_json:
            print_json([{"client": name, "title": one.title} for name, one in CLIENTS.items()])
        for name, one in () if as_json else CLIENTS.items():
            typer.echo(f"{name:12} {one.title}")
        return
    if client not in CLIENTS:
        message = f"there is no client {client[:40]!r}"
        raise InvalidInput(message, mend=f"One of: {', '.join(CLIENTS)}.")
    snippet = snippet_for(client, reach_of(find_home(), show_token=show_token))
    if as_json:
        print_json(vars(snippet))
        return
    typer.echo(f"{snippet.client}: {snippet.place}\n", err=True)
    typer.echo(snippet.text)
    if snippet.remark:
        typer.echo(f"\n{snippet.remark}", err=True)


def reach_of(home: Home, *, show_token: bool) -> Reach:
    """Return how this installation is reached, by absolute paths."""
    from hitherto_server.core.token import read_token
    from hitherto_server.install.edits import port_of
    from hitherto_server.install.shims import find_programs, is_usual
    from hitherto_server.install.snippets import Reach

    environ = {} if is_usual(home, Path.home()) else {"HITHERTO_HOME": str(home.root)}
    token = f"(what {home.token} holds)"
    if show_token and home.token.exists():
        token = read_token(home)
    url = f"http://127.0.0.1:{port_of(home)}/mcp"
    return Reach(find_programs().mcp, environ, url, token)
