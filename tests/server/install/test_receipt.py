"""What an earlier version wrote down is still read."""

from __future__ import annotations

import json

import pytest

from hitherto_server.core.errors import UnreadableConfig
from hitherto_server.install.receipt import Registration, folder, read_receipt


def test_a_receipt_from_before_other_clients_is_read_as_claude_codes(client):
    client.install()
    path = folder(client.home) / "receipt.json"
    receipt = json.loads(path.read_bytes())
    del receipt["modes"]
    for registration in receipt["registrations"]:
        del registration["client"], registration["transport"]
    path.write_text(json.dumps(receipt))
    assert read_receipt(client.home).registrations == (Registration(str(client.root), "user"),)
    client.install()
    assert len(read_receipt(client.home).registrations) == 1
    client.uninstall()
    assert not client.settings.exists()
    assert not client.state.exists()


def test_a_transport_that_changed_is_one_registration(client):
    client.install(transport="http")
    client.install(transport="command")
    (registration,) = read_receipt(client.home).registrations
    assert registration.transport == "command"


def test_a_receipt_that_cannot_be_read_is_said_and_kept(client):
    client.install()
    path = folder(client.home) / "receipt.json"
    path.write_text("{")
    with pytest.raises(UnreadableConfig):
        client.install()
    assert path.read_text() == "{"
