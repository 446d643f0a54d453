"""How the rules do on texts of other hands, written and labelled by who had not seen any rule.

Two folders of fixtures/blind: whoever changes a rule may look at the mistakes in `opened`; of
`sealed` only figures are printed, and kept. What the first run showed stays beside what the running
rules show.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from extraction import measure_half
from harness import RESULTS, begin, commit, figure, read_options, unmeasured
from homes import person, serving
from injection import measure as inject
from injection import mistakes
from judgment_rules import measured, prepare
from judgment_rules_blind import SURFACES
from kept import kept_in
from labelled import read_projects
from pairs import figures_of, is_right, judge_all, pairs_in
from secret_gate import judged as gated
from secret_gate import leaks
from secret_spans import spans_in
from vectors import KeptVectors

from hitherto_server.benches.sets import sets_in
from hitherto_server.gates.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness import Bar, Options

NAME = "blind"
FOLDER = Path(__file__).parent / "fixtures" / "blind"
OPENED, SEALED = "opened", "sealed"
OTHERS, QUICK_OTHERS = 10_000, 300
JUDGED = ("accuracy", "precision", "recall")
Shares = dict[str, float | None]
Part = Callable[[Path, "Options"], tuple[Shares, list[Any]]]


def injected(folder: Path, options: Options) -> tuple[Shares, list[Any]]:
    """Give each prompt what the hook gives it, among ten thousand other memories."""
    vectors = KeptVectors(options.data)
    others = QUICK_OTHERS if options.quick else OTHERS
    step = asyncio.run(inject(read_projects(folder / "prompts"), others, vectors))
    vectors.keep()
    missed = [
        {
            "class": one.prompt.kind,
            "prompt": one.prompt.text[:160],
            "misses": sorted(one.prompt.wants),
        }
        for one in step.outcomes
        if one.prompt.wants.difference(one.given)
    ]
    found = {f"injection: {name}": value for name, value in vars(step.of("report")).items()}
    return found, [mistakes(step.outcomes), missed]


def compared(folder: Path, options: Options) -> tuple[Shares, list[Any]]:
    """Remember the notes of each pair in a server of their own."""
    with person(kept_in(options.data) / "models") as who, serving(who) as server:
        judged = judge_all(who, server, pairs_in(folder / "pairs"))
    found = figures_of(judged)
    shares = {
        "pairs: duplicate precision": found.duplicate_precision,
        "pairs: duplicate recall": found.duplicate_recall,
        "pairs: update or conflict precision": found.contradiction_precision,
        "pairs: update or conflict recall": found.contradiction_recall,
    }
    wrong = [{**vars(one.pair), "said": one.said} for one in judged if not is_right(one)]
    return shares, [found.matrix, wrong]


def hidden(folder: Path, _: Options) -> tuple[Shares, list[Any]]:
    """Let the secret gate read each text."""
    spans = spans_in(folder / "secrets.jsonl")
    found = gated(spans)
    wrong = [
        {"family": one.family, "text": one.text, "left": redact(one.text).text}
        for one in spans
        if (
            leaks(one, redact(one.text).text)
            if one.is_secret
            else redact(one.text).text != one.text
        )
    ]
    return {"secrets: recall": found["recall"], "secrets: traps taken": found["false"]}, wrong


def mined(folder: Path, _: Options) -> tuple[Shares, list[Any]]:
    """Read each session as the import does."""
    with tempfile.TemporaryDirectory() as projects:
        half = measure_half(folder / "history", Path(projects))
    shares = {
        "import: precision": half.precision,
        "import: recall": half.recall,
        "import: sessions with nothing to keep of which something is": len(half.over_saved)
        / max(half.traps, 1),
    }
    return shares, [{"wrong": half.wrong, "missed": half.missed}]


def ruled(folder: Path, options: Options) -> tuple[Shares, list[Any]]:
    """Ask the rules of coding sessions."""
    models, model = prepare(kept_in(options.data) / "models")
    with sets_in(folder / "judgments"):
        reports = asyncio.run(measured(models, model, SURFACES))
    shares: Shares = {}
    for report in reports.values():
        for aspect, parts in report.parts.items():
            name = report.surface if len(report.parts) == 1 else f"{report.surface} {aspect}"
            shares |= {f"{name}: {what}": getattr(parts["all"], what) for what in JUDGED}
    return shares, []


PARTS: dict[str, Part] = {
    "injection": injected,
    "pairs": compared,
    "secrets": hidden,
    "import": mined,
    "judgments": ruled,
}


def main() -> None:
    """Measure both folders and write the result, or print what is wrong in the opened one."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--mistakes", choices=PARTS)
    own, rest = parser.parse_known_args()
    options = read_options(f"{__doc__} --mistakes PART prints those of `{OPENED}`.", rest)
    if own.mistakes:
        shares, wrong = PARTS[own.mistakes](FOLDER / OPENED, options)
        print(json.dumps({"shares": shares, "mistakes": wrong}, indent=1, ensure_ascii=False))
        return
    run = begin(NAME, options)
    now = {which: shares_of(FOLDER / which, options) for which in (SEALED, OPENED)}
    first = first_look() or {"commit": commit(), **now}
    run.end(
        [bar for which in now for bar in bars_of(which, now[which], first[which])], {"first": first}
    )


def shares_of(folder: Path, options: Options) -> Shares:
    """Return all figures of a folder."""
    found: Shares = {}
    for part in PARTS.values():
        found |= part(folder, options)[0]
    return found


def first_look() -> Mapping[str, Any] | None:
    """Return what the first run showed, and of which commit; None: this is the first."""
    path = RESULTS / f"{NAME}.json"
    if not path.exists():
        return None
    first: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))["details"]["first"]
    return first


def bars_of(which: str, now: Shares, first: Shares) -> Iterator[Bar]:
    """Yield each share, beside what the first run showed."""
    for name, value in now.items():
        if value is None:
            yield unmeasured(f"{which}, {name}", "share", None, "never said")
        else:
            before = first.get(name)
            note = "never said at first" if before is None else f"{before:.3g} at first"
            yield figure(f"{which}, {name}", value, "share", note)


if __name__ == "__main__":
    main()
