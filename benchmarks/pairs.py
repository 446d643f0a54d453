"""Is a note the duplicate, the update or the contradiction of another: what does the store say?"""

from __future__ import annotations

import json
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import Bar, at_least, begin, figure, read_options, unmeasured
from homes import person, serving
from kept import kept_in, sets_in
from public_pairs import measured_on_public_sets

from hitherto_server.store.driver import open_raw

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness import Options
    from homes import Person, Server

FIXTURES = Path(__file__).parent / "fixtures" / "pairs"
HALVES = ("development", "test")
WAIT_S = 300.0
CONTRADICTIONS = frozenset(("supersedes", "conflict"))
QUICK_EVERY = 3
SAID = """
SELECT n.id AS newer, o.id AS older, r.kind, r.slot FROM relation AS r
JOIN memory AS n ON n.number = r.newer_number JOIN memory AS o ON o.number = r.older_number
WHERE r.undone_at_ms IS NULL
"""


@dataclass(frozen=True)
class Pair:
    """Two notes and what a person says that the newer one is to the older."""

    half: str
    domain: str
    label: str
    about: str
    older: str
    newer: str


@dataclass(frozen=True)
class Judged:
    """A pair, what the store said of it, and whether it said so at once."""

    pair: Pair
    said: str
    at_once: bool


def load_pairs(folder: Path = FIXTURES) -> list[Pair]:
    """Return all pairs; a half is made of whole domains."""
    return [pair for half in HALVES for pair in pairs_in(folder / half)]


def pairs_in(folder: Path) -> list[Pair]:
    """Return the pairs of one folder, whose name is that of their half."""
    return [
        Pair(folder.name, path.stem, **json.loads(line))
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def judge_all(who: Person, server: Server, pairs: Sequence[Pair]) -> list[Judged]:
    """Remember both notes of each pair in a project of their own, and read what was recorded."""
    folders = [who.folder / f"project-{number}" for number in range(len(pairs))]
    for folder in folders:
        folder.mkdir()
    placed = list(zip(folders, pairs, strict=True))
    older = [remembered(server, folder, pair.older) for folder, pair in placed]
    wait_until_compared(who, server, folders[0])
    newer = [remembered(server, folder, pair.newer) for folder, pair in placed]
    wait_until_compared(who, server, folders[0])
    said = said_of(who)
    return [
        Judged(pair, said.get((after["id"], before["id"]), "nothing"), bool(after["notes"]))
        for pair, before, after in zip(pairs, older, newer, strict=True)
    ]


def load_distinct() -> dict[str, list[str]]:
    """Return notes of projects that other benchmarks made: no two of one project say the same."""
    found: dict[str, list[str]] = {}
    for path in sorted((FIXTURES.parent / "prompts").glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        found[path.stem] = [row["text"] for row in rows if "memory" in row]
    for path in sorted((FIXTURES.parent / "recall").glob("*.json")):
        memories = json.loads(path.read_text(encoding="utf-8"))["memories"]
        found[path.stem] = [memory["content"] for memory in memories]
    return found


def count_false_alarms(
    who: Person, server: Server, projects: dict[str, list[str]]
) -> tuple[int, int]:
    """Remember distinct notes; return of how many something was said, and how many there are."""
    ids: list[str] = []
    for name, notes in projects.items():
        folder = who.folder / name
        folder.mkdir()
        ids += [remembered(server, folder, note)["id"] for note in notes]
    wait_until_compared(who, server, who.folder / next(iter(projects)))
    said = said_of(who)
    alarmed = {newer for (newer, _), kind in said.items() if kind != "similar"}
    return len(alarmed & set(ids)), len(ids)


def remembered(server: Server, folder: Path, content: str) -> dict[str, Any]:
    """Remember one note and return the answer."""
    return server.ask("/v1/remember", {"project_dir": str(folder), "content": content})


def wait_until_compared(who: Person, server: Server, folder: Path) -> None:
    """Wait until every note has its vector and was compared with what is near."""
    server.load_model(folder)
    ends = time.monotonic() + WAIT_S
    while count_jobs(who):
        if time.monotonic() > ends:
            message = "notes were not compared in time"
            raise RuntimeError(message)
        time.sleep(0.05)


def count_jobs(who: Person) -> int:
    """Return how many notes still wait to be compared."""
    with closing(open_raw(who.home.database, read_only=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM job").fetchone()[0])


def said_of(who: Person) -> dict[tuple[str, str], str]:
    """Return what the store says of two notes: newer and older one."""
    with closing(open_raw(who.home.database, read_only=True)) as connection:
        rows = connection.execute(SAID).fetchall()
    return {(row["newer"], row["older"]): meaning_of(row["kind"], row["slot"]) for row in rows}


def meaning_of(kind: str, slot: str | None) -> str:
    """Return a relation in the words of the confusion matrix."""
    match kind, slot:
        case "duplicate_of", _:
            return "duplicate"
        case "possible_conflict", "value":
            return "update"
        case "possible_conflict", _:
            return "conflict"
        case _:
            return kind


@dataclass(frozen=True)
class Figures:
    """Precision and recall of what was said of one half."""

    duplicate_precision: float | None
    duplicate_recall: float | None
    contradiction_precision: float | None
    contradiction_recall: float | None
    contradiction_at_once: float | None
    matrix: dict[str, dict[str, int]]
    by_about: dict[str, str]


def figures_of(judged: Sequence[Judged]) -> Figures:
    """Return how right the store was about some pairs."""
    duplicates = [one for one in judged if one.pair.label == "duplicate"]
    contradictions = [one for one in judged if one.pair.label in CONTRADICTIONS]
    said_duplicate = [one for one in judged if one.said == "duplicate"]
    said_contradiction = [one for one in judged if one.said in {"update", "conflict"}]
    matrix: dict[str, Counter[str]] = {}
    about: dict[str, list[bool]] = {}
    for one in judged:
        matrix.setdefault(one.pair.label, Counter())[one.said] += 1
        about.setdefault(f"{one.pair.label}: {one.pair.about}", []).append(is_right(one))
    return Figures(
        share(one.pair.label == "duplicate" for one in said_duplicate),
        share(one.said == "duplicate" for one in duplicates),
        share(one.pair.label in CONTRADICTIONS for one in said_contradiction),
        share(one.said in {"update", "conflict"} for one in contradictions),
        share(one.said in {"update", "conflict"} and one.at_once for one in contradictions),
        {label: dict(sorted(row.items())) for label, row in sorted(matrix.items())},
        {name: f"{sum(rights)}/{len(rights)}" for name, rights in sorted(about.items())},
    )


def is_right(one: Judged) -> bool:
    """Tell whether what was said fits the label, update and conflict counting as one."""
    match one.pair.label:
        case "duplicate":
            return one.said == "duplicate"
        case "supersedes" | "conflict":
            return one.said in {"update", "conflict"}
        case _:
            return one.said in {"nothing", "similar"}


def share(rights: Iterable[bool]) -> float | None:
    """Return the share of what is so; None where there is nothing to count."""
    found = list(rights)
    return sum(found) / len(found) if found else None


def bars_of(figures: Figures, half: str) -> list[Bar]:
    """Put the figures of a half beside what they have to reach, on the test half alone."""
    values = (
        ("duplicate precision", figures.duplicate_precision, 0.95),
        ("update or conflict recall", figures.contradiction_recall, 0.7),
        ("duplicate recall", figures.duplicate_recall, None),
        ("update or conflict precision", figures.contradiction_precision, None),
        ("update or conflict told at once, without a vector", figures.contradiction_at_once, None),
    )
    return [bar_of(f"{name}, {half} half", value, least, half) for name, value, least in values]


def bar_of(name: str, value: float | None, least: float | None, half: str) -> Bar:
    """Return one figure, with its bar where it is the one that counts."""
    if value is None:
        return unmeasured(name, "share", None, "nothing to count")
    if least is None or half != "test":
        return figure(name, value, "share")
    return at_least(name, value, "share", least)


def measure(options: Options) -> tuple[list[Bar], dict[str, Any]]:
    """Judge the pairs in a real server, then the public sets by the same function."""
    pairs = load_pairs()
    if options.quick:
        pairs = pairs[::QUICK_EVERY]
    models = kept_in(options.data) / "models"
    with person(models) as who, serving(who) as server:
        judged = judge_all(who, server, pairs)
        alarms, notes = count_false_alarms(who, server, load_distinct())
    halves = {h: figures_of([one for one in judged if one.pair.half == h]) for h in HALVES}
    bars = [bar for half in reversed(HALVES) for bar in bars_of(halves[half], half)]
    public, told = measured_on_public_sets(sets_in(options.data), models, quick=options.quick)
    details = {
        "pairs": dict(Counter(f"{p.half}: {p.label}" for p in pairs)),
        "halves": {half: vars(found) for half, found in halves.items()},
        "public": told,
        "how": "each pair in a project of its own: the older note, then the newer one, through "
        "POST /v1/remember; what is counted is the relation that the store holds once all is "
        "compared. Halves are whole domains, thresholds were fitted on the development half; "
        "both were written by the same hand, before the rules.",
    }
    name = "distinct notes of other projects of which something was said"
    note = f"{alarms} of {notes}"
    return [*bars, figure(name, alarms / notes, "share", note), *public], details


def main() -> None:
    """Measure, compare with the bars, and write the result."""
    options = read_options(__doc__ or "")
    run = begin("pairs", options)
    run.end(*measure(options))


if __name__ == "__main__":
    main()
