"""A request without its secrets: the first thing that a write does, before anything reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from hitherto_server.core.errors import OnlyASecret
from hitherto_server.gates.secrets import redact

if TYPE_CHECKING:
    from hitherto_contract import ForgetRequest, ReflectRequest, RememberRequest
    from hitherto_server.gates.judging import Patience
    from hitherto_server.gates.secrets import Redacted

Request = TypeVar("Request", "RememberRequest", "ReflectRequest", "ForgetRequest")
Written = TypeVar("Written", "RememberRequest", "ReflectRequest")

TAG = "redacted"
"""Marks a memory whose text lost a secret."""
TEXTS = ("source_ref", "idempotency_key", "state_key", "category", "actor")
LISTS = ("tags", "files")
TAKEN_OUT = re.compile(r"\[redacted:[\w-]+\]")
WORD = re.compile(r"\w*[^\W\d_]{2,}\w*")
LEAST_WORDS = 3


@dataclass(frozen=True)
class Cleaned(Generic[Request]):
    """A request whose every text went through the secret gate."""

    request: Request
    kinds: tuple[str, ...]
    """What its content lost."""
    judged: tuple[str, ...] = ()
    """What a judgment of its content has to say."""

    @property
    def notes(self) -> list[str]:
        """What the caller should hear of it."""
        if not self.kinds:
            return list(self.judged)
        return [f"a secret was taken out: {', '.join(self.kinds)}", *self.judged]


def cleaned(request: Request) -> Cleaned[Request]:
    """Take the secrets out of a request; a content that is hardly anything else is refused."""
    content = getattr(request, "content", None)
    return _cleaned(request, redact(content) if content else None)


async def cleaned_by_judgment(request: Written, patience: Patience) -> Cleaned[Written]:
    """Take the secrets out of a request; what is doubtful in its content may be judged."""
    from hitherto_server.judge.surfaces.secret_gate import SURFACE  # most writes never ask

    if not request.content or not patience.may_ask(SURFACE):
        return cleaned(request)
    from hitherto_server.gates.doubts import judged

    found = await judged(request.content, patience)
    return replace(_cleaned(request, found.content), judged=found.notes)


def _cleaned(request: Request, content: Redacted | None) -> Cleaned[Request]:
    found = {name: redact(text) for name in TEXTS if (text := getattr(request, name, None))}
    if content is not None:
        found["content"] = content
    clean: dict[str, object] = {name: one.text for name, one in found.items() if one.changed}
    for name in LISTS:
        texts = [redact(one) for one in getattr(request, name, None) or ()]
        if any(one.changed for one in texts):
            clean[name] = [one.text for one in texts]
    if content is not None and content.changed:
        _refuse_bare(content)
    kinds = content.kinds if content else ()
    return Cleaned(request.model_copy(update=clean) if clean else request, kinds)


def tagged(tags: list[str], kinds: tuple[str, ...]) -> list[str]:
    """Return the tags of a memory whose text lost secrets of these kinds."""
    return [*tags, TAG] if kinds and TAG not in tags else tags


def _refuse_bare(content: Redacted) -> None:
    if len(WORD.findall(TAKEN_OUT.sub(" ", content.text))) < LEAST_WORDS:
        message = f"the content is hardly more than a secret ({', '.join(content.kinds)})"
        raise OnlyASecret(message)
