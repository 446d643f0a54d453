"""`hitherto completion`: the script by which a shell completes our commands."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

COMPLETE = "_HITHERTO_COMPLETE"
"""Set by a shell's script that asks what can follow."""


def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish"], typer.Argument(metavar="SHELL", help="bash, zsh or fish.")
    ],
) -> None:
    """Print the script by which a shell completes our commands (docs/cli.md says where to)."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    typer.echo(get_completion_script(prog_name="hitherto", complete_var=COMPLETE, shell=shell))
