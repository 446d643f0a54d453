"""How good recall ranks, on public questions, beside each of its halves and plainer ways.

The public sets are read from HITHERTO_BENCH_SETS, else from `--data`; vectors are kept under
`--data`. Beside them stand the labelled projects of `fixtures/recall`, which we wrote.
How a turn or a function becomes a memory is told in `retrieval_sets.py`. Everything goes through
the shipped recall with its shipped settings: the same for all sets.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import SEED, Bar, at_least, begin, figure, read_options, unmeasured
from kept import kept_in, sets_in
from ranking_measures import Measured, difference, interval, means, measure
from retrieval_sets import Corpus, load_projects, load_sets
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
from hitherto_server.recall.coverage import occurring
from hitherto_server.recall.hits import Question
from hitherto_server.recall.known import Known
from hitherto_server.recall.meaning import Dense
from hitherto_server.recall.pipeline import Recaller
from hitherto_server.recall.query import prepare, terms_match
from hitherto_server.recall.rarity import Rarity
from hitherto_server.recall.scope_vectors import ScopeVectors
from hitherto_server.recall.stem import folded
from hitherto_server.store import recall as rows
from hitherto_server.store.database import open_store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retrieval_sets import Asked

    from hitherto_server.recall.query import PreparedQuery
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection

DEPTH = 10
WORDS_DEEP, MEANING_DEEP = WORDS_A_HIT * DEPTH, PASSAGES_A_HIT * DEPTH
RRF_K = 60
QUICK_QUESTIONS, QUICK_CORPORA = 60, 1
CONTEXT_WEIGHT = "1.0, 0.3)"
BARS = {"locomo": 0.58, "cosqa": 0.57}
BELOW_BETTER_HALF = -0.02
OURS, WORDS, MEANING = "recall", "BM25 alone", "dense alone"
SYSTEMS = (OURS, WORDS, MEANING, "RRF k=60", "BM25 of the text only", "grep, words counted")


@dataclass(frozen=True)
class Project:
    """A corpus in the store."""

    number: int
    numbers: Mapping[int, str]
    """Each memory's id by its number in the store."""
    texts: Mapping[str, str]
    """Each memory's folded text by its id."""
    ids: Mapping[str, str]


async def ranked_by_all(recaller: Recaller, project: Project, asked: Asked) -> dict[str, list[str]]:
    """Return what each system ranks first for one question, as ids of memories."""
    question = Question(
        asked.text, project.number, None, scope="project", limit=DEPTH, token_budget=16_000
    )
    reply = await recaller.recall(question)
    query = prepare(asked.text, await recaller.acquaintances.of(recaller.store, question.scopes))
    vector = None
    if query.dense_text is not None:
        vector = recaller.embedder.begin(query.dense_text).result().astype("<f4").tobytes()
    model = recaller.embedder.model
    dense = Dense(vector, model.name if model else None)

    def job(connection: Connection) -> dict[str, list[int]]:
        evidence = ask_by_words(connection, query, question.scopes, (), Rarity(), most=WORDS_DEEP)
        known = Known(query, question.scopes, dense.model)
        ask_by_meaning(
            connection,
            question.scopes,
            dense,
            evidence,
            known,
            vectors=ScopeVectors(),
            most=MEANING_DEEP,
        )
        words = list(evidence.words or ())
        near = evidence.passages or {}
        meaning = sorted(near, key=lambda number: -near[number].cosine)
        plain = _plain_words(connection, query, question.scopes)
        return {WORDS: words, MEANING: meaning, SYSTEMS[3]: _rrf(words, meaning), SYSTEMS[4]: plain}

    halves = await recaller.store.readers.run(job)
    found = {name: [project.numbers[one] for one in top[:DEPTH]] for name, top in halves.items()}
    return {OURS: [hit.id for hit in reply.hits], **found, SYSTEMS[5]: _grep(query, project.texts)}


def _plain_words(
    connection: Connection, query: PreparedQuery, scopes: tuple[int, ...]
) -> list[int]:
    match = terms_match((*query.words, *query.names))
    if match is None:
        return []
    shipped = rows.sql["words"]
    statement = shipped.replace(CONTEXT_WEIGHT, "1.0, 0.0)")
    if statement == shipped:
        message = "the word index is asked in another way now: its text alone can't be"
        raise RuntimeError(message)
    found: list[tuple[float, int]] = []
    for scope in scopes:
        values = {"match": match, "scope": scope, "most": DEPTH}
        asked = connection.execute(statement, values)
        found += [(row["score"], row["number"]) for row in asked]
    return [number for _, number in sorted(found, reverse=True)[:DEPTH]]


def _rrf(*rankings: Sequence[int]) -> list[int]:
    total: dict[int, float] = {}
    for ranking in rankings:
        for place, number in enumerate(ranking[:100]):
            total[number] = total.get(number, 0.0) + 1 / (RRF_K + place + 1)
    return sorted(total, key=lambda number: -total[number])


def _grep(query: PreparedQuery, texts: Mapping[str, str]) -> list[str]:
    """Rank by how many of the question's words a text holds."""
    counted = {memory_id: len(occurring(query, text)) for memory_id, text in texts.items()}
    best = sorted(counted, key=lambda one: -counted[one])
    return [one for one in best[:DEPTH] if counted[one]]


async def store_corpus(store: Store, corpus: Corpus, embedder: KeptVectors) -> Project:
    """Store a corpus and note how its memories are called."""
    number, ids = await fill(store, corpus, embedder)
    statement = "SELECT number, id, content FROM memory WHERE project_id = ?"
    found = await store.readers.run(lambda c: c.execute(statement, (number,)).fetchall())
    return Project(
        number,
        {row["number"]: row["id"] for row in found},
        {row["id"]: folded(row["content"]) for row in found},
        ids,
    )


async def measure_set(
    corpora: Sequence[Corpus], embedder: KeptVectors, folder: Path
) -> tuple[dict[str, list[Measured]], list[str]]:
    """Store a set, ask all its questions, and return each system's figures and the categories."""
    figures: dict[str, list[Measured]] = {name: [] for name in SYSTEMS}
    categories: list[str] = []
    store = await open_store(
        folder / "memory.db", backups=folder / "backups", clock=now_ms, readers=1
    )
    try:
        projects = [await store_corpus(store, corpus, embedder) for corpus in corpora]
        await index(store, embedder)
        recaller = Recaller(store, embedder, Settings(), now_ms)
        for corpus, project in zip(corpora, projects, strict=True):
            for asked in corpus.questions:
                ranked = await ranked_by_all(recaller, project, asked)
                answers = {project.ids[key] for key in asked.answers}
                categories.append(asked.category)
                for name, top in ranked.items():
                    figures[name].append(measure(top, answers))
    finally:
        await store.close()
        embedder.keep()
    return figures, categories


def shortened(corpora: list[Corpus]) -> list[Corpus]:
    """Keep a part of a set that is measured within a minute; its figures compare to nothing."""
    found = []
    for corpus in corpora[:QUICK_CORPORA]:
        questions = corpus.questions[:QUICK_QUESTIONS]
        wanted = {key for asked in questions for key in asked.answers}
        rest = [chunk for chunk in corpus.chunks if chunk.key not in wanted]
        kept = {chunk.key for chunk in rest[:600]} | wanted
        chunks = tuple(chunk for chunk in corpus.chunks if chunk.key in kept)
        found.append(Corpus(corpus.name, chunks, questions))
    return found


def summary(figures: dict[str, list[Measured]], categories: list[str]) -> dict[str, Any]:
    """Return what a reader wants to know of one set."""
    ours = figures[OURS]
    by_category = {
        category: {
            "questions": categories.count(category),
            **means([one for one, its in zip(ours, categories, strict=True) if its == category]),
        }
        for category in sorted(set(categories))
    }
    return {
        "questions": len(ours),
        "systems": {name: means(rows) for name, rows in figures.items()},
        "ndcg_10_ci95": interval([row.ndcg_10 for row in ours], SEED),
        "recall_minus": {
            name: difference(ours, rows, SEED) for name, rows in figures.items() if name != OURS
        },
        "recall_by_category": by_category,
    }


def bars_of(name: str, found: dict[str, Any]) -> list[Bar]:
    """Put one set's figures beside what they have to reach."""
    systems = found["systems"]
    ours = systems[OURS]
    half = max((WORDS, MEANING), key=lambda one: systems[one]["ndcg_10"])
    low, high = found["ndcg_10_ci95"]
    least = BARS.get(name.partition("_")[0])
    more = found["recall_minus"][half]
    said = f"95 % {low} to {high}"
    own = (f"{name}: nDCG@10", ours["ndcg_10"], "")
    bars = [
        figure(*own, said) if least is None else at_least(*own, least, said),
        at_least(
            f"{name}: nDCG@10 beside its better half ({half})",
            more["mean"],
            "",
            BELOW_BETTER_HALF,
            f"95 % {more['ci95'][0]} to {more['ci95'][1]}",
        ),
    ]
    shown = ("recall_5", "recall_10", "mrr", "any_5", "all_5")
    bars += [figure(f"{name}: {one}", ours[one], "") for one in shown]
    others = (one for one in SYSTEMS if one != OURS)
    return bars + [
        figure(f"{name}: nDCG@10 of {one}", systems[one]["ndcg_10"], "") for one in others
    ]


def unread(sets: Mapping[str, Any]) -> list[Bar]:
    """Say which bars could not be measured, and why."""
    reason = "its files are not in the folder: set HITHERTO_BENCH_SETS or --data"
    return [
        unmeasured(f"{name}: nDCG@10", "", f">= {least:g}", reason)
        for name, least in BARS.items()
        if not any(found.startswith(name) for found in sets)
    ]


def main() -> None:
    """Measure every set that is there, compare with the bars, and write the result."""
    options = read_options(__doc__ or "")
    run = begin("recall_quality", options)
    sets = load_sets(sets_in(options.data))
    sets |= {f"projects_{split}": load_projects(split) for split in ("train", "dev")}
    embedder = KeptVectors(kept_in(options.data))
    details: dict[str, Any] = {}
    bars: list[Bar] = []
    for name, corpora in sets.items():
        chosen = shortened(corpora) if options.quick else corpora
        with tempfile.TemporaryDirectory(prefix="hq-") as folder:
            work = partial(measure_set, chosen, embedder, Path(folder))
            figures, categories = asyncio.run(work())
        details[name] = summary(figures, categories)
        bars += bars_of(name, details[name])
    run.end([*bars, *unread(sets)], details)


if __name__ == "__main__":
    main()
