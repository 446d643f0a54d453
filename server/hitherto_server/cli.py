"""The command `hitherto`."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from hitherto_contract import VERSION
from hitherto_server.cli_completion import COMPLETE
from hitherto_server.cli_shared import HELP_STYLE
from hitherto_server.core.errors import HithertoError, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MEMORIES, STEERING, SERVER, SETUP = "Memories", "Your word", "The server", "Setting up"

# typer carries its own click and shows only this much of it
UsageError: type[Exception] = typer.BadParameter.__mro__[1]
MOST_TOLD = 300
INTERRUPTED = 130
"""128 and the number of the signal that would have ended another program."""

COMMANDS = {
    "remember": (MEMORIES, "cli_memories.remember"),
    "recall": (MEMORIES, "cli_memories.recall"),
    "memories": (MEMORIES, "cli_memories.memories"),
    "show": (MEMORIES, "cli_memories.show"),
    "edit": (MEMORIES, "cli_memories.edit"),
    "confirm": (MEMORIES, "cli_memories.confirm"),
    "undo": (MEMORIES, "cli_memories.undo"),
    "forget": (MEMORIES, "cli_memories.forget"),
    "sync": (MEMORIES, "cli_sync.sync"),
    "candidates": (MEMORIES, "cli_history.candidates"),
    "clean": (MEMORIES, "cli_clean.clean"),
    "import-history": (MEMORIES, "cli_history.import_history"),
    "why": (STEERING, "cli_control.why"),
    "wrong": (STEERING, "cli_control.wrong"),
    "worth": (STEERING, "cli_worth.worth"),
    "pause": (STEERING, "cli_control.pause"),
    "resume": (STEERING, "cli_control.resume"),
    "ignore": (STEERING, "cli_control.ignore"),
    "purge": (STEERING, "cli_control.purge"),
    "erase": (STEERING, "cli_erase.erase"),
    "serve": (SERVER, "cli_server.serve"),
    "stop": (SERVER, "cli_server.stop"),
    "status": (SERVER, "cli_server.status"),
    "doctor": (SERVER, "cli_server.doctor"),
    "reindex": (SERVER, "cli_server.reindex"),
    "bench": (SERVER, "cli_bench.bench"),
    "backup": (SERVER, "cli_backup.backup"),
    "restore": (SERVER, "cli_backup.restore"),
    "export": (SERVER, "cli_transfer.export"),
    "import": (SERVER, "cli_transfer.import_file"),
    "connect": (SETUP, "cli_connect.connect"),
    "completion": (SETUP, "cli_completion.completion"),
    "categories": (MEMORIES, "cli_categories.categories_app"),
    "loop": (STEERING, "cli_loop.loop_app"),
    "install": (SETUP, "cli_install.install_app"),
    "uninstall": (SETUP, "cli_install.uninstall_app"),
    "models": (SETUP, "cli_models.models_app"),
    "judge": (SETUP, "cli_judge.judge_app"),
}
"""Each command's panel of the help, and the function or group that it is."""


def app_of(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the command with these of its commands; making all of them takes 0.2 s."""
    app = typer.Typer(
        name="hitherto",
        help="Local memory for coding agents. Every recalled memory says what shows that it holds.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=HELP_STYLE,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(hitherto)
    for name in names:
        panel, place = COMMANDS[name]
        module, _, attribute = place.partition(".")
        found = getattr(import_module(f"hitherto_server.{module}"), attribute)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name, rich_help_panel=panel)
        else:
            app.command(name, rich_help_panel=panel)(found)
    return app


def _say_version(asked: bool) -> None:  # noqa: FBT001 - typer calls it so
    if asked:
        typer.echo(VERSION)
        raise typer.Exit


def hitherto(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="Say the version."),
    ] = False,
) -> None:
    """Local memory for coding agents. Every recalled memory says what shows that it holds."""


def named_in(arguments: Sequence[str]) -> Iterable[str]:
    """Return the command that is called, or all of them where that takes to know them."""
    return arguments[:1] if arguments and arguments[0] in COMMANDS else COMMANDS


def main() -> None:
    """Run the command; whatever goes wrong is one line with its code and its mend."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if COMPLETE in os.environ:
        from typer.completion import completion_init  # type: ignore[attr-defined]

        completion_init()
    try:
        code = app_of(named_in(sys.argv[1:]))(standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code)
    except UsageError as error:
        _refuse(error)
    except HithertoError as error:
        _fail(error)
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
    _fail(InvalidInput(told[:MOST_TOLD], mend=f"See `{command} --help`."))


def _fail(error: HithertoError) -> NoReturn:
    from hitherto_server.foreground import exit_code_of, told
    from hitherto_server.gates.secrets import redact

    typer.echo(redact(told(error)).text, err=True)
    sys.exit(exit_code_of(error))


def _fail_by_a_bug(error: Exception) -> NoReturn:
    from hitherto_server.bug_report import keep

    message = f"{type(error).__name__}: {' '.join(str(error).split())}"
    kept = keep(error)
    where = f"report it with {kept}" if kept else "report it"
    _fail(HithertoError(message[:MOST_TOLD], mend=f"Run `hitherto doctor`, and {where}."))
