"""The judge over the real wire: what comes back, and what is said when nothing does."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from hitherto_server.judge.answers import Answers, Unavailable
from hitherto_server.judge.asking import Asking
from tests.server.judge.conftest import HOOK, QUESTIONS, STATE, WORK, surface
from tests.wiring import rows

if TYPE_CHECKING:
    from tests.server.judge.conftest import Bench


async def test_the_three_kinds_of_question_are_answered_in_one_request(bench: Bench) -> None:
    got = await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    assert isinstance(got, Answers)
    assert got.noul("same") == 0.9
    kind, worth = got.choice("kind"), got.score("worth")
    assert kind is not None
    assert worth is not None
    assert (kind.choice, kind.confidence) == ("fact", pytest.approx(0.4))
    assert worth.score == pytest.approx(1.6)
    assert (got.model, got.calibrated, got.cached) == ("jev-1.13.0", True, False)
    assert len(bench.stub.asked) == 1
