"""docs/judgments.md, from the register of surfaces and from what was measured of their rules.

`make figures` writes it; a test holds the page to it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from harness import RESULTS, ROOT

from hitherto_server.benches.rules import RULES
from hitherto_server.benches.trials import TRIALS
from hitherto_server.judge.questions import AskChoice, AskNoul, AskScore
from hitherto_server.judge.register import surfaces

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hitherto_server.judge.questions import Question
    from hitherto_server.judge.surface import Surface

PAGE = ROOT / "docs" / "judgments.md"
RESULT = "judgment_rules"
BLIND = "judgment_rules_blind"
EFFECTS = {
    "ranks": "ranks: it changes an order or what is shown, nothing that is kept",
    "advises": "advises: it records or offers something",
    "acts": "acts, and does so only on calibrated answers",
}
HEAD = """\
# Judgments

`make figures` writes this page from the register of surfaces (`judge/register.py`) and from
what `benchmarks/judgment_rules.py` measured; a test holds it to both.

A judgment is a typed question to a backend that you chose: a yes or no with its probability, a
choice among options, or a place on levels. Without a backend, and whenever no answer comes in
time, the **rule** named below answers. It is measured on the same labelled sets. A judgment
never runs inside a transaction, never raises, and deletes nothing.

## Surfaces

| surface | asks | effect | timeout | thresholds | locked switches |
|---|---|---|---|---|---|"""
LABELS = """
## How the rules do

Labelled sets ship with Hitherto (`hitherto_server/benches/fixtures`). Much of each is hard:
values that changed, negations, the same words about another subject, placeholders that look
real. A hash of its id deals each item to the development or the test half; no rule is fitted
to the test half, and those of prompts, stops, plans and digests were to the other one. The
tables below are of both halves, the shares of the test half. The sets were written and labelled
by Hitherto's authors alone; a person with another store will meet other cases: `--own-store`
(below) asks about those.

The **blind sets** (`benchmarks/fixtures/judgments/blind`) are a second opinion on the rules of
coding sessions: written and labelled from the questions alone, before their author had read a
rule or an earlier set. *At first* is what the rules that there were showed, and the one honest
figure of them. *Now* is a second look, after the rules were changed on the development halves of
the other sets. Single misses were never looked at; but who changed the rules had written the
items, and so *now* flatters, the more the wordings matter (session-lookup, the stop questions).
What is found in a text that nobody here wrote lies between *at first* and *now*. While the rules
were changed, the figures of the test halves, never their items, were seen too, and changes of
agent-message, turn-worth and session-lookup were narrowed because precision there had fallen.

A row is what a person says, a column what the rule says. *Undecided* counts against recall and
not against accuracy. With several labels, precision and recall are means over them, precision
over those that were said at all.
"""
TAIL = """
## Benches and locked switches

`hitherto bench SURFACE` measures the rule, `--backend configured` your backend: through the
very words, states and thresholds that are in force, past the cache, three requests at a time,
logged with the origin `bench`. It says accuracy, precision, recall, confusion, calibration
(expected calibration error in ten bins, where probabilities are told), latency, tokens, cost,
and to how many requests no judgment came. Every labelled item is asked about, also where a
cosine, a pattern or a slot check would keep the product from asking.

`--own-store` asks about your own memories. Nobody labelled those, so it says how often judge
and rule agree, never who is right: of relations, supersession, duplicate-gate,
importance-kind, category-check and historical-query.

Each run is kept with its basis: backend and model, thresholds, timeout, the questions' version
and hash, the hash of the labels and of the code that reads the answers. A locked switch is open
only while the last labelled run of exactly the basis that is in force has passed; this is
looked up whenever the switch counts. So a run on another basis neither opens nor locks it, and
a failed run of the running one locks it at once. A model that answers under another name than
was asked for, or whose name may mean another version tomorrow (`latest`, `preview`, `~…`),
opens none. Turning a switch off is always accepted.

`apply_importance` of importance-kind opens when, of at least 150 labelled memories with at
least 40 of low, middle and high importance each,

- at least 90 (35 in the test half) were sure enough to be written,
- in both halves together and in the test half alone, 80 % of those were within one level of the
  label, with a rank correlation of at least 0.75,
- at most 2 % were taken for low that are high, or the other way round,
- the answers were calibrated, came to 98 % of the requests, and 95 % of them within the timeout.
"""


def page() -> str:
    """Return the page as register and results have it."""
    known = surfaces()
    rows = "\n".join(row(one) for one in known.values())
    told = "\n".join(section(one) for one in known.values())
    return f"{HEAD}\n{rows}\n\n{told}{LABELS}\n{rules(known)}{TAIL}"


def row(one: Surface) -> str:
    """Return a surface's line in the overview."""
    thresholds = ", ".join(f"`{name}` {value:g}" for name, value in one.thresholds.items())
    locked = ", ".join(f"`{name}`" for name in one.locked)
    place = f"[{one.name}](#{one.name})"
    return (
        f"| {place} | {one.asks} | {one.effect} | {one.timeout_s:g} s "
        f"| {thresholds or 'none'} | {locked or 'none'} |"
    )


def section(one: Surface) -> str:
    """Return all that a person may want to know of a surface."""
    kinds = ", ".join(f"`{key}` {kind_of(question)}" for key, question in one.samples.items())
    told = {
        "When": one.moment,
        "Sends": one.sends,
        "Then": one.action,
        "Else": one.fallback,
        "Effect": EFFECTS[one.effect] + ".",
        "Question": f"version {one.version}, hash `{one.question_hash}`: {kinds}.",
        "Log": "" if one.shows_text else "What was sent is withheld from its preview.",
        "Rides on": f"{one.rides_on}." if one.rides_on else "",
    }
    lines = [f"- **{name}** {text}" for name, text in told.items() if text]
    return "\n".join([f"### {one.name}", "", one.asks, "", *lines, ""])


def kind_of(question: Question) -> str:
    """Return what kind of answer a question has."""
    match question:
        case AskNoul():
            return "(yes or no)"
        case AskChoice(_, options):
            return f"(one of {len(options)})"
        case AskScore(_, levels):
            return f"(levels 0 to {len(levels) - 1})"


def rules(known: Mapping[str, Surface]) -> str:
    """Return the confusion matrix of each rule, and its shares."""
    details, blind = details_of(RESULT), details_of(BLIND)
    return "\n".join(line for name in known for line in rule(name, details[name], blind))


def details_of(result: str) -> Mapping[str, Any]:
    """Return what a benchmark keeps beside its bars."""
    path = RESULTS / f"{result}.json"
    details: Mapping[str, Any] = json.loads(path.read_text("utf-8"))["details"]
    return details


def rule(name: str, report: Mapping[str, Any], blind: Mapping[str, Any]) -> Iterator[str]:
    """Yield what was measured of one rule."""
    sets = ", ".join(f"{one}.jsonl" for one in TRIALS[name].sets)
    yield f"### Rule of {name}"
    yield ""
    yield f"{RULES[name].told} Labels: {sets}. Embedding model: {report['model'] or 'none'}."
    for aspect, parts in report["parts"].items():
        yield ""
        yield from matrix(aspect, parts["all"]["confusion"])
        yield ""
        yield f"Test half: {shares(parts['test'])}."
        if name in blind["reports"]:
            first, now = (looked["reports"][name] for looked in (blind["first"], blind))
            yield f"Blind set at first: {shares(first['parts'][aspect]['all'])}."
            yield f"Now: {shares(now['parts'][aspect]['all'])}."
    yield ""


def matrix(aspect: str, table: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yield a confusion matrix as a table."""
    columns = list(next(iter(table.values())))
    yield f"| {aspect} | " + " | ".join(f"said {one}" for one in columns) + " |"
    yield "|---" * (len(columns) + 1) + "|"
    for label, row in table.items():
        yield f"| {label} | " + " | ".join(str(count) for count in row.values()) + " |"


def shares(part: Mapping[str, Any]) -> str:
    """Return the shares of one half in words."""
    told = [f"{part['count']} items"]
    told += [f"{part['undecided']} undecided"] if part["undecided"] else []
    told += [f"{name} {percent(part[name])}" for name in ("accuracy", "precision", "recall")]
    levels = part["levels"] or {}
    told += [
        f"{what} {levels[name]:.2f}"
        for name, what in (("correlation", "rank correlation"), ("ndcg", "nDCG"))
        if levels.get(name) is not None
    ]
    return ", ".join(told)


def percent(value: float | None) -> str:
    """Return a share; what was never said has none."""
    return "none" if value is None else f"{value:.0%}"
