"""A Messages API on loopback whose replies are written by a test instead of a model."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self, TypeAlias

if TYPE_CHECKING:
    from types import TracebackType

Json: TypeAlias = dict[str, Any]

SUMMARY = "<summary>\nThe conversation so far, in one line.\n</summary>"
# a few words of the client's own request for the summary of a compaction
COMPACTION_WORDS = "create a detailed summary of the conversation"
AGENT_HEADER = "x-claude-code-agent-id"
MESSAGES_PATH = "/v1/messages"


@dataclass(frozen=True)
class ToolCall:
    """A tool that the scripted model asks for."""

    name: str
    arguments: Json


@dataclass(frozen=True)
class Turn:
    """One reply of the scripted model."""

    text: str = "Done."
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True)
class ModelRequest:
    """A request as it reached the model; `index` counts the requests of its lane from 0."""

    lane: str
    index: int
    body: Json

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """All texts of the conversation, tool results included."""
        messages = self.body.get("messages", [])
        return tuple(text for message in messages for text in _texts_of(message["content"]))

    @property
    def tool_names(self) -> frozenset[str]:
        """The tools that were offered together with their schemas."""
        return frozenset(tool["name"] for tool in self.body.get("tools", []))

    def count(self, text: str) -> int:
        """How often the text stands in the conversation."""
        return sum(part.count(text) for part in self.texts)


Script: TypeAlias = Callable[[ModelRequest], Turn]


def play(*turns: Turn, **lanes: tuple[Turn, ...]) -> Script:
    """Reply with these turns in order, then "Done."; `agent_1=(…,)` scripts another lane."""
    scripts = {"main": turns, **{name.replace("_", ":"): lane for name, lane in lanes.items()}}

    def reply(request: ModelRequest) -> Turn:
        script = scripts.get(request.lane, ())
        if request.index < len(script):
            return script[request.index]
        return Turn(SUMMARY) if request.lane == "compact" else Turn()

    return reply


class ScriptedModel:
    """Serves a script on loopback and keeps every request that reached it."""

    def __init__(self, script: Script) -> None:
        self.requests: list[ModelRequest] = []
        self.failures: list[str] = []
        self._script = script
        self._served: Counter[str] = Counter()
        self._agents: dict[str, str] = {}
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"model": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, body: Json, agent_id: str | None) -> Json:
        """Return the message that the script gives for this request."""
        with self._lock:
            lane = self._lane_of(body, agent_id)
            request = ModelRequest(lane, self._served[lane], body)
            self._served[lane] += 1
            self.requests.append(request)
            serial = len(self.requests)
            return _message(self._reply(request), serial, str(body.get("model")))

    def _reply(self, request: ModelRequest) -> Turn:
        try:
            return Turn("A title") if request.lane == "side" else self._script(request)
        except Exception as error:  # noqa: BLE001  # the session re-raises it in the test's thread
            self.failures.append(repr(error))
            return Turn("The script failed.")

    def _lane_of(self, body: Json, agent_id: str | None) -> str:
        """Name the conversation: main, agent:1, agent:2, …, compact, or side (without tools)."""
        users = [message for message in body.get("messages", []) if message["role"] == "user"]
        newest = " ".join(_texts_of(users[-1]["content"])) if users else ""
        if COMPACTION_WORDS in newest.lower():
            return "compact"
        if not body.get("tools"):
            return "side"
        if agent_id is None:
            return "main"
        return self._agents.setdefault(agent_id, f"agent:{len(self._agents) + 1}")


def _texts_of(content: str | list[Json] | None) -> Iterator[str]:
    if isinstance(content, str):
        yield content
        return
    for block in content or []:
        match block.get("type"):
            case "text":
                yield block["text"]
            case "tool_result":
                yield from _texts_of(block.get("content"))
            case _:
                continue


def _message(turn: Turn, serial: int, model: str) -> Json:
    calls = [
        {
            "type": "tool_use",
            "id": f"toolu_{serial}_{n}",
            "name": call.name,
            "input": call.arguments,
        }
        for n, call in enumerate(turn.calls)
    ]
    return {
        "id": f"msg_{serial}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": turn.text}, *calls],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 50},
    }


def _stream_events(message: Json) -> Iterator[Json]:
    """Tell a finished message as the events of a stream."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start: Json = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": message["usage"]}
    yield {"type": "message_stop"}


class _Handler(BaseHTTPRequestHandler):
    """Speaks HTTP for one model; a subclass says which."""

    model: ScriptedModel
    protocol_version = "HTTP/1.1"
    # head and body leave in one packet: in two they wait 40 ms for each other
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # inherited name
        """Keep the test's output free of access logs."""

    def do_HEAD(self) -> None:
        self._send("application/json", b"", 200)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if self.path.partition("?")[0] != MESSAGES_PATH:
            self._send("application/json", b"{}", 404)
            return
        message = self.model.answer(body, self.headers.get(AGENT_HEADER))
        if body.get("stream"):
            self._send("text/event-stream", _as_stream(message), 200)
        else:
            self._send("application/json", json.dumps(message).encode(), 200)

    def _send(self, content_type: str, body: bytes, status: int) -> None:
        try:
            self.send_response(status)
            self.send_header("content-type", content_type)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()
        except ConnectionError:
            self.close_connection = True  # the client went away: its session was ended


def _as_stream(message: Json) -> bytes:
    events = (f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in _stream_events(message))
    return "".join(events).encode()
