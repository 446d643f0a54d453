"""What can be kept of a text from outside."""

from __future__ import annotations

import pytest

from hitherto_server.core.text import is_count, storable


@pytest.mark.parametrize(
    ("text", "kept"),
    [("plain é 日本", "plain é 日本"), ("a\x00b", "ab"), ("a\ud800b\udfff", "a?b?"), ("", "")],
)
def test_what_can_be_kept_can_be_sent(text: str, kept: str) -> None:
    assert storable(text) == kept
    kept.encode()


@pytest.mark.parametrize("text", ["0", "1796000000000000000", "9" * 19])
def test_a_count_is_a_whole_number_that_fits(text: str) -> None:
    assert is_count(text)


@pytest.mark.parametrize(
    "text", ["", "-1", "+1", "1.5", " 1", "1\n", "9" * 20, "\u0661", "\u00b2", "1_0"]
)
def test_nothing_else_is_a_count(text: str) -> None:
    assert not is_count(text)
