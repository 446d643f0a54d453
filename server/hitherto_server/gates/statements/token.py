"""One word of a statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hitherto_server.gates.statements.quantities import Quantity


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a name or an amount, and how the statement stands to it."""

    key: str
    """What it is compared by: a canonical stem, a folded name, or the amount as written."""
    shown: str
    clause: int
    sentence: int
    amount: Quantity | None = None
    is_name: bool = False
    is_function: bool = False
    is_negator: bool = False
    is_denied: bool = False
    is_replaced: bool = False
    """It is named as what something else took the place of."""

    @property
    def plain(self) -> str:
        """The word as written, in small letters."""
        return self.shown.lower()

    @property
    def is_against(self) -> bool:
        """Whether the statement speaks against it."""
        return self.is_denied or self.is_replaced

    @property
    def is_word(self) -> bool:
        """Whether it says what the statement is about."""
        return not (self.is_function or self.is_negator or self.amount)
