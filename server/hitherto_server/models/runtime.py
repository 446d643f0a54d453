"""Runs a model on onnxruntime; what is heavy is imported when the first model is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.errors import ModelRefused
from hitherto_server.models.files import is_intact
from hitherto_server.models.traits import centred

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    from hitherto_server.models.files import ModelFiles
    from hitherto_server.models.traits import Role, Traits

    Vector = NDArray[np.float32]

# tokenizing is linear in the text, and nothing past max_tokens is read: no language in the
# tokenizer's vocabulary spends more characters than this on a token
CHARACTERS_PER_TOKEN = 32
# the fused kernel of a sum and its normalisation is slower than the two kernels it replaces
SLOWER_FUSIONS = ["SkipLayerNormFusion"]


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model in memory: its tokenizer, its session, and what the session asks for."""

    files: ModelFiles
    tokenizer: Tokenizer
    session: InferenceSession
    inputs: frozenset[str]
    traits: Traits
    frames: tuple[Vector, Vector] | None = None

    def embed(self, text: str, role: Role) -> Vector:
        """Return the text's vector of length 1, with the prefix that its role wants."""
        vector = embed_text(self, self.traits.prefix(role) + text)
        return centred(vector, self.frames and self.frames[0 if role == "query" else 1])


def load_model(files: ModelFiles) -> LoadedModel:
    """Load the model, refusing a graph that is not the one it was written with."""
    from tokenizers import Tokenizer

    if not is_intact(files):
        message = f"{files.graph} is not the graph that its model.json was written for"
        raise ModelRefused(message)
    tokenizer = Tokenizer.from_file(str(files.tokenizer))
    # the file may ask for padding to a fixed length and for another cut
    tokenizer.no_padding()
    tokenizer.enable_truncation(files.description.max_tokens)
    session = _open_session(files.graph)
    inputs = frozenset(i.name for i in session.get_inputs())
    loaded = LoadedModel(
        files, tokenizer, session, inputs, files.traits, _read_frames(files.frames)
    )
    embed_text(loaded, "the first text pays for what is set up on demand")
    return loaded


def _read_frames(path: Path) -> tuple[Vector, Vector] | None:
    import numpy as np

    if not path.is_file():
        return None
    both = np.load(path)
    return both[0], both[1]


def _open_session(graph: Path) -> InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    # the arena keeps the largest text's memory for ever
    options.enable_cpu_mem_arena = False
    return onnxruntime.InferenceSession(
        str(graph),
        sess_options=options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=SLOWER_FUSIONS,
    )


def embed_text(loaded: LoadedModel, text: str) -> Vector:
    """Return the text's vector of length 1."""
    import numpy as np

    tokens = loaded.tokenizer.encode(readable(text, loaded.files.description.max_tokens))
    ids = np.array([tokens.ids], dtype=np.int64)
    given = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }
    asked = {name: value for name, value in given.items() if name in loaded.inputs}
    vector: Vector = loaded.session.run(None, asked)[0][0].astype(np.float32, copy=False)
    return vector


def readable(text: str, max_tokens: int) -> str:
    """Return as much of the text as the model can read, without what is no text."""
    cut = text[: max_tokens * CHARACTERS_PER_TOKEN]
    # a lone surrogate is no text for the tokenizer
    return cut.encode("utf-8", "replace").decode("utf-8")
