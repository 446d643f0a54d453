"""Fits the weights by which a turn's last message is held to be worth a memory, and writes them.

The writers are the development half of the shipped set, the opened blind set and the training set
of a further hand; the test half is never read. Each writer is left out in turn, and the figures of
that are printed: they are what a stranger's messages may expect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from harness import ROOT

from hitherto_server.benches.items import half_of
from hitherto_server.benches.sets import sets_in
from hitherto_server.benches.turns import load_turns
from hitherto_server.sessions.stop.learned import seen_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from hitherto_server.benches.turns import Turn

    Values = NDArray[np.float64]

FIXTURES = ROOT / "benchmarks" / "fixtures"
STRANGERS = {
    "opened": FIXTURES / "blind" / "opened" / "judgments",
    "training": FIXTURES / "judgments" / "training",
}
TARGET = ROOT / "server" / "hitherto_server" / "sessions" / "stop" / "worth_weights.py"
RIDGE = 5.0
STEPS = 50
LEAST = 0.55
"""A question too much costs a turn: more than an even chance."""


@dataclass(frozen=True)
class Rows:
    """The turns of one writer: a row of features each, and whether it is worth a memory."""

    values: Values
    worth: Values


def main() -> None:
    """Print what each writer gets from the others' weights, and write the weights of all."""
    turns = writers()
    names = tuple(_features(next(iter(turns.values()))[0]))
    rows = {name: rows_of(some, names) for name, some in turns.items()}
    shown = {}
    for name, own in rows.items():
        others = [one for other, one in rows.items() if other != name]
        shown[name] = precision_and_recall(fit(joined(others)), own)
        print(name, *(f"{share:.2f}" for share in shown[name]))
    weights = dict(zip(("bias", *names), fit(joined(list(rows.values()))), strict=True))
    TARGET.write_text(source(weights, shown), encoding="utf-8")


def writers() -> dict[str, list[Turn]]:
    """Return the turns of each writer; of the shipped set the development half only."""
    found = {"shipped": [one for one in load_turns() if half_of(one.id) == "development"]}
    for name, folder in STRANGERS.items():
        with sets_in(folder):
            found[name] = load_turns()
    return found


def rows_of(turns: Sequence[Turn], names: Sequence[str]) -> Rows:
    """Return the features and labels of some turns."""
    values = [[_features(one)[name] for name in names] for one in turns]
    return Rows(np.array(values), np.array([float(one.worth) for one in turns]))


def _features(turn: Turn) -> Mapping[str, float]:
    return seen_of(turn.message, turn.done, turn.prompt)


def joined(some: Sequence[Rows]) -> Rows:
    """Return the rows of several writers as one's."""
    values = np.vstack([one.values for one in some])
    return Rows(values, np.concatenate([one.worth for one in some]))


def fit(rows: Rows) -> list[float]:
    """Return the bias and the logistic weights, by Newton's method with a ridge."""
    mean, spread = rows.values.mean(axis=0), rows.values.std(axis=0) + 1e-9
    scaled = np.c_[np.ones(len(rows.worth)), (rows.values - mean) / spread]
    ridge = np.diag([0.0, *([RIDGE] * len(mean))])
    weights = np.zeros(len(mean) + 1)
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (likely - rows.worth) + ridge @ weights
        curve = (scaled.T * (likely * (1 - likely))) @ scaled + ridge
        weights -= np.linalg.solve(curve, slope)
    plain = weights[1:] / spread
    return [float(weights[0] - (plain * mean).sum()), *map(float, plain)]


def precision_and_recall(weights: Sequence[float], rows: Rows) -> tuple[float, float]:
    """Return the shares that the threshold gives."""
    total = weights[0] + rows.values @ np.array(weights[1:])
    said = 1 / (1 + np.exp(-total)) >= LEAST
    right = float((said & (rows.worth > 0)).sum())
    return right / max(float(said.sum()), 1.0), right / max(float(rows.worth.sum()), 1.0)


def source(weights: Mapping[str, float], shown: Mapping[str, tuple[float, float]]) -> str:
    """Return the module of weights."""
    lines = "".join(f'    "{name}": {weight:.4f},\n' for name, weight in weights.items())
    told = "\n".join(f"- {name}: {one[0]:.2f} and {one[1]:.2f}" for name, one in shown.items())
    return f'''"""What each feature of worth.py counts; benchmarks/fit_turn_worth.py wrote this.

Precision and recall of each writer's turns, by weights that never saw that writer:

{told}
"""

from __future__ import annotations

LEAST = {LEAST}
WEIGHTS = {{
{lines}}}
'''


if __name__ == "__main__":
    main()
