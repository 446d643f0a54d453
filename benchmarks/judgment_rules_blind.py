"""How the rules of coding sessions do on sets that were labelled before anyone read the rules.

The first run's figures stay in the result beside the running ones: what is measured after a rule
was changed is a second look at the same sets.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import RESULTS, begin, commit, read_options
from judgment_rules import measured, prepare, share
from kept import kept_in

from hitherto_server.benches.sets import sets_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness import Bar

    from hitherto_server.benches.report import Report

NAME = "judgment_rules_blind"
SETS = Path(__file__).parent / "fixtures" / "judgments" / "blind"
SURFACES = (
    "claim-check",
    "turn-worth",
    "user-learning",
    "plan-conflict",
    "prompt-urgency",
    "task-boundary",
    "session-lookup",
    "agent-message",
)


def main() -> None:
    """Measure the rules on the blind sets, and keep what they showed at first."""
    options = read_options(__doc__ or "")
    run = begin(NAME, options)
    models, model = prepare(kept_in(options.data) / "models")
    with sets_in(SETS):
        reports = asyncio.run(measured(models, model, SURFACES))
    now = {name: report.as_json() for name, report in reports.items()}
    bars = [bar for report in reports.values() for bar in bars_of(report)]
    run.end(bars, {"first": first_look() or {"commit": commit(), "reports": now}, "reports": now})


def first_look() -> Mapping[str, Any] | None:
    """Return what the first run showed, and of which commit; None: this is the first."""
    path = RESULTS / f"{NAME}.json"
    if not path.exists():
        return None
    first: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))["details"]["first"]
    return first


def bars_of(report: Report) -> Iterator[Bar]:
    """Yield the shares of one rule; the blind sets have no halves."""
    for aspect, parts in report.parts.items():
        name = report.surface if len(report.parts) == 1 else f"{report.surface} {aspect}"
        part = parts["all"]
        note = f"{part.count} items"
        yield share(f"{name}: accuracy", part.accuracy, note)
        yield share(f"{name}: precision", part.precision, note)
        yield share(f"{name}: recall", part.recall, note)


if __name__ == "__main__":
    main()
