"""What is known of damage to the database: once it was seen, nothing more is acknowledged."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from hitherto_server.core.errors import StoreUnreadable

DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
IN_AN_INDEX = "SQLITE_CORRUPT_VTAB"
OF_AN_INDEX = "FTS5"
"""How SQLite speaks of the word indexes, which are rebuilt from the rest."""

log = logging.getLogger(__name__)


@dataclass
class Health:
    """What was found wrong with one database since it was opened."""

    damage: str | None = None
    index_damage: str | None = None

    def note(self, said: str) -> None:
        """Note damage that somebody looked for and found."""
        if OF_AN_INDEX in said:
            self.index_damage = self.index_damage or said
        elif self.damage is None:
            self.damage = said
            log.error("the database is damaged: %s", said)

    def see(self, error: BaseException | None) -> None:
        """Note what an error shows of damage, if it does."""
        if not isinstance(error, StoreUnreadable):
            return
        name = str(getattr(error.__cause__, "sqlite_errorname", ""))
        if name == IN_AN_INDEX:
            self.index_damage = self.index_damage or error.message
        elif name.startswith(DAMAGED):
            self.note(error.message)

    def refuse_damaged(self) -> None:
        """Raise if the database is damaged: what a restore would lose is not acknowledged."""
        if self.damage is not None:
            message = f"the database is damaged, so nothing more is written: {self.damage}"
            raise StoreUnreadable(message)
