"""Who calls: what a client says of its session and its project, unless it is no name at all."""

from __future__ import annotations

import pytest

from hitherto_mcp.tools.base import MAX_PATH_CHARS, Caller


@pytest.mark.parametrize(
    "folder",
    ["/a", "/a b", "/a\u00a0b", "/a\u2009b", "/d\u00e9j\u00e0", "/\u65e5\u672c", "/a\u200db"],
)
def test_a_folder_is_taken_as_it_is_spelled(folder: str) -> None:
    assert Caller.named(None, folder).project_dir == folder
    assert Caller.named(None, f" {folder}\n").project_dir == folder


@pytest.mark.parametrize(
    "folder",
    [
        None,
        "",
        "  ",
        "${CLAUDE_PROJECT_DIR}",
        "/a\nb",
        "/a\x00b",
        "/a\x1b[2J",
        "/a\x85",
        "/a\udcff",
        "/" + "x" * MAX_PATH_CHARS,
    ],
)
def test_what_is_no_folder_is_left_out(folder: str | None) -> None:
    assert Caller.named("s", folder).placed() == {"session_id": "s"}
