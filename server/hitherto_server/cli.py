"""The command `hitherto`."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Literal, NoReturn

import typer

from hitherto_contract import VERSION
from hitherto_server import cli_memories, cli_server
from hitherto_server.cli_backup import backup, restore
from hitherto_server.cli_bench import bench
from hitherto_server.cli_categories import categories_app
from hitherto_server.cli_clean import clean
from hitherto_server.cli_connect import connect
from hitherto_server.cli_control import ignore, pause, purge, resume, why, wrong
from hitherto_server.cli_erase import erase
from hitherto_server.cli_history import candidates, import_history
from hitherto_server.cli_install import install_app, uninstall_app
from hitherto_server.cli_judge import judge_app
from hitherto_server.cli_loop import loop_app
from hitherto_server.cli_models import models_app
from hitherto_server.cli_shared import HELP_STYLE
from hitherto_server.cli_sync import sync
from hitherto_server.cli_transfer import export, import_file
from hitherto_server.cli_worth import worth
from hitherto_server.core.errors import HithertoError, InvalidInput

MEMORIES, STEERING, SERVER, SETUP = "Memories", "Your word", "The server", "Setting up"

app = typer.Typer(
    name="hitherto",
    help="Local memory for coding agents. Every recalled memory says what shows that it holds.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=HELP_STYLE,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# typer carries its own click and shows only this much of it
UsageError: type[Exception] = typer.BadParameter.__mro__[1]
MOST_TOLD = 300
COMPLETE = "_HITHERTO_COMPLETE"
"""Set by a shell's script that asks what can follow."""
INTERRUPTED = 130
"""128 and the number of the signal that would have ended another program."""

for panel, commands in {
    MEMORIES: (
        cli_memories.remember,
        cli_memories.recall,
        cli_memories.memories,
        cli_memories.show,
        cli_memories.edit,
        cli_memories.confirm,
        cli_memories.undo,
        cli_memories.forget,
        sync,
        candidates,
        clean,
        import_history,
    ),
    STEERING: (why, wrong, worth, pause, resume, ignore, purge, erase),
    SERVER: (
        cli_server.serve,
        cli_server.stop,
        cli_server.status,
        cli_server.doctor,
        cli_server.reindex,
        bench,
        backup,
        restore,
        export,
    ),
}.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
app.add_typer(categories_app, name="categories", rich_help_panel=MEMORIES)
app.add_typer(loop_app, name="loop", rich_help_panel=STEERING)
app.command("import", rich_help_panel=SERVER)(import_file)
app.command(rich_help_panel=SETUP)(connect)
app.add_typer(install_app, name="install", rich_help_panel=SETUP)
app.add_typer(uninstall_app, name="uninstall", rich_help_panel=SETUP)
app.add_typer(models_app, name="models", rich_help_panel=SETUP)
app.add_typer(judge_app, name="judge", rich_help_panel=SETUP)


def _say_version(asked: bool) -> None:  # noqa: FBT001 - typer calls it so
    if asked:
        typer.echo(VERSION)
        raise typer.Exit


@app.callback()
def hitherto(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="Say the version."),
    ] = False,
) -> None:
    """Local memory for coding agents. Every recalled memory says what shows that it holds."""


@app.command(rich_help_panel=SETUP)
def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish"], typer.Argument(metavar="SHELL", help="bash, zsh or fish.")
    ],
) -> None:
    """Print the script by which a shell completes our commands (docs/cli.md says where to)."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    typer.echo(get_completion_script(prog_name="hitherto", complete_var=COMPLETE, shell=shell))


def main() -> None:
    """Run the command; whatever goes wrong is one line with its code and its mend."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if COMPLETE in os.environ:
        from typer.completion import completion_init  # type: ignore[attr-defined]

        completion_init()
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code)
    except UsageError as error:
        _refuse(error)
    except HithertoError as error:
        _fail(error, 1)
    except (typer.Abort, typer.Exit, KeyboardInterrupt):
        # what a command exits with comes back as a code: this is what typer makes of an interrupt
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # what is still in the buffer has nowhere to go, and must not fail at the very end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - a bug, told as one
        _fail_by_a_bug(error)


def _refuse(error: Exception) -> NoReturn:
    """Say what is wrong with the arguments; where there are none, show what could be given."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()  # type: ignore[attr-defined]
        sys.exit(2)
    told = " ".join(error.format_message().split())  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "hitherto"
    _fail(InvalidInput(told[:MOST_TOLD], mend=f"See `{command} --help`."), 2)


def _fail(error: HithertoError, exit_code: int) -> NoReturn:
    from hitherto_server.foreground import told
    from hitherto_server.gates.secrets import redact

    typer.echo(redact(told(error)).text, err=True)
    sys.exit(exit_code)


def _fail_by_a_bug(error: Exception) -> NoReturn:
    from hitherto_server.bug_report import keep

    message = f"{type(error).__name__}: {' '.join(str(error).split())}"
    kept = keep(error)
    where = f"report it with {kept}" if kept else "report it"
    _fail(HithertoError(message[:MOST_TOLD], mend=f"Run `hitherto doctor`, and {where}."), 1)
