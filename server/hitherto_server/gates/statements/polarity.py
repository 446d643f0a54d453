"""Whether two statements affirm and deny the same things."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.gates.statements.matching import Matched, Pair
    from hitherto_server.gates.statements.reading import Statement

MOST_DENIED_APART = 0.5
BOTH = 2


def denied_apart(old: Statement, new: Statement, matched: Matched) -> list[str]:
    """Name what one affirms and the other denies."""
    apart = [(a, b) for a, b in matched.same if a.is_against != b.is_against]
    apart += [(a, b) for a, b in matched.opposite if a.is_against == b.is_against]
    if not apart:
        return ["before / after"] if _in_other_order(old, new) else []
    if old.negators == new.negators and not matched.opposite and _deny_the_same(matched, apart):
        return []
    return [a.shown if a.key == b.key else f"{a.shown} / {b.shown}" for a, b in apart]


def exchanged(old: Statement, new: Statement) -> list[str]:
    """Name two words that changed places while all others stayed."""
    before = [token.key for token in old.tokens]
    after = [token.key for token in new.tokens]
    if len(before) != len(after):
        return []
    moved = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    if len(moved) != BOTH:
        return []
    one, other = moved
    if (before[one], before[other]) != (after[other], after[one]):
        return []
    return [f"{old.tokens[one].shown} / {old.tokens[other].shown}"]


def _deny_the_same(matched: Matched, apart: Sequence[Pair]) -> bool:
    """Tell whether both deny one thing, and only how much around it goes along differs."""
    both = any(a.is_denied and b.is_denied for a, b in matched.same)
    one_way = len({a.is_against for a, _ in apart}) == 1
    return (both and one_way) or len(apart) < MOST_DENIED_APART * len(matched.same)


def _in_other_order(old: Statement, new: Statement) -> bool:
    """Tell whether one says `before` where the other says `after`, of the same two things."""
    sides, others = _sides(old), _sides(new)
    if sides is None or others is None:
        return False
    straight = len(sides[0] & others[0]) + len(sides[1] & others[1])
    crossed = len(sides[0] & others[1]) + len(sides[1] & others[0])
    return crossed > straight


def _sides(statement: Statement) -> tuple[set[str], set[str]] | None:
    """Return what comes first and what comes then, where a statement says so once."""
    tokens = statement.tokens
    found = [i for i, token in enumerate(tokens) if token.plain in {"before", "after"}]
    if len(found) != 1 or statement.negators:
        return None
    at, here = found[0], tokens[found[0]]
    if at == 0:  # "After the deploy, run X"
        behind = {t.key for t in tokens if t.is_word and t.clause == here.clause}
        front = {t.key for t in tokens if t.is_word and t.clause != here.clause}
    else:
        front = {t.key for t in tokens[:at] if t.is_word}
        behind = {t.key for t in tokens[at:] if t.is_word and t.sentence == here.sentence}
    return (front, behind) if here.plain == "before" else (behind, front)
