"""Turns texts into vectors: one model, loaded in the background, a thread for those who wait."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

from hitherto_server.core.errors import HithertoError, ModelLoading, ModelMissing, ModelRefused
from hitherto_server.models.sources import find_model

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from hitherto_server.models.traits import Model, Role, Traits

    Vector = NDArray[np.float32]

EmbedderState = Literal["absent", "loading", "ready", "failed"]

PATIENT_NICENESS = 10
RETRY_S = 60.0
"""How long a model that could not be loaded is let be: each prompt asks for it."""


@dataclass(frozen=True, slots=True)
class EmbedderStatus:
    """How far the model is, and why it is no further."""

    state: EmbedderState
    reason: str


class Embedder:
    """Owns a model and its two threads: somebody waits for the first, nobody for the second."""

    def __init__(self, models_dir: Path, configured: str | None = None) -> None:
        self.configured = configured
        self._models_dir = models_dir
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedder")
        self._patient: ThreadPoolExecutor | None = None
        self._loading: Future[None] | None = None
        self._loaded: Model | None = None
        self._failed_at = 0.0
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
    def model(self) -> Traits | None:
        """What is to be known of the loaded model."""
        return self._loaded.traits if self._loaded else None

    def start_loading(self) -> None:
        """Load the model in the background, unless it loads, is ready, or has just failed."""
        if self._status.state in {"loading", "ready"} or self._has_just_failed():
            return
        if self._is_absent():  # said at once, so that recall says the same each time
            self._status = EmbedderStatus("absent", self._said_absent())
            return
        self._status = EmbedderStatus("loading", "the model is being loaded")
        self._loading = self._worker.submit(self._load)

    async def wait_loaded(self) -> EmbedderStatus:
        """Return the status once the loading that was started has ended."""
        if self._loading is not None:
            await asyncio.shield(asyncio.wrap_future(self._loading))
        return self._status

    async def embed(self, text: str, role: Role = "query", *, patient: bool = False) -> Vector:
        """Return the text's vector of length 1, or raise what keeps the model from answering.

        What is `patient` runs beside those who wait, and yields the processor to everything.
        """
        return await asyncio.wrap_future(self.begin(text, role, patient=patient))

    def begin(self, text: str, role: Role = "query", *, patient: bool = False) -> Future[Vector]:
        """Begin to embed a text, for who waits on a thread; raises as `embed` does."""
        loaded = self._get_loaded()
        worker = self._patient_worker() if patient else self._worker
        return worker.submit(_embedded, loaded, text, role)

    def retire(self) -> None:
        """Answer what was asked already, and stop the threads then."""
        for worker in (self._worker, self._patient):
            if worker is not None:
                worker.shutdown(wait=False)

    def close(self) -> None:
        """Let the running text end, drop those that wait, and stop the threads."""
        for worker in (self._worker, self._patient):
            if worker is not None:
                worker.shutdown(wait=True, cancel_futures=True)
        self._loaded = None
        self._status = EmbedderStatus("absent", "the server is stopping")

    def _patient_worker(self) -> ThreadPoolExecutor:
        if self._patient is None:
            self._patient = ThreadPoolExecutor(
                max_workers=1, thread_name_prefix="embedder-patient", initializer=_be_patient
            )
        return self._patient

    def _get_loaded(self) -> Model:
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

    def _has_just_failed(self) -> bool:
        is_recent = time.monotonic() - self._failed_at < RETRY_S
        return self._status.state == "failed" and is_recent

    def _is_absent(self) -> bool:
        try:
            return find_model(self._models_dir, self.configured) is None
        except HithertoError:
            return False  # it is there, and loading says what is wrong with it

    def _said_absent(self) -> str:
        return f"there is no model in {self.configured or self._models_dir}"

    def _load(self) -> None:
        try:
            found = find_model(self._models_dir, self.configured)
            if found is None:
                self._status = EmbedderStatus("absent", self._said_absent())
                return
            self._loaded = found.load()
        except HithertoError as error:
            self._fail(error.message)
        except Exception as error:  # noqa: BLE001 - onnxruntime and tokenizers raise bare Exceptions
            self._fail(f"{type(error).__name__}: {error}")
        else:
            self._status = EmbedderStatus("ready", f"{found.name} is loaded")

    def _fail(self, reason: str) -> None:
        self._failed_at = time.monotonic()
        self._status = EmbedderStatus("failed", reason)


def _embedded(loaded: Model, text: str, role: Role) -> Vector:
    try:
        return loaded.embed(text, role)
    except Exception as error:
        message = f"the model failed on a text: {type(error).__name__}: {error}"
        raise ModelRefused(message) from error


def _be_patient() -> None:
    # on Linux each thread has a niceness of its own; elsewhere it is the whole process's
    if hasattr(os, "setpriority") and os.uname().sysname == "Linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), PATIENT_NICENESS)
