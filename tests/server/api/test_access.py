"""The middleware by itself: what it lets in, and what it reads of a body."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hitherto_server.api import access
from hitherto_server.api.access import Access
from hitherto_server.core.clock import now_ms
from hitherto_server.core.login import PASS_MS, make_pass

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

TOKEN = "the-token-of-the-test"
PASS = make_pass(TOKEN, now_ms())
ENDED = make_pass(TOKEN, now_ms() - PASS_MS - 1)
FOREIGN = make_pass("another-token", now_ms())
HOST = {"host": "127.0.0.1:7420"}


async def ask(
    *chunks: bytes,
    method: str = "POST",
    path: str = "/v1/remember",
    tcp: bool = True,
    token: str = TOKEN,
    cut: bool = False,
    **headers: str,
) -> tuple[int, Any, list[bytes]]:
    """Return the status, the reply, and the bodies that reached the application."""
    reached: list[bytes] = []
    sent: list[Message] = []
    last = {"type": "http.disconnect"} if cut else None
    waiting: list[Any] = [
        {"type": "http.request", "body": chunk, "more_body": cut or number < len(chunks) - 1}
        for number, chunk in enumerate(chunks or (b"",))
    ]
    if last is not None:
        waiting.append(last)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        reached.append((await receive())["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    async def receive() -> Any:
        return waiting.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    given = {"content-type": "application/json", **(HOST if tcp else {}), **headers}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "server": ("127.0.0.1", 7420) if tcp else ("/run/server.sock", None),
        "headers": [(n.replace("_", "-").encode(), v.encode("latin-1")) for n, v in given.items()],
    }
    await Access(app, token)(scope, receive, send)
    return sent[0]["status"], json.loads(sent[1]["body"]), reached


async def test_a_body_in_many_chunks_arrives_whole() -> None:
    status, _, reached = await ask(b"ab", b"", b"c", tcp=False)
    assert (status, reached) == (200, [b"abc"])


async def test_a_body_that_is_cut_off_never_arrives() -> None:
    status, reply, reached = await ask(b'{"content": "whole by itself"}', tcp=False, cut=True)
    assert (status, reply["error"]["code"], reached) == (400, "invalid_input", [])


@pytest.mark.parametrize(("size", "status"), [(0, 200), (10, 200), (11, 413), (25, 413)])
async def test_a_body_has_a_limit(monkeypatch: pytest.MonkeyPatch, size: int, status: int) -> None:
    monkeypatch.setattr(access, "MAX_BODY", 10)
    monkeypatch.setattr(access, "DRAINED", 20)
    assert (await ask(*[b"x"] * size, tcp=False))[0] == status


async def test_a_hooks_body_has_a_limit_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "MAX_BODY", 10)
    assert (await ask(b"x" * 100, path="/hook/Stop", tcp=False))[0] == 200


async def test_a_server_without_a_token_lets_nobody_in_over_tcp() -> None:
    for authorization in ("", "Bearer ", "Bearer"):
        assert (await ask(token="", authorization=authorization))[0] == 401
    assert (await ask(token=""))[0] == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": f"Bearer {TOKEN}"}, 200),
        ({"cookie": f"hitherto_pass={PASS}"}, 200),
        ({"cookie": f'hitherto_pass="{PASS}"'}, 200),
        ({"cookie": f"a/b=c; x; hitherto_pass={PASS}"}, 200),
        ({"cookie": f"hitherto_pass={TOKEN}"}, 401),
        ({"cookie": f"hitherto_pass={PASS}0"}, 401),
        ({"cookie": f"hitherto_pass=9{PASS}"}, 401),
        ({"cookie": f"hitherto_pass={ENDED}"}, 401),
        ({"cookie": f"hitherto_pass={FOREIGN}"}, 401),
        ({"authorization": f"Bearer {PASS}"}, 401),
        ({"cookie": f"other_hitherto_pass={PASS}"}, 401),
        ({"cookie": f"hitherto_pass=x; hitherto_pass={PASS}"}, 401),
        ({"authorization": "Bearer wrong", "cookie": f"hitherto_pass={PASS}"}, 401),
        ({"authorization": f"Bearer {TOKEN}", "host": "evil.example:7420"}, 403),
        ({"authorization": f"Bearer {TOKEN}", "host": ""}, 403),
        ({"authorization": f"Bearer {TOKEN}", "host": "[::1]:7420"}, 200),
        ({"authorization": f"Bearer {TOKEN}", "origin": "http://localhost:7420"}, 200),
        ({"authorization": f"Bearer {TOKEN}", "origin": "http://localhost:7421"}, 403),
        ({"authorization": f"Bearer {TOKEN}", "content_type": "text/plain"}, 400),
        ({"authorization": f"Bearer {TOKEN}", "x_hitherto_protocol": "2"}, 426),
        ({"authorization": f"Bearer {TOKEN}", "x_hitherto_protocol": "1"}, 200),
    ],
)
async def test_who_comes_in(headers: dict[str, str], status: int) -> None:
    assert (await ask(b"{}", **headers))[0] == status
