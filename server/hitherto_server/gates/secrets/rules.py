"""gitleaks' rules: each is compiled when its keyword is met for the first time."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server.gates.secrets.findings import Finding, entropy_of
from hitherto_server.gates.secrets.own_rules import OWN
from hitherto_server.gates.secrets.placeholders import is_harmless, is_placeholder
from hitherto_server.gates.secrets.values import is_made_of_words
from hitherto_server.gates.secrets.words import speaks_of_a_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

RULES = Path(__file__).with_name("rules.json")
LEAST_ENTROPY = 2.5


@dataclass(frozen=True)
class Rule:
    """One family of credentials, as gitleaks describes it."""

    kind: str
    source: str
    group: int
    keywords: tuple[str, ...]
    entropy: float
    contextual: bool
    """It goes by a vendor's name before a value that could be anything."""
    allowed: tuple[str, ...]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.source, re.ASCII)

    def find(self, text: str) -> Iterator[Finding]:
        """Find the values of this family."""
        for match in self.pattern.finditer(text):
            start, end = self._span(match)
            value = text[start:end]
            if self._is_secret(value, text[match.start() : start]):
                yield Finding(start, end, self.kind)

    def _span(self, match: re.Match[str]) -> tuple[int, int]:
        if self.group:
            return match.span(self.group)
        groups = range(1, (match.re.groups or 0) + 1)
        return next((match.span(group) for group in groups if match[group]), match.span())

    def _is_secret(self, value: str, before: str) -> bool:
        if is_placeholder(value) or entropy_of(value) <= self.entropy:
            return False
        if any(re.match(one, value) for one in self.allowed):
            return False
        if not self.contextual:
            return not is_made_of_words(value)
        if not any(character.isdigit() for character in value):
            return False
        return speaks_of_a_secret(before) or not is_harmless(value)


@dataclass(frozen=True)
class RuleSet:
    """All rules, by the words without which none of them matches."""

    by_keyword: dict[str, tuple[Rule, ...]]

    def find(self, text: str) -> list[Finding]:
        """Find the values of every family whose keyword the text has."""
        lowered = text.lower()
        met: dict[str, Rule] = {}
        for keyword, rules in self.by_keyword.items():
            if keyword in lowered:
                met.update((rule.source, rule) for rule in rules)
        return [finding for rule in met.values() for finding in rule.find(text)]


@cache
def rule_set() -> RuleSet:
    """Return the rules; they are read once."""
    by_keyword: dict[str, tuple[Rule, ...]] = {}
    for rule in (*_of_gitleaks(), *_of_ours()):
        for keyword in rule.keywords:
            by_keyword[keyword] = (*by_keyword.get(keyword, ()), rule)
    return RuleSet(by_keyword)


def _of_gitleaks() -> Iterator[Rule]:
    for read in json.loads(RULES.read_text(encoding="utf-8")):
        yield Rule(
            kind=read["kind"],
            source=read["pattern"],
            group=read["group"],
            keywords=tuple(read["keywords"]),
            entropy=read["entropy"],
            contextual=read["contextual"],
            allowed=tuple(read["allowed"]),
        )


def _of_ours() -> Iterator[Rule]:
    for kind, keyword, source in OWN:
        yield Rule(kind, source, 0, (keyword,), LEAST_ENTROPY, contextual=False, allowed=())
