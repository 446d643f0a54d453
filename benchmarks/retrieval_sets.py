"""Public question sets as what the product would have stored: memories, and questions about them.

A LoCoMo turn becomes what a session's chunk becomes: a note of source `transcript`, one turn a
memory, its text as it was said (with the caption of a picture that was shared), the speaker as its
actor, the session's date as `learned_at`, the session's id; the turns beside it reach the index
as any chunk's neighbours do. Each conversation is a project. A CoSQA function is a note of source
`import`, and all of them are one project. Nothing is trained on these sets; a few settings were
tried on their development halves, and `docs/decisions/recall.md` lists each with its figures.
"""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECTS = Path(__file__).parent / "fixtures" / "recall"
TODAY_MS = 1_796_000_000_000
DAY_MS = 86_400_000
UNANSWERABLE = 5
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
TURN = re.compile(r"D\d+:\d+")
SESSION = re.compile(r"session_(\d+)")


@dataclass(frozen=True)
class Chunk:
    """One memory to be."""

    key: str
    content: str
    source: str
    actor: str = "import"
    session: str | None = None
    at_ms: int | None = None
    kind: str = "note"
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    importance: int = 5


@dataclass(frozen=True)
class Asked:
    """A question, and the keys of the memories that answer it."""

    text: str
    answers: frozenset[str]
    category: str


@dataclass(frozen=True)
class Corpus:
    """What is one project in the store, and what is asked of it."""

    name: str
    chunks: tuple[Chunk, ...]
    questions: tuple[Asked, ...]
    split: str = "public"


def load_projects(split: str | None = None) -> list[Corpus]:
    """Return the labelled projects that were written for this product, of one split or all."""
    found = (json.loads(path.read_text("utf-8")) for path in sorted(PROJECTS.glob("*.json")))
    return [_project(row) for row in found if split in {None, row["split"]}]


def load_sets(folder: Path) -> dict[str, list[Corpus]]:
    """Return the sets whose files are in the folder, each by its file's name."""
    found: dict[str, list[Corpus]] = {}
    for path in sorted(folder.glob("locomo_*.json.gz")):
        found[_name(path)] = [_conversation(one) for one in _read(path)]
    code = folder / "cosqa_code.json.gz"
    if code.exists():
        chunks = tuple(_functions(_read(code)))
        for path in sorted(folder.glob("cosqa_*.json.gz")):
            if path != code:
                found[_name(path)] = [Corpus("functions", chunks, tuple(_queries(_read(path))))]
    return found


def _project(row: dict[str, Any]) -> Corpus:
    chunks = (
        Chunk(
            one["key"],
            one["content"],
            one.get("source", "agent"),
            actor=one["actor"],
            session=one.get("session"),
            at_ms=TODAY_MS - one["age_days"] * DAY_MS,
            kind=one["kind"],
            tags=tuple(one["tags"]),
            files=tuple(one["files"]),
            importance=one["importance"],
        )
        for one in row["memories"]
    )
    questions = (
        Asked(one["text"], frozenset(one["answers"]), one["style"]) for one in row["questions"]
    )
    return Corpus(row["project"], tuple(chunks), tuple(questions), row["split"])


def _name(path: Path) -> str:
    return path.name.removesuffix(".json.gz")


def _read(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def _conversation(row: dict[str, Any]) -> Corpus:
    name, talk = row["sample_id"], row["conversation"]
    numbers = sorted(int(found[1]) for key in talk if (found := SESSION.fullmatch(key)))
    chunks = [
        _turn(turn, f"{name}-{number}", _date_ms(talk[f"session_{number}_date_time"]))
        for number in numbers
        for turn in talk[f"session_{number}"]
    ]
    known = {chunk.key for chunk in chunks}
    return Corpus(name, tuple(chunks), tuple(_questions(row["qa"], known)))


def _turn(turn: dict[str, Any], session: str, at_ms: int) -> Chunk:
    said = turn["text"].strip()
    if caption := turn.get("blip_caption"):
        said = f"{said}\n[shares {caption}]"
    return Chunk(turn["dia_id"], said, "transcript", turn["speaker"], session, at_ms)


def _date_ms(said: str) -> int:
    """Read `1:56 pm on 8 May, 2023`."""
    at = datetime.strptime(said, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    return int(at.timestamp() * 1000)


def _questions(rows: list[dict[str, Any]], known: set[str]) -> Iterator[Asked]:
    for row in rows:
        answers = frozenset(TURN.findall(" ".join(row.get("evidence") or ()))) & known
        if row["category"] != UNANSWERABLE and answers:
            yield Asked(row["question"], answers, CATEGORIES[row["category"]])


def _functions(code: dict[str, int]) -> Iterator[Chunk]:
    for text, number in code.items():
        yield Chunk(str(number), text.strip(), "import")


def _queries(rows: list[dict[str, Any]]) -> Iterator[Asked]:
    for row in rows:
        yield Asked(row["doc"], frozenset({str(row["retrieval_idx"])}), "code")
