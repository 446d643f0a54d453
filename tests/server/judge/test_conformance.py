"""A third party's server with each of its faults: a right answer or none, never a wrong one."""

from __future__ import annotations

import math
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from jevcompat.mock import FAULTS, MockConfig, answer, make_server
from tests.server.judge.conftest import judging, surface
from tests.system_one_stub import SystemOneStub

from hitherto_server.judge.answers import Answers, Choice, Noul, Score, Unavailable
from hitherto_server.judge.asking import Asking
from hitherto_server.judge.questions import AskChoice, AskNoul, AskScore, as_wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from hitherto_server.judge.answers import Answer
    from hitherto_server.judge.questions import Question

STATE = {"ticket": "Charged twice; refund me or I go to my bank."}
QUESTIONS: Mapping[str, Question] = {
    "noul": AskNoul("Is money asked for?", yes="It asks for money back."),
    "choice": AskChoice("Which team?", {"Billing": "Money", "Café Ñ": "Food", "none": "Neither"}),
    "long": AskChoice("Which?", {f"Queue {n}": f"Queue number {n}" for n in range(70)}),
    "score": AskScore("How angry?", ("calm", "annoyed", "furious")),
    "scale": AskScore("How urgent?", tuple(f"level {n}" for n in range(7))),
}
ASKING = Asking(origin="maintenance", uses_cache=False)
LEAKS = {"id-leaks", "batch-leaks", "order-leaks"}
"""What these answer is well formed: no client can tell, and the model's own word is taken."""


def expected(key: str, faults: frozenset[str]) -> Answer:
    """Return what the mock's model really thinks, by its own arithmetic."""
    config = MockConfig(faults=faults & LEAKS)
    at = list(QUESTIONS).index(key)
    said = answer(config, STATE, key, as_wire(QUESTIONS[key]), at, len(QUESTIONS))
    match said["type"]:
        case "noul":
            return Noul(said["noul"])
        case "choice":
            return Choice(said["choice"], said["probabilities"], said["confidence"])
        case _:
            odds = tuple(said["probabilities"].values())
            return Score(said["score"], odds, said["confidence"])


def is_right(got: Answer, want: Answer) -> bool:
    """Tell whether an answer says what the model thinks."""
    if isinstance(got, Noul) or isinstance(want, Noul):
        return got == want
    if isinstance(got, Choice) and isinstance(want, Choice) and got.choice != want.choice:
        return False
    return type(got) is type(want) and math.isclose(got.confidence, want.confidence, abs_tol=1e-9)


@contextmanager
def mock_server(config: MockConfig) -> Iterator[str]:
    """Serve the mock; its own way to do so takes half a second to end."""
    server = make_server(config)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def wrongs(got: Answers | Unavailable, faults: frozenset[str]) -> list[str]:
    """Return what of a judgment is neither right nor honestly missing."""
    if isinstance(got, Unavailable):
        allowed = {"http", "invalid"} if faults else set()
        return [] if got.reason in allowed else [got.reason]
    missing = {"invalid"} if faults else set()
    return [
        key
        for key, said in got.by_key.items()
        if (
            said.reason not in missing
            if isinstance(said, Unavailable)
            else not is_right(said, expected(key, faults))
        )
    ]


async def test_whatever_is_wrong_with_a_server_no_wrong_answer_is_taken(tmp_path: Path) -> None:
    found: dict[str, list[str]] = {}
    refused = 0
    with SystemOneStub() as unused:
        async with judging(tmp_path, unused) as bench:
            for fault in ("", *FAULTS):
                faults = frozenset({fault} - {""})
                with mock_server(MockConfig(faults=faults)) as url:
                    await bench.use(base_url=url)
                    got = await bench.judge.ask(surface(), STATE, QUESTIONS, ASKING)
                found[fault] = wrongs(got, faults)
                said = [got] if isinstance(got, Unavailable) else got.by_key.values()
                refused += any(isinstance(one, Unavailable) for one in said)
    assert {fault: why for fault, why in found.items() if why} == {}
    assert refused > 10, "the faults are there"


async def test_a_busy_server_is_answered_by_patience_and_its_answers_are_right(
    tmp_path: Path,
) -> None:
    with mock_server(MockConfig(busy_every=2)) as url, SystemOneStub() as unused:
        async with judging(tmp_path, unused) as bench:
            await bench.use(base_url=url)
            asking = Asking(origin="hook", uses_cache=False)
            got = [await bench.judge.ask(surface(), STATE, QUESTIONS, asking) for _ in range(8)]
    refused = [one for one in got if isinstance(one, Unavailable)]
    answered = [one for one in got if isinstance(one, Answers)]
    assert {one.reason for one in refused} == {"not_before"}
    assert len(refused) == len(answered) == 4
    nothing: frozenset[str] = frozenset()
    for one in answered:
        for key, said in one.by_key.items():
            assert not isinstance(said, Unavailable)
            assert is_right(said, expected(key, nothing))
