"""Asks a chat model over an OpenAI-compatible endpoint: one request a question.

The options stand under neutral letters, and the probability of each letter as the first token is
what is read. Where a server tells none, or there are too many letters, a JSON schema makes it name
one: that says which, and not how surely.
"""

from __future__ import annotations

import asyncio
import json
import string
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hitherto_server.judge.chat_reading import (
    Said,
    content_of,
    in_order,
    letter_of,
    reply_of,
    said_by,
    top_logprobs,
)
from hitherto_server.judge.chat_words import body_of, escaped, options_of
from hitherto_server.judge.patience import wait_asked_for
from hitherto_server.judge.reading import UnreadableError, WireReply, read_json
from hitherto_server.judge.systemone import encoded
from hitherto_server.judge.wire import OK, FailedError, refused

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.configuration import Backend
    from hitherto_server.judge.questions import Question
    from hitherto_server.judge.wire import Wire

PATH = "/chat/completions"
MOST_LETTERS = 15
TOP = 20
LEAST_MASS = 0.5
AT_ONCE = 4
SCHEMA_TOKENS = 30


@dataclass
class Chat:
    """The backend `openai`."""

    wire: Wire
    clock: Clock
    tells_no_odds: set[str] = field(default_factory=set)
    """The backends that gave no probabilities when they were asked for them."""

    async def ask(
        self,
        backend: Backend,
        key: str | None,
        state: Any,
        questions: Mapping[str, Question],
        *,
        careful: bool,
    ) -> WireReply:
        """Return what the backend answers; raise `FailedError` if that is nothing."""
        data, slots = escaped(state), asyncio.Semaphore(AT_ONCE)

        async def one(question: Question) -> list[Said] | FailedError:
            async with slots:
                try:
                    return await self._ask(backend, key, data, question, careful=careful)
                except FailedError as error:
                    return error

        tasks = [asyncio.ensure_future(one(question)) for question in questions.values()]
        try:
            said = await asyncio.gather(*tasks)
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise
        failed = [one for one in said if isinstance(one, FailedError)]
        if len(failed) == len(said):
            raise failed[0]
        by_key = {
            name: [Said(None, one.detail)] if isinstance(one, FailedError) else one
            for name, one in zip(questions, said, strict=True)
        }
        return reply_of(by_key, questions)

    async def _ask(
        self, backend: Backend, key: str | None, data: str, question: Question, *, careful: bool
    ) -> list[Said]:
        """Ask about the options in their order, and where that must not decide in the other."""
        straight = await self._ask_once(backend, key, data, question, turned=False)
        if not careful or straight.odds is None or not straight.has_odds:
            return [straight]
        return [straight, await self._ask_once(backend, key, data, question, turned=True)]

    async def _ask_once(
        self, backend: Backend, key: str | None, data: str, question: Question, *, turned: bool
    ) -> Said:
        options = options_of(question)
        order = list(range(len(options)))
        if turned:
            order.reverse()
        shown = [options[at] for at in order]
        by_letter = len(options) <= MOST_LETTERS and backend.identity not in self.tells_no_odds
        if by_letter:
            said = await self._by_letter(backend, key, data, question, shown)
            if said is not None:
                return in_order(said, order)
            self.tells_no_odds.add(backend.identity)
        return in_order(await self._by_schema(backend, key, data, question, shown), order)

    async def _by_letter(
        self, backend: Backend, key: str | None, data: str, question: Question, shown: Sequence[str]
    ) -> Said | None:
        """Return the probability of each option; None if the server tells none."""
        letters = string.ascii_uppercase[: len(shown)]
        asked = "Answer with the letter of one option and nothing else."
        body = {
            **body_of(backend, data, question, dict(zip(letters, shown, strict=True)), asked),
            "max_tokens": 1,
            "logprobs": True,
            "top_logprobs": TOP,
        }
        reply = await self._post(backend, key, body)
        top = top_logprobs(reply)
        if top is None:
            return None
        weights = [sum(p for token, p in top if letter_of(token) == letter) for letter in letters]
        mass = sum(weights)
        if mass < LEAST_MASS:
            told = f"only {mass:.2f} of what it would say is one of the options"
            return said_by(reply, None, told)
        return said_by(reply, tuple(one / mass for one in weights))

    async def _by_schema(
        self, backend: Backend, key: str | None, data: str, question: Question, shown: Sequence[str]
    ) -> Said:
        names = [str(number + 1) for number in range(len(shown))]
        asked = 'Answer with JSON: {"option": "NUMBER"}, the number of one option.'
        schema = {
            "type": "object",
            "properties": {"option": {"type": "string", "enum": names}},
            "required": ["option"],
            "additionalProperties": False,
        }
        body = {
            **body_of(backend, data, question, dict(zip(names, shown, strict=True)), asked),
            "max_tokens": SCHEMA_TOKENS,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": schema},
            },
        }
        reply = await self._post(backend, key, body)
        try:
            chosen = json.loads(content_of(reply)).get("option")
            at = names.index(str(chosen))
        except (ValueError, AttributeError, RecursionError):
            return said_by(reply, None, "it named none of the options")
        odds = tuple(float(number == at) for number in range(len(names)))
        return said_by(reply, odds, has_odds=False)

    async def _post(
        self, backend: Backend, key: str | None, body: dict[str, Any]
    ) -> dict[str, Any]:
        url = chat_base(backend.base_url) + PATH
        sent = encoded(body, backend.profile.most_body_bytes)
        reply = await self.wire.post(url, sent, key)
        if reply.status != OK:
            raise refused(reply, wait_asked_for(reply.status, reply.headers, self.clock()))
        try:
            return read_json(reply.body)
        except UnreadableError as error:
            raise FailedError("invalid", str(error)) from None


def chat_base(base_url: str) -> str:
    """Return where the paths of the protocol begin: people give it with and without `/v1`."""
    return base_url if base_url.endswith("/v1") else f"{base_url}/v1"
