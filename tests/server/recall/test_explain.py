"""An explained recall: what counted, how much, and why the rest was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hitherto_server.cli_explain import explanation
from hitherto_server.recall.explain import floor_said
from hitherto_server.recall.floors import explicit_floor
from hitherto_server.recall.hits import Scores

if TYPE_CHECKING:
    from server.recall.conftest import Shelf  # type: ignore[import-not-found]

QUESTION = "What does Maria say about the port of parse_config in deploy.yml?"


async def explained(shelf: Shelf, **more: Any) -> dict[str, Any]:
    reply = await shelf.ask(QUESTION, explain=True, **more)
    assert reply.explain is not None
    return reply.explain


@pytest.fixture
async def full(shelf: Shelf) -> Shelf:
    """Give a shelf on which every kind of evidence occurs."""
    await shelf.add("`parse_config` reads the port.", actor="maria")
    await shelf.add("The port is open.", files=("deploy.yml",), actor="jonas")
    await shelf.add("Maria likes the port of Genoa.", actor="maria", source="transcript")
    old = await shelf.add("The port is closed.", actor="agent")
    await shelf.add("The port is ajar.", supersedes=old)
    return shelf


async def test_what_the_parts_add_sums_up_to_the_score(full: Shelf) -> None:
    told = await explained(full, files=("deploy.yml",))
    assert len(told["candidates"]) == 5
    for one in told["candidates"]:
        added = sum(part["adds"] for part in one["parts"].values())
        assert added == pytest.approx(one["fusion_score"], abs=0.001)


async def test_each_kind_of_evidence_is_told_apart(full: Shelf) -> None:
    told = await explained(full, files=("deploy.yml",))
    by_opening = {one["opening"]: one["parts"] for one in told["candidates"]}
    assert by_opening["`parse_config` reads the port."]["names"]["adds"] > 0
    assert by_opening["The port is open."]["files"]["adds"] > 0
    assert by_opening["Maria likes the port of Genoa."]["person"]["adds"] > 0
    assert by_opening["The port is ajar."]["person"]["adds"] == 0
    assert told["people"] == ["maria"]
    assert told["found_by"]["passages"] is None


async def test_a_side_that_was_not_measured_is_null_and_adds_nothing(full: Shelf) -> None:
    for one in (await explained(full))["candidates"]:
        assert one["parts"]["meaning"] == {"raw": None, "normalised": None, "adds": 0.0}


async def test_what_was_left_out_says_why(full: Shelf) -> None:
    told = await explained(full, limit=2)
    outcomes = {one["opening"]: one["outcome"] for one in told["candidates"]}
    assert outcomes["The port is closed."] == "superseded"
    assert list(outcomes.values()).count("returned") == 2
    assert "over the limit" in outcomes.values()


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        (Scores(is_exact=True), "its id was given"),
        (Scores(names=frozenset({"parse_config"})), "it holds a name of the question"),
        (Scores(file="a.py"), "it is tied to a file of the question"),
        (Scores(coverage=0.0, bm25=3.0, is_chunk=True), "a chunk that words of the question"),
        (Scores(coverage=0.0, bm25=3.0), "below: coverage 0.00, cosine unmeasured"),
        (Scores(coverage=0.5), "coverage 0.50 >= 0.20"),
        (Scores(coverage=0.1, passage=0.4), "cosine 0.40 >= 0.15"),
        (Scores(coverage=0.1, passage=0.1), "below: coverage 0.10, cosine 0.10"),
        (Scores(), "below: coverage unmeasured, cosine unmeasured"),
    ],
)
def test_the_floor_that_is_told_is_the_floor_that_was_applied(scores: Scores, told: str) -> None:
    assert floor_said(scores).startswith(told)
    assert (explicit_floor(scores) is None) == (not told.startswith("below"))


async def test_a_person_reads_it_line_by_line(full: Shelf) -> None:
    reply = await full.ask(QUESTION, explain=True)
    lines = list(explanation(reply.model_dump()))
    assert "name: parse_config (in 1 memories)" in lines
    assert "people: maria" in lines
    assert any(line.startswith("+ 1. ") for line in lines)
    assert any(line.startswith("- ") and line.endswith("superseded") for line in lines)
