"""What the tests of the client's own contract share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from realclient_probe import Probe
from realclient_required import require_claude
from realclient_session import Place

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def claude() -> Path:
    """Return the client's binary; made before the guard of each test hides where it is."""
    return require_claude(os.environ)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a fresh home and project."""
    return Place(tmp_path / "place").create()


@pytest.fixture
def probe(tmp_path: Path) -> Probe:
    """Return a maker of hook commands that keep what they hear."""
    folder = tmp_path / "heard"
    folder.mkdir()
    return Probe(folder)
