"""Cutting texts: passages cover everything, excerpts are whole sentences within a budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hitherto_server.recall.coverage import coverage, occurring
from hitherto_server.recall.excerpt import excerpt_of, tokens_of
from hitherto_server.recall.passages import LONGEST, split
from hitherto_server.recall.query import prepare
from hitherto_server.recall.sentences import sentence_spans
from hitherto_server.recall.stem import folded

pieces = st.sampled_from(
    ["One sentence. ", "Another one! ", "\n\n", "```\ncode();\n```\n", "word " * 90, "é", "x" * 800]
)
texts = st.lists(pieces, max_size=12).map("".join) | st.text(max_size=300)


@given(texts)
def test_passages_cover_the_content_in_order(content: str) -> None:
    spans = split(content)
    assert "".join(content[start:end] for start, end in spans) == content
    assert all(0 < end - start <= LONGEST for start, end in spans)
    assert split(content) == spans


@given(texts)
def test_sentences_cover_the_text(content: str) -> None:
    assert "".join(content[start:end] for start, end in sentence_spans(content)) == content


def test_a_code_block_stays_whole() -> None:
    code = "```python\nx = 1\n\ny = 2\n```\n"
    content = "Words. " * 95 + "\n" + code + "After. " * 20
    assert any(code in content[start:end] for start, end in split(content))


def test_a_passage_ends_where_a_sentence_ends() -> None:
    content = "The server listens on a socket. " * 60
    assert all(content[start:end].endswith(". ") for start, end in split(content))


def test_an_abbreviation_does_not_end_a_sentence() -> None:
    assert len(sentence_spans("Use a lock, e.g. Filelock, here. Then go.")) == 2


def test_a_short_memory_is_shown_whole() -> None:
    assert excerpt_of(" The port is 8080. ", prepare("port"), budget=50) == "The port is 8080."


def test_an_excerpt_is_whole_sentences_around_the_terms() -> None:
    filler = "Nothing of interest happened here at all. "
    content = filler * 20 + "The deploy port is 8080. Restart nginx after it. " + filler * 20
    excerpt = excerpt_of(content, prepare("which port do we deploy to"), budget=40)
    assert "The deploy port is 8080." in excerpt
    assert excerpt.startswith("… ")
    assert excerpt.endswith(" …")


def test_without_terms_the_best_passage_is_shown() -> None:
    content = "First things first. " * 30 + "The cache is warmed at dawn. " + "Last words. " * 30
    start = content.index("The cache")
    excerpt = excerpt_of(content, prepare("zzz"), budget=30, around=(start, start + 20))
    assert "The cache is warmed at dawn." in excerpt


@given(texts.filter(lambda text: text.strip()), st.integers(20, 200))
def test_an_excerpt_keeps_its_budget(content: str, budget: int) -> None:
    assert tokens_of(excerpt_of(content, prepare("sentence word"), budget=budget)) <= budget


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("we deploy with retries", 2 / 3),
        ("Deploys are RETRIED by parse_config", 1.0),
        ("a deputy retires", 0.0),
        ("redeploy", 0.0),
    ],
)
def test_coverage_is_the_share_of_terms_that_occur(text: str, share: float) -> None:
    query = prepare("deploying retry parse_config")
    assert coverage(query, occurring(query, folded(text))) == pytest.approx(share)


def test_a_question_without_terms_has_no_coverage() -> None:
    query = prepare("what was it?")
    assert coverage(query, occurring(query, "anything")) is None
