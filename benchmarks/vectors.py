"""Real vectors, made once and kept between runs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hitherto_server.models.runtime import embed_text, load_model
from hitherto_server.models.sources import fetch_model

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.models.files import ModelFiles
    from hitherto_server.models.traits import Traits


@dataclass
class KeptVectors:
    """An embedder, as recall needs one, that computes each text once in the folder's life."""

    data: Path
    state: str = "ready"
    computed: int = 0
    _known: dict[str, Any] = field(default_factory=dict)
    _loaded: Any = None
    _files: ModelFiles | None = None

    def __post_init__(self) -> None:
        if self._file.exists():
            with np.load(self._file) as kept:
                self._known = dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))

    @property
    def model(self) -> Traits:
        """What recall knows of the model."""
        return self.files.traits

    @property
    def files(self) -> ModelFiles:
        """The model's files."""
        if self._files is None:
            self._files = fetch_model(self.data / "models")
        return self._files

    async def embed(self, text: str, *_: Any, **__: Any) -> Any:
        """Return a text's vector, however long that takes."""
        return self.of(text)

    def of(self, text: str) -> Any:
        """Return a text's vector."""
        key = hashlib.sha256(text.encode()).hexdigest()
        if key not in self._known:
            if self._loaded is None:
                self._loaded = load_model(self.files)
            self._known[key] = embed_text(self._loaded, text)
            self.computed += 1
        return self._known[key]

    def keep(self) -> None:
        """Write down what was computed, for the next run."""
        if not self.computed:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        half = self._file.with_suffix(".half.npz")
        np.savez(
            half, keys=np.array(list(self._known)), vectors=np.stack(list(self._known.values()))
        )
        half.replace(self._file)

    @property
    def _file(self) -> Path:
        graph = hashlib.sha256(self.files.graph.read_bytes()).hexdigest()[:12]
        return self.data / f"vectors-{self.model.name}-{graph}.npz"
