"""Fits the floor of what nobody asked for, and writes its weights.

It reads the fitting half, and prompts of other hands that may be looked at; never the reported half
nor the sealed sets. Every candidate of every prompt that reaches recall is one row;
what a project's threshold would have done is tried on weights fitted without that project.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from harness import ROOT, read_options
from labelled import PROMPTS, read_projects
from labelled_store import labelled_store
from vectors import KeptVectors

from hitherto_server.recall.floors import BESIDE, Features, measured
from hitherto_server.recall.looking import MOST_VIEWED_UNASKED
from hitherto_server.recall.pipeline import Recaller

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labelled import LabelledProject, LabelledPrompt
    from labelled_store import LabelledStore

    from hitherto_server.recall.admission import Admission, Occasion
    from hitherto_server.recall.hits import Question
    from hitherto_server.recall.pipeline import Sized

    Weights = dict[str, float]

SIZES = (0, 1_000, 10_000)
WORDS_ONLY = ("shared", "shared_gap", "rarest", "identifier", "housekeeping")
WITH_MEANING = (
    "likeness", "shared_gap", "rarest", "identifier", "housekeeping",
    "cosine", "cosine_gap",
)  # fmt: skip
RIDGE = 1.0
PRECISION, SILENCE = 0.915, 0.965
"""More than the bars, since other prompts will be less like these."""
MOST = 3
OTHER_HANDS = (PROMPTS / "training", PROMPTS.parent / "blind" / "opened" / "prompts")
TARGET = ROOT / "server" / "hitherto_server" / "recall" / "floor_weights.py"


@dataclass(frozen=True)
class Candidate:
    """A memory that recall looked at for a prompt, and whether the prompt wants it."""

    name: str | None
    features: Features
    is_wanted: bool


@dataclass(frozen=True)
class Seen:
    """A prompt with all of its candidates; none if it was not searched."""

    project: str
    others: int
    prompt: LabelledPrompt
    candidates: tuple[Candidate, ...]


@dataclass
class Listener(Recaller):
    """The recaller of the server, which also keeps what it weighed last."""

    heard: Any = None

    async def consider(
        self, question: Question, occasion: Occasion, sized: Sized | None = None
    ) -> Admission:
        """Keep the candidates, then decide as always."""
        self.heard = await self._look(
            question, lambda *_: lambda *_: None, MOST_VIEWED_UNASKED, occasion
        )
        return await super().consider(question, occasion, sized)


def read_all() -> list[LabelledProject]:
    """Return the projects that may be fitted to."""
    ours = [one for one in read_projects(PROMPTS) if one.half == "fit"]
    return ours + [one for folder in OTHER_HANDS for one in read_projects(folder)]


async def look(
    projects: Sequence[LabelledProject], others: int, vectors: KeptVectors
) -> list[Seen]:
    """Send each prompt through the hook's path and keep its candidates."""
    with tempfile.TemporaryDirectory(prefix="hb-") as folder:
        async with labelled_store(Path(folder), projects, others, vectors) as store:
            desk = store.services.sessions
            old = desk.tools.recaller
            ears = Listener(old.store, vectors, old.settings, old.clock, old.lookout)
            desk.tools = replace(desk.tools, recaller=ears)
            return [
                await _seen(store, ears, project, others, prompt)
                for project in projects
                for prompt in project.prompts
            ]


async def _seen(
    store: LabelledStore,
    ears: Listener,
    project: LabelledProject,
    others: int,
    prompt: LabelledPrompt,
) -> Seen:
    ears.heard = None
    await store.prompt(project.name, f"{project.name}-{prompt.number}", prompt.text)
    if ears.heard is None:
        return Seen(project.name, others, prompt, ())
    found = ears.heard.found
    features = measured(ears.heard.query, [one.scores for one in found])
    candidates = [
        Candidate(name, weighed, name in prompt.wants)
        for one, (_, weighed) in zip(found, features, strict=True)
        for name in [store.names.get(one.id)]
    ]
    return Seen(project.name, others, prompt, tuple(candidates))


def fit(seen: Sequence[Seen], names: Sequence[str]) -> Weights:
    """Return the logistic weights of the named features, by Newton's method with a ridge."""
    rows = [one for prompt in seen for one in prompt.candidates if _has(one, names)]
    values = np.array([[getattr(one.features, name) for name in names] for one in rows])
    wanted = np.array([float(one.is_wanted) for one in rows])
    mean, spread = values.mean(axis=0), values.std(axis=0)
    scaled = np.c_[np.ones(len(rows)), (values - mean) / spread]
    ridge = np.diag([0.0, *([RIDGE] * len(names))])
    weights = np.zeros(len(names) + 1)
    for _ in range(50):
        likely = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (likely - wanted) + ridge @ weights
        curve = (scaled.T * (likely * (1 - likely))) @ scaled + ridge
        weights -= np.linalg.solve(curve, slope)
    plain = weights[1:] / spread
    bias = float(weights[0] - (plain * mean).sum())
    return {"bias": bias, **dict(zip(names, map(float, plain), strict=True))}


def _has(one: Candidate, names: Sequence[str]) -> bool:
    return all(getattr(one.features, name) is not None for name in names)


def likely(one: Candidate, weights: Weights) -> float:
    """Return the probability of one candidate by weights that are being tried."""
    total = weights["bias"] + sum(
        weight * (getattr(one.features, name) or 0.0)
        for name, weight in weights.items()
        if name != "bias"
    )
    return float(1 / (1 + np.exp(-total)))


@dataclass(frozen=True)
class Tried:
    """What a threshold does, in the worst of the sizes."""

    least: float
    precision: float
    coverage: float
    silence: float


def try_threshold(rated: Sequence[tuple[Seen, list[float]]], least: float) -> Tried:
    """Return the worst figures over the sizes."""
    sizes = sorted({seen.others for seen, _ in rated})
    figures = [_figures([one for one in rated if one[0].others == size], least) for size in sizes]
    return Tried(round(least, 2), *(min(column) for column in zip(*figures, strict=True)))


def _figures(rated: Sequence[tuple[Seen, list[float]]], least: float) -> tuple[float, float, float]:
    given = right = covered = wanting = silent = nothing = 0
    for seen, chances in rated:
        shown = _shown(seen, chances, least)
        hits = sum(one.is_wanted for one in shown)
        given, right = given + len(shown), right + hits
        if seen.prompt.wants:
            wanting, covered = wanting + 1, covered + (hits > 0)
        else:
            nothing, silent = nothing + 1, silent + (not shown)
    return right / max(given, 1), covered / max(wanting, 1), silent / max(nothing, 1)


def _shown(seen: Seen, chances: list[float], least: float) -> list[Candidate]:
    if max(chances, default=0.0) < least:
        return []
    ranked = zip(seen.candidates, chances, strict=True)
    return [one for one, chance in ranked if chance >= least - BESIDE][:MOST]


def left_out(seen: Sequence[Seen], names: Sequence[str]) -> list[tuple[Seen, list[float]]]:
    """Rate each project's candidates by weights that never saw the project."""
    rated = []
    for project in sorted({one.project for one in seen}):
        weights = fit([one for one in seen if one.project != project], names)
        rated += [
            (one, [likely(candidate, weights) for candidate in one.candidates])
            for one in seen
            if one.project == project
        ]
    return rated


def chosen(rated: Sequence[tuple[Seen, list[float]]]) -> Tried:
    """Return the lowest threshold that keeps precision and silence at every size."""
    tried = [try_threshold(rated, percent / 100) for percent in range(30, 96)]
    for one in tried:
        print(f"{one.least:.2f}  {one.precision:.3f}  {one.coverage:.3f}  {one.silence:.3f}")
    good = [one for one in tried if one.precision >= PRECISION and one.silence >= SILENCE]
    if not good:
        message = "no threshold keeps precision and silence"
        raise SystemExit(message)
    return good[0]


def source(meaning: Weights, words: Weights, best: Tried, prompts: int) -> str:
    """Return the module of weights."""
    sizes = ", ".join(f"{size:,}" for size in SIZES)
    gives = f"precision {best.precision:.2f}, coverage {best.coverage:.2f}"
    gives += f" and silence {best.silence:.2f}"
    return f'''"""What each feature of floors.py counts; benchmarks/fit_floors.py wrote this.

Source: {prompts} prompts of benchmarks/fixtures (the fitting half, and what of other hands may be
looked at), among {sizes} other memories. Each project left out in turn, the worst size
gives {gives} at this floor.
"""

from __future__ import annotations

FLOOR = {best.least:.2f}
WITH_MEANING = {_literal(meaning)}
WORDS_ONLY = {_literal(words)}
'''


def _literal(weights: Weights) -> str:
    lines = "".join(f'    "{name}": {weight:.4f},\n' for name, weight in weights.items())
    return f"{{\n{lines}}}"


def main() -> None:
    """Fit, choose the threshold, and write the module."""
    options = read_options(__doc__ or "")
    projects = read_all()
    vectors = KeptVectors(options.data)
    seen = [one for size in SIZES for one in asyncio.run(look(projects, size, vectors))]
    vectors.keep()
    best = chosen(left_out(seen, WITH_MEANING))
    prompts = len(seen) // len(SIZES)
    text = source(fit(seen, WITH_MEANING), fit(seen, WORDS_ONLY), best, prompts)
    TARGET.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
