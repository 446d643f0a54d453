"""What docs/standing.md promises is what the code does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from hitherto_contract.words import Standing
from hitherto_server.core.settings import Settings
from hitherto_server.judge.surfaces import edit_stale, stale_check
from hitherto_server.maintenance import sweep
from hitherto_server.recall import news
from hitherto_server.standing import anchors, definitions, paths, reading, regions

DOCUMENT = (Path(__file__).parents[3] / "docs" / "standing.md").read_text("utf-8")


def first_cells(heading: str) -> list[str]:
    table = DOCUMENT.split(f"| {heading} |", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def test_the_table_of_standings_names_each_of_them() -> None:
    assert first_cells("standing") == list(get_args(Standing))


def test_the_table_of_parts_names_each_kind() -> None:
    assert first_cells("part") == list(get_args(anchors.PartKind))


def test_thresholds_and_bounds_are_those_of_the_code() -> None:
    for promise in (
        f"P ≥ {stale_check.SURFACE.thresholds['holds_from']}",
        f"P < {stale_check.SURFACE.thresholds['stale_below']}",
        f"left the file alone for {edit_stale.QUIET_S:g} s",
        f"at most {stale_check.MOST_PAIRS} pairs of memory and file",
        f"its first {stale_check.HEAD_CHARS:,} characters",
        f"a name of the memory, {stale_check.MOST_FILE_CHARS:,} at most",
        f"up to {anchors.MAX_FILES} files",
        f"over {reading.MAX_FILE_BYTES // 1024**2} MiB",
        f"over {definitions.MAX_STRUCTURE_BYTES // 1024} KiB",
        f"Beyond {regions.MAX_SAME_NAME} the name",
        f"looked at every {sweep.WATCH_S:g} s",
        f"the newest {sweep.MOST_MEMORIES}",
        f"for at most {sweep.SWEEP_S:g} s",
        f"At most {Settings().notices} at once (setting `notices`",
        f"and {news.MOST_IN_A_SESSION} a session",
    ):
        assert promise in " ".join(DOCUMENT.split()), promise


def test_every_private_name_in_the_document_is_private() -> None:
    section = DOCUMENT.split("## What is never read", 1)[1].split("\n- What lies", 1)[0]
    files, folders = section.split("everything in")
    for name in re.findall(r"`([^`]+)`", files):
        assert paths.is_private(Path(name.replace("*", "x" if name[0] == "*" else ".local"))), name
    assert set(re.findall(r"`([^`]+)`", folders)) == paths.PRIVATE_FOLDERS
