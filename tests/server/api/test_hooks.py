"""The first answers of a start: written out, and still what the contract says."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.testclient import TestClient

from hitherto_contract import PROTOCOL, VERSION, Health
from hitherto_server.api import hooks


def test_who_answers_is_said_as_the_contract_says_it() -> None:
    with TestClient(Starlette(routes=[*hooks.ROUTES])) as client:
        said = Health.model_validate(client.get("/health").json())
    assert said == Health(version=VERSION, protocol=PROTOCOL)
