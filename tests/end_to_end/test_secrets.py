"""Canaries: a secret that comes in by any way lies in no file of the data home."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.canaries import Canaries
from tests.mcp_process import McpProcess
from tests.server_process import wait_until
from tests.wiring import repository, rows

import hitherto_hooks

if TYPE_CHECKING:
    from tests.server_process import ServerProcess

RUN = Path(hitherto_hooks.__file__).parent / "run.py"


@pytest.fixture
def project(tmp_path: Path) -> str:
    return str(repository(tmp_path / "project", "git@example.com:owner/name.git"))


def run_hook(server: ServerProcess, event: str, body: dict[str, Any], project: str) -> None:
    environ = {**server.environment(), "CLAUDE_PROJECT_DIR": project}
    value = {"session_id": "s1", "cwd": project, "hook_event_name": event, **body}
    command = [sys.executable, "-I", "-S", str(RUN), event]
    done = subprocess.run(
        command, input=json.dumps(value).encode(), env=environ, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def remember_by_http(server: ServerProcess, canaries: Canaries, project: str) -> None:
    first = server.call(
        "remember",
        content=f"The deploy job logs in with {canaries.token('content')} since May",
        tags=["deploy", f"pw={canaries.password('tag')}"],
        source_ref=f"run of {canaries.token('source_ref')}",
        idempotency_key=f"key {canaries.token('idempotency key')}",
        state_key=f"deploy.{canaries.token('state key')}",
        actor=f"me {canaries.token('actor')}",
        files=[f"conf/{canaries.token('file')}.yml"],
        project_dir=project,
    )
    assert "github-pat" in first["notes"][0]
    [view] = server.call("memories", view="get", ids=[first["id"]])["memories"]
    assert view["content"] == "The deploy job logs in with [redacted:github-pat] since May"
    assert "redacted" in view["tags"]
    edited = f"Staging is postgres://app:{canaries.password('edit')}@db/orders for tests"
    server.call("reflect", action="edit", id=first["id"], content=edited, project_dir=project)
    newer = f"The signing key of the release is\n{canaries.key('supersede')}\nand no other"
    second = server.call(
        "reflect", action="supersede", id=first["id"], content=newer, project_dir=project
    )
    assert second["superseded"] == [first["id"]]


def be_refused(server: ServerProcess, canaries: Canaries, project: str) -> None:
    bare = server.post(
        "/v1/remember", {"content": canaries.token("refused"), "project_dir": project}
    )
    assert bare.code == "only_a_secret"
    category = f"no {canaries.token('category')}"
    wrong = {"content": "The port is 8080", "category": category, "project_dir": project}
    unknown = {"content": "x", canaries.token("unknown field"): 1}
    replies = [
        server.post("/v1/remember", wrong),
        server.post("/v1/remember", unknown),
        server.get(f"/v1/{canaries.token('path')}"),
        server.send("POST", "/hook/Stop", f"no json {canaries.token('broken hook')}".encode()),
    ]
    for reply in (bare, *replies):
        assert reply.status in {400, 404}
        assert all(secret.encode() not in reply.body for secret in canaries.told.values())


def send_hooks(server: ServerProcess, canaries: Canaries, project: str, how: str) -> None:
    prompt = f"Why does the login with {canaries.token(f'{how} prompt')} fail on staging?"
    run_hook(server, "UserPromptSubmit", {"prompt": prompt, "prompt_id": f"p-{how}"}, project)
    path = f"{project}/conf/{canaries.token(f'{how} path')}.yml"
    edit = {"tool_name": "Edit", "tool_input": {"file_path": path}, "tool_use_id": f"t-{how}"}
    run_hook(server, "PostToolUse", edit, project)
    plan = f"Plan {how}: 1. set DB_PASSWORD={canaries.password(f'{how} plan')} 2. restart the api"
    approved = {
        "tool_name": "ExitPlanMode",
        "tool_response": {"plan": plan, "filePath": "/plans/a.md"},
    }
    run_hook(server, "PostToolUse", approved, project)
    run_hook(
        server, "SessionEnd", {"reason": f"bye {how} {canaries.token(f'{how} reason')}"}, project
    )


def stored(server: ServerProcess) -> list[str]:
    listed = server.call("memories", view="recent", limit=200)["memories"]
    return [memory["content"] for memory in listed]


def redacted_events(server: ServerProcess) -> int:
    return len(rows(server.database, "SELECT 1 FROM event WHERE detail LIKE '%[redacted:%'"))


def kept_prompts(server: ServerProcess) -> list[str]:
    return [row[0] for row in rows(server.database, "SELECT prompt FROM turn")]


def test_no_secret_lies_in_the_data_home_by_whichever_way_it_came(server, project, tmp_path):
    canaries = Canaries()
    server.start()
    remember_by_http(server, canaries, project)
    be_refused(server, canaries, project)
    mcp = McpProcess(
        {**server.environment(), "CLAUDE_PROJECT_DIR": project}, tmp_path / "mcp.errors"
    )
    said = mcp.call("remember", content=f"The bot uses {canaries.token('MCP')} in CI")
    assert not said.is_error
    mcp.end()
    told = server.run(
        "remember", f"The wifi password is {canaries.password('CLI')} on site", cwd=project
    )
    assert told.returncode == 0, told.stderr
    send_hooks(server, canaries, project, "live")
    wait_until(lambda: len(kept_prompts(server)) == 1, "the prompt is kept")
    assert canaries.found_in(server.home) == []

    server.kill()
    assert canaries.found_in(server.home) == []
    send_hooks(server, canaries, project, "spooled")
    assert (server.home / "spool" / "events").stat().st_size > 0
    assert canaries.found_in(server.home) == []

    server.start()
    wait_until(lambda: not (server.home / "spool" / "events").exists(), "the spool is taken in")
    # HTTP (2), MCP, CLI, and two plans
    wait_until(lambda: len(stored(server)) == 6, "the spooled plan is stored")
    wait_until(lambda: len(kept_prompts(server)) == 2, "the spooled prompt is kept")
    assert all("[redacted:" in kept for kept in [*stored(server), *kept_prompts(server)])
    wait_until(lambda: redacted_events(server) == 4, "paths and reasons are kept, both ways")
    server.call("erase", text="nothing that anybody said", confirmed=True)
    assert canaries.found_in(server.home) == []
    assert len(canaries.told) >= 24
    assert server.tracebacks() == []


def test_what_erase_is_told_on_standard_input_is_gone(server, project):
    server.start()
    slipped = "Nachtigallenweg zweiundvierzig"
    server.call("remember", content=f"The office is at {slipped}, floor 2", project_dir=project)
    counted = server.run("erase", "--text", "--json", input=f"{slipped}\n".encode())
    assert json.loads(counted.stdout)["counts"] == {"memory": 1, "revision": 1}
    asked = server.run("erase", "--text", input=slipped.encode())
    assert (asked.returncode, b"Repeat it with --yes" in asked.stdout) == (0, True), asked.stderr
    assert len(stored(server)) == 1
    done = server.run("erase", "--text", "--yes", input=slipped.encode())
    assert (done.returncode, b"Erased" in done.stdout) == (0, True), done.stderr
    files = [path for path in server.home.rglob("*") if path.is_file()]
    assert [path for path in files if b"nachtigall" in path.read_bytes().lower()] == []


def test_what_is_no_text_is_not_erased_but_refused(server):
    server.start()
    refused = server.run("erase", "--text", input=b"\xff\xfe\xfd")
    assert refused.returncode == 2
    assert refused.stderr.startswith(b"hitherto: invalid_input: ")
