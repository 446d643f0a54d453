"""Takes the secrets out of whatever is to be sent or logged."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

KEPT_TEXTS = 1024
MOST_KEPT_CHARS = 4000
ON_A_THREAD_CHARS = 4000
"""From so much text on, looking for secrets takes longer than the loop may be held up."""
MOST_CHARS = 400_000


class TooMuchError(Exception):
    """There is more text than any backend takes."""


@dataclass
class Redactor:
    """Redacts every string of a value; a text that it saw lately costs nothing."""

    redact: Callable[[str], str]
    _seen: OrderedDict[bytes, str] = field(default_factory=OrderedDict)
    """By a hash: what is here must not be readable here."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    async def clean(self, value: Any) -> Any:
        """Return the value without its secrets."""
        size = _size(value)
        if size > MOST_CHARS:
            message = f"{size} characters"
            raise TooMuchError(message)
        if size > ON_A_THREAD_CHARS:
            return await asyncio.to_thread(self._cleaned, value)
        return self._cleaned(value)

    def text(self, text: str) -> str:
        """Return a text without its secrets."""
        if len(text) > MOST_KEPT_CHARS:
            return self.redact(text)
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = self._seen.get(digest)
        if known is None:
            known = self.redact(text)
            with self._lock:
                self._seen[digest] = known
                while len(self._seen) > KEPT_TEXTS:
                    self._seen.popitem(last=False)
        return known

    def forget(self) -> None:
        """Forget the texts that were seen."""
        with self._lock:
            self._seen.clear()

    def _cleaned(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self._cleaned(key): self._cleaned(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self._cleaned(one) for one in value]
        return value


def _size(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(len(str(key)) + _size(one) for key, one in value.items())
    if isinstance(value, list | tuple):
        return sum(_size(one) for one in value)
    return 1
