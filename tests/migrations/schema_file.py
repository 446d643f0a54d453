"""The committed schema: what all migrations together must give.

After a new step: `python tests/migrations/schema_file.py`, and commit both.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hitherto_server.store.driver import open_raw
from hitherto_server.store.migrate import migrate

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection

FILE = Path(__file__).with_name("schema.sql")


def schema_of(connection: Connection) -> str:
    """Return every statement that makes the schema, in one order, as it is committed."""
    kept = connection.execute(
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, name"
    )
    return "".join(f"{row[0]};\n\n" for row in kept)


def migrated_schema() -> str:
    """Return the schema of a new database."""
    with TemporaryDirectory() as folder:
        path = Path(folder)
        with closing(open_raw(path / "memory.db")) as connection:
            migrate(connection, backups=path, clock=lambda: 0)
            return schema_of(connection)


if __name__ == "__main__":
    FILE.write_text(migrated_schema(), encoding="utf-8")
