"""Turns texts into vectors: one model, one thread, loaded in the background."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

from hitherto_server.core.errors import HithertoError, ModelLoading, ModelMissing, ModelRefused
from hitherto_server.models.files import is_intact
from hitherto_server.models.sources import find_model

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    from hitherto_server.models.files import ModelFiles

    Vector = NDArray[np.float32]

EmbedderState = Literal["absent", "loading", "ready", "failed"]

# tokenizing is linear in the text, and nothing past max_tokens is read: no language in the
# tokenizer's vocabulary spends more characters than this on a token
CHARACTERS_PER_TOKEN = 32


@dataclass(frozen=True, slots=True)
class EmbedderStatus:
    """How far the model is, and why it is no further."""

    state: EmbedderState
    reason: str


@dataclass(frozen=True, slots=True)
class _Loaded:
    files: ModelFiles
    tokenizer: Tokenizer
    session: InferenceSession
    inputs: frozenset[str]


class Embedder:
    """Owns the one thread on which the model is loaded and runs."""

    def __init__(self, models_dir: Path, configured: str | None = None) -> None:
        self._models_dir = models_dir
        self._configured = configured
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedder")
        self._loading: Future[None] | None = None
        self._loaded: _Loaded | None = None
        self._status = EmbedderStatus("absent", "nothing has asked for the model yet")

    @property
    def status(self) -> EmbedderStatus:
        """The state together with its reason."""
        return self._status

    @property
    def state(self) -> EmbedderState:
        """Whether the model can be asked."""
        return self._status.state

    @property
    def reason(self) -> str:
        """Why the state is what it is."""
        return self._status.reason

    @property
    def model(self) -> ModelFiles | None:
        """The loaded model's name, dimension and files."""
        return self._loaded.files if self._loaded else None

    def start_loading(self) -> None:
        """Load the model in the background; does nothing while it loads or once it is ready."""
        if self._status.state in {"loading", "ready"}:
            return
        self._status = EmbedderStatus("loading", "the model is being loaded")
        self._loading = self._worker.submit(self._load)

    async def wait_loaded(self) -> EmbedderStatus:
        """Return the status once the loading that was started has ended."""
        if self._loading is not None:
            await asyncio.shield(asyncio.wrap_future(self._loading))
        return self._status

    async def embed(self, text: str) -> Vector:
        """Return the text's vector of length 1, or raise what keeps the model from answering."""
        loaded = self._get_loaded()
        return await asyncio.wrap_future(self._worker.submit(_run, loaded, text))

    def close(self) -> None:
        """Let the running text end, drop those that wait, and stop the thread."""
        self._worker.shutdown(wait=True, cancel_futures=True)

    def _get_loaded(self) -> _Loaded:
        status, loaded = self._status, self._loaded
        match status.state:
            case "absent":
                raise ModelMissing(status.reason)
            case "loading":
                raise ModelLoading(status.reason)
            case "failed":
                raise ModelRefused(status.reason)
            case "ready":
                if loaded is None:
                    raise ModelMissing("the model is said to be ready and is not there")
                return loaded
            case _:
                assert_never(status.state)

    def _load(self) -> None:
        try:
            found = find_model(self._models_dir, self._configured)
            if found is None:
                place = self._configured or self._models_dir
                self._status = EmbedderStatus("absent", f"there is no model in {place}")
                return
            self._loaded = _load(found)
        except HithertoError as error:
            self._status = EmbedderStatus("failed", error.message)
        except Exception as error:  # noqa: BLE001 - onnxruntime and tokenizers raise bare Exceptions
            self._status = EmbedderStatus("failed", f"{type(error).__name__}: {error}")
        else:
            self._status = EmbedderStatus("ready", f"{found.name} is loaded")


def _load(files: ModelFiles) -> _Loaded:
    from tokenizers import Tokenizer

    if not is_intact(files):
        message = f"{files.graph} is not the graph that its model.json was written for"
        raise ModelRefused(message)
    tokenizer = Tokenizer.from_file(str(files.tokenizer))
    # the file may ask for padding to a fixed length and for another cut
    tokenizer.no_padding()
    tokenizer.enable_truncation(files.description.max_tokens)
    session = _open_session(files.graph)
    loaded = _Loaded(files, tokenizer, session, frozenset(i.name for i in session.get_inputs()))
    _run(loaded, "the first text pays for what is set up on demand")
    return loaded


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
        str(graph), sess_options=options, providers=["CPUExecutionProvider"]
    )


def _run(loaded: _Loaded, text: str) -> Vector:
    import numpy as np

    tokens = loaded.tokenizer.encode(_readable(text, loaded.files.description.max_tokens))
    ids = np.array([tokens.ids], dtype=np.int64)
    given = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }
    asked = {name: value for name, value in given.items() if name in loaded.inputs}
    vector: Vector = loaded.session.run(None, asked)[0][0].astype(np.float32, copy=False)
    return vector


def _readable(text: str, max_tokens: int) -> str:
    cut = text[: max_tokens * CHARACTERS_PER_TOKEN]
    # a lone surrogate is no text for the tokenizer
    return cut.encode("utf-8", "replace").decode("utf-8")
