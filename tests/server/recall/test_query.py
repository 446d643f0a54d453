"""What a question asks each arm."""

from __future__ import annotations

import re
from contextlib import closing
from unicodedata import ucd_3_2_0

import pysqlite3.dbapi2 as sqlite3
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hitherto_server.core.words import folded, words_in
from hitherto_server.recall.people import Acquainted
from hitherto_server.recall.query import (
    MOST_NAMES,
    MOST_TERMS,
    prepare,
    quoted,
    relative_files,
    terms_match,
)
from hitherto_server.recall.stem import stem
from hitherto_server.store.derived import WORDS_TOKENIZER

HOSTILE = (
    'AND OR NOT NEAR("a" "b", 3) * ^ : ( ) { } - + " \' \x00 🚀',
    '"',
    '""" OR 1=1 --',
    "body : (x)",
    "scope:p2",
    "*",
    "a\x00b",
    "🚀🔥",
    "NEAR(a b)",
    "^first",
)


@pytest.fixture(scope="module")
def index() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute(
        f"CREATE VIRTUAL TABLE fulltext USING fts5 (body, context, tokenize = '{WORDS_TOKENIZER}')"
    )
    connection.execute("CREATE VIRTUAL TABLE names USING fts5 (held, tokenize = 'trigram')")
    connection.execute("INSERT INTO fulltext VALUES ('the deploy port is 8080', '')")
    connection.execute("INSERT INTO fulltext VALUES ('nothing of that', '')")
    return connection


@pytest.mark.parametrize("text", HOSTILE)
def test_syntax_in_a_question_is_data(index: sqlite3.Connection, text: str) -> None:
    query = prepare(f"{text} deploy port")
    match = terms_match((*query.words, *query.names))
    found = index.execute("SELECT rowid FROM fulltext WHERE fulltext MATCH ?", (match,)).fetchall()
    assert found == [(1,)]


@given(st.text(max_size=200))
def test_no_text_breaks_an_expression(index: sqlite3.Connection, text: str) -> None:
    query = prepare(text)
    match = terms_match((*query.words, *query.names))
    if match is not None:
        index.execute("SELECT 1 FROM fulltext WHERE fulltext MATCH ?", (match,)).fetchall()
    for name in query.names:
        index.execute("SELECT 1 FROM names WHERE names MATCH ?", (quoted(name),)).fetchall()


def test_stop_words_and_negations_are_not_asked() -> None:
    assert prepare("Why is the build not working again?").words == ("build", "working")


def test_each_stem_is_asked_once() -> None:
    assert prepare("deploy deploys deploying deployed").words == ("deploy",)


def test_at_most_32_terms_are_asked() -> None:
    query = prepare(" ".join(f"word{n} name_{n}" for n in range(100)))
    assert len(query.words) + len(query.names) == MOST_TERMS


PASTED = "```\n" + "".join(f"word{n} of name_{n} in src/f_{n}.py\n" for n in range(50)) + "```"


@pytest.mark.parametrize("text", ["{asked}\n{pasted}", "{pasted}\n{asked}"])
def test_a_pasted_block_does_not_use_up_what_is_asked_about_it(text: str) -> None:
    asked = "Why does parse_config raise ECONNRESET while deploying?"
    query = prepare(text.format(asked=asked, pasted=PASTED))
    assert query.names[:2] == ("parse_config", "ECONNRESET")
    assert len(query.names) == MOST_NAMES
    assert {"raise", "deploying"} <= set(query.words)
    assert query.dense_text == "Why raise while deploying?"


def test_a_pasted_block_alone_is_asked_as_it_is() -> None:
    query = prepare(PASTED)
    assert query.names[:2] == ("name_0", "src/f_0.py")
    assert query.dense_text


def test_names_stay_on_the_lexical_side() -> None:
    query = prepare("Why does parse_config in src/app.py:12 raise ECONNRESET on startup?")
    assert query.names == ("parse_config", "src/app.py", "ECONNRESET")
    assert query.files == ("src/app.py",)
    assert "parse_config" not in (query.dense_text or "")
    assert "startup" in (query.dense_text or "")


def test_a_name_is_not_cut_out_of_other_words() -> None:
    assert prepare("a rapid change of `api`").words == ("rapid", "change")


def test_only_names_leave_nothing_to_embed() -> None:
    assert prepare("parse_config").dense_text is None


def test_the_embedded_text_is_short() -> None:
    assert len(prepare("deploy the server " * 1000).dense_text or "") <= 1000


def test_only_a_long_question_is_embedded_without_its_stop_words() -> None:
    short = "where is the lease of the pool renewed"
    long = f"{short} after a worker was killed, while both replicas still write to one ledger"
    assert prepare(short).dense_text == "where lease pool renewed"
    assert "where" not in (prepare(long).dense_text or "").split()
    assert (prepare(long).dense_text or "").startswith("lease pool renewed")


def test_ids_are_recognised_with_and_without_dashes() -> None:
    whole = "0193a5b2-c4d5-7000-8000-0123456789ab"
    assert prepare(f"show {whole.upper()}").ids == (whole,)
    assert prepare("show m:0193a5b2c4d5").id_prefixes == ("0193a5b2-c4d5",)
    assert prepare("show m:0193a5b2-c4").id_prefixes == ("0193a5b2-c4",)
    assert prepare("show m:0193").id_prefixes == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("部署端口 конфигурация", ("部署", "署端", "端口", "конфигурац")),
        ("déploiement café", ("deploiement", "cafe")),
    ],
)
def test_other_scripts_are_asked_as_words(text: str, words: tuple[str, ...]) -> None:
    assert prepare(text).words == words


@pytest.mark.parametrize(
    "text",
    ["What did we use to deploy with?", "which port was it previously", "how was it before?"],
)
def test_a_question_about_the_past_is_recognised(text: str) -> None:
    assert prepare(text).is_about_the_past


@pytest.mark.parametrize(
    "text", ["What is used to deploy?", "Run the tests before we deploy.", "add an undo history"]
)
def test_a_question_about_now_is_not_about_the_past(text: str) -> None:
    assert not prepare(text).is_about_the_past


def test_files_are_named_from_the_root() -> None:
    given = ("/w/p/src/a.py", "./b.py", "/elsewhere/c.py", "src\\d.py")
    assert relative_files(given, "/w/p") == ("src/a.py", "b.py", "src/d.py")


WORDS = """
relational conditional sensibility retries retry caching cached hopping falling agreed
deployment deployments authentication authorize electrical hopefulness goodness adoption
cease controlling roll skies dying bled motoring conflated troubled 0x1e 8080s café naïve
databases queries query indices analyses running runner ran generalization oscillators
"""


def test_stems_are_those_of_the_index() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE VIRTUAL TABLE f USING fts5 (b, tokenize = '{WORDS_TOKENIZER}')")
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab (f, 'instance')")
    connection.executemany("INSERT INTO f (rowid, b) VALUES (?, ?)", list(enumerate(WORDS.split())))
    indexed = {doc: term for term, doc in connection.execute("SELECT term, doc FROM v")}
    ours = {number: stem(prepare(word).words[0]) for number, word in enumerate(WORDS.split())}
    assert ours == indexed


# SQLite's tables of characters are older than Python's; and its Porter looks at bytes, so that a
# plain letter behind another script's may be an ending to it
OTHER_SCRIPTS = [
    chr(n)
    for n in range(0x80, 0xD800)
    if ucd_3_2_0.category(chr(n)) != "Cn" and not re.search("[a-z]", folded(chr(n)))
]


@given(st.text(st.sampled_from([" ", ".", *OTHER_SCRIPTS]), max_size=40))
def test_the_words_of_any_text_are_those_of_the_index(text: str) -> None:
    text = folded(text.replace("\x00", " "))
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE VIRTUAL TABLE f USING fts5 (b, tokenize = '{WORDS_TOKENIZER}')")
        connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab (f, 'row')")
        connection.execute("INSERT INTO f (b) VALUES (?)", (text,))
        indexed = {term for (term,) in connection.execute("SELECT term FROM v")}
    assert {stem(word) for word in words_in(text)} == indexed


def test_who_is_known_here_is_named_but_not_embedded() -> None:
    known = Acquainted(people=frozenset({"maria"}), project=frozenset({"kestrel"}))
    query = prepare("What did Maria's team decide about kestrel's deploy port?", known)
    assert query.dense_text == "What team decide about deploy port?"
    assert query.people == {"maria"}
    assert {"maria", "kestrel"} <= set(query.words)


def test_a_question_of_names_alone_is_not_embedded() -> None:
    assert prepare("Maria?", Acquainted(people=frozenset({"maria"}))).dense_text is None


def test_the_model_reads_what_turns_a_meaning_and_not_what_only_holds_it_together() -> None:
    query = prepare("How do I read the file without a lock?")
    assert query.dense_text == "How read file without lock?"
