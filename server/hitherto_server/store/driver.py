"""The one place that chooses the SQLite driver and maps its errors.

Many Python builds cannot load extensions, and SQLite before 3.51.3 can corrupt a WAL when it
is reset, so a packaged SQLite serves everywhere; the standard library's only if it is fit.
"""

from __future__ import annotations

import sqlite3 as standard
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitherto_server.core.errors import (
    HithertoError,
    NoDriver,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreUnreadable,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OLDEST_FIT = (3, 51, 3)
BUSY_TIMEOUT_S = 5.0
CACHE_KIB = 8192
MAPPED_FROM_BYTES = 256 * 1024**2
MOST_MAPPED_BYTES = 16 * 1024**3

try:
    import pysqlite3.dbapi2 as packaged
except ImportError:  # no wheel for this platform
    packaged = None

Connection = standard.Connection
Row = standard.Row


@dataclass(frozen=True)
class Driver:
    """A DB-API module that is new enough."""

    name: str
    module: Any

    @property
    def version(self) -> str:
        return str(self.module.sqlite_version)

    @property
    def loads_extensions(self) -> bool:
        return hasattr(self.module.Connection, "enable_load_extension")


def choose_driver() -> Driver:
    """Return the packaged driver, else the standard library's if it is fit."""
    for name, module in (("pysqlite3", packaged), ("sqlite3", standard)):
        if module is not None and module.sqlite_version_info >= OLDEST_FIT:
            return Driver(name, module)
    message = f"SQLite {standard.sqlite_version} is older than 3.51.3, and no other is installed"
    raise NoDriver(message)


def open_raw(path: Path, *, read_only: bool = False) -> Connection:
    """Open the database file as every connection of ours is opened."""
    driver = choose_driver()
    mode = "ro" if read_only else "rwc"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    with mapped_errors(path):
        connection = driver.module.connect(
            uri,
            uri=True,
            timeout=BUSY_TIMEOUT_S,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        try:
            connection.row_factory = driver.module.Row
            _prepare(connection, path, read_only=read_only)
        except BaseException:
            connection.close()
            raise
    opened: Connection = connection
    return opened


def _prepare(connection: Connection, path: Path, *, read_only: bool) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    connection.execute("PRAGMA temp_store = MEMORY")
    if read_only:
        connection.execute("PRAGMA query_only = ON")
        # Only the writer checkpoints: a reader that did could meet the writer's reset.
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        # A mapping counts as resident memory, for each connection anew; only a large store, whose
        # vectors are thousands of pages a question, is worth it.
        if path.stat().st_size >= MAPPED_FROM_BYTES:
            connection.execute(f"PRAGMA mmap_size = {MOST_MAPPED_BYTES}")
        return
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def load_vectors(connection: Connection) -> None:
    """Have a connection measure vectors by sqlite-vec or, where that can't be loaded, by numpy."""
    if _load_extension(connection):
        return
    connection.create_function("vec_distance_cosine", 2, _distance, deterministic=True)


def _load_extension(connection: Connection) -> bool:
    if not hasattr(connection, "enable_load_extension"):
        return False
    library = _extension_path()
    if library is None:
        return False
    try:
        connection.enable_load_extension(True)  # noqa: FBT003 - the DB-API's own signature
        connection.load_extension(library)
        connection.enable_load_extension(False)  # noqa: FBT003
    except database_errors():
        return False
    return True


def _extension_path() -> str | None:
    # `import sqlite_vec` imports numpy (0.15 s, 20 MB); the library's path is all we need.
    from importlib.util import find_spec

    spec = find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        return None
    return f"{spec.submodule_search_locations[0]}/vec0"


def _distance(one: bytes, other: bytes) -> float:
    import numpy as np

    # all have length 1
    return 1.0 - float(np.frombuffer(one, dtype="<f4") @ np.frombuffer(other, dtype="<f4"))


def database_errors() -> tuple[type[Exception], ...]:
    """Return the base classes of all that a driver raises."""
    found: list[type[Exception]] = [standard.Error]
    if packaged is not None:
        found.append(packaged.Error)
    return tuple(found)


def integrity_errors() -> tuple[type[Exception], ...]:
    """Return the classes that a broken constraint raises."""
    found: list[type[Exception]] = [standard.IntegrityError]
    if packaged is not None:
        found.append(packaged.IntegrityError)
    return tuple(found)


@contextmanager
def mapped_errors(path: Path | str) -> Iterator[None]:
    """Turn the driver's errors about the file into ours; broken constraints pass through."""
    try:
        yield
    except HithertoError:
        raise
    except integrity_errors():
        raise
    except database_errors() as error:
        raise _as_ours(error, path) from error


_BY_NAME: dict[str, type[StoreError]] = {
    "SQLITE_BUSY": StoreBusy,
    "SQLITE_LOCKED": StoreBusy,
    "SQLITE_INTERRUPT": StoreBusy,
    "SQLITE_FULL": StoreFull,
    "SQLITE_READONLY": StoreFull,
    "SQLITE_IOERR": StoreFull,
    "SQLITE_CANTOPEN": StoreUnreadable,
    "SQLITE_CORRUPT": StoreUnreadable,
    "SQLITE_NOTADB": StoreUnreadable,
}


def _as_ours(error: Exception, path: Path | str) -> Exception:
    name = str(getattr(error, "sqlite_errorname", ""))
    for prefix, ours in _BY_NAME.items():
        if name.startswith(prefix):
            return ours(f"{path}: {error}")
    return error
