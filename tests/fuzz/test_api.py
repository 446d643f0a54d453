"""Every operation of the API, by its own OpenAPI: right and wrong requests, and none breaks it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import given
from schemathesis import GenerationMode
from tests.documented_errors import documented_codes
from tests.fuzzing import assert_sound, profile
from tests.server_process import ServerProcess

from hitherto_server.app import create_app, open_services
from hitherto_server.core.home import Home
from hitherto_server.core.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from schemathesis import APIOperation, Case, Response

EXAMPLES = 14
SLOWEST_S = 20.0
ENDS_THE_SERVER = "/v1/stop"


@pytest.fixture
async def operations(tmp_path: Path) -> list[APIOperation[Any, Any, Any, Any]]:
    """Return every operation of the OpenAPI; nothing else lists them."""
    home = Home(tmp_path / "document")
    home.create()
    async with open_services(home, Settings(), token="t", port=0) as services:
        app = await create_app(services).state.load()
        document = app.openapi()
    schema = schemathesis.openapi.from_dict(document)
    found = [one.ok() for one in schema.get_all_operations()]  # type: ignore[union-attr]
    assert len(found) > 20
    return found


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    # else a random backend would be asked a random thing
    environ = {"HITHERTO_JUDGE": "off"}
    server = ServerProcess(tmp_path_factory.mktemp("api") / "home", environ).start()
    server.call("remember", content="The port is 8080.", scope="user", tags=["server"])
    yield server
    server.end()


def send(server: ServerProcess, case: Case[Any]) -> Response:
    """Send a case over TCP, as a foreign program with the token would."""
    case.cookies.clear()
    url = f"http://127.0.0.1:{server.port}"
    return case.call(url, headers=server.bearer(), timeout=SLOWEST_S, allow_redirects=False)


def can_be(operation: APIOperation[Any, Any, Any, Any], mode: GenerationMode) -> bool:
    """Tell whether such a request exists: what takes nothing cannot be asked wrongly."""
    if operation.path == ENDS_THE_SERVER:
        return False
    return mode is not GenerationMode.NEGATIVE or bool(operation.body or operation.query)


def assert_answered(case: Case[Any], reply: Response) -> None:
    """Hold a reply to being a success, or a refusal with a code of docs/errors.md."""
    assert reply.status_code < 500, (case.as_curl_command(), reply.content[:500])
    if reply.status_code >= 400:
        error = json.loads(reply.content)["error"]
        assert error["code"] in documented_codes()
        assert error["message"]
        assert error["mend"]
    elif case.method == "POST":
        json.loads(reply.content)


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_no_request_breaks_an_operation(
    running: ServerProcess,
    operations: list[APIOperation[Any, Any, Any, Any]],
    mode: GenerationMode,
) -> None:
    for operation in operations:
        if not can_be(operation, mode):
            continue

        @profile(EXAMPLES)
        @given(case=operation.as_strategy(generation_mode=mode))
        def never_breaks(case: Case[Any]) -> None:
            reply = send(running, case)
            assert_answered(case, reply)
            if mode is GenerationMode.NEGATIVE and case.operation.body:
                assert reply.status_code >= 400, (case.as_curl_command(), reply.content[:500])

        never_breaks()
    assert_sound(running)


def test_whatever_stop_is_asked_with_it_stops_in_good_order(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "home").start()
    try:
        for body in (b'{"now": 1e999}', b"\xff"):
            assert server.send("POST", ENDS_THE_SERVER, body).status < 500
            assert server.wait_for_its_end() == 0
            assert server.tracebacks() == []
            server.start()
    finally:
        server.end()
