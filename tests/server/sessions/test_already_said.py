"""When a file says what a memory says, and when it only sounds like it."""

from __future__ import annotations

import time

import pytest

from hitherto_server.sessions.client.already_said import AlreadySaid

CLAUDE_MD = """# Working here

- Use **pnpm**, never npm, to install packages.
- The API server listens on port 8000 in development.
- Commit messages are written in the imperative mood, at most 72 characters.

## Database

Migrations are numbered SQL files in `db/migrations`; never edit one that was released.
Run `make testdb` before the tests: they need Postgres 15.
"""
SAID = AlreadySaid.of([("CLAUDE.md", CLAUDE_MD)])


@pytest.mark.parametrize(
    "memory",
    [
        "Use pnpm, never npm, to install packages.",
        "use `pnpm`, never npm, to install packages",
        "The API server listens on port 8000 in development.",
        "In development the API server listens on port 8000.",
        "Migrations are numbered SQL files in `db/migrations`. Never edit one that was released.",
        "Commit messages are written in the imperative mood.",
        "The tests need Postgres 15: run `make testdb` before.",
        "Use pnpm, never npm, to install packages",
        "Run `make testdb` before the tests: they need Postgres 15",
    ],
)
def test_what_a_file_says_is_known(memory: str) -> None:
    assert SAID.where(memory) == "CLAUDE.md"


@pytest.mark.parametrize(
    "memory",
    [
        "The API server listens on port 9000 in development.",
        "Use npm, never pnpm, to install packages.",
        "The API server does not listen on port 8000 in development.",
        "Migrations are numbered SQL files, and a plain index locked the table for nine minutes.",
        "Use pnpm, never npm, to install packages. Version 9 breaks the lockfile of the web app.",
        "The tests need Postgres 16: run `make testdb` before.",
        "The API server listens on port 80",
        "Edit one that was released.",
        "Postgres.",
        "",
    ],
)
def test_what_differs_or_says_more_is_not(memory: str) -> None:
    assert SAID.where(memory) is None


def test_where_no_file_is_nothing_is_known() -> None:
    assert AlreadySaid().where("Use pnpm, never npm, to install packages.") is None


def test_a_long_table_that_has_all_the_words_somewhere_does_not_say_it() -> None:
    memory = "The worker retries each failed job three times."
    words = memory.lower().strip(".").split()
    rows = [f"| {first} {second} |" for first in words for second in words] * 2
    said = AlreadySaid.of([("CLAUDE.md", "\n".join(rows))])
    assert said.where(memory) is None


def test_a_file_of_blank_lines_is_read_in_no_time() -> None:
    began = time.process_time()
    said = AlreadySaid.of([("CLAUDE.md", "\n" * 20_000 + CLAUDE_MD)])
    assert time.process_time() - began < 1
    assert said.where("Use pnpm, never npm, to install packages.") == "CLAUDE.md"
