"""Whose a call is: the environment's word, else the client's own in the call."""

from __future__ import annotations

import pytest

from hitherto_mcp.stdio import caller_of
from hitherto_mcp.tools import Caller

NOBODY = Caller.named(None, "/p")


def test_a_call_names_its_session_where_the_environment_does_not() -> None:
    called = caller_of({"_meta": {"sessionId": "thread-1"}}, NOBODY)
    assert (called.session_id, called.project_dir) == ("thread-1", "/p")


def test_the_environment_is_believed_first() -> None:
    known = Caller.named("from-the-environment", "/p")
    assert caller_of({"_meta": {"sessionId": "thread-1"}}, known) == known


@pytest.mark.parametrize(
    "params",
    [{}, {"_meta": None}, {"_meta": []}, {"_meta": {}}, {"_meta": {"sessionId": 7}}],
)
def test_what_names_nothing_changes_nothing(params: dict[str, object]) -> None:
    assert caller_of(params, NOBODY) == NOBODY


@pytest.mark.parametrize("named", ["", "x" * 10_000, "a\x00b"])
def test_a_name_that_cannot_be_one_is_treated_as_everywhere(named: str) -> None:
    given = caller_of({"_meta": {"sessionId": named}}, NOBODY)
    assert given == Caller.named(named, "/p")
