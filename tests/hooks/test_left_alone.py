"""What is paused or ignored is not even written down while no server answers."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SOON_MS = 3_600_000


def note(home: Path, *lines: str) -> None:
    (home / "run").mkdir(parents=True, exist_ok=True)
    (home / "run" / "quiet").write_text("".join(f"{line}\n" for line in lines))


def body(session: str = "s1") -> bytes:
    return json.dumps({"session_id": session, "prompt": "something secret"}).encode()


@pytest.mark.parametrize("project", ["/a/private", "/a/private/deep", "/a/private/"])
def test_nothing_of_an_ignored_folder_reaches_the_spool(hook, project):
    note(hook.home, "0\tpath\t/elsewhere", "0\tpath\t/a/private")
    assert hook("UserPromptSubmit", body(), CLAUDE_PROJECT_DIR=project).is_silent()
    assert hook.spooled() == []
    assert hook.dropped() == 0


@pytest.mark.parametrize("project", ["/a/private-not", "/a", "/b/a/private", ""])
def test_what_lies_beside_it_does(hook, project):
    note(hook.home, "0\tpath\t/a/private")
    hook("UserPromptSubmit", body(), CLAUDE_PROJECT_DIR=project)
    assert len(hook.spooled()) == 1


def test_the_folder_that_a_hook_runs_in_counts_too(hook, tmp_path, monkeypatch):
    note(hook.home, f"0\tpath\t{tmp_path}")
    monkeypatch.chdir(tmp_path)
    hook("UserPromptSubmit", body())
    assert hook.spooled() == []


def test_a_name_with_spaces_and_letters_of_other_languages_is_met(hook, tmp_path):
    note(hook.home, "0\tpath\t/a%20b/%C3%A4")
    hook("UserPromptSubmit", body(), CLAUDE_PROJECT_DIR="/a b/ä/c")
    assert hook.spooled() == []


def test_nothing_of_a_paused_session_reaches_the_spool(hook):
    note(hook.home, f"{time.time_ns() // 1_000_000 + SOON_MS}\tsession\ts1")
    hook("UserPromptSubmit", body("s1"))
    hook("UserPromptSubmit", body("s11"))
    assert [json.loads(record.body)["session_id"] for record in hook.spooled()] == ["s11"]


def test_a_pause_that_is_over_counts_no_more(hook):
    note(hook.home, f"{time.time_ns() // 1_000_000 - 1}\tsession\ts1", "1\tpath\t/a")
    hook("UserPromptSubmit", body("s1"), CLAUDE_PROJECT_DIR="/a")
    assert len(hook.spooled()) == 1


@pytest.mark.parametrize("lines", ["", "\n\n", "nonsense", "x\tpath\t/a", "0\tpath", "0\tmoon\t/a"])
def test_a_note_that_says_nothing_hides_nothing(hook, lines):
    note(hook.home, *lines.split("\n"))
    hook("UserPromptSubmit", body(), CLAUDE_PROJECT_DIR="/a")
    assert len(hook.spooled()) == 1
