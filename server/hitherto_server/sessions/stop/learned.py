"""By rule: did a turn bring something that a later session would want to know?

What it asks for costs a turn of the agent. So it asks only where what the message tells, what was
asked and what was done make that likely together (`worth.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.commands import checks_nothing
from hitherto_server.core.phrases import phrases
from hitherto_server.sessions.stop.mending import mended_in
from hitherto_server.sessions.stop.waiting import CODE, sentences
from hitherto_server.sessions.stop.worth import features_of, is_worth, most_telling, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.sessions.stop.mending import Mended
    from hitherto_server.store.evidence import Evidence

MOST_READ, MOST_ASKED = 6000, 1500
LEAST_WORDS = 6
EXPLAINS_WORDS = 10

CAUSE = phrases(r"""
    root cause
    cause(?:d by| was| is| found|:)
    the cause\b(?! field| column)
    (?:the )?(?:reason|culprit|problem|issue) was(?! (?:closed|fixed|solved|resolved|moved|renamed))
    (?:the )?culprit is
    Ursache (?:war|ist)
    (?:lag|liegt) daran
    (?:la cause (?:est|était)|venait de|venait du|vient de|vient du)
    la causa (?:es|era)
    が原因
    turn(?:s|ed) out
    came from
    (?:failed|broke|hangs|hung|leaked?|crashed|ran twice) because
    found it
    assumed
    silently
    so (?:each|every|all|three|two|errors|the|a)\b.*\b(?:lost|lives?|failed|hangs?|waits?|shifted)
""")
DECISION = phrases(r"""
    (?:I|we) (?:chose|choose|decided|went with|go with|take|took|picked|settled on|keep|kept)\b.*\b(?:because|since|rather than|instead of|as (?:the|its|they)|so that|so (?:it|the|we)|which|until|per)\b
    decision:
    (?:rather than|instead of)\b.*\b(?:because|since|as (?:the|it|its|they))
    (?:because|since)\b.*\b(?:must|cannot|can't|only|rare)
    il faut
    we must
    note for later
    workaround
    gotcha
    beware
    although its docs
    undocumented
    on purpose|deliberately
    heads[- ]up|watch out|a trap|pitfall
    otherwise .{0,60}\b(?:silently|falls? back|breaks?|fails?|los\w+|hangs?)
    (?:we|I) (?:keep|kept|stay|stayed|stick|drop|dropped)\b.*(?:\b(?:because|since|so that)|:(?= ))
    per project, not per
    pinned (?:it|to)
""")  # noqa: E501
AS_TOLD = phrases(r"""
    as you (?:said|asked|wanted|wished|suggested)
    (?:since|because) you
    you (?:asked|told) (?:me|for)
    took (?:a look|the liberty|care)
    picked up where
""")
"""Then it is the person who knows it, or a way of speaking."""
NOTHING_FOUND = phrases(r"""
    not the (?:cause|reason|culprit)
    (?:do|does|did|is|was|are|were|have|has)(?:n't| not) (?:yet )?(?:run|ran|pass|work|been|tested)
    don't pass
    still (?:fails?|breaks?)
    only (?:documentation|docs|comments?)
""")
SMALL = phrases(r"""
    typos?
    format(?:ted|ter|ting)?
    sorted
    renam(?:e|ed|es)
    bump(?:ed|s)?
    comment(?:ed)?
    revert(?:ed|s)?
    moved
    translated
    copyright
    alt texts?
    spacing
    heading
    console
    committed
""")
"""In the first sentence: then the rest explains a small thing."""


@dataclass(frozen=True)
class Learned:
    """What shows that a turn is worth a memory."""

    mended: Mended | None = None
    said: str | None = None
    """A sentence of the agent's own."""


def learned_in(message: str, turn: Evidence, asked: str = "") -> Learned | None:
    """Return what of a turn seems worth keeping; None where it found nothing, or did nothing."""
    if not turn.size:
        return None
    found = _sentences(message)
    mended = _mended(found, turn)
    plainly = _telling(found)
    plain = bool(mended) + bool(plainly)
    if not is_worth(features_of(found, turn, asked[:MOST_ASKED], plain)):
        return None
    return Learned(mended=mended) if mended else Learned(said=plainly or most_telling(found))


def seen_of(message: str, turn: Evidence, asked: str) -> Mapping[str, float]:
    """Return what is weighed of a turn, by name; benchmarks/fit_turn_worth.py fits the weights."""
    found = _sentences(message)
    plain = bool(_mended(found, turn)) + bool(_telling(found))
    return features_of(found, turn, asked[:MOST_ASKED], plain)


def has_worked(turn: Evidence) -> bool:
    """Tell whether a turn did more than look."""
    return bool(turn.edits) or any(not checks_nothing(one.line) for one in turn.commands)


def _sentences(message: str) -> list[str]:
    return sentences(CODE.sub(lambda one: one[0].strip("`"), message[-MOST_READ:]))


def _mended(found: list[str], turn: Evidence) -> Mended | None:
    """Return what was mended last, if the message has words for it."""
    mended = mended_in(turn)
    return mended[-1] if mended and any(words_of(one) >= EXPLAINS_WORDS for one in found) else None


def _telling(found: list[str]) -> str | None:
    """Return the sentence that names a cause or a decision in plain words."""
    if not found or SMALL.search(found[0]):
        return None
    long = [
        one
        for one in found
        if words_of(one) >= LEAST_WORDS and not one.endswith("?") and not _is_nothing(one)
    ]
    tells = (one for wording in (CAUSE, DECISION) for one in long if wording.search(one))
    return next(tells, None)


def _is_nothing(sentence: str) -> bool:
    return bool(NOTHING_FOUND.search(sentence) or AS_TOLD.search(sentence))
