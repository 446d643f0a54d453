"""Stores of any size, the questions put to them, and how a peer's figures are read."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import corpus
import corpus_store
import homes
import numpy as np
import pytest
import recall_latency
from corpus_store import Vectors, export, provide
from recall_latency import PEER, Measured, in_turn, peer_bars
from seeds import PROJECTS, seed_store

from hitherto_server.store.check import disagreements
from hitherto_server.store.driver import open_raw

if TYPE_CHECKING:
    from pathlib import Path


def test_questions_and_memories_come_again_by_their_seed_and_none_comes_twice() -> None:
    asked = corpus.questions(1, 400)
    assert asked == corpus.questions(1, 400) != corpus.questions(2, 400)
    assert len(set(asked)) == 400
    texts = [text.content for text in corpus.memories(1, 500)]
    assert texts == [text.content for text in corpus.memories(1, 500)]
    assert len(set(texts)) == 500


def test_made_vectors_have_length_1_and_lie_among_the_real_ones() -> None:
    real = np.eye(8, dtype="<f4")[:4]
    vectors = Vectors(real)
    first, later = vectors.of(0, 50), vectors.of(1000, 50)
    assert np.allclose(np.linalg.norm(np.vstack([first, later]), axis=1), 1, atol=1e-5)
    assert (first[:4] == real).all()
    assert (later == vectors.of(1000, 50)).all()
    assert (later @ real.T).max(axis=1).min() > 0.4


def test_a_store_is_made_once_and_copied_with_all_its_memories(
    tmp_path: Path, models_dir: Path
) -> None:
    stores = []
    for _ in range(2):
        with homes.person(models_dir) as who:
            assert provide(tmp_path, who, 60).is_dir()
            with closing(open_raw(who.home.database, read_only=True)) as connection:
                rows = connection.execute("SELECT id, content FROM memory ORDER BY number")
                stores.append([tuple(row) for row in rows])
                projects = connection.execute("SELECT count(*) FROM project").fetchone()[0]
            exported = np.load(export(who.home.database, who.folder) / "vectors.npy")
    assert len(stores[0]) == len(exported) == 60
    assert stores[0] == stores[1]
    assert projects == PROJECTS


def test_a_very_large_store_is_grown_and_its_indexes_say_what_it_says(
    tmp_path: Path, models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_store, "GROWN_FROM", 40)
    with homes.person(models_dir) as who:
        provide(tmp_path, who, 120)
        with closing(open_raw(who.home.database)) as connection:
            texts = [row[0] for row in connection.execute("SELECT content FROM memory")]
            assert len(set(texts)) == 120
            assert sum(text.endswith("(note 99)") for text in texts) == 1
            for table in ("passage", "embedding", "vector_place"):
                held = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                assert held >= 120
            assert disagreements(connection) == []


def test_the_seeds_of_hooks_and_footprint_fit_the_store(models_dir: Path) -> None:
    with homes.person(models_dir) as who:
        seed_store(who.home, who.folder / "src", 40)
        with closing(open_raw(who.home.database, read_only=True)) as connection:
            assert connection.execute("SELECT count(*) FROM memory").fetchone()[0] == 40
            assert connection.execute("SELECT count(*) FROM part").fetchone()[0] > 10


def test_every_work_is_asked_the_same_questions_each_once() -> None:
    asked: dict[str, list[str]] = {"a": [], "b": []}

    def work(name: str, query: str) -> dict[str, float]:
        asked[name].append(query)
        return {name: 1.0}

    taken = in_turn({"a": lambda q: work("a", q), "b": lambda q: work("b", q)}, blocks=1)
    assert sorted(asked["a"]) == sorted(asked["b"])
    assert len(set(asked["a"])) == len(asked["a"])
    expected = [recall_latency.BLOCK] * 4
    assert [len(taken[part, busy]) for part in "ab" for busy in (False, True)] == expected


def test_the_peers_faster_engine_counts_and_a_missing_one_is_null() -> None:
    ours = {("in the server", busy): [2.0] for busy in (False, True)}
    theirs = {("own storage, onnx", busy): [8.0] for busy in (False, True)}
    theirs |= {("own storage, torch", busy): [20.0] for busy in (False, True)}
    bars = peer_bars(100, Measured({**ours, **theirs}, [], [], None))
    first = next(bar for bar in bars if bar.bar == ">= 3" and "own storage" in bar.name)
    assert (first.value, first.ok, first.note) == (4.0, True, "own storage, onnx: 8.0 ms")
    none = peer_bars(100, Measured(dict(ours), [], [], "no wheel here"))
    assert {(bar.value, bar.ok, bar.note) for bar in none} == {(None, None, "no wheel here")}
    assert all(bar.name.startswith(PEER) for bar in bars + none)


@pytest.mark.parametrize("plan", [recall_latency.QUICK, recall_latency.FULL, recall_latency.HUGE])
def test_every_plan_measures_the_size_that_it_compares_at(plan: recall_latency.Plan) -> None:
    assert plan.compared_at in plan.sizes
