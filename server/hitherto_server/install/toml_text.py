"""Adding and removing one table of a TOML file, as text: every other byte stays as it is.

What an edit gives is parsed and compared with what it should say; if it differs, it is refused.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Keys = tuple[str, ...]

QUOTES = ('"""', "'''")
BARE = re.compile(r"[A-Za-z0-9_-]+")
HEADING = re.compile(r"\s*\[\[?(?P<keys>[^\[\]]*)\]\]?\s*(?:#.*)?")
PART = re.compile(r"""\s*(?:"([^"\\]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*""")


def with_table(text: str, keys: Keys, value: Mapping[str, object]) -> str:
    """Return the text with that table at its end, instead of the one that it may have already."""
    before = without_table(text, keys)
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not before.strip() else newline
    if before and not before.endswith("\n"):
        gap += newline
    lines = [f"[{'.'.join(key_text(key) for key in keys)}]"]
    lines += [f"{key_text(key)} = {value_text(item)}" for key, item in value.items()]
    after = before + gap + newline.join([*lines, ""])
    wanted = tomllib.loads(before)
    parent = wanted
    for key in keys[:-1]:
        parent = parent.setdefault(key, {})
    parent[keys[-1]] = dict(value)
    return checked(after, wanted)


def without_table(text: str, keys: Keys) -> str:
    """Return the text without that table and what lies below it."""
    if not has_table(tomllib.loads(text), keys):
        return text
    return checked_without("".join(lines_outside(text, keys)), tomllib.loads(text), keys)


def lines_outside(text: str, keys: Keys) -> Iterator[str]:
    """Yield the lines that are not the table's; the empty ones before its heading are."""
    is_ours, pending, open_with = False, "", ""
    for line in text.splitlines(keepends=True):
        was_open, open_with = open_with, opened_after(line, open_with)
        is_remark = not line.strip() or line.lstrip().startswith("#")
        if is_remark and (is_ours or not line.strip()):
            pending += line  # it is the next line's, whosever that is
            continue
        heading = None if was_open else heading_of(line)
        if heading is not None:
            is_ours = heading[: len(keys)] == keys
        if not is_ours:
            yield pending + line
        pending = ""
    yield pending


def opened_after(line: str, open_with: str) -> str:
    """Return the quotes of the text of many lines that is open at the line's end, if one is."""
    at = 0
    while True:
        ahead = [
            (line.find(quotes, at), quotes) for quotes in ([open_with] if open_with else QUOTES)
        ]
        found = min(((place, quotes) for place, quotes in ahead if place >= 0), default=None)
        if found is None:
            return open_with
        at, open_with = found[0] + len(found[1]), "" if open_with else found[1]


def has_table(value: Any, keys: Keys) -> bool:
    """Whether something lies under the keys."""
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True


def heading_of(line: str) -> Keys | None:
    """Return the keys of a table's heading; None for every other line."""
    found = HEADING.fullmatch(line.rstrip("\r\n"))
    if found is None:
        return None
    parts = [PART.fullmatch(part) for part in found["keys"].split(".")]
    return tuple(next(filter(None, part.groups()), "") for part in parts if part is not None)


def checked_without(text: str, value: dict[str, Any], keys: Keys) -> str:
    """Return the text if it says the value without what lies under the keys."""
    chain = [value]
    for key in keys[:-1]:
        chain.append(chain[-1][key])
    del chain[-1][keys[-1]]
    said = tomllib.loads(text)
    # a parent that had no heading of its own goes with its last table
    for parent, key, child in reversed(list(zip(chain, keys, chain[1:], strict=False))):
        if not child and not has_table(said, (*keys[: keys.index(key)], key)):
            del parent[key]
    return checked(text, value)


def checked(text: str, wanted: dict[str, Any]) -> str:
    """Return the text if it says exactly that; raises TypeError where it can't be made to."""
    try:
        is_right = tomllib.loads(text) == wanted
    except ValueError as error:
        message = f"our table does not fit in beside what is there ({error})"
        raise TypeError(message) from error
    if not is_right:
        message = "our table is written in a way that only a person can change"
        raise TypeError(message)
    return text


def key_text(key: str) -> str:
    """Return a key as TOML writes it."""
    return key if BARE.fullmatch(key) else value_text(key)


def value_text(value: object) -> str:
    """Return a value as TOML writes it on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case int() | float():
            return repr(value)
        case list():
            return f"[{', '.join(value_text(item) for item in value)}]"
        case dict():
            return f"{{ {', '.join(pairs(value))} }}" if value else "{}"
        case _:
            message = f"a value of the type {type(value).__name__} is none that we write"
            raise TypeError(message)


def pairs(value: Mapping[str, object]) -> Iterator[str]:
    """Yield the members of an inline table."""
    for key, item in value.items():
        yield f"{key_text(key)} = {value_text(item)}"
