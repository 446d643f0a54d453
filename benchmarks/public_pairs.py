"""Breaking-NLI and FEVER-symmetric: how the rules fare beside a cosine alone."""

from __future__ import annotations

import gzip
import json
import random
import zipfile
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness import SEED, Bar, figure, unmeasured

from hitherto_server.gates.duplicates import NEAR, judge
from hitherto_server.models.runtime import embed_text, load_model
from hitherto_server.models.sources import fetch_model

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NLI, FEVER = "breaking_nli_dataset.zip", "fever_symmetric.jsonl.gz"
FULL, QUICK = 2_000, 200
MEANINGS = {
    "contradiction": "contradiction", "REFUTES": "contradiction",
    "entailment": "agreement", "SUPPORTS": "agreement",
}  # fmt: skip


@dataclass(frozen=True)
class PublicPair:
    """Two sentences, whether one contradicts the other, and their cosine."""

    contradicts: bool
    cosine: float
    said: str


def measured_on_public_sets(
    folder: Path, models: Path, *, quick: bool
) -> tuple[list[Bar], dict[str, Any]]:
    """Return figures on the sets that are there; they have no bar."""
    bars: list[Bar] = []
    details: dict[str, Any] = {}
    for name, path in (("Breaking-NLI", folder / NLI), ("FEVER-symmetric", folder / FEVER)):
        if not path.exists():
            bars.append(unmeasured(f"{name}: told apart", "share", None, f"no {path.name}"))
            continue
        pairs = judged(sample(read(path), QUICK if quick else FULL), models)
        details[name] = told_apart(pairs)
        bars += [figure(f"{name}: {what}", value, "share") for what, value in details[name].items()]
    return bars, details


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a set that say contradiction or agreement."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            text = archive.read("data/dataset.jsonl").decode()
    else:
        text = gzip.decompress(path.read_bytes()).decode()
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    return [row for row in rows if row["gold_label"] in MEANINGS]


def sample(rows: list[dict[str, str]], most: int) -> list[dict[str, str]]:
    """Return so many of each meaning, the same ones every time."""
    chooser = random.Random(SEED)
    found: list[dict[str, str]] = []
    for meaning in ("contradiction", "agreement"):
        fit = [row for row in rows if MEANINGS[row["gold_label"]] == meaning]
        found += chooser.sample(fit, min(most // 2, len(fit)))
    return found


def judged(rows: Sequence[dict[str, str]], models: Path) -> list[PublicPair]:
    """Judge each pair as a write would once both have their vectors."""
    model = load_model(fetch_model(models))
    found = []
    for row in rows:
        one, other = row["sentence1"], row["sentence2"]
        cosine = float(embed_text(model, one) @ embed_text(model, other))
        contradicts = MEANINGS[row["gold_label"]] == "contradiction"
        found.append(PublicPair(contradicts, cosine, judge(one, other, cosine).kinship))
    return found


def told_apart(pairs: Sequence[PublicPair]) -> dict[str, float]:
    """Return what a cosine and what the rules make of contradictions and agreements."""
    against = [one for one in pairs if one.contradicts]
    agreeing = [one for one in pairs if not one.contradicts]
    return {
        "AUC of the cosine, agreement above contradiction": area(
            [one.cosine for one in agreeing], [one.cosine for one in against]
        ),
        "contradictions that a cosine of 0.90 takes for the same": part(
            [one.cosine >= NEAR for one in against]
        ),
        "contradictions that the rules take for a duplicate": part(
            [one.said == "duplicate" for one in against]
        ),
        "contradictions that the rules report": part(
            [one.said in {"update", "conflict"} for one in against]
        ),
        "agreements that the rules report as contradictions": part(
            [one.said in {"update", "conflict"} for one in agreeing]
        ),
    }


def part(rights: Sequence[bool]) -> float:
    """Return the share of what is so."""
    return sum(rights) / len(rights)


def area(above: Sequence[float], below: Sequence[float]) -> float:
    """Return the chance that one of the first is above one of the second; a tie is half of it."""
    ranked = sorted(below)
    wins = sum(bisect_left(ranked, one) + bisect_right(ranked, one) for one in above)
    return wins / (2 * len(above) * len(below))
