"""What every test gets: an environment in which the person's own things are out of reach."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest_plugins = ["tests.model_fixture"]

PERSONAL_PREFIXES = ("HITHERTO_", "CLAUDE", "ANTHROPIC_", "OPENAI_", "OPENROUTER_", "HF_", "XDG_")
TOUCHABLE = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR")


@pytest.fixture(autouse=True)
def isolated(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test a home of its own and none of the person's configuration or keys."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(PERSONAL_PREFIXES):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("HITHERTO_HOME", str(home / ".hitherto"))
    return home
