"""By rule: did a turn bring something that a later session would want to know?

What it asks for costs a turn of the agent, so it asks only where the agent's own words, or a
failure that was mended, say that something was found out or decided.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.commands import checks_nothing
from hitherto_server.core.phrases import phrases
from hitherto_server.sessions.stop.mending import mended_in
from hitherto_server.sessions.stop.waiting import CODE, sentences

if TYPE_CHECKING:
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
EXPLAINS = phrases(r"""
    because|since|due to|which is why|that(?:'s| is| also)? (?:why|explains)|hence|therefore
    as (?:the|it|its|they|there|no|only)
    so that|(?<=[,;] )so(?! far)
    whereas|although|though
    weil|da (?:die|der|das|es|sie)|deshalb|daher
    parce que|car|puisque|porque|ya que
""")
OUTSIDE = phrases(r"""
    CI|runners?|containers?|docker|kubernetes|k8s|pods?|lambda|load balancer|proxy|gateway|CDN|VPN
    windows|macOS|mac|linux|alpine|debian|ubuntu|musl|glibc|arm64|x86
    safari|firefox|chrome|chromium|webkit|android|iOS|node \d+|python \d[\d.]*|java \d+|ruby \d
    locale|time ?zones?|DST|UTC|daylight|clock
    upstream|vendor(?:'s|ed)?|third[- ]party|their (?:docs|API|server|side)|sandbox|firmware
    (?:in|on|against) (?:production|prod|staging)|customers?|auditors?|the (?:\w+ )?team
    postgres|mysql|sqlite|redis|kafka|nginx|S3|AWS|GCP|azure|cloudflare|stripe|github
    kernel|filesystem|file system|NFS|firewall|DNS|cron|systemd|quota|idle timeout
""")
"""What a repository's own files tell little of: where it runs, and what it talks to."""
SEEKS = phrases(r"""
    why|how come|root cause|warum|weshalb|woran|pourquoi|por qu\u00e9
    (?:find|figure|track|hunt)\b.{0,20}\b(?:out|down)|investigate|debug|diagnose
    which (?:\w+ )?(?:of|one|do we|should)|(?:should|can|could|shall) (?:we|I)|decide|choose
""")
"""A prompt that wants a cause or a choice."""
SYMPTOM = phrases(r"""
    hangs?|hung|crash\w*|fail(?:s|ed|ing)?|flaky|breaks?|broke|leak\w*|slow|stuck|drop(?:s|ped)?
    drifts?|late|lost|duplicates?|twice|double|deadlock\w*|times? out|timeouts?|rejects?|refus\w+
    killed|dies|stale|ignore[sd]?
""")
"""Something odd."""
NOT_DONE = phrases(r"""
    (?:I|we) (?:did|do|have|had|could|can|would|was|am)(?: not|n't)\b|I cannot|I(?:'m| am) not
    (?:not|n't|never) (?:been |yet )?(?:run|ran|tested|tried|checked|verified|finished|done|started)
    skipped|untested|unverified|unfinished|left (?:out|for)|(?:still|yet) to
    (?:tests?|suite|build|job|check|run)s? (?:\w+ )?(?:still )?(?:fail\w*|passes|pass|passed)
""")
"""Then the reason is one for what was left, or the report of a check."""
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
    """Return what of a turn seems worth keeping; None where it changed or found nothing.

    `asked` is the prompt: what it wanted found out is worth more than what was only told beside.
    """
    if not has_worked(turn):
        return None
    found = sentences(CODE.sub(lambda one: one[0].strip("`"), message[-MOST_READ:]))
    mended = mended_in(turn)
    if mended and any(_words(one) >= EXPLAINS_WORDS for one in found):
        return Learned(mended=mended[-1])
    said = _telling(found, is_sought=_wants_to_know(asked[:MOST_ASKED]))
    return None if said is None else Learned(said=said)


def has_worked(turn: Evidence) -> bool:
    """Tell whether a turn did more than look."""
    return bool(turn.edits) or any(not checks_nothing(one.line) for one in turn.commands)


def _telling(found: list[str], *, is_sought: bool) -> str | None:
    if not found or SMALL.search(found[0]):
        return None
    long = [
        one
        for one in found
        if _words(one) >= LEAST_WORDS and not one.endswith("?") and not _is_nothing(one)
    ]
    tells = (one for wording in (CAUSE, DECISION) for one in long if wording.search(one))
    explains = (one for one in long if is_sought and _explains(one))
    return next(tells, None) or next(explains, None)


def _wants_to_know(asked: str) -> bool:
    return bool(SEEKS.search(asked) or SYMPTOM.search(asked))


def _explains(sentence: str) -> bool:
    """Tell whether a sentence gives a reason of something odd, or of what lies outside."""
    if _words(sentence) < EXPLAINS_WORDS or NOT_DONE.search(sentence):
        return False
    is_told = OUTSIDE.search(sentence) or SYMPTOM.search(sentence)
    return is_told is not None and EXPLAINS.search(sentence) is not None


def _is_nothing(sentence: str) -> bool:
    return bool(NOTHING_FOUND.search(sentence) or AS_TOLD.search(sentence))


def _words(sentence: str) -> int:
    return len(re.findall(r"\w+", sentence))
