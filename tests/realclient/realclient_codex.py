"""The real Codex CLI, run headless against a Responses API whose replies a test has written."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from realclient_install import (
    MACHINES,
    ClientMissing,
    _move_into_place,
    _npm_install,
    cache_dir,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from realclient_session import Place

VERSION = "0.171.0"
MODEL = "gpt-5.5"
"""One of the client's own catalogue: only those are offered `apply_patch`."""
RUN_DEADLINE_S = 90.0
SCHEMA_START = re.compile(rb'\{\s*"\$schema": "http://json-schema.org/draft-07/schema#"')
LONGEST_SCHEMA = 100_000

Item = dict[str, Any]


def require_codex(environ: Mapping[str, str]) -> Path:
    """Return the client's binary, or skip the test; HITHERTO_REQUIRE_CLIENT=1 makes it fail."""
    found = find_codex(environ)
    if isinstance(found, Path):
        return found
    if environ.get("HITHERTO_REQUIRE_CLIENT") == "1":
        pytest.fail(f"the real Codex is required: {found.reason}")
    pytest.skip(f"no real Codex: {found.reason}")


def find_codex(environ: Mapping[str, str]) -> Path | ClientMissing:
    """Return `$CODEX_BIN`, or the pinned CLI from the cache, downloaded on first use."""
    if named := environ.get("CODEX_BIN"):
        path = Path(named)
        return path if path.is_file() else ClientMissing(f"CODEX_BIN names no file: {named}")
    machine = MACHINES.get(platform.machine().lower())
    system = platform.system().lower()
    if machine is None or system not in {"linux", "darwin"}:
        return ClientMissing(f"no Codex binary for {platform.system()} {platform.machine()}")
    folder = cache_dir(environ) / f"codex-{VERSION}"
    if found := binary_in(folder):
        return found
    npm = shutil.which("npm", path=environ.get("PATH"))
    if npm is None:
        return ClientMissing("npm is not on PATH; it is needed once, to download the client")
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # installed aside and renamed: a download that was cut off leaves no half a binary behind
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="download-") as aside:
        package = f"codex@npm:@openai/codex@{VERSION}-{system}-{machine}"
        if failure := _npm_install(npm, package, Path(aside), environ):
            return ClientMissing(failure)
        _move_into_place(Path(aside) / "node_modules", folder / "node_modules")
    return binary_in(folder) or ClientMissing("the package holds no program named codex")


def binary_in(folder: Path) -> Path | None:
    """Return the program in an installed package."""
    return next(folder.glob("node_modules/codex/vendor/*/bin/codex"), None)


def schemas_in(binary: Path) -> dict[str, Any]:
    """Return the schemas of hooks that the program carries, by title."""
    data, found = binary.read_bytes(), {}
    for start in SCHEMA_START.finditer(data):
        text = data[start.start() : start.start() + LONGEST_SCHEMA].decode("utf-8", "replace")
        schema, _ = json.JSONDecoder().raw_decode(text)
        if ".command." in str(schema.get("title")):
            found[schema["title"]] = schema
    return found


@dataclass
class ScriptedResponses:
    """Serves the items of a script, one request after the other, then "Done."."""

    script: Sequence[Item]
    requests: list[Item] = field(default_factory=list)

    def reply(self, body: Item) -> bytes:
        number = len(self.requests)
        self.requests.append(body)
        done = {"type": "message", "role": "assistant", "id": f"m{number}"}
        done["content"] = [{"type": "output_text", "text": "Done."}]  # type: ignore[assignment]
        item = self.script[number] if number < len(self.script) else done
        usage = {"input_tokens": 10, "output_tokens": 1, "total_tokens": 11}
        events = [
            {"type": "response.created", "response": {"id": f"r{number}"}},
            {"type": "response.output_item.done", "item": item},
            {"type": "response.completed", "response": {"id": f"r{number}", "usage": usage}},
        ]
        lines = (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
        return "".join(lines).encode()

    def count(self, text: str) -> int:
        """How often a text stands in what the model was sent last."""
        return json.dumps(self.requests[-1], ensure_ascii=False).count(text)


@dataclass(frozen=True)
class Outcome:
    """What a run printed."""

    code: int
    events: list[Item]
    errors: str

    @property
    def complaints(self) -> list[str]:
        """What the client told the person about its configuration."""
        items = [event["item"] for event in self.events if "item" in event]
        return [item["message"] for item in items if item.get("type") == "error"]


@dataclass(frozen=True)
class Codex:
    """The client in a place of its own."""

    binary: Path
    place: Place

    @property
    def folder(self) -> Path:
        return self.place.home / ".codex"

    def ask(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run the client and return what it said."""
        return subprocess.run(
            [str(self.binary), *arguments],
            cwd=self.place.project,
            env={**self.place.environ, "NO_PROXY": "127.0.0.1,localhost"},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=RUN_DEADLINE_S,
            check=False,
        )

    def configure(self, port: int) -> None:
        """Let the client talk to the scripted model, in front of what the file holds already."""
        path = self.folder / "config.toml"
        path.parent.mkdir(exist_ok=True)
        before = path.read_text() if path.exists() else ""
        provider = (
            f'model = "{MODEL}"\nmodel_provider = "scripted"\n{before}\n'
            f'[model_providers.scripted]\nname = "scripted"\n'
            f'base_url = "http://127.0.0.1:{port}/v1"\nwire_api = "responses"\n'
        )
        path.write_text(provider)

    def trust(self) -> None:
        """Trust every hook, as the client's own review writes it down."""
        with subprocess.Popen(
            [str(self.binary), "app-server"],
            cwd=self.place.project,
            env=self.place.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as server:
            try:
                client = {"name": "test", "title": "test", "version": "1"}
                call(server, "initialize", {"clientInfo": client})
                listed = call(server, "hooks/list", {"cwds": [str(self.place.project)]})
                hooks = listed["data"][0]["hooks"]
                value = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks}
                edit = {"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": value}
                call(server, "config/batchWrite", {"edits": [edit]})
            finally:
                server.terminate()

    def run(self, prompt: str, *script: Item, trusted: bool = True) -> tuple[Outcome, Model]:
        """Run one prompt to its end; untrusted hooks are run as if a person had trusted them."""
        trust = ["--dangerously-bypass-hook-trust"] if trusted else []
        free = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        model = ScriptedResponses(script)
        for port in serving(model):
            configured = (self.folder / "config.toml").read_text()
            self.configure(port)
            ended = self.ask("exec", "--json", *free, *trust, prompt)
            (self.folder / "config.toml").write_text(configured)
        lines = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
        return Outcome(ended.returncode, lines, ended.stderr), model


Model = ScriptedResponses


def call(server: subprocess.Popen[str], method: str, params: Item) -> Item:
    """Ask the client's app server, and return the result."""
    assert server.stdin is not None
    assert server.stdout is not None
    message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
    server.stdin.write(json.dumps(message) + "\n")
    server.stdin.flush()
    for line in server.stdout:
        answer: Item = json.loads(line)
        if answer.get("id") == method:
            return dict(answer["result"])
    message_to_person = f"the app server ended before it answered {method}"
    raise AssertionError(message_to_person)


def serving(model: ScriptedResponses) -> Iterator[int]:
    """Serve the model on loopback while the one round of the loop runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        disable_nagle_algorithm = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - inherited
            """Keep the test's output free of access logs."""

        def do_GET(self) -> None:
            self.send(b'{"models": []}', "application/json", 200)

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
            if self.path.endswith("/responses"):
                self.send(model.reply(json.loads(raw)), "text/event-stream", 200)
            else:
                self.send(b"{}", "application/json", 404)

        def send(self, body: bytes, kind: str, status: int) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def shell(command: str, call: str) -> Item:
    """Return the model's wish to run a command."""
    arguments = json.dumps({"cmd": command})
    wish = {"type": "function_call", "id": f"f{call}", "call_id": call, "name": "exec_command"}
    return {**wish, "arguments": arguments}


def patch(text: str, call: str) -> Item:
    """Return the model's wish to change files."""
    wish = {"type": "custom_tool_call", "id": f"p{call}", "call_id": call}
    return {**wish, "name": "apply_patch", "input": text}


def require_codex_here() -> Path:
    """Return the client's binary by this process's own environment."""
    return require_codex(os.environ)
