"""The backend for chat models against a real llama.cpp server: the wire, not the wits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.llama_server import llama_server
from tests.server.judge.conftest import QUESTIONS, STATE, judging, surface
from tests.system_one_stub import SystemOneStub

from hitherto_server.judge.answers import Answers, Choice, Noul, Score
from hitherto_server.judge.asking import Asking
from hitherto_server.judge.questions import AskChoice

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from tests.server.judge.conftest import Bench

PATIENT = Asking(origin="maintenance", uses_cache=False)
TIMEOUT_S = 100.0


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with llama_server() as address:
        yield address


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    with SystemOneStub() as unused:
        async with judging(tmp_path, unused) as made:
            yield made


@pytest.mark.slow
async def test_the_probe_finds_a_chat_model_and_it_answers_with_probabilities(
    bench: Bench, url: str
) -> None:
    found = await bench.judge.probe(url, None)
    assert (found.speaks, found.profile, found.tells_probabilities) == ("openai", "openai", True)
    assert found.model is not None
    assert found.model.endswith(".gguf")
    await bench.use("openai", base_url=url, model=found.model)
    got = await bench.judge.ask(surface(timeout_s=TIMEOUT_S), STATE, QUESTIONS, PATIENT)
    assert isinstance(got, Answers), got
    assert [type(one) for one in got.by_key.values()] == [Noul, Choice, Score]
    kind = got.choice("kind")
    assert kind is not None
    assert sum(kind.probabilities.values()) == pytest.approx(1)
    assert 0 < kind.probabilities["fact"] < 1
    assert got.calibrated
    assert got.input_tokens is not None


@pytest.mark.slow
async def test_more_options_than_letters_are_answered_by_a_schema(bench: Bench, url: str) -> None:
    await bench.use("openai", base_url=url, model="any")
    many = {"which": AskChoice("Which?", {f"o{n}": f"Option {n}." for n in range(16)})}
    got = await bench.judge.ask(surface(timeout_s=TIMEOUT_S), STATE, many, PATIENT)
    assert isinstance(got, Answers), got
    which = got.choice("which")
    assert which is not None
    assert which.choice in many["which"].options
    assert not got.calibrated
