"""Change one place of a JSON text and leave every other byte as it is."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import NoReturn

Key = str | int
Keys = tuple[Key, ...]
WHITESPACE = re.compile(r"[ \t\r\n]*")
INDENTED_LINE = re.compile(r"^([ \t]+)\S", re.MULTILINE)


@dataclass(frozen=True)
class Child:
    """A member of an object or an item of a list, and where it lies in the text."""

    key: Key
    start: int
    value: int
    end: int


def parse(text: str) -> object:
    """Return what the text says; raises ValueError where it is not strict JSON."""
    try:
        return json.loads(text, parse_constant=refuse_constant)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def refuse_constant(name: str) -> NoReturn:
    """Raise on `NaN` and its like, which the client would not read either."""
    msg = f"{name} is not JSON"
    raise ValueError(msg)


def value_at(value: object, keys: Keys) -> object | None:
    """Return what lies under the keys, or None where one of them is missing."""
    for key in keys:
        match value, key:
            case dict(), str() if key in value:
                value = value[key]
            case list(), int() if key < len(value):
                value = value[key]
            case _:
                return None
    return value


def set_member(text: str, keys: tuple[str, ...], value: object) -> str:
    """Return the text with that value under the keys, in objects that are made where missing."""
    *parents, last = keys
    at = after_whitespace(text, 0)
    for depth, key in enumerate(parents):
        child = find_child(text, at, key)
        if child is None:
            for missing in reversed((*parents[depth + 1 :], last)):
                value = {missing: value}
            return insert(text, at, key, value)
        at = child.value
    if find_child(text, at, last) is None:
        return insert(text, at, last, value)
    return replace(text, keys, value)


def replace(text: str, keys: Keys, value: object) -> str:
    """Return the text with another value in the place of the one under the keys."""
    child = find_child(text, position_of(text, keys[:-1]), keys[-1])
    if child is None:
        raise KeyError(keys[-1])
    is_inline = "\n" not in lead_of(text, child.start)
    rendered = render(text, value, None if is_inline else indent_at(text, child.start))
    return text[: child.value] + rendered + text[child.end :]


def append_item(text: str, keys: Keys, value: object) -> str:
    """Return the text with one more item in the list under the keys."""
    return insert(text, position_of(text, keys), None, value)


def remove(text: str, keys: Keys) -> str:
    """Return the text without what lies under the keys."""
    at = position_of(text, keys[:-1])
    siblings = children(text, at)
    index = max(n for n, child in enumerate(siblings) if child.key == keys[-1])
    if len(siblings) == 1:
        return text[: at + 1] + text[closing(text, at, siblings) :]
    if index == len(siblings) - 1:
        return text[: siblings[index - 1].end] + text[siblings[index].end :]
    return text[: siblings[index].start] + text[siblings[index + 1].start :]


def insert(text: str, at: int, key: str | None, value: object) -> str:
    """Return the text with one more child at the end of the object or list that starts there."""
    siblings = children(text, at)
    if (key is None) != (text[at] == "["):
        raise TypeError("an object takes members, a list takes items")
    if siblings:
        last = siblings[-1]
        lead = lead_of(text, last.start)
        if "\n" not in lead and len(siblings) == 1:
            lead = "" if is_minified(text) else " "
        new = labelled(text, key, value, lead)
        return text[: last.end] + "," + lead + new + text[last.end :]
    outer = indent_at(text, at)
    unit = indent_unit(text)
    lead, tail = ("", "") if unit is None else (newline(text) + outer + unit, newline(text) + outer)
    new = labelled(text, key, value, lead)
    return text[: at + 1] + lead + new + tail + text[closing(text, at, siblings) :]


def labelled(text: str, key: str | None, value: object, lead: str) -> str:
    """Return the child's own text, to be placed after that white space."""
    inner = lead.rpartition("\n")[2] if "\n" in lead else None
    rendered = render(text, value, inner)
    if key is None:
        return rendered
    colon = ":" if is_minified(text) else ": "
    return json.dumps(key, ensure_ascii=False) + colon + rendered


def render(text: str, value: object, indent: str | None) -> str:
    """Return the value's text in the style of the file; None means: on one line."""
    unit = indent_unit(text)
    if indent is None or unit is None:
        separators = (",", ":") if is_minified(text) else (", ", ": ")
        return json.dumps(value, ensure_ascii=False, separators=separators)
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return (newline(text) + indent).join(lines)


def newline(text: str) -> str:
    """Return the line ending that the file uses."""
    return "\r\n" if "\r\n" in text else "\n"


def indent_unit(text: str) -> str | None:
    """Return one step of the file's indentation, None where everything is on one line."""
    found = INDENTED_LINE.search(text)
    if found:
        return found[1]
    return None if "\n" not in text.strip() and not is_empty(text) else "  "


def is_minified(text: str) -> bool:
    """Whether the file is on one line, without spaces between its parts."""
    return "\n" not in text.strip() and '": ' not in text and not is_empty(text)


def is_empty(text: str) -> bool:
    """Whether the file says nothing yet, and so shows no style."""
    return "".join(text.split()) == "{}"


def indent_at(text: str, position: int) -> str:
    """Return the white space that the line of that position starts with."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def lead_of(text: str, position: int) -> str:
    """Return the white space right before the position."""
    before = text[:position]
    return before[len(before.rstrip(" \t\r\n")) :]


def after_whitespace(text: str, position: int) -> int:
    """Return the position of the next character that means something."""
    found = WHITESPACE.match(text, position)
    return found.end() if found else position


def position_of(text: str, keys: Keys) -> int:
    """Return where the value under the keys starts; raises KeyError where there is none."""
    at = after_whitespace(text, 0)
    for key in keys:
        child = find_child(text, at, key)
        if child is None:
            raise KeyError(key)
        at = child.value
    return at


def find_child(text: str, at: int, key: Key) -> Child | None:
    """Return the child of that key; of several, the last one counts, as for every reader."""
    return next((c for c in reversed(children(text, at)) if c.key == key), None)


def closing(text: str, at: int, siblings: list[Child]) -> int:
    """Return the position of the bracket that ends the object or list."""
    return after_whitespace(text, siblings[-1].end if siblings else at + 1)


def children(text: str, at: int) -> list[Child]:
    """Return what the object or list that starts there holds, in order."""
    if text[at] not in "{[":
        raise TypeError("neither an object nor a list")
    found: list[Child] = []
    position = after_whitespace(text, at + 1)
    while text[position] not in "}]":
        child = child_at(text, position, None if text[at] == "{" else len(found))
        found.append(child)
        position = after_whitespace(text, child.end)
        if text[position] == ",":
            position = after_whitespace(text, position + 1)
    return found


def child_at(text: str, start: int, index: int | None) -> Child:
    """Return the item, or without an index the member, that starts there."""
    key: Key
    if index is None:
        key, end = scanstring(text, start + 1)
        value = after_whitespace(text, after_whitespace(text, end) + 1)
    else:
        key, value = index, start
    _, end = json.JSONDecoder().raw_decode(text, value)
    return Child(key, start, value, end)
