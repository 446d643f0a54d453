"""A file is replaced whole, and what a killed or starved writer leaves does not pile up."""

from __future__ import annotations

import os
import resource
import tempfile
import time
from typing import TYPE_CHECKING

import pytest

from hitherto_server.core.private_file import LEFT_AFTER_S, remove_left_behind, write_private

if TYPE_CHECKING:
    from pathlib import Path


def test_a_write_that_finds_no_space_leaves_the_file_as_it_was_and_nothing_beside_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "server.json"
    write_private(path, "as it was")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            write_private(path, "x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [path]


def test_what_killed_writers_left_is_removed_and_nothing_else_is(tmp_path: Path) -> None:
    for prefix in (".server.json.", ".hook."):
        handle, old = tempfile.mkstemp(dir=tmp_path, prefix=prefix)
        os.close(handle)
        then = time.time() - LEFT_AFTER_S - 1
        os.utime(old, (then, then))
    kept = [tmp_path / name for name in (".env", ".server.json.now_abcd", "memory.db", ".git.a")]
    for path in kept:
        path.write_text("kept")
        if "now" not in path.name:
            os.utime(path, (1, 1))
    remove_left_behind((tmp_path, tmp_path / "nothing such"))
    assert sorted(tmp_path.iterdir()) == sorted(kept)
