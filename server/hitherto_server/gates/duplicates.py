"""What a new statement is to one that is known: its duplicate, its update, its contradiction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, assert_never

from hitherto_server.gates.kinship import SHIPPED, is_barred, likelihood, measured
from hitherto_server.gates.long_texts import compare_long, is_long, rests_of
from hitherto_server.gates.slots import LEAST_LIKENESS, compare, contrast
from hitherto_server.gates.statements.glance import likeness
from hitherto_server.gates.statements.reading import MOST_CHARS
from hitherto_server.recall.sentences import sentence_spans

if TYPE_CHECKING:
    from hitherto_server.gates.kinship import Likelihood, Weights
    from hitherto_server.gates.slots import Comparison
    from hitherto_server.store.relations import RelationKind, Slot

Kinship = Literal["duplicate", "similar", "update", "conflict", "related", "unrelated"]

# Fitted on the development half of benchmarks/fixtures/pairs; docs/decisions/duplicates.md.
NEAR = 0.90
"""From this cosine on two statements are offered for a look, whatever their words."""
SAME_COSINE, SAME_LIKENESS = 0.85, 0.40
REWORDED_COSINE, REWORDED_LIKENESS = 0.70, 0.75
WORDS_ALONE = 0.80
"""The likeness that suffices where no vector speaks."""
FEW_WORDS = 2
SUBJECT_SHARED, SUBJECT_LIKENESS, SUBJECT_COSINE = 0.60, 0.25, 0.40
"""How much two statements must share for a differing slot to be a change of one thing."""
LEAST_GLANCE = 0.4
"""Of the shorter one's words; below it two texts are not compared slot by slot."""
SENTENCE_LIKENESS = 0.50
MOST_SENTENCES = 4
RELATED_LIKENESS, RELATED_COSINE = 0.20, 0.45
FREELY_WORDED = 0.50
"""From this likeness on the two are worded alike, and what differs can be read off the words."""
LIKELY_DUPLICATE, LIKELY_CONTRADICTION = 0.70, 0.45
UNLIKELY = 0.20
"""Below it no slot that differs makes a contradiction of two freely worded statements."""
SAME_IN_OTHER_WORDS = "the same in other words"


@dataclass(frozen=True)
class Finding:
    """What a newer statement is to an older one, and why."""

    kinship: Kinship
    reason: str
    comparison: Comparison

    @property
    def relation(self) -> RelationKind | None:
        """What is recorded of it; most of what is merely related is not worth a row."""
        match self.kinship:
            case "duplicate":
                return "duplicate_of"
            case "similar":
                return "similar"
            case "update" | "conflict":
                return "possible_conflict"
            case "related" | "unrelated":
                return None
            case _:
                assert_never(self.kinship)

    @property
    def slot(self) -> Slot | None:
        """In what a contradiction lies."""
        match self.kinship:
            case "update":
                return "value"
            case "conflict":
                return "polarity"
            case _:
                return None


def judge(older: str, newer: str, cosine: float | None, weights: Weights = SHIPPED) -> Finding:
    """Say what the newer statement is to the older one; no vector speaks where `cosine` is None."""
    found = _by_slots(older, newer, cosine)
    if is_long(older, newer) or found.kinship in {"duplicate", "similar"}:
        return found
    compared = compare(older, newer)
    if not _are_freely_worded(compared):
        return found
    likely = likelihood(measured(older, newer, compared, cosine), weights)
    if found.slot is not None:
        return found if likely.contradiction >= UNLIKELY else replace(found, kinship="related")
    return found if cosine is None else _freely(older, newer, found, likely)


def _are_freely_worded(compared: Comparison) -> bool:
    """Tell whether two statements are about one thing in words of their own."""
    is_edit = compared.verdict == "word"
    return compared.words > 0 and compared.likeness < FREELY_WORDED and not is_edit


def _freely(older: str, newer: str, found: Finding, likely: Likelihood) -> Finding:
    """Say what two freely worded statements are, in which no slot is sure."""
    if likely.duplicate >= LIKELY_DUPLICATE and not is_barred(older, newer):
        return replace(found, kinship="duplicate", reason=SAME_IN_OTHER_WORDS)
    if likely.contradiction >= LIKELY_CONTRADICTION:
        slot, reason = contrast(older, newer)
        return replace(found, kinship="update" if slot == "value" else "conflict", reason=reason)
    return found


def _by_slots(older: str, newer: str, cosine: float | None) -> Finding:
    """Say what the slot check makes of two statements."""
    if is_long(older, newer):
        rests = rests_of(older, newer)
        compared, older, newer = compare_long(rests), rests.older, rests.newer
    else:
        compared = compare(older, newer)
    found = Finding(_kinship(compared, cosine), compared.reason, compared)
    if found.slot is None and compared.likeness >= LEAST_LIKENESS:
        return _among_sentences(older, newer) or found
    return found


def _among_sentences(older: str, newer: str) -> Finding | None:
    """Return the contradiction of one sentence to another, where a whole note is more than that."""
    before, after = _sentences(older), _sentences(newer)
    if len(before) == len(after) == 1:
        return None
    for one in before:
        for other in after:
            if likeness(one, other) < LEAST_GLANCE:
                continue
            compared = compare(one, other, least=SENTENCE_LIKENESS)
            finding = Finding(_kinship(compared, None), compared.reason, compared)
            if finding.slot is not None:
                return finding
    return None


def _sentences(text: str) -> list[str]:
    spans = sentence_spans(text[:MOST_CHARS])[:MOST_SENTENCES]
    return [text[start:end] for start, end in spans]


def _kinship(compared: Comparison, cosine: float | None) -> Kinship:
    match compared.verdict:
        case "same" if _says_the_same(compared, cosine):
            return "duplicate"
        case "value" | "unit" if _is_about_the_same(compared, cosine):
            return "update"
        case "polarity" if _is_about_the_same(compared, cosine):
            return "conflict"
        case "same" | "word" | "extra" if (cosine or 0.0) >= NEAR:
            return "similar"
        case _:
            near = compared.likeness >= RELATED_LIKENESS or (cosine or 0.0) >= RELATED_COSINE
            return "related" if near else "unrelated"


def _says_the_same(compared: Comparison, cosine: float | None) -> bool:
    if cosine is None:
        return compared.likeness >= WORDS_ALONE and compared.words > FEW_WORDS
    if cosine >= SAME_COSINE:
        return compared.likeness >= SAME_LIKENESS
    return cosine >= REWORDED_COSINE and compared.likeness >= REWORDED_LIKENESS


def _is_about_the_same(compared: Comparison, cosine: float | None) -> bool:
    """Tell whether the slot that differs is one of the same thing: `timeout` alone is a topic."""
    if cosine is not None and cosine < SUBJECT_COSINE:
        return False
    if compared.shared < SUBJECT_SHARED or compared.likeness < SUBJECT_LIKENESS:
        return False
    return compared.words >= FEW_WORDS or compared.likeness > SUBJECT_SHARED
