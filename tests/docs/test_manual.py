"""The manual says what the commands say of themselves, and the commands say enough."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.docs.manual_file import EXIT_CODES, MARKDOWN, ROFF, list_pages, markdown, roff

PAGES = list_pages()
SHOWS_NOTHING = {"hitherto serve", "hitherto completion"}
"""One runs until it is stopped, the other prints a script."""


def test_the_manual_is_what_the_commands_say() -> None:
    assert MARKDOWN.read_text(encoding="utf-8") == markdown(), "run `make manual`"
    assert ROFF.read_text(encoding="utf-8") == roff(), "run `make manual`"


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_manual_page_is_set_without_a_warning() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", str(ROFF)], capture_output=True, check=True
    )
    assert done.stderr == b""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_command_says_what_it_and_each_of_its_parameters_does(page) -> None:
    assert page.told[0].endswith(".")
    assert [one.written for one in page.parameters if not one.means] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_command_that_shows_something_shows_it_as_json_too(page) -> None:
    written = {one.written for one in page.parameters}
    assert ("--json" in written) != (page.name in SHOWS_NOTHING)


def test_the_exit_codes_are_documented() -> None:
    told = (Path(MARKDOWN).with_name("cli.md")).read_text(encoding="utf-8")
    assert [code for code, _ in EXIT_CODES if f"| {code} |" not in told] == []
