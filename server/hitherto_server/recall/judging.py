"""What a judge says of a recall: which memories matter to the request, and if it means the past."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hitherto_server.judge.answers import Answers, Unavailable
from hitherto_server.judge.surfaces import historical_query, rerank
from hitherto_server.recall.excerpt import BYTES_A_TOKEN, excerpt_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.judge.asking import Asking, Asks
    from hitherto_server.judge.questions import Question
    from hitherto_server.judge.surface import Surface
    from hitherto_server.recall.hits import Found
    from hitherto_server.recall.looking import Looked

REPLACED = frozenset({"superseded", "no longer true"})
"""Bars that fall where a request asks about the past."""
EXCERPT_TOKENS = rerank.MOST_EXCERPT_CHARS // BYTES_A_TOKEN
HIGHEST = len(rerank.LEVELS) - 1


@dataclass(frozen=True)
class Judgment:
    """What came back of one request; nothing in it where none came."""

    relevance: Mapping[int, float] = field(default_factory=dict)
    """By the memory's number, 0 to 4."""
    is_about_the_past: bool = False
    calibrated: bool = False
    model: str | None = None
    log_id: int | None = None
    why_not: str | None = None
    """Why no judgment came, where one was asked for."""


@dataclass(frozen=True)
class Wish:
    """What is to be judged of one recall."""

    ranks: Surface | None
    """The surface that ranks, if one does."""
    asks_past: bool
    is_unasked: bool

    @property
    def lead(self) -> Surface:
        """The surface that the request is made for; the other one's question rides on it."""
        return historical_query.SURFACE if self.ranks is None else self.ranks


def wish_of(
    judge: Asks,
    looked: Looked,
    ranks: Surface | None,
    *,
    is_unasked: bool = False,
) -> Wish | None:
    """Return what is worth a judgment, or None."""
    asks_past = (
        judge.is_on(historical_query.SURFACE)
        and not looked.query.is_about_the_past
        and any(one.barred in REPLACED for one in looked.found)
    )
    return None if ranks is None and not asks_past else Wish(ranks, asks_past, is_unasked)


async def ask_judge(judge: Asks, wish: Wish, looked: Looked, asking: Asking) -> Judgment:
    """Ask everything of one recall in one request; without an answer the judgment is empty."""
    shown = _shortlist(wish, looked) if wish.ranks else {}
    if not shown and not wish.asks_past:
        return Judgment()
    candidates = [_candidate(key, one, looked) for key, one in shown.items()]
    state: dict[str, Any] = historical_query.state_of(looked.query.text)
    questions: dict[str, Question] = {}
    if candidates:
        state = rerank.state_of(looked.query.text, candidates)
        questions |= rerank.questions_for(candidates)
    if wish.asks_past:
        questions |= historical_query.questions_for()
    lead = wish.lead if candidates else historical_query.SURFACE
    riders = (historical_query.SURFACE.name,) if candidates and wish.asks_past else ()
    answers = await judge.ask(lead, state, questions, replace(asking, riders=riders))
    if isinstance(answers, Unavailable):
        return Judgment(why_not=answers.reason, log_id=answers.log_id)
    return _judgment(judge, wish, shown, answers)


def reordered(found: Sequence[Found], judgment: Judgment) -> list[Found]:
    """Return what was found with its relevance, the judged sorted among their own places."""
    by_number = {
        one.number: _with_relevance(one, judgment.relevance.get(one.number)) for one in found
    }
    order = rerank.ranked(list(by_number), judgment.relevance)
    return [by_number[number] for number in order]


def outcome_of(
    judgment: Judgment, before: Sequence[Found], after: Sequence[Found]
) -> dict[str, Any]:
    """Return what an answer to somebody who asked made of a judgment, for its log."""
    places = zip((one.number for one in before), (one.number for one in after), strict=False)
    return {
        "judged": len(judgment.relevance),
        "moved": sum(was != now for was, now in places),
        "about_the_past": judgment.is_about_the_past,
    }


def notes_of(judgment: Judgment) -> list[str]:
    """Say to somebody who asked what a judgment did to the answer, or why none came."""
    notes = []
    if judgment.relevance:
        notes.append(f"ranked by judgment ({len(judgment.relevance)} judged by {judgment.model})")
    elif judgment.why_not:
        notes.append(f"not ranked by judgment: {judgment.why_not}")
    if judgment.is_about_the_past:
        notes.append("what was replaced is shown: the question was judged to be about the past")
    return notes


def floored(found: Sequence[Found], judgment: Judgment, least: float) -> list[Found]:
    """Return what was found with the judged relevance as the floor of what was judged.

    An uncalibrated judgment keeps away and lets nothing in that the measured floor does not.
    """
    return [_floored(one, judgment, least) for one in reordered(found, judgment)]


def _floored(one: Found, judgment: Judgment, least: float) -> Found:
    if one.relevance is None or one.barred is not None:
        return one
    if one.relevance < least:
        return replace(one, below=f"judged {one.relevance:.1f} < {least:.1f}")
    return replace(one, below=None) if judgment.calibrated else one


def _with_relevance(one: Found, relevance: float | None) -> Found:
    if relevance is None:
        return one
    why = (*one.why, f"judged {relevance:.1f} of {HIGHEST}")
    return replace(one, relevance=relevance, why=why)


def _shortlist(wish: Wish, looked: Looked) -> dict[str, Found]:
    fit = [one for one in looked.found if _may_be_judged(one, wish, looked)]
    return {f"c{n}": one for n, one in enumerate(fit[: rerank.MOST_CANDIDATES], start=1)}


def _may_be_judged(one: Found, wish: Wish, looked: Looked) -> bool:
    # whose id was given is wanted; what addresses a reader might address a judge as well
    if one.scores.is_exact or one.is_suspect:
        return False
    if one.barred is not None and not (wish.asks_past and one.barred in REPLACED):
        return False
    if wish.is_unasked:
        return one.tier != "candidate" and (one.number, one.revision) not in looked.delivered
    return one.below is None


def _candidate(key: str, one: Found, looked: Looked) -> rerank.Candidate:
    excerpt = excerpt_of(one.content, looked.query, budget=EXCERPT_TOKENS, around=one.best_passage)
    return rerank.Candidate(key, excerpt)


def _judgment(judge: Asks, wish: Wish, shown: Mapping[str, Found], answers: Answers) -> Judgment:
    least = judge.threshold(historical_query.SURFACE, "least_probability")
    is_past = historical_query.decide(answers, least) if wish.asks_past else None
    relevance = rerank.decide(answers, list(shown))
    return Judgment(
        relevance={shown[key].number: score for key, score in relevance.items()},
        is_about_the_past=bool(is_past),
        calibrated=answers.calibrated,
        model=answers.model,
        log_id=answers.log_id,
    )
