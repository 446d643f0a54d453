"""The key to a backend: kept beside the address that it was given for, and sent nowhere else."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hitherto_server.core.private_file import write_private

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

KEY = "HITHERTO_JUDGE_KEY"
KEY_FOR = "HITHERTO_JUDGE_KEY_FOR"
SWITCH = "HITHERTO_JUDGE"
OFF = frozenset({"off", "0", "no", "false"})
OURS = (KEY, KEY_FOR, SWITCH)
LINE = re.compile(r"\s*(?:export\s+)?(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<value>.*?)\s*")
SENDABLE = re.compile(r"[\x21-\x7e]{1,4096}")
"""What a header can carry."""


@dataclass(frozen=True)
class Key:
    """A key, and the base URL that it was given for; None: it was never said."""

    value: str = field(repr=False)
    given_for: str | None


def read_env_file(path: Path) -> dict[str, str]:
    """Return what a file of `NAME=value` lines sets of ours; a missing one sets nothing."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    found = (LINE.fullmatch(line) for line in lines)
    return {one["name"]: _unquoted(one["value"]) for one in found if one and one["name"] in OURS}


def is_killed(*environments: Mapping[str, str]) -> bool:
    """Tell whether one of them turns all judgments off."""
    return any(one.get(SWITCH, "").strip().lower() in OFF for one in environments)


def is_sendable(key: str) -> bool:
    """Tell whether a header can carry a key."""
    return SENDABLE.fullmatch(key) is not None


def find_key(environment: Mapping[str, str], file: Mapping[str, str]) -> Key | None:
    """Return the key that the environment or else the file holds."""
    kept = file.get(KEY)
    value = environment.get(KEY) or kept or ""
    if not is_sendable(value):
        return None
    # beside a key of its own, the file says where that one may be sent
    of_file = file.get(KEY_FOR) if kept in {None, "", value} else None
    return Key(value, environment.get(KEY_FOR) or of_file)


def write_key(path: Path, key: str | None, given_for: str | None) -> None:
    """Put a key and what it is for into the file, or take them out; other lines stay."""
    told = {KEY: key, KEY_FOR: given_for}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        lines = []
    kept = [line for line in lines if _name_of(line) not in told]
    new = [f"{name}={value}" for name, value in told.items() if value is not None]
    write_private(path, "".join(f"{line}\n" for line in [*kept, *new]))


def _name_of(line: str) -> str | None:
    found = LINE.fullmatch(line)
    return found["name"] if found else None


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value
