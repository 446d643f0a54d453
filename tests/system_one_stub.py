"""A real HTTP server that speaks System One and says what a test wants it to say.

Unscripted it answers by a hash of state, words and option, so it is a server as the specification
wants one: `jevcompat test` passes. `python tests/system_one_stub.py PORT` serves in the foreground.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from hitherto_server.judge.answers import choice_confidence, score_confidence
from hitherto_server.judge.configuration import Backend
from hitherto_server.judge.profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hitherto_server.judge.client import Judge

MODEL = "jev-1.13.0"
MODELS = ("jev-latest", "jev-preview", MODEL)
PATH = "/v1/systemone"
MOST_OPTIONS, MOST_LEVELS = 255, 10
TEXT = (str, dict, list)

Scripted = Any
"""A noul's probability, an option's name, the probability of each option (a map) or of each level
(a list); None: by the hash."""


@dataclass(frozen=True)
class Fault:
    """How a request is answered instead of properly."""

    status: int = 200
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    hangs: bool = False
    """Say nothing until the stub is closed."""
    drip_s: float | None = None
    """Pause before each byte of the body."""
    drops: bool = False
    """Close the connection without an answer."""


BUSY = Fault(429, headers={"Retry-After": "30"})
BROKEN = Fault(500, b"oh dear")
GARBAGE = Fault(200, b"<html>not json</html>")
HANGING = Fault(hangs=True)
DRIPPING = Fault(drip_s=0.2)


@dataclass(frozen=True)
class Request:
    """What the stub was asked, as it came in."""

    path: str
    headers: Mapping[str, str]
    """By their names in lower case."""
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)

    @property
    def questions(self) -> dict[str, Any]:
        found: dict[str, Any] = self.body["questions"]
        return found

    @property
    def state(self) -> Any:
        return self.body["state"]


@dataclass
class SystemOneStub:
    """Serves on a free port of loopback between `with` and its end."""

    answers: Mapping[str, Scripted] | Callable[[Any, str, dict[str, Any]], Scripted] = field(
        default_factory=dict
    )
    """By question key; or called with the state, the key and the question."""
    key: str | None = None
    """Asked for as `Authorization: Bearer`, if there is one."""
    delay_s: float = 0.0
    fault: Fault | None = None
    """What happens to every request until it is taken away."""
    next_faults: deque[Fault] = field(default_factory=deque)
    """What happens to the next ones, one each."""
    port: int = 0
    model: str = MODEL
    speaks: bool = True
    """False: there is no such path, as with a server that speaks something else."""
    requests: list[Request] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)
    _server: ThreadingHTTPServer | None = None

    def __enter__(self) -> SystemOneStub:
        handler = type("Bound", (_Handler,), {"stub": self})
        self._server = _Server(("127.0.0.1", self.port), handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    @property
    def url(self) -> str:
        """The base URL that a person would configure."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def asked(self) -> list[Request]:
        """The requests for judgments, in the order in which they came."""
        return [one for one in self.requests if one.path == PATH]

    def serve(self) -> None:
        """Serve in this thread until the process ends."""
        with self:
            print(self.url, flush=True)
            self.closing.wait()

    def reply_to(self, request: Request, authorization: str | None) -> tuple[int, Any]:
        """Return the status and the body for a request that no fault befalls."""
        if (refused := self._refusal(authorization)) is not None:
            return refused
        if request.path == "/v1/models":
            return 200, {"models": [_model(name) for name in MODELS]}
        if request.path != PATH or not self.speaks:
            return 404, _detail("not_found", f"nothing is at {request.path}")
        return self._judged(request)

    def _judged(self, request: Request) -> tuple[int, Any]:
        try:
            body = request.body
        except ValueError:
            return 422, {"detail": [_wrong([], "this is no JSON", "json_invalid")]}
        if wrongs := _wrongs(body):
            return 422, {"detail": wrongs}
        if body["model"] not in {*MODELS, self.model}:
            return 400, _detail("api_usage_error", f"Unknown model: {body['model']}")
        return 200, self._answered(body)

    def _refusal(self, authorization: str | None) -> tuple[int, Any] | None:
        if self.key is None:
            return None
        if not authorization:
            return 403, _detail("authentication_error", "a key is needed")
        if not hmac.compare_digest(authorization.encode(), f"Bearer {self.key}".encode()):
            return 401, _detail("authentication_error", "the key is wrong")
        return None

    def _answered(self, body: dict[str, Any]) -> dict[str, Any]:
        asked = body["questions"]
        answers = {key: self._answer(body["state"], key, one) for key, one in asked.items()}
        tokens = len(json.dumps(body)) // 4
        usage = {"input_tokens": tokens, "output_tokens": 3 * len(answers)}
        return {"model": self.model, "answers": answers, "usage": usage}

    def _answer(self, state: Any, key: str, question: dict[str, Any]) -> dict[str, Any]:
        said = self.answers
        scripted = said(state, key, question) if callable(said) else said.get(key)
        match question["type"]:
            case "noul":
                probability = _by_hash(state, question, ("yes", "no"))[0]
                return {"type": "noul", "noul": probability if scripted is None else scripted}
            case "choice":
                return _choice(state, question, scripted)
            case _:
                return _score(state, question, scripted)


def _choice(state: Any, question: dict[str, Any], scripted: Any) -> dict[str, Any]:
    options = list(question["criteria"])
    if isinstance(scripted, str):
        scripted = _around(options, scripted)
    if scripted is None:
        scripted = dict(zip(options, _by_hash(state, question, options), strict=True))
    best = max(scripted, key=scripted.__getitem__)
    confidence = choice_confidence(scripted)
    return {
        "type": "choice",
        "choice": best,
        "probabilities": scripted,
        "confidence": confidence,
    }


def _score(state: Any, question: dict[str, Any], scripted: Any) -> dict[str, Any]:
    levels = question["criteria"]
    odds = tuple(scripted or _by_hash(state, question, [str(i) for i in range(len(levels))]))
    return {
        "type": "score",
        "score": sum(level * p for level, p in enumerate(odds)),
        "legend": {str(level): words for level, words in enumerate(levels)},
        "probabilities": {str(level): p for level, p in enumerate(odds)},
        "confidence": score_confidence(odds) if len(odds) > 1 else 1.0,
    }


def _around(options: Sequence[str], chosen: str) -> dict[str, float]:
    rest = 0.04 / max(1, len(options) - 1)
    return {one: (0.96 if len(options) > 1 else 1.0) if one == chosen else rest for one in options}


def _by_hash(state: Any, question: dict[str, Any], options: Sequence[str]) -> list[float]:
    words = json.dumps([state, question.get("instructions"), question.get("criteria")])
    weights = []
    for option in options:
        digest = hashlib.sha256(f"{words}\0{option}".encode(errors="replace")).digest()
        weights.append(math.exp(int.from_bytes(digest[:4], "big") / 2**31))
    total = sum(weights)
    return [one / total for one in weights]


def _wrongs(body: Any) -> list[dict[str, Any]]:
    if not isinstance(body, dict):
        return [_wrong([], "this is no map", "dict_type")]
    missing = [name for name in ("model", "state", "questions") if name not in body]
    if missing:
        return [_wrong([name], "it is missing", "missing") for name in missing]
    if not isinstance(body["model"], str):
        return [_wrong(["model"], "this is no string", "string_type")]
    if not isinstance(body["state"], TEXT):
        return [_wrong(["state"], "this is no string, map or list", "union_type")]
    if not isinstance(body["questions"], dict) or not body["questions"]:
        return [_wrong(["questions"], "this is no map with a question", "dict_type")]
    found = ((key, _question_wrong(one)) for key, one in body["questions"].items())
    return [_wrong(["questions", key], why, "value_error") for key, why in found if why]


def _question_wrong(question: Any) -> str | None:
    if not isinstance(question, dict):
        return "this is no map"
    instructions, criteria = question.get("instructions"), question.get("criteria")
    if instructions is not None and not isinstance(instructions, TEXT):
        return "the instructions are no text"
    match question.get("type"):
        case "noul":
            fits = criteria is None or (
                isinstance(criteria, dict) and not set(criteria) - {"true", "false"}
            )
        case "choice":
            fits = (
                isinstance(criteria, dict)
                and 1 <= len(criteria) <= MOST_OPTIONS
                and all(one is None or isinstance(one, TEXT) for one in criteria.values())
            )
        case "score":
            fits = (
                isinstance(criteria, list)
                and 1 <= len(criteria) <= MOST_LEVELS
                and all(isinstance(one, TEXT) for one in criteria)
            )
        case _:
            return "there is no such type"
    return None if fits else "the criteria are none of that type"


def _wrong(where: list[str], message: str, kind: str) -> dict[str, Any]:
    return {"loc": ["body", *where], "msg": message, "type": kind}


def _detail(kind: str, message: str) -> dict[str, Any]:
    return {"detail": {"error_type": kind, "message": message}}


def _model(name: str) -> dict[str, str]:
    return {"name": name, "description": "a stub for tests", "release_date": "2026-11-30"}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a caller that gave up is what tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stub: SystemOneStub

    def do_GET(self) -> None:
        self._reply()

    def do_POST(self) -> None:
        self._reply()

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - the base's name
        """Keep the tests' output clean."""

    def _reply(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, raw)
        stub = self.stub
        stub.requests.append(request)
        fault = stub.fault
        if fault is None and stub.next_faults:
            fault = stub.next_faults.popleft()
        if stub.closing.wait(stub.delay_s + (fault.delay_s if fault else 0)):
            return
        if fault is not None and self._is_silent(fault):
            return
        status, reply = stub.reply_to(request, self.headers.get("Authorization"))
        body = json.dumps(reply, ensure_ascii=False).encode()
        if fault is not None:
            status = fault.status if fault.status != 200 else status
            body = body if fault.body is None else fault.body
        with suppress(ConnectionError):
            self._send(status, body, fault or Fault())

    def _is_silent(self, fault: Fault) -> bool:
        if fault.hangs:
            self.stub.closing.wait()
        if fault.hangs or fault.drops:
            self.close_connection = True
            return True
        return False

    def _send(self, status: int, body: bytes, fault: Fault) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in fault.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if fault.drip_s is None:
            self.wfile.write(body)
            return
        for at in range(len(body)):
            if self.stub.closing.wait(fault.drip_s):
                return
            self.wfile.write(body[at : at + 1])


async def use_stub(judge: Judge, stub: SystemOneStub, profile: str = "custom") -> None:
    """Choose the stub as the backend of a judge, as a person would."""
    backend = Backend(PROFILES[profile], stub.url, stub.model)
    await judge.change(lambda config: replace(config, backend=backend))


def main() -> None:
    """Serve on the port that the command line names."""
    import sys

    SystemOneStub(port=int(sys.argv[1]) if len(sys.argv) > 1 else 0).serve()


if __name__ == "__main__":
    main()
