"""Lists of phrases as one pattern."""

from __future__ import annotations

from hitherto_server.core.phrases import phrases


def test_each_alternative_of_a_line_is_a_whole_word() -> None:
    found = phrases("""
        fails?|red
        all of it
    """)
    assert found.search("it fails")
    assert found.search("ALL OF IT")
    assert found.search("failed, and is shared") is None
