"""What became of a memory that a session was given: used, contradicted, ignored, or unclear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hitherto_server.sessions.worth.acts import CHANGES, MEANT
from hitherto_server.sessions.worth.traces import is_at, seen_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hitherto_server.sessions.worth.acts import Act
    from hitherto_server.sessions.worth.traces import Traces

Outcome = Literal["used", "contradicted", "ignored", "unclear"]
Blame = Literal["false", "stale"]
ChangeKind = Literal[
    "said-wrong", "superseded", "conflict", "forgotten", "judged-stale", "edited", "confirmed"
]

PROMPT_SLACK_MS = 10_000
"""The client may write a prompt down after its hook was answered."""
AGAINST: tuple[ChangeKind, ...] = ("said-wrong", "superseded", "conflict", "forgotten")
WORDS: dict[ChangeKind, str] = {
    "said-wrong": "a person said that it is wrong",
    "superseded": "the session replaced it",
    "conflict": "the session stored what conflicts with it",
    "forgotten": "the session put it into the trash",
    "judged-stale": "an edit of the session made it stale",
    "edited": "the session brought it up to date",
    "confirmed": "the session confirmed it",
}
OUTDATED = frozenset({"changed", "stale"})


@dataclass(frozen=True)
class Given:
    """A memory as a session was given it."""

    number: int
    at_ms: int
    traces: Traces
    agent: str = ""
    standing: str | None = None


@dataclass(frozen=True)
class Change:
    """What was done to a memory itself in the session."""

    number: int
    kind: ChangeKind
    at_ms: int


@dataclass(frozen=True)
class Worth:
    """What became of it, who is to blame where it was wrong, and what shows that."""

    outcome: Outcome
    because: str
    blame: Blame | None = None


def worth_of(given: Given, acts: Sequence[Act], changes: Iterable[Change]) -> Worth:
    """Return what became of a memory; only what came after it was given counts."""
    after = [act for act in acts if is_after(act, given)]
    own = {
        one.kind: one
        for one in sorted(changes, key=lambda one: one.at_ms)
        if one.number == given.number and one.at_ms >= given.at_ms
    }
    for kind in AGAINST:
        if (change := own.get(kind)) is not None:
            return Worth("contradicted", WORDS[kind], _blame(given, change, after))
    if "judged-stale" in own:
        return Worth("contradicted", WORDS["judged-stale"], "stale")
    for kind in ("confirmed", "edited"):
        if kind in own:
            return Worth("used", WORDS[kind])
    return _seen(given, [act for act in acts if is_before(act, given)], after)


def is_before(act: Act, given: Given) -> bool:
    """Tell whether something was known when a memory was given: what came with the prompt was."""
    slack = PROMPT_SLACK_MS if act.kind == "prompt" else 0
    return act.at_ms <= given.at_ms + slack


def is_after(act: Act, given: Given) -> bool:
    """Tell whether something was done with a memory at hand."""
    has_it = not given.agent or act.agent == given.agent
    return act.kind in MEANT and act.at_ms > given.at_ms and has_it


def _blame(given: Given, change: Change, after: Iterable[Act]) -> Blame:
    """Tell what was false when it was given from what the session itself has outdated since."""
    if change.kind == "said-wrong":
        return "stale" if given.standing in OUTDATED else "false"
    its_own = any(
        is_at(act.path, file)
        for act in after
        if act.kind in CHANGES and act.at_ms <= change.at_ms
        for file in given.traces.files
    )
    return "stale" if its_own or given.standing in OUTDATED else "false"


def _seen(given: Given, before: Iterable[Act], after: Sequence[Act]) -> Worth:
    if not after:
        return Worth("unclear", "nothing was done after it was given")
    if not given.traces:
        return Worth("unclear", "it names nothing that could be seen")
    known = {trace for act in before for trace in seen_in(given.traces, act.path, act.text)}
    for act in after:
        for what, words in seen_in(given.traces, act.path, act.text):
            if (what, words) not in known:
                return Worth("used", f"{what} {words}")
    if _names(given.traces) <= known:
        return Worth("unclear", "all that it names was known before")
    return Worth("ignored", "nothing that it names was touched")


def _names(traces: Traces) -> set[tuple[str, str]]:
    return (
        {("file", file) for file in traces.files}
        | {("name", name) for name in traces.names}
        | {("command", one) for one in traces.commands}
    )
