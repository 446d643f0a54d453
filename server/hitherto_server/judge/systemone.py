"""Asks a server that speaks System One: all questions in one request."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hitherto_server.judge.answers import Choice, Noul, Unavailable
from hitherto_server.judge.patience import wait_asked_for
from hitherto_server.judge.questions import AskChoice, AskNoul, as_wire
from hitherto_server.judge.reading import UnreadableError, WireReply, read_reply
from hitherto_server.judge.wire import OK, FailedError, refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.answers import Answer
    from hitherto_server.judge.configuration import Backend
    from hitherto_server.judge.questions import Question
    from hitherto_server.judge.wire import Wire

PATH = "/v1/systemone"
TURNED = ("", "~turned")
"""What is put behind a key when its yes and no are asked for as A and B, and as B and A."""


@dataclass(frozen=True)
class SystemOne:
    """The native protocol."""

    wire: Wire
    clock: Clock

    async def ask(
        self, backend: Backend, key: str | None, state: Any, questions: Mapping[str, Question]
    ) -> WireReply:
        """Return what the backend answers; raise `FailedError` if that is nothing."""
        turns = backend.profile.nouls_as_choices
        asked = _as_choices(questions) if turns else dict(questions)
        told = {name: as_wire(one) for name, one in asked.items()}
        most = backend.profile.most_body_bytes
        longest = max(told.values(), key=lambda one: len(str(one)))
        encoded([state, longest], most // 2)
        body = encoded({"model": backend.wire_model, "state": state, "questions": told}, most)
        reply = await self.wire.post(backend.base_url + PATH, body, key)
        if reply.status != OK:
            raise refused(reply, wait_asked_for(reply.status, reply.headers, self.clock()))
        try:
            said = read_reply(reply.body, asked)
        except UnreadableError as error:
            raise FailedError("invalid", str(error)) from None
        return _as_nouls(said, questions) if turns else said


def encoded(value: Any, most_bytes: int) -> bytes:
    """Return a body, unless it is larger than the backend takes."""
    body = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    if len(body) > most_bytes:
        detail = f"{len(body)} bytes are more than the {most_bytes} that the backend takes"
        raise FailedError("budget", detail)
    return body


def _as_choices(questions: Mapping[str, Question]) -> dict[str, Question]:
    asked: dict[str, Question] = {}
    for key, one in questions.items():
        if isinstance(one, AskNoul):
            yes, no = one.yes or "Yes, it is so.", one.no or "No, it is not so, or nothing says so."
            asked[key + TURNED[0]] = AskChoice(one.instructions, {"A": yes, "B": no})
            asked[key + TURNED[1]] = AskChoice(one.instructions, {"A": no, "B": yes})
        else:
            asked[key] = one
    return asked


def _as_nouls(said: WireReply, questions: Mapping[str, Question]) -> WireReply:
    by_key: dict[str, Answer | Unavailable] = {}
    for key, one in questions.items():
        straight = said.by_key[key]
        if not isinstance(one, AskNoul):
            by_key[key] = straight
            continue
        turned = said.by_key[key + TURNED[1]]
        if isinstance(straight, Choice) and isinstance(turned, Choice):
            by_key[key] = Noul((straight.probabilities["A"] + turned.probabilities["B"]) / 2)
        else:
            by_key[key] = Unavailable("invalid", "one of both orders has no usable answer")
    return replace(said, by_key=by_key)
