"""Our MCP entry in Codex's config.toml, as a function from text to text."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.errors import EntryTaken
from hitherto_server.install import json_text, toml_text
from hitherto_server.install.changes import with_additions
from hitherto_server.install.registration import HOME_MCP_SHIM, SERVER_NAME, is_our_server

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class TableChange:
    """Brings our table to what is wanted; wanting nothing takes it away."""

    own_shim: Path
    parents: tuple[str, ...]
    wanted: dict[str, object] | None

    def __call__(self, text: str) -> str:
        keys = (*self.parents, SERVER_NAME)
        present = json_text.value_at(tomllib.loads(text), keys)
        is_ours = is_our_table(present, self.own_shim)
        if self.wanted is None:
            return toml_text.without_table(text, keys) if is_ours else text
        if present is not None and not is_ours:
            raise EntryTaken("Codex has an MCP server `hitherto` that is not ours.")
        wanted = with_additions(present, self.wanted)
        return text if wanted == present else toml_text.with_table(text, keys, wanted)


def is_our_table(entry: object, own_shim: Path) -> bool:
    """Whether an entry starts our server, as a program or as a shared one must."""
    return is_our_server(entry, own_shim) or starts_shim_by_shell(entry)


def starts_shim_by_shell(entry: object) -> bool:
    """Whether an entry runs the shim of the usual data home by a shell, as a shared one must."""
    match entry:
        case {"command": "sh", "args": ["-c", str(line)]}:
            return line == f'exec "$HOME{HOME_MCP_SHIM}"'
        case _:
            return False
