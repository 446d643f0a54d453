"""The model that answers now, and the one that is to follow it once its vectors are complete."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

from hitherto_server.core.errors import HithertoError, LanguageNotRead, ModelLoading
from hitherto_server.models.sources import find_model
from hitherto_server.recall.embedder import Embedder, EmbedderState

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from hitherto_server.models.traits import Role, Traits
    from hitherto_server.store.embedding_models import EmbeddingModel

    Vector = NDArray[np.float32]

SuccessionState = EmbedderState | Literal["changing"]
"""`changing`: the model is there, its vectors are not, and the former model is gone."""


class Succession:
    """Asks the model whose vectors are searched, whichever the settings name by now."""

    def __init__(
        self, models_dir: Path, configured: str, serving: EmbeddingModel | None = None
    ) -> None:
        self.wanted = Embedder(models_dir, configured)
        self.configured = configured
        self.former: Embedder | None = None
        self._models_dir = models_dir
        self._serving = serving

    @property
    def answering(self) -> Embedder | None:
        """The embedder that made the vectors which are searched, if it is loaded."""
        for embedder in (self.wanted, self.former):
            if embedder is not None and embedder.model is not None and self._is_serving(embedder):
                return embedder
        return None

    @property
    def model(self) -> Traits | None:
        """What is to be known of the model that answers."""
        return self.answering.model if self.answering else None

    @property
    def state(self) -> SuccessionState:
        """Whether a question can be given a vector."""
        if self.answering is not None:
            return "ready"
        if "loading" in {self.wanted.state, self.former.state if self.former else "absent"}:
            return "loading"
        return "changing" if self.wanted.state == "ready" else self.wanted.state

    @property
    def reason(self) -> str:
        """Why the state is what it is."""
        if self.answering is not None:
            return self.answering.reason
        if self.state == "changing":
            return f"the vectors of {self.wanted.reason.split()[0]} are still being made"
        return self.wanted.reason

    def start_loading(self) -> None:
        """Load what is wanted, and beside it the model whose vectors are still searched."""
        if self.former is None and self._needs_former():
            self.former = Embedder(self._models_dir, self._serving_from())
        for embedder in (self.wanted, self.former):
            if embedder is not None:
                embedder.start_loading()

    async def wait_loaded(self) -> None:
        """Return once all the loading that was started has ended."""
        for embedder in (self.wanted, self.former):
            if embedder is not None:
                await embedder.wait_loaded()

    async def embed(self, text: str, role: Role = "query", *, patient: bool = False) -> Vector:
        """Return the text's vector by the model that answers, or raise what keeps it from that."""
        return await asyncio.wrap_future(self.begin(text, role, patient=patient))

    def begin(self, text: str, role: Role = "query", *, patient: bool = False) -> Future[Vector]:
        """Begin to embed a text by the model that answers, or raise what keeps it from that.

        A question in another language than the model's is refused: its vector would lie near any
        text of that language.
        """
        answering = self.answering
        if answering is None:
            if self.state == "changing":
                raise ModelLoading(self.reason)
            answering = self.wanted
        elif role == "query" and not _reads(answering, text):
            message = "the model was not made for the question's language"
            raise LanguageNotRead(message)
        return answering.begin(text, role, patient=patient)

    def let_serve(self, model: EmbeddingModel) -> None:
        """Take note of whose vectors are searched from now on."""
        self._serving = model

    def retire_former(self) -> None:
        """Stop the model before, once no question needs it."""
        if self.former is not None and not self._is_serving(self.former):
            self.former.retire()
            self.former = None

    def close(self) -> None:
        """Stop all threads."""
        for embedder in (self.wanted, self.former):
            if embedder is not None:
                embedder.close()

    def _is_serving(self, embedder: Embedder) -> bool:
        if self._serving is None:  # there is no vector yet
            return embedder is self.wanted
        return embedder.model is not None and embedder.model.name == self._serving.name

    def _serving_from(self) -> str | None:
        return self._serving.configured if self._serving else None

    def _needs_former(self) -> bool:
        """Tell whether the vectors that are searched are of a model that stands elsewhere."""
        if self._serving is None or self._serving.configured == self.configured:
            return False
        try:
            wanted = find_model(self._models_dir, self.configured)
        except HithertoError:
            return True
        return wanted is None or wanted.traits.name != self._serving.name


def _reads(embedder: Embedder, text: str) -> bool:
    return embedder.model is None or embedder.model.reads(text)
