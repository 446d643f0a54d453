"""By what the use of a memory would be seen: the files, names and commands that it speaks of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.text import BACKTICKED, identifiers_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PROGRAM = re.compile(r"[\w./-]+ +\S")
LEAST_NAME = 4
"""A shorter name stands in any text by chance."""


@dataclass(frozen=True)
class Traces:
    """What a memory names that an act can show."""

    files: frozenset[str] = frozenset()
    """Relative to the project's root, or as the memory spells them."""
    names: frozenset[str] = frozenset()
    commands: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.files or self.names or self.commands)


def traces_of(content: str, tied: Iterable[str] = ()) -> Traces:
    """Return the traces of a memory that says this and is tied to these files."""
    named = [name for name in identifiers_in(content) if len(name) >= LEAST_NAME]
    paths = {name for name in named if "/" in name and "(" not in name and "://" not in name}
    quoted = {span for span in BACKTICKED.findall(content) if is_command(span)}
    return Traces(frozenset({*tied, *paths}), frozenset(set(named) - paths), frozenset(quoted))


def is_command(span: str) -> bool:
    """Tell whether what stands in backticks may be a command: a program, and what it is given."""
    return PROGRAM.match(span) is not None


def seen_in(traces: Traces, path: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the traces that an act on a path, with a text, shows: what it is, and its words."""
    if path:
        yield from (("file", file) for file in sorted(traces.files) if is_at(path, file))
    if text:
        yield from (("name", name) for name in sorted(traces.names) if stands_in(text, name))
        yield from (("command", one) for one in sorted(traces.commands) if one in text)
        yield from (("file", file) for file in sorted(traces.files) if stands_in(text, file))


def is_at(path: str, file: str) -> bool:
    """Tell whether a path of this machine is that file of the project."""
    path = path.replace("\\", "/")
    return path == file or path.endswith(f"/{file}")


def stands_in(text: str, name: str) -> bool:
    """Tell whether a name stands in a text as a whole, not as a part of another one."""
    at = text.find(name)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(name) : at + len(name) + 1]
        if not any(one.isalnum() or one == "_" for one in around):
            return True
        at = text.find(name, at + 1)
    return False
