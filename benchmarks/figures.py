"""Figures in the pages: each that was measured says, in a comment behind it, where it comes from.

    the median is 40 ms<!-- hook_wall: prompt hook with recall, p50 -->

`make figures` brings the pages to what benchmarks/results/ holds; a test holds them to it.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import judgment_page
from harness import RESULTS, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TIMES, NOTHING = "\u00d7", "\u2013"
UNITS = f"ms|µs|s|min|MB|GB|KB|%|{TIMES}"
MARKED = re.compile(
    rf"(?P<said>[0-9][0-9.,]*|{NOTHING})(?P<unit>(?: ?(?:{UNITS}))?)(?P<after>\**)"
    r"<!-- (?P<result>\w+): (?P<bar>[^>]+?) -->"
)
FIGURE = re.compile(rf"(?<![\w.])[0-9][0-9.,]* ?(?:{UNITS})(?!\w)")
CODE = re.compile(r"^(?:```|~~~).*?^(?:```|~~~)$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
FACTORS = {
    ("share", "%"): 100.0,
    ("share of prompts", "%"): 100.0,
    ("s", "ms"): 1000.0,
    ("s", "min"): 1 / 60,
    ("bytes", "KB"): 1 / 1000,
    ("x", TIMES): 1.0,
}
TABLE = ROOT / "docs" / "figures.md"
SAID = {True: "reached", False: "**missed**", None: ""}


class UnknownFigureError(LookupError):
    """A comment names a result or a figure that is not there."""


def pages() -> list[Path]:
    """Return the pages whose figures are held to the results, but for the generated ones."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if page not in {TABLE, judgment_page.PAGE}]


@cache
def results() -> dict[str, dict[str, Any]]:
    """Return every full result, by its name."""
    read = [json.loads(path.read_text("utf-8")) for path in sorted(RESULTS.glob("*.json"))]
    return {one["benchmark"]: one for one in read if not one["quick"]}


def measured(result: str, bar: str, unit: str) -> str:
    """Return a figure as a page says it, in the page's unit."""
    bars = {one["name"]: one for one in results().get(result, {"bars": []})["bars"]}
    if bar not in bars:
        message = f"benchmarks/results/{result}.json has no figure {bar!r}"
        raise UnknownFigureError(message)
    value = bars[bar]["value"]
    return NOTHING if value is None else shown(value * _factor(bars[bar]["unit"], unit.strip()))


def _factor(measured_in: str, said_in: str) -> float:
    if measured_in == said_in or not said_in:
        return 1.0
    if (measured_in, said_in) not in FACTORS:
        message = f"{measured_in!r} cannot be said in {said_in!r}"
        raise UnknownFigureError(message)
    return FACTORS[measured_in, said_in]


def shown(value: float) -> str:
    """Return three digits of a figure: the rest is noise."""
    return f"{round(value):,}" if abs(value) >= 100 else f"{value:.3g}"


def corrected(text: str) -> str:
    """Return a page with every marked figure as it was measured."""

    def put(found: re.Match[str]) -> str:
        now = measured(found["result"], found["bar"], found["unit"])
        return now + found[0].removeprefix(found["said"])

    return MARKED.sub(put, text)


def unmarked(text: str) -> list[str]:
    """Return the figures with a unit that say not where they come from; code is no claim."""
    return FIGURE.findall(MARKED.sub("", CODE.sub("", text)))


def table() -> str:
    """Return the page of all figures."""
    return "\n".join(
        [
            "# Figures",
            "",
            "All that was measured; `make figures` writes it from `benchmarks/results/`.",
            "What each script measures, and how: [benchmarks.md](benchmarks.md).",
            *(line for result in results().values() for line in _section(result)),
            "",
        ]
    )


def _section(result: dict[str, Any]) -> Iterator[str]:
    machine, load = result["machine"], result["load_average"]["before"][0]
    yield from ("", f"## {result['benchmark']}", "")
    yield (
        f"{result['date']}, commit {result['commit'][:10]}, {machine['cores']} cores,"
        f" Python {machine['python']}, load {load} before."
    )
    yield from ("", "| figure | measured | bar | |", "|---|---|---|---|")
    for bar in result["bars"]:
        value = (
            "not measured" if bar["value"] is None else f"{bar['value']:g} {bar['unit']}".strip()
        )
        name = bar["name"].replace("|", "\\|")
        yield f"| {name} | {value} | {bar['bar'] or ''} | {SAID[bar['ok']]} |"


def main() -> None:
    """Bring every page to what was measured."""
    for page in pages():
        text = page.read_text("utf-8")
        if (now := corrected(text)) != text:
            page.write_text(now, "utf-8")
            print(f"updated {page.relative_to(ROOT)}")
    TABLE.write_text(table(), "utf-8")
    judgment_page.PAGE.write_text(judgment_page.page(), "utf-8")


if __name__ == "__main__":
    main()
