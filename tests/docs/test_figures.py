"""No page says a figure that was not measured, or another one than was."""

from __future__ import annotations

import tomllib
from pathlib import Path

import figures
import pytest

from hitherto_server.models.files import get_files

ROOT = Path(__file__).parents[2]
ALLOWED = tomllib.loads(Path(__file__).with_name("allowed_figures.toml").read_text())
"""By page, the limits, sizes and examples that nobody measures, each with its reason."""
PAGES = [str(page.relative_to(ROOT)) for page in figures.pages()]
CLAIMS = [page for page in PAGES if not page.startswith("docs/decisions/")]
"""A decision's page is a record of what was measured when it was taken."""


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_every_figure_that_names_its_result_is_what_was_measured(page: str) -> None:
    assert read(page) == figures.corrected(read(page)), "run `make figures`"


@pytest.mark.parametrize("page", CLAIMS)
def test_every_other_figure_is_a_limit_that_is_allowed_with_its_reason(page: str) -> None:
    unknown = set(figures.unmarked(read(page))) - ALLOWED.get(page, {}).keys()
    assert unknown == set(), (
        "name the result behind it (benchmarks/figures.py says how), or, if nobody measures it,"
        " put it into tests/docs/allowed_figures.toml with its reason"
    )


def test_nothing_is_allowed_that_no_page_says() -> None:
    said = {page: set(figures.unmarked(read(page))) for page in PAGES}
    stale = {page: set(some) - said.get(page, set()) for page, some in ALLOWED.items()}
    assert {page: some for page, some in stale.items() if some} == {}


def test_the_page_of_all_figures_is_what_the_results_say() -> None:
    assert figures.TABLE.read_text(encoding="utf-8") == figures.table(), "run `make figures`"


def test_the_readme_says_measured_figures() -> None:
    assert len(figures.MARKED.findall(read("README.md"))) >= 8


def test_a_figure_without_its_result_is_noticed() -> None:
    assert figures.unmarked("It takes 5 ms, 3.2 MB or 7 %, 2 \u00d7 as long: `30 s`.") == [
        "5 ms",
        "3.2 MB",
        "7 %",
        "2 \u00d7",
    ]
    name = "hook_wall: prompt hook with recall, p50"
    assert figures.unmarked(f"It takes **9 ms**<!-- {name} -->.") == []
    assert figures.corrected(f"It takes 9 ms<!-- {name} -->.") != f"It takes 9 ms<!-- {name} -->."


@pytest.mark.parametrize("name", ["hook_wall: no such figure", "nothing: x"])
def test_a_result_that_is_not_there_is_an_error(name: str) -> None:
    with pytest.raises(figures.UnknownFigureError):
        figures.corrected(f"It takes 9 ms<!-- {name} -->.")


def test_the_model_has_the_size_that_the_pages_say(model_dir: Path) -> None:
    assert "23 MB" in read("README.md")
    assert round(get_files(model_dir).graph.stat().st_size / 1e6) == 23
