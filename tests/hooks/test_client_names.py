"""A hook says which client it is of, where that is not Claude Code, over both ways."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import hitherto_hooks

RUN = Path(hitherto_hooks.__file__).parent / "run.py"
NO_CONTENT = b"HTTP/1.1 204 No Content\r\nX-Hitherto-Protocol: 1\r\n\r\n"


def by(client: str) -> list[str]:
    """Run the hook with a client's name after the event's."""
    script = 'exec "$0" -I -S "$1" "$3" "$2"'
    return ["/bin/sh", "-c", script, sys.executable, str(RUN), client]


@pytest.mark.parametrize(
    ("client", "name"), [("codex", "Stop@codex"), ("", "Stop"), ("a b", "Stop"), ("../x", "Stop")]
)
def test_the_name_goes_with_the_event_to_the_server_and_into_the_spool(hook, server, client, name):
    hook("Stop", command=by(client))
    assert [record.event for record in hook.spooled()] == [name]
    fake = server(NO_CONTENT)
    assert hook("Stop", command=by(client)).is_silent()
    assert fake.requests[0].startswith(f"POST /hook/{name} HTTP/1.1\r\n".encode())


def test_the_deadline_is_the_events_whoever_the_client_is(hook, server):
    fake = server(NO_CONTENT)
    hook("UserPromptSubmit", command=by("codex"))
    assert b"X-Hitherto-Deadline-Ms: 300\r\n" in fake.requests[0]
