"""How much of what lies nearest a search by signs finds, and what it takes, beside an exact one."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import mean, median
from typing import TYPE_CHECKING

import numpy as np
from corpus_store import Vectors
from harness import SEED, Bar, begin, figure, read_options, unmeasured
from kept import kept_in, sets_in
from retrieval_sets import load_sets
from vectors import KeptVectors

from hitherto_server.store.signs import _most_alike, _signs, candidates_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness import Options

MOST_TEXTS, FEW_TEXTS = 4000, 300
QUESTIONS = 100
MADE = 43_000
"""So many made vectors lie around the real ones in the largest scope."""
WANTED = ((30, 10), (30, 30), (100, 100))
"""How many are asked for, and of how many nearest it is told how many were found."""


@dataclass(frozen=True)
class Set:
    """The vectors of some texts and of questions about them."""

    name: str
    texts: np.ndarray
    questions: np.ndarray


def read_sets(options: Options) -> list[Set]:
    """Embed the public sets, each once in the data folder's life."""
    known = KeptVectors(kept_in(options.data))
    count = FEW_TEXTS if options.quick else MOST_TEXTS
    found = []
    for name, corpora in load_sets(sets_in(options.data)).items():
        texts = [chunk.content for corpus in corpora for chunk in corpus.chunks][:count]
        asked = [one.text for corpus in corpora for one in corpus.questions][:QUESTIONS]
        found.append(Set(name, _embedded(known, texts), _embedded(known, asked)))
    known.keep()
    return found


def bars_of(where: str, texts: np.ndarray, questions: np.ndarray) -> list[Bar]:
    """Say what is found among the texts, and how long the signs take."""
    codes = _signs(texts).view("<u8")
    shares: dict[tuple[int, int], list[float]] = {}
    taken = []
    for question in questions:
        nearest = np.argsort(-(texts @ question))
        for most, top in WANTED:
            began = time.process_time()
            likely = set(_alike(codes, question, most).tolist())
            taken.append((time.process_time() - began) * 1000)
            found = len(likely.intersection(nearest[:top].tolist())) / min(top, len(texts))
            shares.setdefault((most, top), []).append(found)
    bars = [
        figure(f"{where}: of the nearest {top}, {most} asked for", 100 * mean(found), "%")
        for (most, top), found in shares.items()
    ]
    return [*bars, figure(f"{where}: the signs alone, processor time, p50", median(taken), "ms")]


def _alike(codes: np.ndarray, question: np.ndarray, most: int) -> np.ndarray:
    count = candidates_of(len(codes), most)
    return _most_alike(codes, question, count) if count < len(codes) else np.arange(len(codes))


def _embedded(known: KeptVectors, texts: Sequence[str]) -> np.ndarray:
    return np.array([known.of(text) for text in texts], dtype="<f4")


def main() -> None:
    """Search each set alone, then all of them among many more, and write the result."""
    options = read_options(__doc__ or "")
    run = begin("nearest", options)
    sets = read_sets(options)
    bars = [
        bar
        for one in sets
        for bar in bars_of(f"{one.name}, {len(one.texts):,}", one.texts, one.questions)
    ]
    if sets:
        real = np.concatenate([one.texts for one in sets])
        around = np.concatenate((real, Vectors(real).of(SEED, MADE)))
        for one in sets:
            bars += bars_of(f"{one.name}, {len(around):,}", around, one.questions)
    else:
        bars.append(unmeasured("of the nearest 30", "%", None, "no public sets"))
    run.end(bars, {"questions a set": QUESTIONS, "made vectors": MADE if sets else 0})


if __name__ == "__main__":
    main()
