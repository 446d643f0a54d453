"""One hook call: what the client said, when, and where."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from hitherto_hooks.masking import without_secrets
from hitherto_server.core.errors import InvalidInput
from hitherto_server.core.paths import local_path
from hitherto_server.core.text import storable
from hitherto_server.sessions.client.clients import DIALECTS, FILES, MOST_FILES, split_name

MAX_NAME_CHARS = 200
MAX_FOLDER_CHARS = 4096
FILE_FIELDS = ("file_path", "notebook_path")


@dataclass(frozen=True)
class HookCall:
    """A hook call, read with care: its fields come from another program."""

    event: str
    body: dict[str, Any]
    body_hash: str
    at_ms: int
    project_dir: str | None
    deadline_ms: int | None = None
    spooled: bool = False
    client: str = "claude-code"

    @property
    def files(self) -> list[str]:
        """The files that a tool was given, as this system spells them."""
        named = [self.text("tool_input", name) for name in FILE_FIELDS]
        given = self.body.get("tool_input")
        listed = given.get(FILES) if isinstance(given, dict) else None
        if isinstance(listed, list):
            named += [storable(one) for one in listed[:MOST_FILES] if isinstance(one, str)]
        return [local_path(name) or name for name in named if name]

    @property
    def session_id(self) -> str:
        return self.text("session_id", most=MAX_NAME_CHARS)

    @property
    def folder(self) -> str | None:
        """The project's folder: what the client names, else where it runs."""
        named = (self.project_dir or "", self.text("cwd"))
        found = (local_path(folder) for folder in named if len(folder) <= MAX_FOLDER_CHARS)
        return next(filter(None, found), None)

    def text(self, *path: str, most: int | None = None) -> str:
        """Return a text field as storable text; empty if it is missing or no text."""
        value: Any = self.body
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        return storable(value)[:most] if isinstance(value, str) else ""


def read_call(
    event: str,
    raw: bytes,
    *,
    at_ms: int,
    project: str | None = None,
    deadline_ms: int | None = None,
    spooled: bool = False,
) -> HookCall:
    """Read a hook's input; what is no JSON object with a session is refused."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError) as error:
        message = f"the hook's input is no JSON: {type(error).__name__}"
        raise InvalidInput(message) from error
    if not isinstance(body, dict) or not _is_name(body.get("session_id")):
        message = "the hook's input is no object with a session_id"
        raise InvalidInput(message)
    event, client = split_name(event)
    return HookCall(
        event=storable(event)[:MAX_NAME_CHARS],
        body=DIALECTS[client].understood(body),
        body_hash=hash_of(raw),
        at_ms=at_ms,
        project_dir=storable(unquote(project)) if project else None,
        deadline_ms=deadline_ms,
        spooled=spooled,
        client=client,
    )


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(storable(value).strip())


def hash_of(raw: bytes) -> str:
    """Return the sha256 of an input, the same whether it came directly or by the spool."""
    line = raw.replace(b"\r", b" ").replace(b"\n", b" ").strip()
    return hashlib.sha256(without_secrets(line)).hexdigest()
