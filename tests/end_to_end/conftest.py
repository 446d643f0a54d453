"""What the end-to-end tests share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from realclient_product import Product
from realclient_required import require_claude
from realclient_session import Place
from tests.server_process import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    """Return a server that is not started yet."""
    server = ServerProcess(tmp_path / "data home ü")
    yield server
    server.end()


@pytest.fixture(scope="session")
def claude() -> Path:
    """Return the client's binary; made before the guard of each test hides where it is."""
    return require_claude(os.environ)


@pytest.fixture
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """Return an installation with its server running."""
    product = Product(Place(tmp_path_factory.mktemp("a place")).create())
    try:
        product.start()
        product.run("install", "claude-code")
        yield product
    finally:
        product.end()
