"""A backup is a whole, proved copy that no writer waits for; no erased text lives on in one."""

from __future__ import annotations

import asyncio
import gc
import os
import stat
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.server_process import wait_until
from tests.wiring import NOW_MS, TestClock, faults_in, rows

from hitherto_contract import EraseRequest, RememberRequest
from hitherto_server.core.clock import DAY_MS
from hitherto_server.core.errors import BackupUnusable, StoreBusy, StoreFull, StoreUnreadable
from hitherto_server.gates.remember import remember
from hitherto_server.maintenance.backups import Backups, read_failure
from hitherto_server.maintenance.erase import Eraser
from hitherto_server.store import copies
from hitherto_server.store.copies import copy_database, prove
from hitherto_server.store.driver import open_raw
from hitherto_server.store.erase import truncate_wal
from hitherto_server.store.shelf import (
    Backup,
    list_backups,
    name_for,
    note_elsewhere,
    too_many,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from hitherto_server.services import Services

WORD = "zyqxwvkolibri"


async def told(services: Services, content: str) -> str:
    request = RememberRequest(content=content, scope="user")
    return (await remember(services.writes, request)).id


async def test_a_backup_is_a_sound_private_copy_with_every_row(services: Services) -> None:
    for number in range(20):
        await told(services, f"The build cache of step {number} is keyed by E{number}.")
    made = await services.backups.make("manual")
    assert made.memories == 20
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o600
    assert [path.name for path in services.home.backups.iterdir()] == [made.path.name]
    assert faults_in(made.path) == []
    contents = "SELECT id, content FROM memory ORDER BY number"
    assert rows(made.path, contents) == rows(services.home.database, contents)


async def test_a_backup_is_one_moment_though_somebody_writes_all_the_while(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        await told(services, f"Fact {number} of the store, which is to fill some pages of it.")
    monkeypatch.setattr(copies, "PAGES_A_STEP", 2)  # so that many writes fall into its midst
    making = asyncio.create_task(services.backups.make("manual"))
    written = 0
    while not making.done():
        await told(services, f"Written beside the backup: number {written}.")
        written += 1
    made = await making
    assert written > 3, "nothing was written meanwhile"
    assert 60 <= made.memories <= 60 + written
    assert faults_in(made.path) == []
    [(kept,)] = rows(services.home.database, "SELECT count(*) FROM memory")
    assert kept == 60 + written


async def test_a_copy_that_lacks_rows_does_not_count(services: Services, tmp_path: Path) -> None:
    await told(services, "The port is 8080.")
    made = await services.backups.make("manual")
    held = prove(made.path)
    with pytest.raises(BackupUnusable):
        prove(made.path, {**held, "memory": held["memory"] + 1})


async def test_a_copy_that_cannot_be_proved_never_gets_its_name(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    await told(services, "The port is 8080.")

    def damaged(path: Path, *_: object, **__: object) -> dict[str, int]:
        message = f"{path} is damaged"
        raise BackupUnusable(message)

    monkeypatch.setattr(copies, "prove", damaged)
    with pytest.raises(BackupUnusable):
        await services.backups.make("auto")
    assert list(services.home.backups.glob("*.db")) == []
    assert list(services.home.backups.glob(".*")) == []
    failure = read_failure(services.home)
    assert failure is not None
    assert "damaged" in failure.message
    assert failure.mend

    monkeypatch.undo()
    await services.backups.make("auto")
    assert read_failure(services.home) is None
    assert services.backups.failure is None


async def test_without_space_no_backup_is_begun(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type("Usage", (), {"free": 10})
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage)
    with pytest.raises(StoreFull, match="0 MB free"):
        await services.backups.make("auto")
    assert list(services.home.backups.glob("*.db")) == []


async def test_a_running_server_makes_a_backup_by_itself_and_no_second_one_that_day(
    services: Services, clock: TestClock
) -> None:
    await told(services, "The port is 8080.")
    backups = Backups(
        services.home, services.store, clock, every_hours=24, kept=3, first_look_s=0.01
    )
    backups.start()
    await until(lambda: list_backups(services.home.backups))
    await backups.close()
    again = Backups(services.home, services.store, clock, every_hours=24, kept=3, first_look_s=0.01)
    assert not again._is_due(), "there is one of today"
    clock.pass_ms(DAY_MS)
    assert again._is_due()
    clock.pass_ms(-3 * DAY_MS)
    assert again._is_due(), "one of the future says nothing of what was written since"


async def until(holds: Callable[[], Any]) -> None:
    await asyncio.to_thread(wait_until, holds, "a backup is there")


def test_one_a_day_then_one_a_week_and_what_a_person_made_stays() -> None:
    made = [
        Backup(Path(name_for("auto", at)), "auto", at, 1)
        for at in range(NOW_MS, NOW_MS - 60 * DAY_MS, -DAY_MS // 2)
    ]
    by_hand = Backup(Path("manual.db"), "manual", NOW_MS - 90 * DAY_MS, 1)
    gone = too_many([*made, by_hand], kept=10)
    left = [one for one in [*made, by_hand] if one not in gone]
    assert by_hand in left
    today = NOW_MS // DAY_MS
    ages = [today - one.made_at_ms // DAY_MS for one in left if one.why == "auto"]
    assert ages[:7] == [0, 1, 2, 3, 4, 5, 6]
    assert len(ages) == 10
    apart = [later - age for age, later in pairwise(ages[7:])]
    assert all(1 <= days <= 7 for days in apart), "the weeks are the calendar's"
    assert apart[-1] == 7


def test_of_what_is_made_before_upgrades_and_imports_the_newest_three_are_kept() -> None:
    made = [
        Backup(Path(f"{why}-{age}"), why, NOW_MS - age, 1)
        for age in range(5)
        for why in ("before-schema", "before-import", "replaced")
    ]
    gone = too_many(made, kept=1)
    assert sorted(one.path.name for one in gone) == [
        "before-import-3",
        "before-import-4",
        "before-schema-3",
        "before-schema-4",
    ]


def test_the_time_of_a_backup_is_read_off_its_name(tmp_path: Path) -> None:
    for name in (name_for("auto", NOW_MS), f"before-schema-3-{NOW_MS + 5}.db", "mine.db"):
        (tmp_path / name).touch()
    found = {one.why: one.made_at_ms for one in list_backups(tmp_path)}
    assert found["auto"] == NOW_MS
    assert found["before-schema"] == NOW_MS + 5
    assert "other" in found


async def test_an_erased_text_is_in_no_backup_though_one_was_being_made(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        await told(services, f"Fact {number} of the store, which is to fill some pages of it.")
    await told(services, f"The codename is {WORD} until May.")
    await services.backups.make("manual")
    monkeypatch.setattr(copies, "PAGES_A_STEP", 1)
    making = asyncio.create_task(services.backups.make("auto"))
    await until(lambda: list(services.home.backups.glob(".*.part")))
    writes = services.writes
    eraser = Eraser(
        services.home, services.store, writes.splitter, writes.on_written, services.backups
    )
    reply = await eraser.erase(EraseRequest(text=WORD, confirmed=True))
    with pytest.raises(StoreBusy):
        await making
    assert reply.left == []
    assert holding(services.home.root, WORD.encode()) == []
    assert read_failure(services.home) is None, "that it was called off is no failure"
    await services.backups.make("auto")
    assert holding(services.home.root, WORD.encode()) == []


async def test_a_backup_that_is_called_off_at_the_end_says_nothing_to_the_log(
    services: Services, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        await told(services, f"Fact {number} of the store, which is to fill some pages of it.")
    monkeypatch.setattr(copies, "PAGES_A_STEP", 1)
    unheard: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, met: unheard.append(met))

    async def close_while_one_is_made() -> None:
        backups = Backups(
            services.home, services.store, clock, every_hours=24, kept=3, first_look_s=0.01
        )
        backups.start()
        await until(lambda: list(services.home.backups.glob(".*.part")))
        await backups.close()

    await asyncio.create_task(close_while_one_is_made())  # nothing of it is held afterwards
    gc.collect()
    assert unheard == []


def holding(folder: Path, needle: bytes) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if needle in path.read_bytes()]


async def test_what_a_killed_backup_left_is_removed_and_listed_nowhere(
    services: Services, clock: TestClock
) -> None:
    left = services.home.backups / ".auto-20261130-161500-000.db.part"
    left.write_bytes(b"half")
    assert list_backups(services.home.backups) == []
    backups = Backups(
        services.home, services.store, clock, every_hours=0, kept=3, first_look_s=0.01
    )
    backups.start()
    await until(lambda: not left.exists())
    await backups.close()


def test_a_copy_of_a_damaged_database_is_refused(tmp_path: Path) -> None:
    damaged = tmp_path / "memory.db"
    with closing(open_raw(damaged)) as made:
        made.execute("CREATE TABLE memory (a)")
        made.executemany("INSERT INTO memory VALUES (?)", [("x" * 500,) for _ in range(200)])
        made.execute("PRAGMA journal_mode = DELETE")
    content = bytearray(damaged.read_bytes())
    content[8192:16384] = os.urandom(8192)
    damaged.write_bytes(bytes(content))
    with pytest.raises((BackupUnusable, StoreUnreadable)):
        copy_database(damaged, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


async def test_an_erase_names_the_copies_outside_of_the_data_home_that_are_still_there(
    services: Services, tmp_path: Path
) -> None:
    await told(services, f"The codename is {WORD} until May.")
    outside, gone = tmp_path / "mine.db", tmp_path / "gone.db"
    outside.touch()
    gone.touch()
    note_elsewhere(services.home, outside)
    note_elsewhere(services.home, gone, outside, services.home.backups / "inside.db")
    gone.unlink()
    writes = services.writes
    eraser = Eraser(
        services.home, services.store, writes.splitter, writes.on_written, services.backups
    )
    reply = await eraser.erase(EraseRequest(text=WORD, confirmed=True))
    assert reply.left == [f"{outside}: a copy outside of the data home; delete it"]


async def test_damage_is_found_before_somebody_meets_it_and_ends_all_writing(
    services: Services,
) -> None:
    for number in range(60):
        await told(services, f"Fact {number} of the store, which is to fill some pages of it.")
    await services.store.writer.maintain(truncate_wal)
    [(root,)] = rows(
        services.home.database, "SELECT rootpage FROM sqlite_schema WHERE name = 'revision'"
    )
    with services.home.database.open("r+b") as file:
        file.seek((root - 1) * 4096)
        before = file.read(4096)
        file.seek((root - 1) * 4096)
        file.write(os.urandom(4096))
    await services.backups._check()
    assert services.store.health.damage is not None
    assert not services.backups._is_due(), "no backup of it pushes out a good one"
    with pytest.raises(StoreUnreadable, match="nothing more is written"):
        await told(services, "One more")
    with services.home.database.open("r+b") as file:  # as the fixture wants to find it
        file.seek((root - 1) * 4096)
        file.write(before)
    services.store.health.damage = None


async def test_a_database_that_is_held_or_away_for_a_moment_is_not_taken_for_damaged(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    for error in (StoreBusy("held"), StoreFull("full"), StoreUnreadable("cannot be opened")):

        def failing(error: Exception = error) -> list[str]:
            raise error

        monkeypatch.setattr(services.backups, "_faults", failing)
        await services.backups._check()
    assert services.store.health.damage is None
    await told(services, "The port is 8080.")
