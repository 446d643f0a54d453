"""A plan as the rule reads it: statement by statement, with the stems of its words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hitherto_server.core.text import opening_of
from hitherto_server.core.words import folded, words_in
from hitherto_server.recall.sentences import FENCED, sentence_spans
from hitherto_server.sessions.plan.words import RULES_OUT
from hitherto_server.sessions.stems import stems_of

MOST_STEPS = 60
FEWEST_WORDS = 2
SHOWN_CHARS = 80
MARKER = re.compile(r"^\s*(?:[-*+\u2022]|\d+[.)]|#+|\[[ x]\])\s*")
ITEM = re.compile(r"^\s*(?:[-*+\u2022]|\d+[.)]|\[[ x]\])\s")


@dataclass(frozen=True)
class Step:
    """One statement of a plan, and the stems of its own words."""

    text: str
    stems: frozenset[str]
    denies: bool
    is_item: bool
    """It stands in a list; else it is a heading or tells of the whole."""


@dataclass(frozen=True)
class Plan:
    """A plan without code and list marks, the first so-many statements."""

    steps: tuple[Step, ...]
    stems: frozenset[str]

    @property
    def title(self) -> frozenset[str]:
        """The stems of what stands first."""
        return self.steps[0].stems if self.steps else frozenset()


def read_plan(text: str) -> Plan:
    """Return the statements of a plan."""
    plain = FENCED.sub("\n", text)
    pieces = (plain[a:b] for a, b in sentence_spans(plain))
    found = [step for one in pieces if (step := _step(one)) is not None]
    return Plan(tuple(found[:MOST_STEPS]), stems_of(plain))


def shown(step: Step) -> str:
    """Return a step as it is quoted."""
    return opening_of(step.text, SHOWN_CHARS)


def _step(piece: str) -> Step | None:
    text = MARKER.sub("", piece).strip()
    if len(words_in(folded(text))) < FEWEST_WORDS:
        return None
    return Step(text, stems_of(text), bool(RULES_OUT.search(text)), bool(ITEM.match(piece)))
