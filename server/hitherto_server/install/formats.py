"""The formats that clients keep their configuration in, told apart by the file's name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.install import json_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True)
class Format:
    """How a file is read, and what stands in for one that is not there."""

    name: str
    absent: str
    parse: Callable[[str], object]
    """Raises ValueError where the text is not strictly of the format."""


def parse_toml(text: str) -> object:
    """Return what the text says; raises ValueError where it is no TOML."""
    import tomllib  # only where a client has such a file

    return tomllib.loads(text)


JSON = Format("JSON", "{}\n", json_text.parse)
TOML = Format("TOML", "", parse_toml)


def format_of(path: Path) -> Format:
    """Return the format of a client's file."""
    return TOML if path.suffix == ".toml" else JSON
