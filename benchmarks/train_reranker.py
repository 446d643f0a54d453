"""Whether a small logistic reranker ranks better than the convex sum that is shipped.

Trained on the questions of `fixtures/recall` whose project is of the split `train`; the other
project and the public sets only judge it. Each of a few sets of features is tried; a reranker
would be shipped only if it were worse nowhere and better somewhere, beyond chance. None was so
far, so there is none: `docs/decisions/recall.md`.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from harness import SEED, Bar, begin, figure, percentile, read_options
from kept import kept_in, sets_in
from ranking_measures import Measured, difference, means, measure
from recall_quality import shortened
from reranker_features import NAMES, features, fit
from retrieval_sets import TODAY_MS, load_projects, load_sets
from retrieval_store import fill, index
from vectors import KeptVectors

from hitherto_server.core.clock import now_ms
from hitherto_server.core.settings import Settings
from hitherto_server.recall.arms import (
    PASSAGES_A_HIT,
    WORDS_A_HIT,
    ask_by_meaning,
    ask_by_words,
)
from hitherto_server.recall.fusion import fuse
from hitherto_server.recall.known import Known
from hitherto_server.recall.meaning import Dense
from hitherto_server.recall.people import acquainted
from hitherto_server.recall.query import prepare
from hitherto_server.recall.rarity import Rarity
from hitherto_server.recall.scope_vectors import ScopeVectors
from hitherto_server.store.database import open_store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from retrieval_sets import Asked, Corpus

    from hitherto_server.store.driver import Connection

TOP = 25
WORDS_DEEP, MEANING_DEEP = WORDS_A_HIT * 10, PASSAGES_A_HIT * 10
COLUMNS = {
    "the sum and what is exact": ("fusion", "names", "file", "person", "tags"),
    "the sum and rarity": ("fusion", "rarity"),
    "the sum, importance and age": ("fusion", "importance", "age"),
    "without the sum": tuple(name for name in NAMES if name != "fusion"),
    "everything": NAMES,
}


@dataclass(frozen=True)
class Sample:
    """A question's best candidates by the sum, in its order, with their features."""

    numbers: tuple[int, ...]
    rows: NDArray[np.float64]
    answers: frozenset[int]
    took_ms: float

    def right(self) -> NDArray[np.float64]:
        """Return which candidates are answers, as 0 or 1."""
        return np.array([number in self.answers for number in self.numbers], dtype=float)

    def ranked(self, weights: NDArray[np.float64], columns: list[int]) -> Measured:
        """Return the figures of the candidates in the order of a reranker."""
        order = np.argsort(-(self.rows[:, columns] @ weights), kind="stable")
        return self.measured([self.numbers[place] for place in order])

    def measured(self, numbers: Sequence[int]) -> Measured:
        """Return the figures of a ranking."""
        return measure([str(one) for one in numbers], {str(one) for one in self.answers})


async def samples_of(
    corpora: Sequence[Corpus], embedder: KeptVectors, folder: Path
) -> list[Sample]:
    """Store corpora and return a sample of each question."""
    store = await open_store(folder / "memory.db", backups=folder / "b", clock=now_ms, readers=1)
    try:
        stored = [await fill(store, corpus, embedder) for corpus in corpora]
        await index(store, embedder)
        found: list[Sample] = []
        for corpus, (project, ids) in zip(corpora, stored, strict=True):
            for asked in corpus.questions:
                job = partial(_sample, asked=asked, project=project, ids=ids, embedder=embedder)
                found.append(await store.readers.run(job))
        return found
    finally:
        await store.close()
        embedder.keep()


def _sample(
    connection: Connection,
    *,
    asked: Asked,
    project: int,
    ids: dict[str, str],
    embedder: KeptVectors,
) -> Sample:
    query = prepare(asked.text, acquainted(connection, (project,)))
    vector = None
    if query.dense_text is not None:
        vector = embedder.of(query.dense_text, "query").astype("<f4").tobytes()
    known = Known(query, (project,), embedder.model.name)
    evidence = ask_by_words(connection, query, (project,), query.files, Rarity(), most=WORDS_DEEP)
    dense = Dense(vector, embedder.model.name)
    ask_by_meaning(
        connection, (project,), dense, evidence, known, vectors=ScopeVectors(), most=MEANING_DEEP
    )
    ranking = fuse(evidence, Settings().fusion_weight)
    states = known.states(connection, ranking.numbers[:TOP])
    known.texts(connection, states)
    for number in states:
        known.match(number)  # recall reads it anyway: its time is not the reranker's
    began = time.perf_counter()
    rows = features(query, evidence, ranking, known, tuple(states), now_ms=TODAY_MS)
    took_ms = (time.perf_counter() - began) * 1000
    return Sample(tuple(states), rows, _numbers(connection, asked, ids), took_ms)


def _numbers(connection: Connection, asked: Asked, ids: dict[str, str]) -> frozenset[int]:
    statement = "SELECT number FROM memory WHERE id = ?"
    wanted = (connection.execute(statement, (ids[key],)).fetchone() for key in asked.answers)
    return frozenset(int(row["number"]) for row in wanted)


def tried(name: str, sets: dict[str, list[Sample]], train: list[Sample]) -> dict[str, Any]:
    """Train on one set of features and compare with the sum on every other set."""
    columns = [NAMES.index(one) for one in COLUMNS[name]]
    weights = fit([(sample.rows[:, columns], sample.right()) for sample in train])
    found: dict[str, Any] = {
        "weights": dict(zip(COLUMNS[name], np.round(weights, 3).tolist(), strict=True))
    }
    for judge, samples in sets.items():
        theirs = [sample.measured(sample.numbers) for sample in samples]
        ours = [sample.ranked(weights, columns) for sample in samples]
        found[judge] = {
            "sum": means(theirs)["ndcg_10"],
            "reranked": means(ours)["ndcg_10"],
            "difference": difference(ours, theirs, SEED),
        }
    return found


def is_fit(found: dict[str, Any], judges: Sequence[str]) -> bool:
    """Tell whether a reranker is worse nowhere, and better somewhere beyond chance."""
    differences = [found[judge]["difference"] for judge in judges]
    return all(one["mean"] >= 0 for one in differences) and any(
        one["ci95"][0] > 0 for one in differences
    )


def main() -> None:
    """Train, judge and write what was found."""
    options = read_options(__doc__ or "")
    run = begin("train_reranker", options)
    public = load_sets(sets_in(options.data))
    chosen = {
        name: shortened(corpora) if options.quick else corpora for name, corpora in public.items()
    }
    corpora = {"train": load_projects("train"), "projects_dev": load_projects("dev"), **chosen}
    embedder = KeptVectors(kept_in(options.data))
    sets: dict[str, list[Sample]] = {}
    for name, some in corpora.items():
        with tempfile.TemporaryDirectory(prefix="hr-") as folder:
            sets[name] = asyncio.run(samples_of(some, embedder, Path(folder)))
    train = sets.pop("train")
    details = {name: tried(name, sets, train) for name in COLUMNS}
    took = [sample.took_ms for samples in sets.values() for sample in samples]
    bars: list[Bar] = [figure("features of 25 candidates, p95", percentile(took, 0.95), "ms")]
    for name, found in details.items():
        for judge in sets:
            one = found[judge]["difference"]
            note = f"95 % {one['ci95'][0]} to {one['ci95'][1]}"
            bars.append(figure(f"{judge}: {name}, nDCG@10 - sum", one["mean"], "", note))
    fit_to_ship = [name for name, found in details.items() if is_fit(found, list(sets))]
    run.end(bars, {"fit_to_ship": fit_to_ship, "questions": len(train), **details})


if __name__ == "__main__":
    main()
