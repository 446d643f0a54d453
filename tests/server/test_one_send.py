"""Replies leave whole."""

from __future__ import annotations

import asyncio
import socket
from contextlib import closing
from typing import TYPE_CHECKING

from tests.server_process import ServerProcess

from hitherto_server.one_send import MOST_HELD, JoinedWrites

if TYPE_CHECKING:
    from pathlib import Path


class Recorded:
    """A transport that only writes down what it is told."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.is_closed = False

    def write(self, data: bytes) -> None:
        assert not self.is_closed
        self.sent.append(data)

    def is_closing(self) -> bool:
        return self.is_closed

    def close(self) -> None:
        self.is_closed = True

    def get_extra_info(self, name: str) -> str:
        return f"the {name}"


async def test_what_is_written_in_one_turn_is_one_send() -> None:
    recorded = Recorded()
    joined = JoinedWrites(recorded, asyncio.get_running_loop())  # type: ignore[arg-type]
    joined.write(b"head")
    joined.write(b"body")
    assert recorded.sent == []
    await asyncio.sleep(0)
    assert recorded.sent == [b"headbody"]
    joined.write(b"next")
    await asyncio.sleep(0)
    assert recorded.sent == [b"headbody", b"next"]


async def test_nothing_is_lost_by_a_close_or_a_large_reply() -> None:
    recorded = Recorded()
    joined = JoinedWrites(recorded, asyncio.get_running_loop())  # type: ignore[arg-type]
    joined.write(b"x" * (MOST_HELD + 1))
    assert len(recorded.sent) == 1
    joined.write(b"end")
    joined.close()
    assert recorded.sent[1:] == [b"end"]
    assert recorded.is_closed
    await asyncio.sleep(0)
    assert joined.get_extra_info("peer") == "the peer"


def test_a_reply_over_loopback_arrives_whole_and_at_once(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "home").start()
    try:
        with closing(socket.create_connection(("127.0.0.1", server.port))) as client:
            for _ in range(20):
                client.sendall(
                    f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
                )
                assert client.recv(1 << 16).endswith(b"}")
    finally:
        server.end()
