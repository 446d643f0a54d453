"""How far a memory still holds, from what its files show: the table of docs/standing.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from hitherto_server.core.clock import date_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from hitherto_contract.words import Standing
    from hitherto_server.standing.verify import AnchorFinding, PartFinding

MAX_NAMED = 3


@dataclass(frozen=True)
class MemoryFacts:
    """What is known of a memory apart from its files."""

    source: str
    learned_at_ms: int
    confirmed_at_ms: int | None = None


@dataclass(frozen=True)
class Verdict:
    """What a judgment decided of a memory beside a file."""

    holds: bool
    probability: float
    """That the memory still describes the file."""


@dataclass(frozen=True)
class StandingView:
    """A standing, its reason in one line, and what was seen, one thing a line."""

    standing: Standing
    reason: str
    details: tuple[str, ...] = ()
    is_certain: bool = False
    """Whether something is known to be different or gone: no mere doubt, and no judgment."""
    is_late: bool = False
    """Whether the time ran out before everything was looked at."""


def standing_of(
    facts: MemoryFacts,
    findings: Sequence[AnchorFinding],
    *,
    superseded_by: str | None = None,
    conflicts: Sequence[str] = (),
    verdict: Verdict | None = None,
) -> StandingView:
    """Say how far a memory holds; `verdict` is a judgment on exactly these files, if one came."""
    details = tuple(_details(findings))
    if superseded_by is not None:
        return StandingView("superseded", f"replaced by {superseded_by}", details)
    if conflicts:
        return StandingView("conflicting", f"undecided against {_listed(conflicts)}", details)
    checked = [finding for finding in findings if finding.state != "withheld"]
    if any(finding.state == "unchecked" for finding in checked):
        reason = f"not checked in time; {provenance(facts)}"
        return StandingView("unverified", reason, details, is_late=True)
    if not checked:
        return StandingView("unverified", _unverified(facts, findings), details)
    standing, reason = _by_files(checked, verdict)
    is_certain = standing in {"changed", "stale"} and any(map(_shows_a_change, checked))
    return StandingView(standing, reason, details, is_certain)


def joint_verdict(
    findings: Sequence[AnchorFinding], judged: Callable[[AnchorFinding], Verdict | None]
) -> Verdict | None:
    """Say what judgments on single files make of a memory: one against it is enough.

    For it speaks only a judgment on each file that leaves a doubt.
    """
    said = {
        finding.path: verdict
        for finding in findings
        if finding.state == "edited" and (verdict := judged(finding)) is not None
    }
    against = [verdict for verdict in said.values() if not verdict.holds]
    doubtful = {finding.path for finding in findings if leaves_doubt(finding)}
    if against:
        decisive = against
    elif doubtful and doubtful <= said.keys():
        decisive = [said[path] for path in doubtful]
    else:
        return None
    return min(decisive, key=lambda verdict: verdict.probability)


def leaves_doubt(finding: AnchorFinding) -> bool:
    """Tell whether a file as it was found keeps its memory from being current."""
    return any(_doubts([finding]))


def provenance(facts: MemoryFacts) -> str:
    """Say where a memory comes from, since when, and when it was last confirmed."""
    learned = f"from {facts.source}, {date_of(facts.learned_at_ms)}"
    if facts.confirmed_at_ms is None:
        return f"{learned}, never confirmed"
    return f"{learned}, confirmed {date_of(facts.confirmed_at_ms)}"


def _unverified(facts: MemoryFacts, findings: Sequence[AnchorFinding]) -> str:
    what = "its files may not be read" if findings else "nothing to check it against"
    return f"{what}; {provenance(facts)}"


def _by_files(findings: Sequence[AnchorFinding], verdict: Verdict | None) -> tuple[Standing, str]:
    if gone := _all_gone(findings):
        return "stale", gone
    said = "" if verdict is None else f"(P = {verdict.probability:.2f})"
    if verdict is not None and not verdict.holds:
        return "stale", f"judged no longer true of its files {said}"
    doubts = list(_doubts(findings))
    if doubts and verdict is not None:
        return "current", f"judged to hold still {said}, though {_listed(doubts)}"
    if doubts:
        return "changed", _listed(doubts)
    return "current", _intact(findings)


def _shows_a_change(finding: AnchorFinding) -> bool:
    states = {part.state for part in finding.parts}
    return finding.state == "gone" or bool(states & {"differs", "renamed", "gone"})


def _all_gone(findings: Sequence[AnchorFinding]) -> str | None:
    """Say what is gone where nothing is left of a memory's files, or of the parts it names."""
    if all(finding.state == "gone" for finding in findings):
        return f"{_listed([finding.path for finding in findings])} gone"
    parts = [part for finding in findings for part in finding.parts]
    if parts and all(part.state == "gone" for part in parts):
        return f"{_listed([_called(part) for part in parts])} gone"
    return None


def _doubts(findings: Iterable[AnchorFinding]) -> Iterator[str]:
    """Say, one by one, what keeps a memory from being current."""
    for finding in findings:
        if finding.state == "gone":
            yield f"{finding.path} is gone"
        elif finding.state == "unreadable":
            yield f"{finding.path} cannot be looked at any more"
        elif finding.state == "edited" and not finding.parts:
            yield f"{finding.path} changed and nothing can be told apart in it"
        else:
            yield from (
                _doubt(part, finding.path) for part in finding.parts if part.state != "intact"
            )


def _doubt(part: PartFinding, path: str) -> str:
    match part.state:
        case "renamed":
            return f"{_called(part)} was renamed to {part.new_name} in {path}"
        case "gone":
            return f"{_called(part)} is gone from {path}"
        case "differs":
            return f"{_called(part)} differs in {path}"
        case "incomparable":
            return f"{path} changed and {_called(part)} cannot be told apart in it"
        case "intact":
            return f"{_called(part)} reads as before in {path}"
    assert_never(part.state)


def _intact(findings: Iterable[AnchorFinding]) -> str:
    moved = [f"{f.path} moved to {f.found_at}" for f in findings if f.found_at]
    edited = [finding.path for finding in findings if finding.state == "edited"]
    if edited:
        moved.append(f"{_listed(edited)} changed, the named parts read as before")
    return _listed(moved) if moved else "its files are as they were"


def _details(findings: Iterable[AnchorFinding]) -> Iterator[str]:
    for finding in findings:
        if finding.found_at:
            yield f"{finding.path} moved to {finding.found_at}"
        if finding.note:
            yield f"{finding.path}: {finding.note}"
        elif finding.state in {"same", "gone", "unchecked"} or not finding.parts:
            yield f"{finding.path}: {finding.state}"
        else:
            yield from (_doubt(part, finding.path) for part in finding.parts)


def _called(part: PartFinding) -> str:
    return f'"{part.name}"' if part.kind == "line" else part.name


def _listed(things: Sequence[str]) -> str:
    things = list(dict.fromkeys(things))
    shown = ", ".join(things[:MAX_NAMED])
    more = len(things) - MAX_NAMED
    return f"{shown} and {more} more" if more > 0 else shown
