"""What was spooled is taken in whole, in order, under the writers' lock."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from hitherto_hooks import spool as writer
from hitherto_server.core.errors import InvalidInput
from hitherto_server.sessions import spool_reader
from hitherto_server.sessions.spool_reader import Record, Spool, parse_record

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    (tmp_path / "spool").mkdir()
    return Spool(tmp_path / "spool")


def test_a_record_is_read_as_it_was_written() -> None:
    line = b'Stop\t123\t/a%20b\t{"a": "tab\\t", "b": "\tx"}\n'
    assert parse_record(line) == Record("Stop", 123, "/a%20b", b'{"a": "tab\\t", "b": "\tx"}')


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"Stop\n",
        b"Stop\t12",
        b"Stop\t123\t/a\n",
        b"Stop\tnow\t/a\t{}\n",
        b"Stop\t-1\t/a\t{}\n",
        b"Stop\t" + b"9" * 20 + b"\t/a\t{}\n",
        b"\x00" * 100,
        b"\xff\xfe\n",
    ],
)
def test_a_line_that_is_no_record_is_refused(line: bytes) -> None:
    with pytest.raises(InvalidInput):
        parse_record(line)


def test_nothing_spooled_is_nothing_to_take(spool: Spool) -> None:
    assert spool.take() is None
    assert not spool.is_waiting()


def test_a_batch_that_was_left_over_comes_first(spool: Spool) -> None:
    spool.draining.write_bytes(b"old\n")
    spool.events.write_bytes(b"new\n")
    taken = []
    while (batch := spool.take()) is not None:
        taken += spool.read_lines(batch)
        spool.done(batch)
    assert taken == [b"old\n", b"new\n"]


def test_blank_lines_are_no_lines(spool: Spool) -> None:
    spool.events.write_bytes(b"\na\n\n  \nb")
    batch = spool.take()
    assert batch is not None
    assert spool.read_lines(batch) == [b"a\n", b"b"]


def test_an_unreadable_line_is_kept_aside_whole(spool: Spool) -> None:
    spool.keep_unreadable(b"torn")
    spool.keep_unreadable(b"other\n")
    assert spool.unreadable.read_bytes() == b"torn\nother\n"
    assert spool.unreadable.stat().st_mode & 0o777 == 0o600
    assert spool.counts()["unreadable_bytes"] == 11


def test_unreadable_lines_do_not_fill_the_disk(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool_reader, "MAX_UNREADABLE_BYTES", 100)
    for _ in range(1000):
        spool.keep_unreadable(b"x" * 30)
    assert spool.unreadable.stat().st_size < 200


def test_what_is_lost_while_no_new_file_can_be_made_is_counted(spool: Spool) -> None:
    (spool.folder.parent / "run").mkdir()
    spool.make_ready()
    assert spool.counts()["dropped"] == 0
    spool.folder.rmdir()
    spool.folder.write_text("a file where the spool should be")
    for _ in range(3):
        writer.append(bytes(spool.folder.parent), b"Stop", 1, b"/p", b"{}")
    spool.make_ready()
    assert Spool(spool.folder.parent / "elsewhere").counts()["dropped"] == 3
    assert spool.lost.stat().st_mode & 0o777 == 0o600


def test_what_hooks_write_while_batches_are_taken_is_neither_lost_nor_doubled(
    spool: Spool,
) -> None:
    taken: list[bytes] = []
    over = threading.Event()

    def drain() -> None:
        while not over.is_set() or spool.is_waiting():
            if (batch := spool.take()) is not None:
                taken.extend(spool.read_lines(batch))
                spool.done(batch)

    def write(number: int) -> None:
        for count in range(100):
            body = f'{{"session_id": "{number}-{count}"}}'.encode()
            writer.append(bytes(spool.folder.parent), b"Stop", count, b"/p", body)

    draining = threading.Thread(target=drain)
    draining.start()
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(write, number) for number in range(4)]:
            done.result()
    over.set()
    draining.join(20)
    bodies = [parse_record(line).body for line in taken]
    assert len(bodies) == len(set(bodies)) == 400
