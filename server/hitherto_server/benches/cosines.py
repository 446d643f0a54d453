"""How near two texts are by the installed model; nothing is said where there is none."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hitherto_server.recall.succession import Succession

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@dataclass(frozen=True)
class Cosines:
    """Embeds texts by a model of its own, beside the server's."""

    models: Succession

    @property
    def model(self) -> str | None:
        """The model's name, or None."""
        found = self.models.model
        return found.name if found else None

    async def between(self, one: str, other: str) -> float | None:
        """Return the cosine of two texts; None without a model that reads both."""
        model = self.models.model
        if model is None or not (model.reads(one) and model.reads(other)):
            return None
        vectors = [await self.models.embed(text, "passage") for text in (one, other)]
        return float(np.dot(*vectors))


@asynccontextmanager
async def measuring(models_dir: Path, configured: str) -> AsyncIterator[Cosines]:
    """Load the model, if there is one, and let it go at the end."""
    models = Succession(models_dir, configured)
    models.start_loading()
    await models.wait_loaded()
    try:
        yield Cosines(models)
    finally:
        models.close()
