"""What every test gets: an environment in which the person's own things are out of reach."""

from __future__ import annotations

import ipaddress
import os
import socket
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ["tests.model_fixture"]

PERSONAL_PREFIXES = (
    "ANTHROPIC_",
    "AWS_",
    "CLAUDE",
    "GEMINI_",
    "HF_",
    "HITHERTO_",
    "HUGGING",
    "OPENAI_",
    "OPENROUTER_",
    "TYPESAFE_",
    "XDG_",
)
PERSONAL_WORDS = ("API_KEY", "SECRET", "PASSWORD")


class LeavesTheMachineError(AssertionError):
    """A test tried to reach another machine."""


def is_personal(name: str) -> bool:
    """Tell whether a variable may hold the person's configuration or a key."""
    return name.startswith(PERSONAL_PREFIXES) or any(word in name for word in PERSONAL_WORDS)


def is_loopback(address: Any) -> bool:
    """Tell whether a socket address stays on this machine."""
    if not isinstance(address, tuple):  # a unix socket
        return True
    if address[0] == "localhost":
        return True
    try:
        return ipaddress.ip_address(address[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def isolated(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test a home of its own, none of the person's settings or keys, and loopback only."""
    home = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if is_personal(name)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("HITHERTO_HOME", str(home / ".hitherto"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    _keep_on_loopback(monkeypatch)
    return home


def _keep_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if not is_loopback(address):
            raise LeavesTheMachineError(address)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
