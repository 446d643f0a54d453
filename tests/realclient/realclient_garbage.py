"""A socket that answers every hook with something that is not for the model."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager, suppress
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Garbage = Literal["a stranger's reply", "a broken object", "a reply cut short", "endless dripping"]

GARBAGE_WORD = "xyzzy-garbage"
# well-formed, so that a hook that printed it would put the word before the model
CONTEXT = {"hookEventName": "UserPromptSubmit", "additionalContext": GARBAGE_WORD}
OBJECT = json.dumps({"hookSpecificOutput": CONTEXT})
MARK = "X-Hitherto-Protocol: 1\r\n"


def _reply(body: str, length: int, mark: str = MARK) -> bytes:
    head = f"HTTP/1.1 200 OK\r\n{mark}Content-Type: application/json\r\n"
    return f"{head}Content-Length: {length}\r\n\r\n{body}".encode()


REPLIES: dict[Garbage, bytes] = {
    "a stranger's reply": _reply(OBJECT, len(OBJECT), mark=""),
    "a broken object": _reply(OBJECT[:-2], len(OBJECT) - 2),
    "a reply cut short": _reply(OBJECT, len(OBJECT) + 99),
    "endless dripping": _reply(OBJECT + " " * 10_000, 20_000),
}
PIECE_BYTES = 256
BETWEEN_PIECES_S = 0.1


@contextmanager
def serve_garbage(path: Path, garbage: Garbage) -> Iterator[None]:
    """Answer every connection to the socket with garbage of this kind."""
    ended = threading.Event()

    class Handler(StreamRequestHandler):
        timeout = 5

        def handle(self) -> None:
            reply = REPLIES[garbage]
            with suppress(OSError):  # the hook has its deadline and goes away
                self.request.recv(1 << 16)
                for start in range(0, len(reply), PIECE_BYTES):
                    self.request.sendall(reply[start : start + PIECE_BYTES])
                    if ended.wait(BETWEEN_PIECES_S):
                        return

    with ThreadingUnixStreamServer(str(path), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield
        finally:
            ended.set()
            server.shutdown()
            thread.join()
