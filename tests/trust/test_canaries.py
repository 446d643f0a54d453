"""A day's use with secrets in everything that is said: none lies in the data home or comes back."""

from __future__ import annotations

import io
import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from tests.canaries import Canaries
from tests.mcp_process import McpProcess
from tests.server_process import Reply, ServerProcess, wait_until
from tests.wiring import repository
from written_history import Session, write_transcript

from hitherto_server import bug_report
from hitherto_server.api.replies import error_response
from hitherto_server.core.errors import InvalidInput
from hitherto_server.serve import WithoutSecrets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUERY_TERMS = "login of the deploy job"


@dataclass
class Day:
    """One server, all ways to it, and everything that it said."""

    server: ServerProcess
    project: str
    secrets: Canaries = field(default_factory=Canaries)
    said: list[bytes] = field(default_factory=list)

    def post(self, path: str, /, **values: Any) -> Reply:
        """Post something and keep what was said."""
        reply = self.server.post(path, values)
        self.said.append(reply.body)
        return reply

    def run(self, *arguments: str, **options: Any) -> None:
        """Run a command and keep what was said."""
        done = self.server.run(*arguments, cwd=self.project, **options)
        self.said += [done.stdout, done.stderr]

    def said_again(self) -> list[str]:
        """Return the ways of the secrets that came back in a reply, and what they came back in."""
        return [
            f"{way}: {reply[max(reply.find(one.encode()) - 150, 0) :][:250]!r}"
            for way, one in self.secrets.told.items()
            for reply in self.said
            if one.encode() in reply
        ]


@pytest.fixture
def day(tmp_path: Path) -> Iterator[Day]:
    server = ServerProcess(tmp_path / "home", environ={"HITHERTO_LOG_LEVEL": "debug"})
    project = repository(tmp_path / "project", "git@example.com:owner/name.git")
    (project / "deploy.md").write_text("The deploy job logs in.\n")
    server.start()
    yield Day(server, str(project))
    server.end()


def use_the_api(day: Day) -> None:
    token, password = day.secrets.token, day.secrets.password
    placed = {"project_dir": day.project, "session_id": "s1"}
    content = f"The deploy job logs in with {token('remember')} since May"
    made = day.post("/v1/remember", **placed, content=content, files=["deploy.md"]).json
    day.post("/v1/recall", **placed, query=f"{QUERY_TERMS} {token('recall')}", explain=True)
    edited = f"The deploy job uses DB_PASSWORD={password('edit')} now"
    day.post("/v1/reflect", **placed, action="edit", id=made["id"], content=edited)
    day.post("/v1/reflect", **placed, action="undo", id=made["id"], expected_revision=2)
    day.post("/v1/wrong", memory=made["id"], because=f"the key is {token('because')} now")
    day.post("/v1/erase", text=f"api_key={password('erase')}")
    day.post("/v1/export", project=f"no {token('export')}")
    day.post("/v1/import", name=f"{token('import')}.jsonl")
    day.post("/v1/history/look", client_home=f"/nowhere/{token('client home')}")
    day.post("/v1/memories", view="get", ids=[token("bad id")])
    day.post(f"/v1/{token('path')}", **{token("field"): token("value")})
    for query in (f"?{token('query')}=1", f"?project={token('page')}"):
        day.said.append(day.server.send_tcp("GET", f"/{query}", None, day.server.bearer()).body)
    # a page gives back what was asked; a file must not have it
    for path in ("/?q=", "/why?session=", "/login?code="):
        found = day.secrets.token(f"page {path}")
        day.server.send_tcp("GET", path + found, None, day.server.bearer())


def use_mcp(day: Day, errors: Path) -> None:
    token = day.secrets.token
    environ = {**day.server.environment(), "CLAUDE_PROJECT_DIR": day.project}
    mcp = McpProcess(environ, errors)
    for tool, values in mcp_calls(day, "stdio"):
        day.said.append(mcp.call(tool, **values).text.encode())
    day.said.append(json.dumps(mcp.ask(f"no/{token('method')}")).encode())
    mcp.end()
    headers = {
        **day.server.bearer(),
        "Accept": "application/json, text/event-stream",
        "X-Hitherto-Project": day.project,
    }
    for tool, values in mcp_calls(day, "http"):
        call = {"name": tool, "arguments": values}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        body = json.dumps(message).encode()
        day.said.append(day.server.send_tcp("POST", "/mcp", body, headers).body)
    broken = b'{"jsonrpc": "2.0", "id": 1, "method": "' + token("broken").encode()
    day.said.append(day.server.send_tcp("POST", "/mcp", broken, headers).body)
    day.said.append(errors.read_bytes())


def mcp_calls(day: Day, way: str) -> Iterator[tuple[str, dict[str, Any]]]:
    token = day.secrets.token
    yield "remember", {"content": f"The bot of {way} logs in with {token(way)} in CI"}
    yield "recall", {"query": f"{QUERY_TERMS} {token(f'{way} recall')}"}
    yield "remember", {"content": "A thing.", "category": f"no {token(f'{way} category')}"}
    yield "remember", {"content": "A thing.", token(f"{way} field"): 1}
    yield "forget", {"id": token(f"{way} id")}
    yield "memories", {"view": token(f"{way} view")}


def use_the_command_line(day: Day) -> None:
    token = day.secrets.token
    day.run("remember", f"The wifi password is {day.secrets.password('CLI')} on site")
    day.run("remember", "-", input=f"The bot logs in with {token('stdin')} in CI".encode())
    day.run("recall", f"{QUERY_TERMS} {token('CLI recall')}")
    day.run("wrong", "--because", f"it is {token('CLI because')}")
    day.run("remember", "A thing.", "--kind", token("CLI kind"))
    day.run("remember", "A thing.", "--file", f"../{token('CLI file')}")
    day.run(token("command"))
    day.run("doctor")
    day.run("status")


def use_hooks(day: Day, how: str) -> None:
    token, named = day.secrets.token, {"session_id": "s1", "cwd": day.project}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("SessionStart", {"source": token(f"{how} source")}),
        ("UserPromptSubmit", {"prompt": f"{QUERY_TERMS} with {token(f'{how} prompt')}?"}),
        ("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": token(f"{how} command")}}),
        ("PostToolUse", {"tool_name": token(f"{how} tool"), "tool_response": "x"}),
        ("PreCompact", {"trigger": "auto", "custom_instructions": token(f"{how} compaction")}),
        ("Stop", {"last_assistant_message": f"I set {token(f'{how} message')}"}),
        ("SessionEnd", {"reason": token(f"{how} reason")}),
        (token(f"{how} event"), {}),
    ]
    for event, values in calls:
        reply = day.server.hook(event, {**named, **values})
        day.said.append(reply.body)
    for body in (b"{", b'{"session_id": "s1", "a": "', b"[]"):
        reply = day.server.hook("Stop", body + token(f"{how} {body!r}").encode())
        day.said.append(reply.body)


def import_a_history(day: Day, client: Path) -> None:
    token = day.secrets.token
    steps: list[tuple[str, str, list[str]]] = [
        ("user", f"The build failed as the token {token('history fix')} had ended", []),
        ("user", f"We decided to deploy with {token('history decision')} from CI", []),
        ("user", f"Always log in with {token('history preference')} on staging", []),
    ]
    write_transcript(
        Session("project", "a session", steps), client / "projects", day.project, day=1
    )
    day.post("/v1/history/import", client_home=str(client), admits=True)
    states = {"done", "failed", "idle"}
    wait_until(lambda: day.server.get("/v1/history").json["phase"] in states, "it is imported", 60)
    day.said.append(day.server.get("/v1/history").body)
    day.post("/v1/candidates")


@pytest.mark.slow
def test_after_a_days_use_no_secret_lies_anywhere_and_none_was_said_again(
    day: Day, tmp_path: Path
) -> None:
    use_the_api(day)
    use_mcp(day, tmp_path / "mcp.errors")
    use_the_command_line(day)
    use_hooks(day, "live")
    import_a_history(day, tmp_path / "claude")
    (tmp_path / "out").mkdir()
    day.run("backup")
    day.run("backup", str(tmp_path / "out" / "a.db"))
    day.run("export", "--out", str(tmp_path / "out" / "a.jsonl"))
    day.run("export", "--format", "markdown", "--out", str(tmp_path / "out" / "notes"))
    for view in ("recent", "trash", "stats"):
        day.post("/v1/memories", view=view, limit=200)
    day.post("/v1/why")
    day.post("/v1/memories", view="events", session_id="s1", limit=200)
    page = day.server.send_tcp("GET", "/why", None, day.server.bearer())
    day.said += [page.body, day.server.get("/v1/status").body]
    assert len(day.secrets.told) > 50
    assert {"a.db", "a.jsonl", "notes"} <= {path.name for path in (tmp_path / "out").iterdir()}
    assert day.secrets.found_in(tmp_path / "out") == []
    assert day.secrets.found_in(day.server.home) == []
    assert day.said_again() == []
    assert [w for w, one in day.secrets.told.items() if one in day.server.output.read_text()] == []
    assert day.server.tracebacks() == []


def test_a_bug_that_quotes_a_secret_is_told_without_it(
    isolated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = Canaries()
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(WithoutSecrets("%(levelname)s %(message)s"))
    logger = logging.Logger("hitherto_server.a_bug")
    logger.addHandler(handler)
    try:
        message = f"no such thing: {secrets.token('error')}"
        raise ValueError(message)
    except ValueError as error:
        logger.exception("a bug met at /v1/%s", secrets.token("path"))
        logger.warning("%r", {"password": secrets.password("value")})
        home = isolated / ".hitherto"
        (home / "logs").mkdir(parents=True)
        kept = bug_report.keep(error)
    reply = error_response(InvalidInput(f"it has {secrets.token('reply')} in it"))
    assert kept is not None
    said = stream.getvalue() + kept.read_text() + bytes(reply.body).decode()
    assert "Traceback" in said
    assert [way for way, one in secrets.told.items() if one in said] == []
