"""Texts as parts of a reply: on one line, indented, without what misleads a reader."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

GLANCE_CHARS = 240

LINE_BREAKS = re.compile(r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# Control codes, and characters that hide or reorder text: a terminal or a reader would be misled.
# The server has the same table; a test holds them together.
INVISIBLE = re.compile(
    r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\ud800-\udfff"
    r"\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    r"\U000e0000-\U000e0fff]"
)


def joined(parts: Iterable[str]) -> str:
    """Join the parts that say something into one line."""
    return " · ".join(filter(None, map(one_line, parts)))


def joined_words(*parts: str) -> str:
    """Join the words that are there."""
    return " ".join(filter(None, parts))


def words(name: str) -> str:
    """Return a name of the wire as a person would say it."""
    return one_line(name.replace("_", " "))


def date(at_ms: int) -> str:
    """Return the UTC day: an age would change the bytes from call to call."""
    return datetime.fromtimestamp(at_ms / 1000, tz=UTC).strftime("%Y-%m-%d")


def minute(at_ms: int) -> str:
    """Return the UTC minute, as other times are told."""
    return datetime.fromtimestamp(at_ms / 1000, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")


def one_line(text: str) -> str:
    """Return the text without line breaks and invisible characters."""
    return " ".join(visible(text).split())


def indented(text: str) -> str:
    """Return the text so that no line of it can pass for a line of ours."""
    return "\n".join(f"  {line}".rstrip() for line in visible(text).strip().split("\n"))


def visible(text: str) -> str:
    """Return the text with plain line breaks and nothing that hides in it."""
    return INVISIBLE.sub("", LINE_BREAKS.sub("\n", text))


def glance(text: str) -> str:
    """Return the beginning of a text, and how much more there is."""
    if len(text) <= GLANCE_CHARS:
        return text
    return f"{text[:GLANCE_CHARS].rstrip()} … ({len(text) - GLANCE_CHARS} more characters)"


def compact(value: Any) -> str:
    """Return a value as one line of JSON with sorted keys."""
    return visible(json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
