"""Fits what a freely worded note is to another one, and writes the weights.

Read are pairs of other hands (`fixtures/pairs/training`, `fixtures/blind/opened`) and the
development half of our own; neither a test half nor the sealed set. Notes of one project that are
near and of different pairs are examples of what is neither. Each file left out in turn, and each
hand, say what the weights are worth on texts that they were not fitted on.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from harness import ROOT, read_options
from kept import kept_in
from pairs import FIXTURES, Judged, Pair, figures_of, pairs_in
from retrieval_sets import load_projects
from vectors import KeptVectors

from hitherto_server.gates.duplicates import judge
from hitherto_server.gates.kinship import Columns, Features, Weights, measured
from hitherto_server.gates.neighbours import SPOKEN_OF
from hitherto_server.gates.slots import compare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

OTHER_HANDS = {
    "first": FIXTURES / "training" / "first",
    "second": FIXTURES / "training" / "second",
    "opened": FIXTURES.parent / "blind" / "opened" / "pairs",
}
OWN = FIXTURES / "development"
DISTINCT = FIXTURES.parent / "blind" / "opened" / "prompts"
CLASSES = {"duplicate": 0, "supersedes": 1, "conflict": 1, "related": 2, "unrelated": 2}
NEITHER = 2
NEAREST = 4
"""So many notes of other pairs, the nearest, stand beside each note."""
LESS = 0.5
"""What a pair counts that nobody labelled."""
RIDGE, STEPS = 2.0, 40
MEANING = ("cosine", "near")
WORDS = tuple(name for name in Features.__dataclass_fields__ if name not in MEANING)
TARGET = ROOT / "server" / "hitherto_server" / "gates" / "kinship_weights.py"


@dataclass(frozen=True)
class Example:
    """Two notes, whose they are, what they are to each other, and what was measured of them."""

    hand: str
    pair: Pair
    cosine: float
    features: Features
    is_labelled: bool

    @property
    def group(self) -> tuple[str, str]:
        return self.hand, self.pair.domain

    @property
    def weight(self) -> float:
        return 1.0 if self.is_labelled else LESS


def examples_of(vectors: KeptVectors) -> list[Example]:
    """Return all labelled pairs, and near notes of each project that are of different pairs."""
    found = [_example("own", one, vectors) for one in pairs_in(OWN)]
    for hand, folder in OTHER_HANDS.items():
        pairs = pairs_in(folder)
        found += [_example(hand, one, vectors) for one in pairs]
        for domain in sorted({one.domain for one in pairs}):
            some = [one for one in pairs if one.domain == domain]
            notes = [(at, text) for at, one in enumerate(some) for text in (one.older, one.newer)]
            near = crossed(domain, notes, vectors)
            found += [_example(hand, one, vectors, is_labelled=False) for one in near]
    for path in sorted(DISTINCT.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        notes = [(row["memory"], row["text"]) for row in rows if "memory" in row]
        near = crossed(path.stem, notes, vectors)
        found += [_example("opened", one, vectors, is_labelled=False) for one in near]
    for project in load_projects("train"):
        near = crossed(project.name, [(one.key, one.content) for one in project.chunks], vectors)
        found += [_example("own", one, vectors, is_labelled=False) for one in near]
    return found


def crossed(domain: str, notes: Sequence[tuple[Any, str]], vectors: KeptVectors) -> Iterator[Pair]:
    """Yield each note of a project beside its nearest of other pairs."""
    made = np.array([vectors.of(text) for _, text in notes])
    taken: Counter[int] = Counter()
    seen: set[tuple[int, int]] = set()
    for at, row in enumerate(made @ made.T):
        for other in map(int, np.argsort(-row)):
            both = (min(at, other), max(at, other))
            if notes[at][0] == notes[other][0] or both in seen or taken[at] >= NEAREST:
                continue
            seen.add(both)
            taken.update(both)
            older, newer = (notes[one][1] for one in both)
            yield Pair("crossed", domain, "unrelated", "crossed", older, newer)


def _example(hand: str, pair: Pair, vectors: KeptVectors, *, is_labelled: bool = True) -> Example:
    cosine = float(vectors.of(pair.older) @ vectors.of(pair.newer))
    compared = compare(pair.older, pair.newer)
    features = measured(pair.older, pair.newer, compared, cosine)
    return Example(hand, pair, cosine, features, is_labelled)


def fit(examples: Sequence[Example], names: Sequence[str]) -> Columns:
    """Return the weights of a duplicate and of a contradiction against neither, by Newton."""
    values = np.array([[getattr(one.features, name) for name in names] for one in examples])
    counts = np.array([one.weight for one in examples])
    right = np.eye(3)[[CLASSES[one.pair.label] for one in examples]]
    mean, spread = values.mean(axis=0), values.std(axis=0) + 1e-9
    scaled = np.c_[np.ones(len(values)), (values - mean) / spread]
    found = _newton(scaled, right, counts)
    found = found - found[:, [NEITHER]]
    plain = found[1:] / spread[:, None]
    bias = found[0] - mean @ plain
    columns = (
        {"bias": float(bias[at]), **dict(zip(names, map(float, plain[:, at]), strict=True))}
        for at in range(NEITHER)
    )
    return Columns(*columns)


def _newton(rows: Matrix, right: Matrix, counts: Matrix) -> Matrix:
    """Return one column of weights a class; `rows` begin with a constant."""
    width, classes = rows.shape[1], right.shape[1]
    ridge = np.r_[1e-3, np.full(width - 1, RIDGE)]
    weights = np.zeros((width, classes))
    for _ in range(STEPS):
        likely = _shares(rows @ weights)
        slope = rows.T @ ((likely - right) * counts[:, None]) + ridge[:, None] * weights
        curve = np.zeros((classes, width, classes, width))
        for one in range(classes):
            for other in range(classes):
                part = counts * likely[:, one] * ((one == other) - likely[:, other])
                curve[one, :, other] = (rows.T * part) @ rows
            curve[one, :, one] += np.diag(ridge)
        step = np.linalg.solve(curve.reshape(width * classes, -1), slope.T.ravel())
        weights -= step.reshape(classes, width).T
    return weights


def _shares(scores: Matrix) -> Matrix:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Matrix = powers / powers.sum(axis=1, keepdims=True)
    return found


def weights_of(examples: Sequence[Example]) -> Weights:
    """Return the weights for pairs with and without a cosine."""
    return Weights(fit(examples, (*WORDS, *MEANING)), fit(examples, WORDS))


def held_out(
    examples: Sequence[Example], part_of: Callable[[Example], Any]
) -> list[tuple[Example, Judged]]:
    """Return what would have been said of each part by weights that never saw it."""
    found: list[tuple[Example, Judged]] = []
    for part in sorted({part_of(one) for one in examples if one.hand != "own"}):
        weights = weights_of([one for one in examples if part_of(one) != part])
        for one in examples:
            if part_of(one) == part:
                pair = one.pair
                said = judge(pair.older, pair.newer, one.cosine, weights).kinship
                found.append((one, Judged(pair, said, at_once=False)))
    return found


def told(found: Sequence[tuple[Example, Judged]], hand: str) -> str:
    """Return the figures of one hand in a line."""
    mine = [(one, judged) for one, judged in found if one.hand == hand]
    figures = figures_of([judged for one, judged in mine if one.is_labelled])
    crossed_notes = [judged for one, judged in mine if not one.is_labelled]
    alarms = sum(one.said in SPOKEN_OF for one in crossed_notes)
    shares = (
        figures.duplicate_precision,
        figures.duplicate_recall,
        figures.contradiction_precision,
        figures.contradiction_recall,
    )
    said = " / ".join("-" if one is None else f"{one:.2f}" for one in shares)
    return f"{hand} {said}, alarms {alarms} of {len(crossed_notes)}"


def written(weights: Weights, examples: Sequence[Example], figures: Sequence[str]) -> str:
    """Return the module that holds the weights."""
    counts = Counter(one.hand for one in examples if one.is_labelled)
    source = ", ".join(f"{count} {hand}" for hand, count in sorted(counts.items()))
    lines = [
        '"""What each feature of kinship.py counts; benchmarks/fit_kinship.py wrote this.',
        "",
        f"Source: labelled pairs ({source}), and near notes of one project.",
        "Left out of the fit, precision and recall of duplicates, then of contradictions:",
        *(f"- {line}" for line in figures),
        '"""',
        "",
        "from __future__ import annotations",
        "",
    ]
    for name, columns in (("WITH_MEANING", weights[0]), ("WORDS_ONLY", weights[1])):
        lines.append(f"{name} = (")
        for column in columns:
            lines.append("    {")
            lines += [f'        "{key}": {value:.4f},' for key, value in column.items()]
            lines.append("    },")
        lines.append(")")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Fit, say what the weights are worth on what they did not see, and write them."""
    options = read_options(__doc__ or "")
    vectors = KeptVectors(kept_in(options.data))
    examples = examples_of(vectors)
    vectors.keep()
    by_file = held_out(examples, lambda one: one.group)
    by_hand = held_out(examples, lambda one: one.hand)
    figures = [
        f"{what}: {told(found, hand)}"
        for what, found in (("a file", by_file), ("a hand", by_hand))
        for hand in OTHER_HANDS
    ]
    TARGET.write_text(written(weights_of(examples), examples, figures), encoding="utf-8")
    print("\n".join(figures))


if __name__ == "__main__":
    main()
