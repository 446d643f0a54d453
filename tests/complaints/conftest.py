"""One server a module with the real model, one of a test's own, and a large store."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.complaints_parts import model_is_ready
from tests.complaints_store import fill
from tests.server_process import ServerProcess, wait_until
from tests.session_process import Session
from tests.wiring import repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Iterator[ServerProcess]:
    """Return a server with the model loaded, which no test of the module may harm."""
    server = ServerProcess(tmp_path_factory.mktemp("shared") / "home")
    server.use_models(models_dir)
    server.start()
    wait_until(lambda: model_is_ready(server), "the model is loaded")
    yield server
    assert server.tracebacks() == []
    server.end()


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[ServerProcess]:
    """Return a server of the test's own, not started yet."""
    server = ServerProcess(tmp_path / "data home ü")
    yield server
    server.end()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a project's folder, with a first commit of its own."""
    return repository(tmp_path / "project")


@pytest.fixture
def session(shared: ServerProcess, folder: Path, request: pytest.FixtureRequest) -> Session:
    """Return a session with the shared server, in a project of the test's own."""
    return Session(shared, folder, request.node.name[:100])


@pytest.fixture
def own(alone: ServerProcess, folder: Path) -> Session:
    """Return a session with the server of the test's own."""
    return Session(alone, folder)


@pytest.fixture(scope="session")
def large(
    tmp_path_factory: pytest.TempPathFactory, models_dir: Path, model_dir: Path
) -> Iterator[Session]:
    """Return a session in a project of more than four thousand memories, with the real model."""
    server = ServerProcess(tmp_path_factory.mktemp("large") / "home")
    folder = repository(tmp_path_factory.mktemp("project"))
    server.use_models(models_dir)
    asyncio.run(fill(server.home, folder, model_dir))
    server.start()
    wait_until(lambda: model_is_ready(server), "the model is loaded")
    yield Session(server, folder, "large")
    server.end()
