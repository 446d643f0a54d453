"""The secret gate: what opens something is taken out of a text before anything keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.gates.secrets.findings import Finding

__all__ = ["Doubt", "Redacted", "redact"]


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
    """Return the text with every secret as `[redacted:type]`; doing it twice changes nothing.

    Without a judgment, what is doubtful is taken out where a name says that it is a secret.
    """
    from hitherto_server.gates.secrets.look import find_secrets  # its patterns: not at start

    found = find_secrets(text)
    taken = [one for one in found if one.certain or one.named]
    return Redacted(
        text=_without(text, taken),
        kinds=tuple(dict.fromkeys(one.kind for one in taken)),
        doubtful=tuple(_doubt(text, one) for one in found if not one.certain),
    )


def _doubt(text: str, one: Finding) -> Doubt:
    from hitherto_server.gates.secrets.findings import masked

    return Doubt(one.kind, masked(text[one.start : one.end]), redacted=one.named)


def _without(text: str, taken: Sequence[Finding]) -> str:
    kept, at = [], 0
    for one in taken:
        kept += [text[at : one.start], f"[redacted:{one.kind}]"]
        at = one.end
    return "".join([*kept, text[at:]])
