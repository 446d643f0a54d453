"""A transcript's replies are counted once each, and what it does not say stays unknown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hitherto_server.sessions.worth.transcript import read_transcripts

if TYPE_CHECKING:
    from pathlib import Path

USAGE = {
    "input_tokens": 1000,
    "output_tokens": 50,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 20_000,
}
TIME = "2026-11-30T08:00:00.000Z"


def reply(name: str, block: dict[str, Any], usage: Any = USAGE, **more: Any) -> dict[str, Any]:
    message = {"id": name, "role": "assistant", "content": [block], "usage": usage, **more}
    return {"type": "assistant", "timestamp": TIME, "message": message}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_rows_of_one_reply_are_counted_once(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "make"}}
    path = write(
        tmp_path / "s.jsonl",
        reply("m1", text("I run it.")),
        reply("m1", call, {**USAGE, "output_tokens": 90}),
        reply("m2", text("Done.")),
    )
    seen = read_transcripts(path)
    assert seen is not None
    assert len(seen.usage.replies) == 2
    assert seen.usage.total("input_tokens") == 2000
    assert seen.usage.total("output_tokens") == 140
    assert seen.usage.total("cache_read_input_tokens") == 40_000


def test_a_class_that_no_reply_tells_is_unknown_and_not_nothing(tmp_path: Path) -> None:
    told = {"input_tokens": 5, "output_tokens": 0}
    path = write(tmp_path / "s.jsonl", reply("m1", text("a"), told), reply("m2", text("b"), None))
    seen = read_transcripts(path)
    assert seen is not None
    assert seen.usage.total("cache_read_input_tokens") is None
    assert seen.usage.total("output_tokens") == 0
    assert seen.usage.silent == 2


def test_what_the_client_says_itself_is_no_reply(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", reply("m1", text("Failed."), model="<synthetic>"))
    seen = read_transcripts(path)
    assert seen is not None
    assert seen.usage.total("input_tokens") is None


def test_subagents_are_counted_and_known_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", reply("m1", text("I send one.")))
    call = {"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "/p/a.py"}}
    write(tmp_path / "s" / "subagents" / "agent-a1.jsonl", reply("m9", call))
    seen = read_transcripts(path)
    assert seen is not None
    assert seen.usage.total("input_tokens") == 2000
    assert [(act.kind, act.path, act.agent) for act in seen.acts] == [
        ("reply", "", ""),
        ("look", "/p/a.py", "a1"),
    ]


def test_what_is_no_file_of_the_persons_own_is_not_read(tmp_path: Path) -> None:
    other = write(tmp_path / "other.jsonl", reply("m1", text("a")))
    (tmp_path / "s.jsonl").symlink_to(other)
    assert read_transcripts(other) is not None
    assert read_transcripts(tmp_path / "s.jsonl") is None
    assert read_transcripts(tmp_path / "gone.jsonl") is None


def test_a_torn_line_is_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", reply("m1", text("a")))
    with path.open("a") as file:
        file.write('{"type": "assistant", "message": {"id": "m2", "usa')
    seen = read_transcripts(path)
    assert seen is not None
    assert list(seen.usage.replies) == ["m1"]
