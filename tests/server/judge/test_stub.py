"""The stand-in for a judge's server, held against what is known of the protocol."""

from __future__ import annotations

import pytest
from jevcompat import runner
from tests.system_one_stub import SystemOneStub
from typesafe_sdk import Choice, Noul, Score, TypeSafeClient


@pytest.mark.parametrize("key", [None, "key-of-a-test"])
def test_the_stub_passes_the_conformance_suite(key: str | None) -> None:
    with SystemOneStub(key=key) as stub:
        report = runner.run(stub.url, key=key)
    failed = [one.id for one in report.results if one.status == "fail"]
    assert (report.verdict, failed) == ("conformant", [])


def test_the_official_sdk_reads_what_the_stub_serves() -> None:
    answers = {"same": 0.9, "kind": {"fact": 0.7, "none": 0.3}, "worth": [0.1, 0.2, 0.7]}
    with (
        SystemOneStub(answers, key="key-of-a-test") as stub,
        TypeSafeClient(api_key="key-of-a-test", base_url=stub.url) as client,
    ):
        got = client.system_one(
            state={"a": "one", "b": "two"},
            questions={
                "same": Noul(instructions="Do they say the same?"),
                "kind": Choice(
                    instructions="Which kind?", criteria={"fact": "A fact", "none": None}
                ),
                "worth": Score(instructions="How much?", criteria=["low", "middle", "high"]),
            },
        )
    assert got.nouls["same"].noul == 0.9
    assert (got.choices["kind"].choice, got.choices["kind"].probabilities["fact"]) == ("fact", 0.7)
    assert got.scores["worth"].score == pytest.approx(1.6)
