"""`hitherto categories`: the tree in which memories are filed."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hitherto_server.cli_shared import HELP_STYLE, Json, ask, echo_lines, folder, print_json

categories_app = typer.Typer(
    help="The categories in which memories are filed: a tree, whose leaves hold them.",
    no_args_is_help=True,
    rich_markup_mode=HELP_STYLE,
)

Named = Annotated[
    str, typer.Argument(metavar="NAME", help="A category, by its path: `team/conventions`.")
]
UserWide = Annotated[
    bool, typer.Option("--user-wide", help="Of what holds everywhere, not of this project.")
]


@categories_app.command("list")
def list_all(*, user_wide: UserWide = False, as_json: Json = False) -> None:
    """List them, each with how many memories it holds."""
    _ask("list", user_wide=user_wide, as_json=as_json)


@categories_app.command()
def add(name: Named, *, user_wide: UserWide = False, as_json: Json = False) -> None:
    """Add one; what is before the last slash must be there, and hold no memory."""
    _ask("add", name, user_wide=user_wide, as_json=as_json)


@categories_app.command()
def rename(
    name: Named,
    new_name: Annotated[str, typer.Argument(metavar="NEW", help="Its own name from now on.")],
    *,
    user_wide: UserWide = False,
    as_json: Json = False,
) -> None:
    """Give one another name, where it is."""
    _ask("rename", name, new_name, user_wide=user_wide, as_json=as_json)


@categories_app.command()
def trash(
    name: Named,
    *,
    back: Annotated[bool, typer.Option("--undo", help="Take it out of the trash.")] = False,
    user_wide: UserWide = False,
    as_json: Json = False,
) -> None:
    """Put one into the trash; its memories stay, and nothing new is filed in it."""
    _ask("restore" if back else "trash", name, user_wide=user_wide, as_json=as_json)


def _ask(
    action: str,
    name: str | None = None,
    new_name: str | None = None,
    *,
    user_wide: bool,
    as_json: bool,
) -> None:
    asked = {"action": action, "name": name, "new_name": new_name}
    place = {"scope": "user" if user_wide else "project", "project_dir": folder()}
    answer = ask("/v1/categories", {**asked, **place, "actor": "cli"})
    if as_json:
        print_json(answer)
    else:
        echo_lines([*map(_line, answer["categories"]), *answer["notes"]])


def _line(one: dict[str, Any]) -> str:
    count = one["memories"]
    memories = f"{count} {'memory' if count == 1 else 'memories'}"
    held = "holds categories" if one["is_container"] else memories
    trashed = "  in the trash" if one["trashed_at_ms"] is not None else ""
    return f"{one['name']}  {held}{trashed}"
