"""What the end-to-end tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
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
