"""The vector of a question, made on the model's thread while a reader looks for its words."""

from __future__ import annotations

import time
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as TooSlow
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from hitherto_server.core.errors import ModelError

if TYPE_CHECKING:
    from concurrent.futures import Future

UNASKED_EMBED_S = 0.12
ASKED_EMBED_S = 1.0
"""What a recall waits for its query's vector; a prompt has 300 ms for everything."""

OK = "ok"


class NamedModel(Protocol):
    """A model that is loaded."""

    @property
    def name(self) -> str: ...


class Embeds(Protocol):
    """What recall needs of an embedder."""

    @property
    def state(self) -> str: ...
    @property
    def model(self) -> NamedModel | None: ...
    def begin(self, text: str) -> Future[Any]: ...


@dataclass(frozen=True)
class Dense:
    """The query's vector, or why there is none."""

    vector: bytes | None
    model: str | None
    reason: str = OK


@dataclass(frozen=True)
class Meaning:
    """A vector that is being made, or why none is."""

    model: str | None
    begun: Future[Any] | None = None
    begun_at: float = 0.0
    reason: str = OK

    def wait(self, at_most_s: float) -> Dense:
        """Return the vector; a model that takes longer leaves recall to the words."""
        if self.begun is None:
            return Dense(None, None, self.reason)
        left = self.begun_at + at_most_s - time.perf_counter()
        try:
            vector = self.begun.result(max(left, 0.0))
        except TooSlow:
            self.begun.cancel()
            return Dense(None, None, "model too slow")
        except CancelledError:
            return Dense(None, None, "model stopped")
        except ModelError as error:
            return Dense(None, None, _said(error))
        return Dense(vector.astype("<f4", copy=False).tobytes(), self.model)


def begin_meaning(embedder: Embeds, text: str | None) -> Meaning:
    """Have a question's text embedded, if the model can be asked."""
    if text is None:
        return Meaning(None, reason="no words beside names")
    model = embedder.model
    if embedder.state != "ready" or model is None:
        return Meaning(None, reason=f"model {embedder.state}")
    try:
        return Meaning(model.name, embedder.begin(text), time.perf_counter())
    except ModelError as error:
        return Meaning(model.name, reason=_said(error))


def _said(error: ModelError) -> str:
    return error.code.replace("_", " ")
