"""What the pages promise, a test reads."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from hitherto_contract import words
from hitherto_server.core.settings import Settings

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)[^)]*\)")
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]


def table_rows(page: Path) -> list[list[str]]:
    """Return the cells of every table row of a page."""
    lines = [line for line in page.read_text().splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_setting_is_described_with_its_default() -> None:
    described = {row[0].strip("`"): row[1] for row in table_rows(DOCS / "settings.md")}
    settings = {field.name: str(field.default) for field in fields(Settings)}
    assert {name: described.get(name) for name in settings} == settings


def test_no_setting_is_described_that_is_not_there() -> None:
    described = {
        row[0].strip("`")
        for row in table_rows(DOCS / "settings.md")
        if re.match(r"`[a-z_]+`$", row[0])
    }
    assert described - {field.name for field in fields(Settings)} == set()


def test_the_glossary_has_every_standing() -> None:
    page = (DOCS / "glossary.md").read_text()
    assert [word for word in words.Standing.__args__ if word not in page] == []  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    broken = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert broken == []


def test_the_commands_of_the_readme_exist() -> None:
    from hitherto_server.cli import COMMANDS

    named = set(
        re.findall(r"(?:^|[`/])hitherto ([a-z]+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    )
    assert named
    assert named - COMMANDS.keys() == set()
