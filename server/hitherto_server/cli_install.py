"""`hitherto install` and `hitherto uninstall`: connecting an agent, and taking it back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from hitherto_server.cli_history import offer_import
from hitherto_server.cli_shared import HELP_STYLE, Json, echo_lines, print_json
from hitherto_server.core.home import find_home

if TYPE_CHECKING:
    from hitherto_server.core.home import Home
    from hitherto_server.install.work import Changes

install_app = typer.Typer(
    help="Connect an agent.", no_args_is_help=True, rich_markup_mode=HELP_STYLE
)
uninstall_app = typer.Typer(
    help="Take a connection back.", no_args_is_help=True, rich_markup_mode=HELP_STYLE
)

Scope = Annotated[
    Literal["user", "project", "local"],
    typer.Option(help="user: all your projects; project: shared by git; local: this one, yours."),
]
CodexScope = Annotated[
    Literal["user", "project"],
    typer.Option(help="user: all your projects; project: this one, shared by git."),
]


Plugin = Annotated[Path | None, typer.Option(help="Write a plugin folder there instead.")]
Yes = Annotated[
    bool, typer.Option("--yes", "-y", help="Import the past sessions too, without asking.")
]
NoImport = Annotated[bool, typer.Option("--no-import", help="Don't offer to import past sessions.")]
Transport = Annotated[
    Literal["command", "http"] | None,
    typer.Option(
        help="http: the client posts events itself; faster, nothing is spooled. Else as it is."
    ),
]


@install_app.command("claude-code")
def install_claude_code(
    *,
    scope: Scope = "user",
    plugin: Plugin = None,
    yes: Yes = False,
    no_import: NoImport = False,
    transport: Transport = None,
    as_json: Json = False,
) -> None:
    """Register hooks and MCP server; what else is in the files stays as it is."""
    from hitherto_server.install.claude_code import install
    from hitherto_server.install.plugin import write_plugin

    home, config = find_home(), _config_dir()
    home.create()
    if plugin is not None:
        written = write_plugin(plugin.expanduser().absolute(), home=home)
        _report(written, home, f"Load it:  claude --plugin-dir {plugin}", as_json=as_json)
        return
    project = _project(scope)
    changes = install(
        Path.home(), scope, home=home, project=project, config_dir=config, transport=transport
    )
    _report(changes, home, "Claude Code is connected. New sessions remember.", as_json=as_json)
    if not as_json:
        offer_import(config or Path.home() / ".claude", yes=yes, no_import=no_import)


@install_app.command("codex")
def install_codex(*, scope: CodexScope = "user", as_json: Json = False) -> None:
    """Register hooks and MCP server with Codex; what else is in the files stays as it is."""
    from hitherto_server.install.codex import install, what_remains

    home, project, config = find_home(), _project(scope), _codex_home()
    home.create()
    changes = install(Path.home(), scope, home=home, project=project, config_dir=config)
    remains = what_remains(Path.home(), scope, project, config)
    _report(changes, home, f"Codex is connected. {remains}", as_json=as_json)


@uninstall_app.command("codex")
def uninstall_codex(*, scope: CodexScope = "user", as_json: Json = False) -> None:
    """Remove exactly what `install` added; the memories stay."""
    from hitherto_server.install.codex import uninstall

    home = find_home()
    changes = uninstall(
        Path.home(), scope, home=home, project=_project(scope), config_dir=_codex_home()
    )
    done = f"Codex is disconnected. The memories stay in {home.root}."
    _report(changes, home, done, as_json=as_json)


@uninstall_app.command("claude-code")
def uninstall_claude_code(*, scope: Scope = "user", as_json: Json = False) -> None:
    """Remove exactly what `install` added; the memories stay."""
    from hitherto_server.install.claude_code import uninstall

    home = find_home()
    changes = uninstall(
        Path.home(), scope, home=home, project=_project(scope), config_dir=_config_dir()
    )
    done = f"Claude Code is disconnected. The memories stay in {home.root}."
    _report(changes, home, done, as_json=as_json)


def _project(scope: str) -> Path | None:
    return None if scope == "user" else Path.cwd()


def _config_dir() -> Path | None:
    return _folder_in("CLAUDE_CONFIG_DIR")


def _codex_home() -> Path | None:
    return _folder_in("CODEX_HOME")


def _folder_in(variable: str) -> Path | None:
    named = os.environ.get(variable)
    return Path(named).expanduser().absolute() if named else None


def _report(changes: Changes, home: Home, done: str, *, as_json: bool) -> None:
    """Say what was changed, and which interpreter hooks run if it isn't the server's."""
    if as_json:
        print_json(vars(changes))
        return
    lines = [
        *(f"written   {path}" for path in changes.written),
        *(f"removed   {path}" for path in changes.removed),
        *(f"backup    {path}" for path in changes.backups),
        *(f"left      {why}" for why in changes.skipped),
    ]
    echo_lines([*(lines or ["Nothing to change."]), *_interpreter(home), done])


def _interpreter(home: Home) -> list[str]:
    from hitherto_server.install.shims import hook_choice, is_servers

    choice = hook_choice(home)
    if choice is None or is_servers(choice):
        return []
    return [f"Hooks run {choice.interpreter}: it {choice.why}."]
