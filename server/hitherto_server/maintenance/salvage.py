"""What can still be read of a damaged database, row by row, as a new one that is sound."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hitherto_migrations import list_steps
from hitherto_server.core.clock import now_ms
from hitherto_server.core.errors import InvalidInput, StoreFull, StoreUnreadable
from hitherto_server.core.private_file import write_private
from hitherto_server.store.copies import drop_files, flush_folder, prove
from hitherto_server.store.driver import (
    choose_driver,
    database_errors,
    mapped_errors,
    open_raw,
)
from hitherto_server.store.memories import state_of
from hitherto_server.store.migrate import migrate, schema_version
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hitherto_server.store.driver import Connection, Row

DERIVED = ("vector", "derived_index", "migration")
PARENTS = {"revision": "memory", "support": "memory", "candidate_use": "memory",
           "memory_worth": "memory", "merge_conflict": "memory", "part": "anchor"}  # fmt: skip
"""Tables without row numbers: looked through once more by the rows that they hang on."""
MOST_PROBED, MOST_IN_VAIN = 100_000, 2000
LOST = "lost:"

sql = load_queries("salvage")


@dataclass
class Salvaged:
    """What was saved, by table, and what had to be put in the place of what was not."""

    rows: Counter[str] = field(default_factory=Counter)
    damaged: set[str] = field(default_factory=set)
    """Tables of which some rows could not be read."""
    texts: list[str] = field(default_factory=list)
    """Texts of memories whose own row is lost."""


def salvage(damaged: Path, target: Path) -> Salvaged:
    """Write a sound database of all rows that can be read; the damaged one is only read."""
    if target.exists():
        message = f"{target} is there already"
        raise InvalidInput(message, mend="Name another file, or delete that one first.")
    unfinished = target.with_name(f".{target.name}.part")
    drop_files(unfinished)
    try:
        with mapped_errors(damaged), closing(_open(damaged)) as old:
            found = _rescue(old, unfinished)
        prove(unfinished)
        unfinished.replace(target)
        flush_folder(target.parent)
        if found.texts:
            write_private(target.with_suffix(".texts"), "\n\n---\n\n".join(found.texts))
    except OSError as error:
        message = f"{target}: {error.strerror}"
        raise StoreFull(message) from error
    finally:
        drop_files(unfinished)
    return found


def _open(path: Path) -> Connection:
    driver = choose_driver()
    uri = f"{path.absolute().as_uri()}?mode=ro"
    connection: Connection = driver.module.connect(uri, uri=True, isolation_level=None)
    connection.row_factory = driver.module.Row
    return connection


def _rescue(old: Connection, unfinished: Path) -> Salvaged:
    found = Salvaged()
    version = _version(old)
    unfinished.touch(mode=0o600)
    with closing(open_raw(unfinished)) as new:
        steps = tuple(step for step in list_steps() if step.number <= version)
        migrate(new, backups=None, clock=now_ms, steps=steps)
        new.execute("PRAGMA foreign_keys = OFF")
        new.execute("BEGIN IMMEDIATE")
        for table in _tables(new):
            _copy_table(old, new, table, found)
        _make_whole(new, found)
        new.execute("COMMIT")
        new.execute("PRAGMA journal_mode = DELETE")
    return found


def _version(old: Connection) -> int:
    newest = list_steps()[-1].number
    try:
        version = schema_version(old)
    except database_errors() as error:
        name = str(getattr(error, "sqlite_errorname", ""))
        if name == "SQLITE_NOTADB":
            message = "the file is no database any more: nothing of it can be read"
            raise StoreUnreadable(message, mend="Restore a backup.") from error
        return newest
    return min(version or newest, newest)


def _tables(new: Connection) -> list[str]:
    names = [row[0] for row in new.execute(sql["tables"])]
    return [name for name in names if not name.startswith(DERIVED)]


def _copy_table(old: Connection, new: Connection, table: str, found: Salvaged) -> None:
    columns = [row[0] for row in new.execute(sql["columns"], {"table": table})]
    numbered = new.execute(sql["is_numbered"], {"table": table}).fetchone()[0]
    named = ", ".join(f'"{column}"' for column in columns)
    marks = ", ".join("?" for _ in columns)
    put = f'INSERT OR IGNORE INTO "{table}" ({named}) VALUES ({marks})'  # noqa: S608 - own names
    take = f'SELECT {named} FROM "{table}" NOT INDEXED'  # noqa: S608 - as above
    rows = _numbered(old, table, take, found) if numbered else _keyed(old, new, table, take, found)
    for row in rows:
        found.rows[table] += new.execute(put, tuple(row)).rowcount


def _numbered(old: Connection, table: str, take: str, found: Salvaged) -> Iterator[Row]:
    """Read a table from both ends until it breaks, and one by one what lies between."""
    first: list[int] = []
    yield from _read(old, f"{take} ORDER BY rowid", (), numbers=first, table=table, found=found)
    if table not in found.damaged:
        return
    last: list[int] = []
    yield from _read(old, f"{take} ORDER BY rowid DESC", (), numbers=last, table=table, found=found)
    if not first and not last:  # its root is gone, and with it the way to every row
        return
    low, high = max(first, default=0) + 1, min(last, default=MOST_PROBED)
    in_vain = 0
    for number in range(low, min(high, low + MOST_PROBED)):
        found_here: list[int] = []
        query = f"{take} WHERE rowid = ?"
        yield from _read(old, query, (number,), numbers=found_here, table=table, found=found)
        in_vain = 0 if found_here else in_vain + 1
        if in_vain > MOST_IN_VAIN:
            return


def _keyed(
    old: Connection, new: Connection, table: str, take: str, found: Salvaged
) -> Iterator[Row]:
    take = take.removesuffix(" NOT INDEXED")
    yield from _read(old, take, (), numbers=[], table=table, found=found)
    parent = PARENTS.get(table)
    if table not in found.damaged or parent is None:
        return
    key = f"{parent}_number" if parent == "memory" else f"{parent}_id"
    numbers = [row[0] for row in new.execute(f'SELECT rowid FROM "{parent}"')]  # noqa: S608 - own
    for number in numbers:
        yield from _read(
            old, f"{take} WHERE {key} = ?", (number,), numbers=[], table=table, found=found
        )


def _read(
    old: Connection,
    query: str,
    values: tuple[Any, ...],
    *,
    numbers: list[int],
    table: str,
    found: Salvaged,
) -> Iterator[Row]:
    try:
        for row in old.execute(query, values):
            if isinstance(row[0], int):
                numbers.append(row[0])
            yield row
    except database_errors():
        found.damaged.add(table)


def _make_whole(new: Connection, found: Salvaged) -> None:
    """Put something in the place of what others refer to, and drop what hangs on nothing."""
    found.texts += [row[0] for row in new.execute(sql["texts_without_memory"])]
    new.execute(sql["lost_projects"], {"lost": LOST, "at_ms": now_ms()})
    new.execute(sql["lost_categories"])
    while new.execute("PRAGMA foreign_key_check").fetchone() is not None:
        for table, column, parent, to in _references(new):
            new.execute(
                f'DELETE FROM "{table}" WHERE "{column}" IS NOT NULL '  # noqa: S608 - own names
                f'AND "{column}" NOT IN (SELECT "{to}" FROM "{parent}")'
            )
    for row in new.execute(sql["headless"]).fetchall():
        state = state_of(new, row)
        values = {
            "number": row["number"],
            "revision": row["revision"],
            "at_ms": row["changed_at_ms"],
            "content": row["content"],
            "state": state.rest(),
        }
        new.execute(sql["put_head"], values)


def _references(new: Connection) -> Iterator[tuple[str, str, str, str]]:
    for table in _tables(new):
        for row in new.execute(sql["references"], {"table": table}).fetchall():
            yield table, row["from"], row["table"], row["to"]


def report_of(found: Salvaged) -> dict[str, Any]:
    """Return what was saved, as the command prints it."""
    return {
        "rows": dict(found.rows),
        "damaged": sorted(found.damaged),
        "texts_without_memory": len(found.texts),
    }
