"""What counts as named by a text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hitherto_server.standing.parts import MAX_NAMES, named_parts


def named(content: str, kind: str = "identifier") -> set[str]:
    return {name.text for name in named_parts(content) if name.kind == kind}


@pytest.mark.parametrize(
    ("content", "identifiers"),
    [
        ("Use `retry` with care", {"retry"}),
        ("fetch_all sleeps", {"fetch_all"}),
        ("the fetchAll helper", {"fetchAll"}),
        ("a SessionStore per user", {"SessionStore"}),
        ("MAX_RETRIES is three", {"MAX_RETRIES"}),
        ("close() comes last", {"close"}),
        ("`close(now=True)` comes last", {"close"}),
        ("Cart.total is cached", {"Cart.total"}),
        ("`Parser::read` panics", {"Parser::read"}),
        ("tool.coverage.report.fail_under is 90", {"tool.coverage.report.fail_under"}),
        ("`max-line-length` is 100", {"max-line-length"}),
        ("`@traced` marks it", {"traced"}),
        ("```py\nsave_all(rows)\n```", {"save_all"}),
    ],
)
def test_code_shaped_and_ticked_words_are_identifiers(content: str, identifiers: set[str]) -> None:
    assert named(content) == identifiers


@pytest.mark.parametrize(
    "content",
    [
        "The team decided to deploy on Fridays, e.g. after lunch (i.e. late).",
        "Use HTTP and JSON; the API returns a list of file(s), see RFC 9562.",
        "A long-term, well-known trade-off between cost/benefit and/or speed.",
        "GitHub, PostgreSQL and TypeScript are fine. Version 3.11.2 too.",
        "See https://example.invalid/some_path/do_it.py?x=fetch_all for more.",
        "`true`, `None` and `self` are everywhere",
        "",
    ],
)
def test_plain_words_name_nothing(content: str) -> None:
    assert named(content) == set()
    assert named(content, "line") == set()


def test_paths_are_named_with_and_without_ticks_and_line_numbers() -> None:
    content = "See src/a/b.py, `web/cart.ts:42`, `Makefile` and (docs/x.md)."
    assert named(content, "path") == {"src/a/b.py", "web/cart.ts", "Makefile", "docs/x.md"}


def test_a_file_is_named_by_a_quote_of_its_own_and_not_by_a_line_that_holds_it() -> None:
    content = 'In "config/app.toml" stands "# see also docs/other.md", and run `sh bin/go.sh -x`.'
    assert named(content, "path") == {"config/app.toml", "bin/go.sh"}
    assert named(content, "line") == {"# see also docs/other.md", "sh bin/go.sh -x"}


def test_quotes_and_fenced_lines_are_lines_when_long_enough() -> None:
    content = 'It says "retry at most twice" and "ok".\n```\nx = 1\nport   = 8080 # fixed\n```'
    assert named(content, "line") == {"retry at most twice", "port = 8080 # fixed"}


@given(st.lists(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12)))
def test_no_sequence_of_plain_words_names_anything(words: list[str]) -> None:
    assert named_parts(" ".join(words)) == ()


@given(st.text(max_size=2000))
def test_any_text_is_read_and_the_names_are_bounded(content: str) -> None:
    names = named_parts(content)
    assert len(names) <= MAX_NAMES
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("hostile", ["a.", "a/", "`", '"', "_", "(", "a_", "```\n", "-a", "a::"])
def test_a_hostile_text_is_read_in_little_time(hostile: str) -> None:
    start = time.perf_counter()
    named_parts(hostile * (64_000 // len(hostile)))
    assert time.perf_counter() - start < 2
