"""A hook's input is read with care: it comes from another program."""

from __future__ import annotations

import json

import pytest

from hitherto_server.core.errors import InvalidInput
from hitherto_server.sessions.bookkeeping import detail_of
from hitherto_server.sessions.call import hash_of, read_call


def read(**body: object) -> object:
    return read_call("Stop", json.dumps({"session_id": "s", **body}).encode(), at_ms=0)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b'{"session_id": null}',
        b'{"session_id": 1}',
        b'{"session_id": " "}',
        b'{"session_id": "\\u0000"}',
        b"[" * 100_000,
        b'{"session_id": "s", "a": "\xff"}',
    ],
)
def test_what_is_no_hook_input_is_refused(raw: bytes) -> None:
    with pytest.raises(InvalidInput):
        read_call("Stop", raw, at_ms=0)


def test_an_input_is_the_same_whether_it_came_directly_or_by_the_spool() -> None:
    direct = b'{\n  "session_id": "s",\r\n  "a": 1\n}\n'
    spooled = direct.replace(b"\r", b" ").replace(b"\n", b" ")
    assert hash_of(direct) == hash_of(spooled)
    assert hash_of(direct) != hash_of(direct.replace(b"1", b"2"))


@pytest.mark.parametrize(
    ("project", "cwd", "folder"),
    [
        ("/a%20b/%C3%BC", "/c", "/a b/ü"),
        (None, "/c", "/c"),
        ("", "/c", "/c"),
        ("relative", "/c", "/c"),
        ("/" + "x" * 5000, "/c", "/c"),
        (None, "relative", None),
        (None, 7, None),
        (None, "/" + "x" * 100_000, None),
    ],
)
def test_the_folder_is_the_first_that_could_be_one(
    project: str | None, cwd: object, folder: str | None
) -> None:
    raw = json.dumps({"session_id": "s", "cwd": cwd}).encode()
    assert read_call("Stop", raw, at_ms=0, project=project).folder == folder


def test_text_is_what_a_database_can_keep() -> None:
    raw = b'{"session_id": "s\\u0000\\ud800", "prompt": "a\\u0000b\\udfffc"}'
    call = read_call("Stop\ud800", raw, at_ms=0)
    assert (call.event, call.session_id, call.text("prompt")) == ("Stop?", "s?", "ab?c")


def test_neither_a_prompt_nor_a_command_nor_a_files_content_is_kept() -> None:
    secret = "sk-of-the-test"
    raw = json.dumps(
        {
            "session_id": "s",
            "prompt": secret,
            "last_assistant_message": secret,
            "tool_name": "Bash",
            "tool_input": {"command": secret, "file_path": "/p/a.py", "content": secret},
            "tool_response": {"stdout": secret},
            "tool_use_id": "t",
        }
    ).encode()
    detail = detail_of(read_call("PostToolUse", raw, at_ms=0))
    assert detail == {"tool_use_id": "t", "file": "/p/a.py", "prompt_chars": len(secret)}


def test_what_is_kept_is_bounded() -> None:
    raw = json.dumps(
        {"session_id": "s", "reason": "x" * 9999, "tool_input": {"file_path": "y" * 9999}}
    ).encode()
    assert len(json.dumps(detail_of(read_call("SessionEnd", raw, at_ms=0)))) < 1500
