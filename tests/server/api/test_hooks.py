"""The first answers of a start: written out, and still what the contract says."""

from __future__ import annotations

import json
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from hitherto_contract import PROTOCOL, VERSION, Health
from hitherto_server.api import hooks


def test_who_answers_is_said_as_the_contract_says_it() -> None:
    with TestClient(Starlette(routes=[*hooks.ROUTES])) as client:
        said = Health.model_validate(client.get("/health").json())
    assert said == Health(version=VERSION, protocol=PROTOCOL)


@pytest.mark.parametrize(("more", "beside"), [(0, False), (hooks.READ_AT_ONCE, True)])
def test_a_large_call_is_read_beside_the_others(
    monkeypatch: pytest.MonkeyPatch, more: int, *, beside: bool
) -> None:
    read_by: list[int] = []
    real = hooks.read_call

    def watched(*given: Any, **named: Any) -> Any:
        read_by.append(threading.get_ident())
        return real(*given, **named)

    async def take(call: Any) -> dict[str, Any]:
        return {"length": len(call.text("prompt")), "loop": threading.get_ident()}

    monkeypatch.setattr(hooks, "read_call", watched)
    app = Starlette(routes=[*hooks.ROUTES])
    app.state.services = SimpleNamespace(clock=lambda: 0, sessions=SimpleNamespace(take=take))
    body = json.dumps({"session_id": "s", "prompt": "x" * more})
    with TestClient(app) as client:
        said = client.post("/hook/UserPromptSubmit", content=body).json()
    assert said["length"] == more
    assert (read_by != [said["loop"]]) is beside
