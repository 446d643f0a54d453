"""Which sentences of a person state a rule, a preference or a decision that is to last."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.words import folded, words_in
from hitherto_server.history import wordings as w
from hitherto_server.history import wordings_abroad as abroad
from hitherto_server.history.spoken import sentences, unquoted
from hitherto_server.recall.stem import stem
from hitherto_server.recall.stop_words import STOP_WORDS

if TYPE_CHECKING:
    from hitherto_contract.words import Kind

FEWEST_WORDS, MOST_WORDS = 4, 60
FEWEST_OWN_WORDS = 2
FEWEST_IF_KEPT = 1
WORD = re.compile(r"[^\W_][\w'./-]*")


@dataclass(frozen=True)
class Stated:
    """A sentence that states something, as it was said and as it is kept."""

    kind: Kind
    content: str
    sentence: str

    @property
    def stems(self) -> frozenset[str]:
        return stems_of(self.content)


def stated_in(text: str) -> list[Stated]:
    """Return what a person's own words state, in order."""
    said = sentences(text)
    found: list[Stated] = []
    is_kept = False
    for number, sentence in enumerate(said):
        if is_kept:
            is_kept = False
            continue
        core = _core(sentence)
        after = said[number + 1] if number + 1 < len(said) else ""
        kind = kind_of(core) or _kind_beside(said, number)
        if kind is None:
            continue
        is_kept = _keeps(after)
        more = w.REASON.match(after) and not after.endswith("?")
        found.append(
            Stated(kind, _capital(core) + (f" {after}" if more or is_kept else ""), sentence)
        )
    return found


def kind_of(core: str) -> Kind | None:
    """Return what a sentence states, or None: most sentences state nothing that lasts."""
    plain = unquoted(core).strip()
    if not _could_state(plain) or not _stands_alone(plain):
        return None
    kind = next((kind for kind, wording in w.RULES if wording.search(plain)), None)
    if kind is None or _is_passing(plain):
        return _kind_abroad(plain)
    return kind


def _kind_abroad(plain: str) -> Kind | None:
    """Return what a sentence in German, French or Spanish states."""
    if not abroad.MARKS.search(plain) or abroad.NOT_LASTING.search(plain):
        return None
    return next((kind for kind, wording in abroad.ABROAD if wording.search(plain)), None)


def _kind_beside(said: list[str], number: int) -> Kind | None:
    """Return what a sentence states by the one before it, which corrects, or the one behind it."""
    core = _core(said[number])
    if number + 1 < len(said) and _keeps(said[number + 1]):
        return _kind_if_kept(core)
    corrects = number > 0 and w.CORRECTS.search(said[number - 1])
    if not w.CORRECTION.search(said[number] if not corrects else core):
        return None
    is_correction = corrects or not w.CORRECTION.search(core) or core != said[number]
    return _kind_if_kept(core) if is_correction and not _is_passing(core) else None


def _keeps(after: str) -> bool:
    """Tell whether a sentence says of the one before it that it is to last."""
    core = _core(after)
    if w.QUESTION.search(core) or w.HEDGE.search(core) or w.ONE_OFF.search(core):
        return False
    return w.KEEPS_WHAT_WAS_SAID.search(core) is not None


def _kind_if_kept(core: str) -> Kind | None:
    """Return what a sentence states of which the next one says that it is to last."""
    plain = unquoted(core).strip()
    is_own = not (
        w.QUESTION.search(plain) or w.HEDGE.search(plain) or w.SAID_BY_OTHERS.search(plain)
    )
    return "decision" if is_own and len(stems_of(plain)) >= FEWEST_IF_KEPT else None


def retracts(text: str) -> bool:
    """Tell whether a person takes something back."""
    return any(w.RETRACTS.search(sentence) for sentence in sentences(text))


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of a text's own words."""
    return frozenset(stem(word) for word in words_in(folded(text)) if word not in STOP_WORDS)


def _core(sentence: str) -> str:
    """Return a sentence without the words that only lead up to it."""
    before = ""
    while before != sentence:
        before, sentence = sentence, w.FILLER.sub("", sentence, count=1)
    return sentence.strip()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _could_state(plain: str) -> bool:
    if not FEWEST_WORDS <= len(WORD.findall(plain)) <= MOST_WORDS:
        return False
    if w.QUESTION.search(plain) and not w.POLITE_RULE.search(plain):
        return False
    return not (w.HEDGE.search(plain) or w.SAID_BY_OTHERS.search(plain))


def _stands_alone(plain: str) -> bool:
    """Tell whether a sentence says something to who has not read what was before."""
    return not w.DANGLING.search(plain) and len(stems_of(plain)) >= FEWEST_OWN_WORDS


def _is_passing(plain: str) -> bool:
    """Tell whether a sentence is about the moment, or tells of a fault."""
    lasting = re.sub(r"\bfrom now on\b", "", plain, flags=re.IGNORECASE)
    if w.ONE_OFF.search(lasting):
        return True
    if (w.DESCRIBES.search(plain) or w.CONCLUDES.search(plain)) and w.COMPLAINT.search(plain):
        return True
    if not w.REQUEST.search(plain) or w.STANDING.search(plain):
        return False
    anywhere = re.sub(r"\bin (?:this|the) (?:repo|repository|project|codebase)\b", "", plain)
    return bool(w.ONCE_FOR_A_REQUEST.search(anywhere))
