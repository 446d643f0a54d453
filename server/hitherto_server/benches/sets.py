"""The labelled sets: read from the files that ship, or from another folder."""

from __future__ import annotations

import hashlib
import json
import random
import string
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

from hitherto_server.benches.items import (
    Boundary,
    ChangedFile,
    Filed,
    Graded,
    Kind,
    LoopState,
    Note,
    Pair,
    Past,
    Prompted,
    RanCommand,
    Repeat,
    Request,
    Told,
    Valued,
    Worth,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Item = TypeVar("Item")

FOLDER = "fixtures"
SETS = (
    "relations",
    "duplicates",
    "staleness",
    "relevance",
    "worth",
    "kinds",
    "historical",
    "secrets",
    "categories",
    "turns",
    "prompts",
    "boundaries",
    "loops",
    "digests",
    "plans",
)
ALPHABETS = {
    "alnum": string.ascii_letters + string.digits,
    "uppernum": string.ascii_uppercase + string.digits,
    "digits": string.digits,
    "hex": "0123456789abcdef",
    "b64plain": string.ascii_letters + string.digits + "+/",
    "b64url": string.ascii_letters + string.digits + "-_",
}
UUID_CUTS = (8, 4, 4, 4, 12)
_ELSEWHERE: ContextVar[Path | None] = ContextVar("labelled sets that do not ship", default=None)


def load_relations() -> list[Pair]:
    """Return pairs of memories."""
    return _load("relations", _pair)


def load_duplicates() -> list[Repeat]:
    """Return statements beside what may say the same."""
    return _load("duplicates", lambda row: Repeat(**row))


def load_staleness() -> list[ChangedFile]:
    """Return files that changed, with memories of them."""
    return _load("staleness", _changed)


def load_relevance() -> list[Request]:
    """Return requests with graded memories."""
    return _load("relevance", _request)


def load_worth() -> list[Worth]:
    """Return memories with what they are worth."""
    return _load("worth", lambda row: Worth(**row))


def load_kinds() -> list[Kind]:
    """Return memories whose kind is easily mistaken."""
    return _load("kinds", lambda row: Kind(**row))


def load_historical() -> list[Past]:
    """Return requests about the past and about the present."""
    return _load("historical", lambda row: Past(**row))


def load_loops() -> list[LoopState]:
    """Return loops at the end of an iteration."""
    return _load("loops", _loop_state)


def load_secrets() -> list[Valued]:
    """Return texts with a value, drawn anew from its recipe: no scanner finds them in the file."""
    return _load("secrets", _valued)


def load_categories() -> list[Filed]:
    """Return filed memories."""
    return _load("categories", lambda row: Filed(**{**row, "categories": tuple(row["categories"])}))


def load_prompts() -> list[Prompted]:
    """Return prompts with what they depend on and show."""
    return _load("prompts", lambda row: Prompted(**row))


def load_boundaries() -> list[Boundary]:
    """Return prompts after work that was not stored."""
    return _load("boundaries", lambda row: Boundary(**{**row, "files": tuple(row["files"])}))


def fixture_hash(*names: str) -> str:
    """Return 12 hexadecimal digits that change with any letter of these sets."""
    digest = hashlib.sha256()
    for name in names:
        digest.update(text_of(name).encode())
    return digest.hexdigest()[:12]


@contextmanager
def sets_in(folder: Path) -> Iterator[None]:
    """Within, have every set from this folder: a benchmark keeps sets that do not ship."""
    before = _ELSEWHERE.set(folder)
    try:
        yield
    finally:
        _ELSEWHERE.reset(before)


def text_of(name: str) -> str:
    """Return the lines of a set."""
    return _read(_ELSEWHERE.get(), name)


@cache
def _read(elsewhere: Path | None, name: str) -> str:
    folder = elsewhere or files("hitherto_server.benches") / FOLDER
    return (folder / f"{name}.jsonl").read_text(encoding="utf-8")


def _load(name: str, made: Callable[[dict[str, Any]], Item]) -> list[Item]:
    return [made(json.loads(line)) for line in text_of(name).splitlines()]


def _pair(row: dict[str, Any]) -> Pair:
    return Pair(**{**row, "older": Note(**row["older"]), "newer": Note(**row["newer"])})


def _changed(row: dict[str, Any]) -> ChangedFile:
    return ChangedFile(**{**row, "memories": tuple(Told(**one) for one in row["memories"])})


def _request(row: dict[str, Any]) -> Request:
    return Request(**{**row, "candidates": tuple(Graded(**one) for one in row["candidates"])})


def _valued(row: dict[str, Any]) -> Valued:
    draw = random.Random(row["id"])  # noqa: S311 - not a secret: the same value in every run
    value = "".join(_part(draw, part) for part in row["value"])
    return Valued(**{**row, "value": value, "text": row["text"].replace("{v}", value)})


def _part(draw: random.Random, part: str) -> str:
    if part == "uuid":
        return "-".join("".join(draw.choices(ALPHABETS["hex"], k=cut)) for cut in UUID_CUTS)
    name, _, count = part.partition("*")
    if name in ALPHABETS and count.isdigit():
        return "".join(draw.choices(ALPHABETS[name], k=int(count)))
    return part


def _loop_state(row: dict[str, Any]) -> LoopState:
    commands = tuple(RanCommand(**one) for one in row["commands"])
    return LoopState(**{**row, "journal": tuple(row["journal"]), "commands": commands})
