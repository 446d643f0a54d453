"""What doctor says of the judge, by what the server tells of it."""

from __future__ import annotations

from typing import Any

import pytest

from hitherto_server.doctor.judging import judge

BACKEND = {
    "profile": "custom",
    "base_url": "http://127.0.0.1:1",
    "model": "m",
    "key": "not_needed",
    "rests_s": 0.0,
    "hurried": "closed",
    "patient": "closed",
}
WELL: dict[str, Any] = {"killed": False, "on": True, "lost": 0, "backend": BACKEND}


@pytest.mark.parametrize(
    ("changes", "ok", "said"),
    [
        ({}, True, "custom at http://127.0.0.1:1, model m"),
        ({"backend": None}, True, "nobody is asked"),
        ({"on": False}, True, "switched off"),
        ({"killed": True}, True, "switched off"),
        ({"lost": 3}, False, "3 judgments could not be logged"),
        ({"backend": {**BACKEND, "key": "missing"}}, False, "there is no key"),
        ({"backend": {**BACKEND, "key": "for_another_address"}}, False, "another address's key"),
        ({"backend": {**BACKEND, "hurried": "open"}}, False, "failed and is left alone"),
        ({"backend": {**BACKEND, "patient": "half_open"}}, False, "failed and is left alone"),
        ({"backend": {**BACKEND, "rests_s": 12.0}}, True, "asked for 12 s of patience"),
    ],
)
def test_what_is_said_of_the_judge(changes: dict[str, Any], ok: bool, said: str) -> None:
    finding = judge({**WELL, **changes})
    assert finding.ok is ok
    assert said in finding.said
    assert finding.ok or finding.mend
