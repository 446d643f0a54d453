"""The database, and what reads it."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError, NoDriver
from hitherto_server.doctor.finding import Finding, failed, fault, well
from hitherto_server.store.driver import choose_driver, mapped_errors, open_raw
from hitherto_server.store.migrate import refuse_newer, schema_version

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.core.home import Home

CHECKED_WHOLE_BYTES = 64 * 1024 * 1024
"""Up to this size every page is looked at; a larger one would take minutes."""


def driver() -> Finding:
    """Say which SQLite there is."""
    try:
        found = choose_driver()
    except NoDriver as error:
        return failed("SQLite", error)
    return well("SQLite", f"{found.name}, version {found.version}")


def database(home: Home) -> Finding:
    """Look whether this version can read the database, and whether it is whole."""
    path = home.database
    if not path.exists():
        return well("database", "there is none yet: the server makes it")
    try:
        refuse_newer(path)
        with mapped_errors(path):
            version, damage = _looked_into(path)
    except HithertoError as error:
        return failed("database", error)
    if damage != "ok":
        return fault("database", f"{path} is damaged: {damage}", "Restore a copy from backups/.")
    return well("database", f"schema {version}, {path.stat().st_size / 1e6:.1f} MB")


def _looked_into(path: Path) -> tuple[int, str]:
    with closing(open_raw(path, read_only=True)) as connection:
        version = schema_version(connection)
        if path.stat().st_size > CHECKED_WHOLE_BYTES:
            return version, "ok"
        return version, str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
