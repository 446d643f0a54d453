"""`hitherto bench`: how often a surface is right, and the rule that stands in for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hitherto_server.cli_progress import progress
from hitherto_server.cli_shared import LONG_S, Json, absolute, ask, echo_lines, folder, print_json
from hitherto_server.core.errors import InvalidInput, NobodyToAsk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OF_ALL = "all"
RULES: Literal["rules"] = "rules"


def bench(
    surface: Annotated[str, typer.Argument(help="A surface of docs/judgments.md.")],
    *,
    backend: Annotated[
        Literal["rules", "configured"],
        typer.Option(help="The rule that answers without a judgment, or whom you configured."),
    ] = RULES,
    own_store: Annotated[
        bool,
        typer.Option("--own-store", help="Compare judge and rule on your own memories instead."),
    ] = False,
    project: Annotated[
        str | None, typer.Option(metavar="DIR", help="Whose memories; default: this folder's.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many of them.")] = 50,
    sample: Annotated[Literal["random", "recent"], typer.Option(help="Which of them.")] = "recent",
    as_json: Json = False,
) -> None:
    """Measure how often a surface is right on labelled sets that ship with Hitherto.

    With --own-store your own memories are asked about; nobody labelled them, so what is said is
    how often judge and rule agree. What a run showed is kept; a passed one opens locked switches.
    """
    if own_store and backend == RULES:
        message = "--own-store compares rule and judge"
        raise InvalidInput(message, mend="Add `--backend configured`.")
    asked: dict[str, Any] = {"surface": surface, "backend": backend}
    if own_store:
        place = absolute(project) if project else folder()
        asked |= {"project_dir": place, "limit": limit, "sample": sample}
    with progress("Measuring"):
        report = ask("/v1/bench", asked, timeout_s=LONG_S)
    if as_json:
        print_json(report)
    else:
        echo_lines(_lines(report))
    if report["usage"] and report["usage"]["unavailable"] == 1:
        message = "nobody answered, so nothing that was measured is about the backend"
        raise NobodyToAsk(message, mend="`hitherto judge test` says why.")


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    whom = f"{report['backend']} ({report['model'] or 'no one model'})"
    yield f"{report['surface']}, {report['sample']}, by {whom}"
    yield report["note"]
    for aspect, parts in report["parts"].items():
        yield from _table(aspect, parts, is_own=report["sample"] == "own")
    if report["usage"]:
        yield from _usage(report["usage"])
    for switch in report["passed"]:
        yield f"passed: {switch} may be turned on, as long as this configuration runs"
    for fault in report["missed"]:
        yield f"locked: {fault}"
    yield f"basis: {report['basis']}"


def _table(aspect: str, parts: Mapping[str, Any], *, is_own: bool) -> Iterator[str]:
    right = "agreement" if is_own else "accuracy"
    yield ""
    head = ("items", "undecided", right, *(() if is_own else ("precision", "recall", "ECE")))
    yield _row(aspect, head)
    for name, part in parts.items():
        if part["count"]:
            yield _row(f"  {name}", _cells(part, is_own=is_own))
    yield from _confusion(parts[OF_ALL]["confusion"], "rule" if is_own else "label")


def _cells(part: Mapping[str, Any], *, is_own: bool) -> tuple[str, ...]:
    cells = (str(part["count"]), str(part["undecided"]), _share(part["accuracy"]))
    if is_own:
        return cells
    calibration = part["calibration"]
    error = "-" if calibration is None else f"{calibration['error']:.3f}"
    return (*cells, _share(part["precision"]), _share(part["recall"]), error)


def _confusion(table: Mapping[str, Mapping[str, int]], side: str) -> Iterator[str]:
    columns = next(iter(table.values()))
    yield _row(f"{side} \\ said", tuple(columns))
    for label, row in table.items():
        yield _row(f"  {label}", tuple(map(str, row.values())))


def _usage(usage: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    lost = ", ".join(f"{reason} {count}" for reason, count in usage["reasons"].items())
    beside = f" ({lost})" if lost else ""
    yield f"{usage['requests']} requests, no judgment to {usage['unavailable']:.1%}{beside}"
    if usage["p50_ms"] is not None:
        yield f"p50 {usage['p50_ms']:.0f} ms, p95 {usage['p95_ms']:.0f} ms"
    tokens, cost = usage["input_tokens"], usage["cost_usd"]
    if tokens is not None:
        yield f"{tokens} tokens in, {usage['output_tokens'] or 0} out"
    yield "cost: not told" if cost is None else f"cost: ${cost:.4f}"


def _row(name: str, cells: tuple[str, ...]) -> str:
    return f"{name:<16}" + "".join(f"{cell:>14}" for cell in cells)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"
