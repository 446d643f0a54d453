"""The spool: nothing torn, nothing lost, never too large."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hitherto_hooks
from hitherto_hooks import spool
from hitherto_server.sessions.spool_reader import Spool, parse_record

RUN = Path(hitherto_hooks.__file__).parent / "run.py"
WRITERS, EACH = 8, 200
WRITER = f"""
import sys
sys.path.insert(0, sys.argv[1])
import spool
for number in range({EACH}):
    pad = b"x" * number * 50
    body = b'{{"writer":%d,"number":%d,"pad":"%b"}}' % (int(sys.argv[3]), number, pad)
    spool.append(sys.argv[2].encode(), b"PostToolUse", number, b"/p", body)
"""


def drain(folder: Path) -> list[bytes]:
    """Take every record away by the server's own reader."""
    reader = Spool(folder)
    batch = reader.take()
    if batch is None:
        return []
    lines = reader.read_lines(batch)
    reader.done(batch)
    assert all(line.endswith(b"\n") for line in lines)
    return [line.rstrip(b"\n") for line in lines]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 2**63), st.binary(max_size=300)), max_size=8))
def test_what_goes_in_comes_out_in_order_on_single_lines(tmp_path, events):
    for time_ns, body in events:
        spool.append(os.fsencode(tmp_path), b"Stop", time_ns, b"/a%09b", body)
    expected = [b"Stop\t%d\t/a%%09b\t%b" % (t, b.replace(b"\n", b" ")) for t, b in events]
    assert drain(tmp_path / "spool") == expected


def test_an_event_that_takes_too_long_to_look_through_is_counted(hook):
    (hook.home / "spool").mkdir(parents=True)
    hook("Stop", b'{"a":"%b"}' % (b"token=" * 330_000))
    assert len(hook.spooled()) + hook.dropped() == 1


def test_a_record_is_split_at_its_first_three_tabs(hook):
    hook("Stop", b'{"a":\t1,\r\n\t"b":2}')
    [record] = hook.spooled()
    assert record.body == b'{"a":\t1,\r \t"b":2}'


def test_the_servers_reader_understands_what_a_hook_wrote(hook):
    before = time.time_ns()
    hook("Stop", '{"a": "é\t✓"}'.encode(), CLAUDE_PROJECT_DIR="/p/a b\té")
    [record] = [parse_record(line) for line in drain(hook.events.parent)]
    assert record.event == "Stop"
    assert before <= record.time_ns <= time.time_ns()
    assert os.fsdecode(unquote_to_bytes(record.project)) == "/p/a b\té"
    assert record.body == '{"a": "é\t✓"}'.encode()


def test_a_full_spool_takes_nothing_and_counts_what_it_refused(hook):
    hook.events.parent.mkdir(parents=True)
    hook.events.write_bytes(b"x" * (16 * 1024 * 1024 - 20) + b"\n")
    size = hook.events.stat().st_size
    for _ in range(3):
        assert hook().is_silent()
    assert hook.events.stat().st_size == size
    assert hook.dropped() == 3


def test_an_event_larger_than_the_spool_is_counted(hook):
    assert hook("Stop", b'{"a":"' + b"x" * (17 << 20) + b'"}').is_silent()
    assert hook.spooled() == []
    assert hook.dropped() == 1


def test_a_full_disk_leaves_no_torn_record(hook):
    hook()
    before = hook.events.read_bytes()
    # The limit is in blocks of 512 bytes: the record begins to fit, and does not end so.
    script = 'ulimit -f 1; exec "$0" -I -S "$1" "$2"'
    command = ["/bin/sh", "-c", script, sys.executable, str(RUN)]
    assert hook(body=b'{"a":"' + b"x" * 5000 + b'"}', command=command).is_silent()
    assert hook.events.read_bytes() == before
    assert hook.dropped() == 1


def test_a_device_without_space_is_survived_and_counted(hook):
    hook.events.parent.mkdir(parents=True)
    hook.events.symlink_to("/dev/full")
    assert hook().is_silent()
    assert hook.dropped() == 1


def test_a_torn_record_does_not_swallow_the_next(hook):
    hook.events.parent.mkdir(parents=True)
    hook.events.write_bytes(b'Stop\t1\t/p\t{"half":')
    hook()
    lines = hook.events.read_bytes().split(b"\n")
    assert lines[0] == b'Stop\t1\t/p\t{"half":'
    assert lines[1].startswith(b"PostToolUse\t")


@pytest.mark.parametrize("blocked", [".", "spool", "spool/events"])
def test_a_spool_that_cannot_be_written_is_survived(hook, blocked):
    path = hook.home / blocked
    path.parent.mkdir(parents=True, exist_ok=True)
    if blocked == "spool/events":
        path.mkdir()
    else:
        path.write_bytes(b"a file where a folder should be")
    assert hook().is_silent()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_spool_is_survived(hook):
    hook.events.parent.mkdir(parents=True)
    hook.events.parent.chmod(0o500)
    assert hook().is_silent()
    hook.events.parent.chmod(0o700)
    assert hook.spooled() == []


def test_a_lock_that_is_never_given_back_costs_the_event_and_no_more_than_the_grace(hook):
    hook()
    with hook.events.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = hook()
    assert done.is_silent()
    assert done.seconds < 2
    assert len(hook.spooled()) == 1
    assert hook.dropped() == 1


def test_eight_writers_lose_nothing_while_the_spool_is_drained(tmp_path):
    hooks = str(Path(spool.__file__).parent)
    writers = [
        subprocess.Popen([sys.executable, "-I", "-S", "-c", WRITER, hooks, tmp_path, str(number)])
        for number in range(WRITERS)
    ]
    drained: list[bytes] = []
    drains = 0
    while any(writer.poll() is None for writer in writers):
        taken = drain(tmp_path / "spool")
        drains += bool(taken)
        drained += taken
        time.sleep(0.001)
    drained += drain(tmp_path / "spool")
    expected = {
        b'PostToolUse\t%d\t/p\t{"writer":%d,"number":%d,"pad":"%b"}' % (n, w, n, b"x" * n * 50)
        for w in range(WRITERS)
        for n in range(EACH)
    }
    assert drains > 1
    assert len(drained) == WRITERS * EACH
    assert set(drained) == expected
    assert not (tmp_path / "spool" / "dropped").exists()
