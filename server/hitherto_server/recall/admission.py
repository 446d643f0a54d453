"""The one admission: for every channel, what is injected, what is not, and why."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hitherto_server.recall.block import CLOSING, OPENING, block, entry, header, one_line
from hitherto_server.recall.excerpt import excerpt_of, tokens_of
from hitherto_server.recall.query import prepare
from hitherto_server.store.ledger import TWICE, LedgerRow

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from hitherto_server.recall.hits import Found, Scores
    from hitherto_server.recall.query import PreparedQuery
    from hitherto_server.store.ledger import Channel, Outcome

LEAST_EXCERPT = 30
WITHHELD_LINE = 40
MOST_LOGGED = 12
NOTHING = "nothing found"
TOO_LOW = "ranked too low"
OVER_LIMIT = "over the limit"
OVER_BUDGET = "over the budget"
SUSPECT = "suspect"
CANDIDATE = "not admitted yet"
STALE = "stale"
BELOW = "below the floor"
ALREADY_IN = "already in"

# What the reader is told about; the rest was no evidence, or it has it already.
TOLD = frozenset({OVER_LIMIT, OVER_BUDGET, SUSPECT, CANDIDATE, STALE, "superseded", "expired"})


def _nowhere(_: str) -> None:
    return None


@dataclass(frozen=True)
class Occasion:
    """Who is given something, when, and how much of it at most."""

    session_id: str
    channel: Channel
    admission: str
    at_ms: int
    memories: int
    tokens: int
    query: str | None = None
    """What the log keeps of the prompt; whoever passes it has taken secrets out."""
    said_in: Callable[[str], str | None] = _nowhere
    """Names the file, if any, in which the reader has what a memory says."""
    agent: str = ""
    """The subagent of the session that is given it; empty: the session itself."""
    judge_until: float | None = None
    """When (`time.monotonic()`) a judgment must be there; None: there is no time for one."""
    withheld: str | None = None
    """Why nothing at all is given, however well it fits; None: what fits is given."""


@dataclass(frozen=True)
class Decision:
    """What became of one candidate."""

    found: Found
    outcome: Outcome
    reason: str
    text: str = ""


@dataclass(frozen=True)
class Admission:
    """All decisions of one occasion, and what they make of it."""

    occasion: Occasion
    decisions: tuple[Decision, ...]
    log_id: int | None = None
    """The judgment's entry in its log, if one ranked the candidates."""

    @property
    def injected(self) -> tuple[Decision, ...]:
        return tuple(one for one in self.decisions if one.outcome == "injected")

    @property
    def text(self) -> str:
        """The block for the model; empty if nothing is injected."""
        withheld: dict[str, int] = {}
        for decision in self.decisions:
            # a candidate that does not fit would not have been given anyway
            fits = decision.reason != CANDIDATE or decision.found.below is None
            if decision.outcome != "injected" and decision.reason in TOLD and fits:
                withheld[decision.reason] = withheld.get(decision.reason, 0) + 1
        return block([decision.text for decision in self.injected], withheld)

    @property
    def notice(self) -> str:
        """The line for the person; empty if nothing is injected."""
        return one_line([decision.found for decision in self.injected])

    @property
    def rows(self) -> tuple[LedgerRow, ...]:
        """What the ledger keeps: every candidate up to a bound, or that there was none."""
        logged = [_row(self.occasion, decision) for decision in self.decisions]
        kept = [row for row in logged if row.outcome == "injected"]
        others = [row for row in logged if row.outcome != "injected"]
        rows = (*kept, *others[: MOST_LOGGED - len(kept)])
        return rows or (_empty_row(self.occasion),)

    def without(self, twice: Collection[tuple[int | None, int | None]]) -> Admission:
        """Return the admission without what another delivery has given meanwhile."""
        return replace(
            self,
            decisions=tuple(
                replace(one, outcome="abstained", reason=TWICE, text="")
                if one.outcome == "injected" and (one.found.number, one.found.revision) in twice
                else one
                for one in self.decisions
            ),
        )


@dataclass
class _Room:
    """What is left of an occasion's budget."""

    memories: int
    tokens: int
    query: PreparedQuery = field(default_factory=lambda: prepare(""))


def admit(
    occasion: Occasion,
    candidates: Sequence[Found],
    delivered: Collection[tuple[int, int]],
    query: PreparedQuery | None = None,
) -> Admission:
    """Decide for each candidate, best first, whether this occasion's reader is given it."""
    frame = tokens_of(OPENING) + tokens_of(CLOSING) + WITHHELD_LINE
    room = _Room(occasion.memories, occasion.tokens - frame, query or prepare(""))
    return Admission(
        occasion, tuple(_decide(found, occasion, delivered, room) for found in candidates)
    )


def bar_of(found: Found, channel: Channel) -> str | None:
    """Return why a memory is never injected unasked, however well it fits; else None."""
    if found.barred is not None:
        return found.barred
    if found.is_suspect:
        return SUSPECT
    if found.tier == "candidate":
        return CANDIDATE
    is_stale = found.standing is not None and found.standing.standing == "stale"
    # On a prompt its staleness is news about what was asked; elsewhere it is a burden.
    return STALE if is_stale and channel != "prompt" else None


def _decide(
    found: Found, occasion: Occasion, delivered: Collection[tuple[int, int]], room: _Room
) -> Decision:
    reason = bar_of(found, occasion.channel) or found.below
    if reason is not None:
        return Decision(found, "dropped", reason)
    if (found.number, found.revision) in delivered:
        return Decision(found, "abstained", TWICE)
    if (kept_back := occasion.withheld or _without_room(found, room)) is not None:
        return Decision(found, "abstained", kept_back)
    file = occasion.said_in(found.content)
    if file is not None:
        return Decision(found, "dropped", f"{ALREADY_IN} {file}")
    return _fit(found, room)


def _without_room(found: Found, room: _Room) -> str | None:
    if room.memories <= 0:
        return OVER_LIMIT
    return TOO_LOW if found.standing is None else None


def _fit(found: Found, room: _Room) -> Decision:
    head = tokens_of(header(found))
    share = max(room.tokens // room.memories - head, LEAST_EXCERPT)
    if head + share > room.tokens:
        return Decision(found, "abstained", OVER_BUDGET)
    excerpt = excerpt_of(found.content, room.query, budget=share, around=found.best_passage)
    text = entry(found, excerpt)
    if tokens_of(text) > room.tokens:
        return Decision(found, "abstained", OVER_BUDGET)
    room.tokens -= tokens_of(text)
    room.memories -= 1
    return Decision(found, "injected", ", ".join(found.why) or occasion_reason(found), text)


def occasion_reason(found: Found) -> str:
    """Say why a memory that nobody searched for is given."""
    return "user-wide" if found.scope == "user" else "recent in this project"


def scores_of(scores: Scores) -> dict[str, object]:
    """Return the scores as they are logged and explained; null where not measured."""
    numbers = {
        "passage_score": scores.passage,
        "semantic_score": scores.semantic,
        "bm25": scores.bm25,
        "names_share": scores.names_share,
        "keyword_coverage": scores.coverage,
        "fusion_score": scores.fusion,
    }
    found: dict[str, object] = {
        name: None if value is None else round(value, 4) for name, value in numbers.items()
    }
    return found | {"names": sorted(scores.names), "file": scores.file}


def _logged_scores(found: Found) -> dict[str, object]:
    judged = {} if found.relevance is None else {"judged_relevance": round(found.relevance, 2)}
    return scores_of(found.scores) | judged


def _row(occasion: Occasion, decision: Decision) -> LedgerRow:
    found = decision.found
    return replace(
        _empty_row(occasion),
        memory_number=found.number,
        revision=found.revision,
        outcome=decision.outcome,
        reason=decision.reason,
        standing=None if found.standing is None else found.standing.standing,
        scores=json.dumps(_logged_scores(found)),
        tokens=tokens_of(decision.text) if decision.text else None,
    )


def _empty_row(occasion: Occasion) -> LedgerRow:
    return LedgerRow(
        session_id=occasion.session_id,
        admission=occasion.admission,
        channel=occasion.channel,
        query=occasion.query,
        memory_number=None,
        revision=None,
        outcome="abstained",
        reason=NOTHING,
        standing=None,
        scores="{}",
        tokens=None,
        decided_at_ms=occasion.at_ms,
        agent=occasion.agent,
    )
