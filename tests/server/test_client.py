"""The command line's way to the server: one that is busy is not one that is away."""

from __future__ import annotations

import socket
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hitherto_server import client
from hitherto_server.core.errors import ServerAway
from hitherto_server.core.home import Home

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def home() -> Iterator[Home]:
    with tempfile.TemporaryDirectory(prefix="h") as short:  # a socket's path has little room
        home = Home(Path(short))
        home.create()
        yield home


def test_a_server_that_takes_its_time_is_not_said_to_be_away(home: Home) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(home.socket))
        silent.listen()
        with pytest.raises(ServerAway, match="has not answered within") as refused:
            client.ask(home, "/v1/erase", {}, timeout_s=0.1)
    assert "hitherto status" in refused.value.mend
