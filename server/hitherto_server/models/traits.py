"""What the rest of the product must know of an embedding model, whatever runs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

Role = Literal["query", "passage"]
"""Some models give a question another vector than a text that is found by it."""

ENGLISH = ("en",)


@dataclass(frozen=True, slots=True)
class Traits:
    """A model as recall and the store see it."""

    name: str
    """Under it the vectors are stored: two models whose vectors differ never share one."""
    dimension: int
    languages: tuple[str, ...] = ()
    """ISO codes of what it was made for; empty: many, or nobody said."""
    query_prefix: str = ""
    passage_prefix: str = ""

    def reads(self, text: str) -> bool:
        """Tell whether the text seems to be in a language that the model was made for."""
        from hitherto_server.core.language import is_english

        return self.languages != ENGLISH or is_english(text)

    def prefix(self, role: Role) -> str:
        """Return what the model wants before a text."""
        return self.query_prefix if role == "query" else self.passage_prefix


class Model(Protocol):
    """A model in memory; may be asked from two threads at once."""

    @property
    def traits(self) -> Traits: ...
    def embed(self, text: str, role: Role) -> Vector: ...


def centred(vector: Vector, frame: Vector | None) -> Vector:
    """Return the vector of length 1, measured from where the model's vectors crowd.

    A frame's first row is that middle; the others are directions that tell languages apart.
    """
    if frame is None:
        return vector
    import numpy as np

    moved = vector - frame[0]
    moved = moved - (frame[1:] @ moved) @ frame[1:]
    length = float(np.linalg.norm(moved))
    unit: Vector = (moved / length).astype(np.float32) if length else vector
    return unit
