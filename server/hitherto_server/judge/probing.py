"""Finds out what a server speaks, with one question that tells nothing about anybody."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from hitherto_server.judge.answers import Unavailable
from hitherto_server.judge.chat import Chat, chat_base
from hitherto_server.judge.configuration import Backend
from hitherto_server.judge.profiles import PROFILES
from hitherto_server.judge.reading import UnreadableError, read_json
from hitherto_server.judge.systemone import SystemOne
from hitherto_server.judge.trial import QUESTIONS, STATE
from hitherto_server.judge.wire import OK, FailedError

if TYPE_CHECKING:
    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.profiles import Profile
    from hitherto_server.judge.reading import WireReply
    from hitherto_server.judge.wire import Wire

TIMEOUT_S = 20.0
MOST_MODELS = 50
SPEAKS_SOMETHING_ELSE = frozenset({404, 405, 501})
"""The statuses with which a server says that it knows no such request."""


@dataclass(frozen=True)
class Probed:
    """What was found out."""

    speaks: Literal["systemone", "openai"] | None
    profile: str | None = None
    model: str | None = None
    models: tuple[str, ...] = ()
    tells_probabilities: bool | None = None
    detail: str = ""


@dataclass(frozen=True)
class Probe:
    """Asks the one address that it is given."""

    wire: Wire
    clock: Clock

    async def look(self, base_url: str, model: str | None, key: str | None) -> Probed:
        """Return what the server at an address speaks; never raises but for its cancellation."""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return await self._look(base_url, model, key)
        except TimeoutError:
            return Probed(None, detail=f"no answer within {TIMEOUT_S:.0f} s")
        except FailedError as error:
            return Probed(None, detail=error.detail)

    async def _look(self, base_url: str, model: str | None, key: str | None) -> Probed:
        models = await self._models(base_url, key)
        profile = _native_profile(base_url)
        asked = Backend(profile, base_url, model or profile.model or "jev-latest")
        try:
            native = SystemOne(self.wire, self.clock)
            reply = await native.ask(asked, key, STATE, QUESTIONS)
        except FailedError as error:
            if error.status not in SPEAKS_SOMETHING_ELSE:
                return Probed(None, models=models, detail=error.detail)
        else:
            return _found("systemone", asked, models, reply)
        return await self._look_for_chat(base_url, model or next(iter(models), None), models, key)

    async def _look_for_chat(
        self, base_url: str, model: str | None, models: tuple[str, ...], key: str | None
    ) -> Probed:
        if model is None:
            detail = "it does not speak System One; for a chat model, name the model"
            return Probed(None, detail=detail)
        asked = Backend(PROFILES["openai"], base_url, model)
        try:
            chat = Chat(self.wire, self.clock)
            reply = await chat.ask(asked, key, STATE, QUESTIONS, careful=False)
        except FailedError as error:
            detail = f"it speaks neither System One nor chat: {error.detail}"
            return Probed(None, models=models, detail=detail)
        return _found("openai", asked, models, reply)

    async def _models(self, base_url: str, key: str | None) -> tuple[str, ...]:
        """Return the models that the server names, as either protocol lists them."""
        try:
            reply = await self.wire.get(f"{chat_base(base_url)}/models", key)
            said = read_json(reply.body) if reply.status == OK else {}
        except (FailedError, UnreadableError):
            return ()
        listed = said.get("models") if isinstance(said.get("models"), list) else said.get("data")
        found = (_name_of(one) for one in listed) if isinstance(listed, list) else ()
        return tuple(dict.fromkeys(name for name in found if name))[:MOST_MODELS]


def _found(
    speaks: Literal["systemone", "openai"],
    asked: Backend,
    models: tuple[str, ...],
    reply: WireReply,
) -> Probed:
    answer = reply.by_key["port"]
    detail = f"the answer can't be used: {answer.detail}" if isinstance(answer, Unavailable) else ""
    return Probed(speaks, asked.profile.name, asked.model, models, reply.calibrated, detail)


def _native_profile(base_url: str) -> Profile:
    """Return the profile of a known host, else the one for any server of that protocol."""
    host = urlsplit(base_url).hostname
    for profile in PROFILES.values():
        known = urlsplit(profile.base_url or "").hostname
        if profile.needs_key and known == host:
            return profile
    return PROFILES["custom"]


def _name_of(model: Any) -> str | None:
    if not isinstance(model, dict):
        return None
    name = model.get("id") or model.get("name")
    return name[:200] if isinstance(name, str) else None
