"""What a server speaks is found out by asking it, and with whose key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.server.judge.test_chat import ChatStub
from tests.system_one_stub import HANGING, Fault, SystemOneStub

from hitherto_server.core.errors import InvalidInput
from hitherto_server.judge.addresses import base_url_of

if TYPE_CHECKING:
    from tests.server.judge.conftest import Bench


async def test_a_server_that_speaks_system_one_is_known(bench: Bench) -> None:
    found = await bench.judge.probe(bench.stub.url, None)
    assert (found.speaks, found.profile, found.model) == ("systemone", "custom", "jev-latest")
    assert "jev-latest" in found.models


async def test_a_server_without_that_path_is_asked_as_a_chat_model(bench: Bench) -> None:
    with ChatStub() as chat:
        unnamed = await bench.judge.probe(chat.url, None)
        assert unnamed.speaks is None
        assert "name the model" in unnamed.detail
        found = await bench.judge.probe(chat.url, "chat")
        assert (found.speaks, found.profile, found.model) == ("openai", "openai", "chat")
        assert found.tells_probabilities


@pytest.mark.parametrize(
    "fault", [Fault(500), Fault(401), Fault(200, b"<html>"), Fault(drops=True)]
)
async def test_a_server_that_answers_neither_is_told_as_it_is(bench: Bench, fault: Fault) -> None:
    bench.stub.fault = fault
    found = await bench.judge.probe(bench.stub.url, "m")
    assert found.speaks is None
    assert found.detail


async def test_a_server_that_hangs_is_given_up(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hitherto_server.judge.probing.TIMEOUT_S", 0.5)
    bench.stub.fault = HANGING
    assert (await bench.judge.probe(bench.stub.url, None)).speaks is None


async def test_the_key_goes_along_only_where_it_was_given_for(bench: Bench) -> None:
    await bench.judge.switches.give_key("key-of-a-test")
    with SystemOneStub() as other:
        await bench.judge.probe(other.url, None)
        assert all("authorization" not in one.headers for one in other.requests)
        assert other.requests
    await bench.judge.probe(bench.stub.url, None)
    assert bench.stub.requests[-1].headers["authorization"] == "Bearer key-of-a-test"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (" https://API.example.com/ ", "https://api.example.com"),
        ("https://api.example.com/v1/systemone", "https://api.example.com"),
        ("https://h.example/api/v1/chat/completions", "https://h.example/api"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://localhost:8080/v1", "http://localhost:8080/v1"),
    ],
)
def test_an_address_is_kept_without_what_is_made_of_it(text: str, kept: str) -> None:
    assert base_url_of(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "",
        "api.example.com",
        "ftp://example.com",
        "https://",
        "http://example.com",
        "http://127.0.0.1.example.com",
        "http://10.0.0.2:8080",
        "https://user:pass@example.com",
        "https://example.com/?key=1",
        "https://example.com/#a",
        "https://exa mple.com",
        "https://example.com:99999",
        "https://" + "a" * 600,
    ],
)
def test_what_would_carry_judged_text_in_the_clear_or_hide_a_key_is_no_address(text: str) -> None:
    with pytest.raises(InvalidInput):
        base_url_of(text)
