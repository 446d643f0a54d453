"""Requests that must be refused, and text that only looks like syntax."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MUCH = 10 * 1024 * 1024
NOBODY = "01a22bf4-ec96-7fad-a66d-ad7a276719dd"


@dataclass(frozen=True)
class Bad:
    """A request that must be refused, with the code that it is refused with."""

    what: str
    operation: str
    values: Any
    code: str = "invalid_input"

    def __str__(self) -> str:
        return f"{self.operation}: {self.what}"


def remembering(what: str, code: str = "invalid_input", **values: Any) -> Bad:
    return Bad(what, "remember", {"content": "A thing.", "scope": "user", **values}, code)


def recalling(what: str, code: str = "invalid_input", **values: Any) -> Bad:
    return Bad(what, "recall", {"query": "a thing", **values}, code)


REFUSED = [
    Bad("no content", "remember", {"scope": "user"}),
    remembering("a number as content", content=7),
    remembering("a list as content", content=["A thing."]),
    remembering("null as content", content=None),
    remembering("empty content", content=""),
    remembering("blank content", content=" \n\t "),
    remembering("10 MB of content", "too_large", content="x" * MUCH),
    remembering("a character too many", "too_large", content="x" * 20_001),
    remembering("a NUL in the content", content="a\x00b"),
    remembering("a lone surrogate in the content", content="a\ud800b"),
    remembering("a lone surrogate in a tag", tags=["\udfff"]),
    remembering("a NUL in a file", files=["a\x00b.py"]),
    remembering("a very long file", "too_large", files=["x" * 5000]),
    remembering("a very long tag", "too_large", tags=["x" * 201]),
    remembering("too many tags", "too_large", tags=[str(number) for number in range(21)]),
    remembering("a string as tags", tags="a tag"),
    remembering("an object as a tag", tags=[{}]),
    remembering("an unknown kind", kind="rumour"),
    remembering("an unknown scope", scope="everywhere"),
    remembering("an unknown field", colour="red"),
    remembering("a huge number", importance=10**400),
    remembering("importance 0", importance=0),
    remembering("half an importance", importance=5.5),
    remembering("a time beyond all years", true_from_ms=10**18),
    remembering("a negative time", true_from_ms=-1),
    remembering("an unknown category", category="nothing such"),
    remembering("a malformed id to supersede", supersedes=["'; DROP TABLE memory; --"]),
    remembering("an unknown id to supersede", "not_found", supersedes=[NOBODY]),
    Bad("dots out of the project", "remember", {"content": "A.", "files": ["../../etc/passwd"]}),
    Bad("an absolute file outside", "remember", {"content": "A.", "files": ["/etc/passwd"]}),
    Bad("a link out of the project", "remember", {"content": "A.", "files": ["link-out"]}),
    recalling("an empty query", query=""),
    recalling("a number as query", query=1),
    recalling("a query of 10 MB", "too_large", query="x" * MUCH),
    recalling("a NUL in the query", query="a\x00b"),
    recalling("a lone surrogate in the query", query="\udc80"),
    recalling("limit 0", limit=0),
    recalling("a huge limit", limit=10**30),
    recalling("an unknown field", unknown=True),
    Bad("an unknown id", "forget", {"id": NOBODY}, "not_found"),
    Bad("an unknown id", "restore", {"id": NOBODY}, "not_found"),
    Bad("an unknown id", "reflect", {"action": "confirm", "id": NOBODY}, "not_found"),
    Bad("an unknown id", "memories", {"view": "get", "ids": [NOBODY]}, "not_found"),
    Bad("an unknown id", "memories", {"view": "history", "ids": [NOBODY]}, "not_found"),
    Bad("a malformed id", "forget", {"id": "../memory.db"}),
    Bad("a malformed id", "forget", {"id": "1 OR 1=1"}),
    Bad("a very long id", "forget", {"id": "a" * 100_000}),
    Bad("no id", "forget", {}),
    Bad("a huge revision", "forget", {"id": NOBODY, "expected_revision": 10**40}, "not_found"),
    Bad("an unknown action", "reflect", {"action": "explode", "id": NOBODY}),
    Bad("nothing to change", "reflect", {"action": "edit", "id": NOBODY}),
    Bad("no revision to undo", "reflect", {"action": "undo", "id": NOBODY}),
    Bad("an unknown view", "memories", {"view": "passwords"}),
    Bad("no ids", "memories", {"view": "get"}),
    Bad("a huge offset", "memories", {"offset": 10**20}),
]
ONLY_HTTP = [
    Bad("an array as the request", "remember", ["content"]),
    Bad("a string as the request", "remember", "content"),
    Bad("null as the request", "recall", None),
    remembering("an unknown source", source="rumour"),
    remembering("a key of 10 kB", "too_large", idempotency_key="x" * 10_000),
    recalling("a relative folder", project_dir="somewhere"),
    recalling("a folder in dots", project_dir="../../.."),
    recalling("a NUL in the folder", project_dir="/tmp/\x00"),
    recalling("a very long folder", "too_large", project_dir="/" + "x" * 5000),
    Bad("an unknown field", "why", {"session": "s"}),
    Bad("a number as session", "why", {"session_id": 5}),
    Bad("no session", "memories", {"view": "events"}),
    Bad("nothing that was injected", "wrong", {"session_id": "nobody's"}, "not_found"),
    Bad("nothing that was said", "wrong", {"session_id": "nobody's", "undo": True}, "not_found"),
    Bad("a malformed id", "wrong", {"memory": "%' OR 1=1 --"}),
    Bad("a very long reason", "wrong", {"because": "x" * 2000}, "too_large"),
    Bad("a NUL in the reason", "wrong", {"because": "a\x00b"}),
    Bad("neither session nor path", "pause", {}),
    Bad("both session and path", "pause", {"session_id": "s", "path": "/a"}),
    Bad("a relative path", "pause", {"path": "a"}),
    Bad("a NUL in the path", "pause", {"path": "/a\x00b"}),
    Bad("a very long path", "pause", {"path": "/" + "x" * 5000}, "too_large"),
    Bad("no time at all", "pause", {"session_id": "s", "for_ms": 0}),
    Bad("a thousand years", "pause", {"session_id": "s", "for_ms": 10**15}),
    Bad("neither session nor path", "resume", {}),
    Bad("no path", "ignore", {}),
    Bad("a relative path", "ignore", {"path": "../a"}),
    Bad("a number as path", "ignore", {"path": 7}),
    Bad("neither session nor path", "purge", {}),
    Bad("a relative path", "purge", {"path": ".", "confirmed": True}),
    Bad("an unknown field", "purge", {"session_id": "s", "yes": True}),
]
SYNTAX = [
    "'; DROP TABLE memory; --",
    '" OR 1=1 --',
    "x' UNION SELECT id FROM memory --",
    '"unclosed',
    "a AND OR NOT NEAR(",
    "NEAR(a b, 5)",
    "body: secret",
    "{body context}: x",
    "^start + *",
    "* * *",
    "(((((",
    'col:"x" -y',
    "%_[]?",
    "\\",
    "\u202e \N{GRINNING FACE} \u0663",
    "m:00000000",
]
ODD_HOOKS = [
    {"session_id": "odd", "prompt": {"a": 1}},
    {"session_id": "odd", "prompt": ["x"], "cwd": 7},
    {"session_id": "odd", "cwd": "relative/folder"},
    {"session_id": "odd", "cwd": "/" + "x" * 100_000},
    {"session_id": "odd", "cwd": "/proc/self/cwd\x00"},
    {"session_id": "odd", "prompt": "a\x00b\ud800 which port?", "source": "\ud800"},
    {"session_id": "odd" * 1000, "tool_name": "x" * 10_000, "tool_input": []},
    {"session_id": "odd", "tool_input": {"file_path": "x" * 100_000}},
    {"session_id": "odd", "tool_name": "ExitPlanMode", "tool_response": {"plan": 5}},
    {"session_id": "odd", "tool_name": "ExitPlanMode", "tool_response": "plan", "cwd": "/tmp"},
    {"session_id": "odd", "n": 10**400},
]
