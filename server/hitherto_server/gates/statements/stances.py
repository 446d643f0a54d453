"""Sentence forms: what says that something is another way than before, allows it or denies it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hitherto_server.gates.statements.reading import MOST_CHARS

if TYPE_CHECKING:
    from hitherto_server.gates.statements.reading import Statement

_CHANGING = r"""
now nowadays no_longer any_?more longer instead meanwhile already new newly since as_of
from_now_on formerly previously used_to starting decided became are_on \w+'re_on
moved move_to migrated migration_to ported switched changed renamed rewritten replace[ds]? updated
upgraded raised bumped lifted increased extended lowered decreased reduced shortened
(went|came)_(up|down|back) cut_(to|down)
gone dropped removed retired deleted deprecated abandoned archived ended phased_out thrown_out
shut_(down|off) turned_off jetzt seit nicht_mehr désormais ahora ya_no
"""
_PERMITTING = """
may can allowed permitted ok okay fine safe possible optional optionally accepted acceptable enough
support supported supports (feel|are|is)_free free_to up_to_you if_(you|they)_want no_need
"""
_DENYING = "forbidden prohibited banned disallowed disabled off blocked blocks rejected rejects"


def _forms(text: str) -> re.Pattern[str]:
    forms = "|".join(form.replace("_", r"\ ") for form in text.split())
    return re.compile(rf"(?<!\w)(?:{forms})(?!\w)", re.IGNORECASE | re.VERBOSE)


CHANGING, PERMITTING, DENYING = map(_forms, (_CHANGING, _PERMITTING, _DENYING))


def changes(text: str) -> int:
    """Return how many words of a text say that something changed."""
    return len(CHANGING.findall(text[:MOST_CHARS]))


def permits(text: str) -> bool:
    """Tell whether a text says that something may or can be done."""
    return PERMITTING.search(text[:MOST_CHARS]) is not None


def denies(text: str, statement: Statement) -> bool:
    """Tell whether a text says anywhere that something is not so or must not be done."""
    return statement.negators > 0 or DENYING.search(text[:MOST_CHARS]) is not None
