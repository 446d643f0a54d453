"""The secret gate: what opens something is taken out of a text before anything keeps it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from hitherto_server.gates.secrets.findings import Finding

__all__ = ["Doubt", "Looked", "Redacted", "look_at", "redact", "without_doubt"]


@dataclass(frozen=True)
class Doubt:
    """A value that may be a secret: what a judgment would be shown, and what was done without."""

    kind: str
    masked: str
    redacted: bool


@dataclass(frozen=True)
class Redacted:
    """A text without its secrets, which kinds they were, and what was doubtful."""

    text: str
    kinds: tuple[str, ...] = ()
    doubtful: tuple[Doubt, ...] = ()

    @property
    def changed(self) -> bool:
        return bool(self.kinds)


@dataclass(frozen=True)
class Looked:
    """A text, and what in it is a secret or may be one, in order and disjoint."""

    text: str
    found: tuple[Finding, ...]

    @property
    def doubtful(self) -> list[Finding]:
        return [one for one in self.found if not one.certain]

    def redacted(self, said: Mapping[Finding, bool] | None = None) -> Redacted:
        """Return the text without its secrets; `said` is what a judgment made of a doubtful one.

        Without a judgment, what is doubtful is taken out where a name says that it is a secret.
        """
        said = said or {}
        taken = [one for one in self.found if one.certain or said.get(one, one.named)]
        taken = self._with_repeats(taken, [one for one in taken if said.get(one)])
        return Redacted(
            text=_without(self.text, taken),
            kinds=tuple(dict.fromkeys(one.kind for one in taken)),
            doubtful=tuple(_doubt(self.text, one, taken) for one in self.doubtful),
        )

    def masked(self) -> str:
        """Return the text, of the same length, with every value masked wherever it stands."""
        from hitherto_server.gates.secrets.findings import masked

        text = self.text
        values = {self.value_of(one): one.certain for one in self.found}
        # the longest first: a value may begin another
        for value in sorted(values, key=len, reverse=True):
            text = text.replace(value, "*" * len(value) if values[value] else masked(value))
        return text

    def _with_repeats(self, taken: list[Finding], judged: Sequence[Finding]) -> list[Finding]:
        """Return what is taken out, with every other place where a judged value stands."""
        found = list(taken)
        for one in judged:
            for match in re.finditer(re.escape(self.value_of(one)), self.text):
                start, end = match.span()
                if all(end <= other.start or other.end <= start for other in found):
                    found.append(replace(one, start=start, end=end))
        return sorted(found, key=lambda one: one.start)

    def value_of(self, one: Finding) -> str:
        """Return what was found, as it stands in the text."""
        return self.text[one.start : one.end]


def look_at(text: str) -> Looked:
    """Look for the secrets of a text."""
    from hitherto_server.gates.secrets.look import find_secrets  # its patterns: not at start

    return Looked(text, tuple(find_secrets(text)))


def redact(text: str) -> Redacted:
    """Return the text with every secret as `[redacted:type]`; doing it twice changes nothing."""
    return look_at(text).redacted()


def without_doubt(text: str) -> str:
    """Return the text without its secrets and all that may be one: alike, whatever was judged."""
    looked = look_at(text)
    return looked.redacted(dict.fromkeys(looked.doubtful, True)).text


def _doubt(text: str, one: Finding, taken: Collection[Finding]) -> Doubt:
    from hitherto_server.gates.secrets.findings import masked

    return Doubt(one.kind, masked(text[one.start : one.end]), redacted=one in taken)


def _without(text: str, taken: Sequence[Finding]) -> str:
    kept, at = [], 0
    for one in taken:
        kept += [text[at : one.start], f"[redacted:{one.kind}]"]
        at = one.end
    return "".join([*kept, text[at:]])
