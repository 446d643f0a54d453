"""Errors become replies: with a code, a mend, and nothing of what was sent at length."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.testclient import TestClient

from hitherto_contract import RememberRequest, build_models
from hitherto_server.api.replies import error_response, install_error_replies, invalid, refusal_of
from hitherto_server.core.errors import InvalidInput, StoreFull, TooLarge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.responses import Response


@pytest.fixture
def client() -> Iterator[TestClient]:
    build_models()
    app = FastAPI()

    @app.post("/remember")
    async def remember(asked: RememberRequest) -> dict[str, str]:
        return {"content": asked.content}

    @app.get("/full")
    async def full(_: Request) -> None:
        raise StoreFull("no space")

    @app.get("/bug")
    async def bug(_: Request) -> None:
        raise ZeroDivisionError("a secret of the test")

    install_error_replies(app)
    app.add_exception_handler(RequestValidationError, invalid)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def error_in(reply: Any) -> dict[str, Any]:
    error: dict[str, Any] = reply.json()["error"]
    assert set(error) == {"code", "message", "mend", "details"}
    return error


def test_an_expected_failure_has_its_status_and_its_mend(client: TestClient) -> None:
    reply = client.get("/full")
    assert (reply.status_code, error_in(reply)["code"]) == (507, "store_full")
    assert "Free some space" in error_in(reply)["mend"]


def test_a_bug_tells_nothing_but_its_kind(client: TestClient) -> None:
    reply = client.get("/bug")
    assert (reply.status_code, error_in(reply)["code"]) == (500, "internal")
    assert "secret of the test" not in reply.text
    assert "ZeroDivisionError" in reply.text


def test_a_wrong_field_is_named_and_not_quoted(client: TestClient) -> None:
    secret = "sk-of-the-test"
    reply = client.post("/remember", json={"content": "a", "kind": secret, "tags": [secret, 5]})
    assert reply.status_code == 400
    error = error_in(reply)
    assert {detail["field"] for detail in error["details"]} == {"kind", "tags.1"}
    assert secret not in reply.text


def test_many_wrong_fields_make_no_long_reply(client: TestClient) -> None:
    reply = client.post("/remember", json={f"{'x' * 1000}{number}": 1 for number in range(500)})
    assert reply.status_code == 400
    assert len(reply.content) < 12_000
    assert len(error_in(reply)["details"]) == 20


def test_a_path_is_not_quoted_at_length(client: TestClient) -> None:
    reply = client.get("/" + "x" * 5000)
    assert (reply.status_code, error_in(reply)["code"]) == (404, "not_found")
    assert len(reply.content) < 500


def test_another_method_keeps_its_status(client: TestClient) -> None:
    reply = client.put("/full")
    assert (reply.status_code, error_in(reply)["code"]) == (405, "invalid_input")


def test_a_message_that_cannot_be_encoded_is_sent_all_the_same() -> None:
    reply: Response = error_response(InvalidInput("a\ud800b"))
    assert json.loads(bytes(reply.body))["error"]["message"] == "a?b"


@pytest.mark.parametrize(
    ("errors", "kind"),
    [
        ([{"type": "string_too_long", "loc": ("a",), "msg": "m"}], TooLarge),
        ([{"type": "too_long", "loc": ("a",), "msg": "m"}], TooLarge),
        ([{"type": "missing", "loc": ("a",), "msg": "m"}], InvalidInput),
        ([{"type": "json_invalid", "loc": ("body", 3), "msg": "m"}], InvalidInput),
    ],
)
def test_too_much_has_a_code_of_its_own(errors: list[Any], kind: type[Exception]) -> None:
    assert type(refusal_of(errors)) is kind
