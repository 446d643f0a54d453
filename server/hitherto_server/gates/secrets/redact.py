"""The gate itself: a text in, the text without its secrets out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.gates.secrets.findings import Finding, disjoint, masked
from hitherto_server.gates.secrets.rules import rule_set

if TYPE_CHECKING:
    from collections.abc import Sequence


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


def redact(text: str) -> Redacted:
    """Return the text with every secret as `[redacted:type]`; doing it twice changes nothing."""
    found = disjoint(rule_set().find(text))
    if not found:
        return Redacted(text)
    return Redacted(
        text=_without(text, found),
        kinds=tuple(dict.fromkeys(one.kind for one in found)),
        doubtful=tuple(
            Doubt(one.kind, masked(text[one.start : one.end]), redacted=True)
            for one in found
            if not one.certain
        ),
    )


def _without(text: str, found: Sequence[Finding]) -> str:
    kept, at = [], 0
    for one in found:
        kept += [text[at : one.start], f"[redacted:{one.kind}]"]
        at = one.end
    return "".join([*kept, text[at:]])
