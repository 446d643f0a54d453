"""How often the rules are right that answer where no judgment comes, surface by surface."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from harness import Bar, at_least, at_most, begin, figure, read_options, unmeasured
from kept import kept_in

from hitherto_server.benches.running import measure_rules
from hitherto_server.benches.trials import TRIALS
from hitherto_server.core.errors import HithertoError
from hitherto_server.core.settings import Settings
from hitherto_server.models.sources import fetch_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from hitherto_server.benches.report import Report

LEAST_PRECISION = 0.95
"""Of what a rule says on its own account: a text is cut, a stop is held up."""
PRECISE = {
    "duplicate-gate": "same",
    "secret-gate": "secret",
    "historical-query": "past",
    "claim-check": "unshown",
}
MOST_FALSE_DUPLICATES = 0.0


def main() -> None:
    """Measure every rule and write what it showed."""
    options = read_options(__doc__ or "")
    run = begin("judgment_rules", options)
    models, model = prepare(kept_in(options.data) / "models")
    reports = asyncio.run(measured(models, model))
    bars = [bar for report in reports.values() for bar in bars_of(report)]
    run.end(bars, {name: report.as_json() for name, report in reports.items()})


def prepare(folder: Path) -> tuple[Path, str]:
    """Return where the default model is; without one the rules go by words, and say so."""
    try:
        fetch_model(folder)
    except HithertoError as error:
        print(f"no model: {error.message}")
    return folder, Settings().model


async def measured(models: Path, model: str, names: Iterable[str] = TRIALS) -> dict[str, Report]:
    """Return a report of each surface's rule."""
    return {name: await measure_rules(name, models, model) for name in names}


def bars_of(report: Report) -> list[Bar]:
    """Return the figures of the half that no rule was ever fitted to."""
    found: list[Bar] = []
    for aspect, parts in report.parts.items():
        name = report.surface if len(report.parts) == 1 else f"{report.surface} {aspect}"
        part = parts["test"]
        note = f"{part.count} items, {part.undecided} undecided"
        shares: Mapping[str, Any] = {"accuracy": part.accuracy, "recall": part.recall}
        found += [share(f"{name}: {what}", value, note) for what, value in shares.items()]
        found.append(precision(report, name, part.precision, note))
    if report.surface == "relations":
        found.append(false_duplicates(report))
    return found


def share(name: str, value: float | None, note: str) -> Bar:
    """Return a share; what was never said has no precision."""
    if value is None:
        return unmeasured(name, "share", None, f"never said of {note}")
    return figure(name, value, "share", note)


def precision(report: Report, name: str, value: float | None, note: str) -> Bar:
    """Return the precision, with a bar where the rule acts by itself."""
    said = f"{name}: precision"
    if value is None or report.surface not in PRECISE:
        return share(said, value, note)
    return at_least(f"{said} of {PRECISE[report.surface]!r}", value, "share", LEAST_PRECISION, note)


def false_duplicates(report: Report) -> Bar:
    """Return how many contradictions, in both halves, were called duplicates."""
    table = report.parts["relation"]["all"].confusion
    return at_most(
        "relations: contradictions called duplicates",
        table["conflicting"]["duplicate"],
        "pairs",
        MOST_FALSE_DUPLICATES,
    )


if __name__ == "__main__":
    main()
