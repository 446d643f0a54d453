"""The database, and what reads it."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from hitherto_server.core.clock import DAY_MS, minute_of
from hitherto_server.core.errors import HithertoError, NoDriver, StoreUnreadable
from hitherto_server.doctor.finding import Finding, fault, unusable, well
from hitherto_server.maintenance.backups import read_failure
from hitherto_server.maintenance.damage import mend_of_damage
from hitherto_server.store.driver import choose_driver, mapped_errors, open_raw
from hitherto_server.store.migrate import refuse_newer, schema_version
from hitherto_server.store.shelf import list_backups

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.core.home import Home

OLD_MS = 8 * DAY_MS
"""One is made daily while the server runs, and a server may rest for a week."""
CHECKED_WHOLE_BYTES = 64 * 1024 * 1024
"""Up to this size every page is looked at; a larger one would take minutes."""


def driver() -> Finding:
    """Say which SQLite there is."""
    try:
        found = choose_driver()
    except NoDriver as error:
        return unusable("SQLite", error)
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
    except StoreUnreadable as error:
        return fault("database", error.message, mend_of_damage(home))
    except HithertoError as error:
        return unusable("database", error)
    if damage != "ok":
        return fault("database", f"{path} is damaged: {damage}", mend_of_damage(home))
    return well("database", f"schema {version}, {path.stat().st_size / 1e6:.1f} MB")


def backups(home: Home) -> Finding:
    """Say when a backup was made last, and why the last one failed."""
    failure = read_failure(home)
    if failure is not None:
        said = f"the last one failed ({minute_of(failure.at_ms)}): {failure.message}"
        return fault("backups", said, failure.mend)
    found = list_backups(home.backups)
    if not found:
        return well("backups", "none yet; one is made daily while the server runs")
    newest = f"the newest of {minute_of(found[0].made_at_ms)}"
    written_at_ms = home.database.stat().st_mtime * 1000 if home.database.exists() else 0
    if written_at_ms - found[0].made_at_ms > OLD_MS:
        said = f"{newest}, and the database was written much later"
        return fault("backups", said, "Run `hitherto backup`, and see logs/server.log for why.")
    return well("backups", f"{len(found)}, {newest}")


def _looked_into(path: Path) -> tuple[int, str]:
    with closing(open_raw(path, read_only=True)) as connection:
        version = schema_version(connection)
        if path.stat().st_size > CHECKED_WHOLE_BYTES:
            return version, "ok"
        return version, str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
