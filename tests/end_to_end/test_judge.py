"""A judge is chosen, tried, switched and looked at through a real server and the command line."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.server_process import wait_until
from tests.system_one_stub import HANGING, SystemOneStub

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server_process import ServerProcess

KEY = "key-0123456789-of-a-test"
IN_FORCE_S = 3.0
SLACK_S = 1.0


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub({"port": 0.97}, key=KEY) as serving:
        yield serving


@pytest.fixture
def judged(server: ServerProcess, stub: SystemOneStub) -> ServerProcess:
    """Return a server whose judge is the stub, with its key."""
    server.start()
    says(server, "judge", "use", "custom", "--url", stub.url, "--model", stub.model)
    done = server.run("judge", "key", input=f"{KEY}\n".encode())
    assert done.returncode == 0, done.stderr
    return server


def says(server: ServerProcess, *arguments: str) -> str:
    """Return what a command printed; it must succeed."""
    done = server.run(*arguments)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def trial(server: ServerProcess) -> Any:
    """Try the backend out and return what came of it."""
    return server.call("judge/test")


def test_a_judge_is_chosen_given_its_key_and_tried_out(
    judged: ServerProcess, stub: SystemOneStub
) -> None:
    assert "answered in" in says(judged, "judge", "test")
    told = says(judged, "judge", "status")
    assert "its key is here" in told
    assert "duplicate-gate" in told
    told = says(judged, "judge", "log")
    assert "trial: answered" in told
    assert f"custom at {stub.url}" in judged.run("doctor").stdout.decode()
    entries = json.loads(says(judged, "judge", "log", "--json"))["entries"]
    assert entries[0]["answers"] == {"port": {"noul": 0.97}}
    assert says(judged, "judge", "log", "--sessions") == "Nothing was judged for any session.\n"


def test_the_address_of_a_server_says_what_it_speaks(
    server: ServerProcess, stub: SystemOneStub
) -> None:
    stub.key = None
    server.start()
    assert f"custom at {stub.url}" in says(server, "judge", "use", stub.url)
    stub.speaks = False
    refused = server.run("judge", "use", stub.url)
    assert refused.returncode == 2
    assert b"can't be asked" in refused.stderr


def test_a_trial_that_fails_says_why_and_fails(judged: ServerProcess, stub: SystemOneStub) -> None:
    stub.key = "another"
    done = judged.run("judge", "test")
    assert done.returncode == 1
    assert b"the key is refused" in done.stdout


def test_switches_and_thresholds_are_set_and_survive_a_restart(judged: ServerProcess) -> None:
    says(judged, "judge", "set", "duplicate-gate", "least_probability=0.9", "timeout_s=2")
    says(judged, "judge", "off", "rerank")
    judged.restart()
    surfaces = {one["name"]: one for one in judged.get("/v1/judge/config").json["surfaces"]}
    gate = surfaces["duplicate-gate"]
    assert (gate["thresholds"]["least_probability"], gate["timeout_s"]) == (0.9, 2)
    assert not surfaces["rerank"]["on"]
    says(judged, "judge", "set", "duplicate-gate", "--reset")
    says(judged, "judge", "on", "rerank")
    refused = judged.run("judge", "set", "importance-kind", "apply_importance=on")
    assert b"switch_locked" in refused.stderr


REFUSED = (
    ("use", "nobody"),
    ("use", "custom"),
    ("use", "http://example.com"),
    ("set", "rerank"),
    ("set", "rerank", "nothing"),
    ("set", "rerank", "nothing=1"),
    ("set", "nothing", "timeout_s=1"),
    ("off", "nothing"),
    ("key",),
)


def test_what_cannot_be_done_is_refused_with_its_mend(judged: ServerProcess) -> None:
    for arguments in REFUSED:
        done = judged.run("judge", *arguments)
        assert done.returncode != 0, arguments
        assert len(done.stderr.decode().strip().splitlines()) == 2, arguments


def test_the_kill_switch_is_in_force_within_three_seconds_in_a_running_server(
    judged: ServerProcess, stub: SystemOneStub
) -> None:
    assert trial(judged)["answered"]
    env_file = judged.home / ".env"
    before = env_file.read_text()
    env_file.write_text(f"{before}HITHERTO_JUDGE=off\n")
    began = time.monotonic()
    wait_until(lambda: trial(judged)["reason"] == "killed", "it is in force", 20)
    assert time.monotonic() - began < IN_FORCE_S + SLACK_S
    asked = len(stub.asked)
    assert "nothing is asked" in says(judged, "judge", "on")
    assert not trial(judged)["answered"]
    assert judged.call("judge/probe", base_url=stub.url)["speaks"] is None
    assert len(stub.asked) == asked
    env_file.write_text(before)
    wait_until(lambda: trial(judged)["answered"], "it is over", 20)


def test_switching_off_is_in_force_at_once(judged: ServerProcess, stub: SystemOneStub) -> None:
    says(judged, "judge", "off")
    assert trial(judged)["reason"] == "off"
    says(judged, "judge", "on")
    assert trial(judged)["answered"]
    says(judged, "judge", "use", "rules")
    assert trial(judged)["reason"] == "no_backend"


def test_a_server_stops_although_its_judge_hangs(
    judged: ServerProcess, stub: SystemOneStub
) -> None:
    import threading

    stub.fault = HANGING
    asked = len(stub.asked)
    asking = threading.Thread(target=lambda: judged.post("/v1/judge/test", {}))
    asking.start()
    wait_until(lambda: len(stub.asked) > asked, "it is asked")
    began = time.monotonic()
    says(judged, "stop")
    judged.wait_for_its_end()
    assert time.monotonic() - began < 15
    asking.join(20)


def test_the_key_is_in_one_file_of_the_owners_and_in_no_answer(judged: ServerProcess) -> None:
    trial(judged)
    said = [judged.get(path).body for path in ("/v1/judge", "/v1/judge/log", "/v1/status")]
    said += [judged.run(*one).stdout for one in (("judge", "status"), ("doctor",), ("status",))]
    bad = judged.post("/v1/judge/key", {"key": KEY, "unknown": KEY})
    said += [bad.body, judged.post("/v1/judge/key", {"key": [KEY]}).body]
    assert not [one for one in said if KEY.encode() in one]
    holding = [
        path.name
        for path in judged.home.rglob("*")
        if path.is_file() and KEY.encode() in path.read_bytes()
    ]
    assert holding == [".env"]
    assert (judged.home / ".env").stat().st_mode & 0o777 == 0o600
    assert KEY not in judged.output.read_text()
    says(judged, "judge", "key", "--drop")
    assert KEY not in (judged.home / ".env").read_text()


def test_answers_that_are_kept_are_forgotten_on_request(judged: ServerProcess) -> None:
    assert says(judged, "judge", "forget") == "0 answers are forgotten\n"
