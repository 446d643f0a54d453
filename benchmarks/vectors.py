"""Real vectors, made once and kept between runs."""

from __future__ import annotations

import hashlib
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hitherto_server.models import runtime
from hitherto_server.models.sources import fetch_model

if TYPE_CHECKING:
    from hitherto_server.models.files import ModelFiles
    from hitherto_server.models.traits import Role, Traits


@dataclass
class KeptVectors:
    """An embedder, as recall needs one, that computes each text once in the folder's life."""

    data: Path
    state: str = "ready"
    computed: int = 0
    _known: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self._file.exists():
            with np.load(self._file) as kept:
                self._known = dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))

    @property
    def model(self) -> Traits:
        """What recall knows of the model."""
        return self.files.traits

    @cached_property
    def files(self) -> ModelFiles:
        """The model's files."""
        return fetch_model(self.data / "models")

    def begin(self, text: str) -> Future[Any]:
        """Return a question's vector as recall waits for it, however long that takes."""
        done: Future[Any] = Future()
        done.set_result(self.of(text, "query"))
        return done

    def of(self, text: str, role: Role = "passage") -> Any:
        """Return a text's vector of length 1."""
        key = hashlib.sha256(f"{self.model.prefix(role)}{text}".encode()).hexdigest()[:32]
        if key not in self._known:
            self._known[key] = self._loaded.embed(text, role)
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
        self.computed = 0

    @cached_property
    def _loaded(self) -> Any:
        return runtime.load_model(self.files)

    @cached_property
    def _file(self) -> Path:
        # how a graph is run changes its vectors a little as well
        made_by = self.files.graph.read_bytes() + Path(runtime.__file__).read_bytes()
        graph = hashlib.sha256(made_by).hexdigest()[:12]
        return self.data / f"vectors-{self.model.name}-{graph}.npz"
