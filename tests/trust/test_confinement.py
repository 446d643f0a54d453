"""No field of a request or a hook makes the server open what lies outside, or what is private."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from tests.server_process import ServerProcess, wait_until
from tests.straced import TracedServer
from tests.wiring import git, repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CANARY = "Eichelhaeher sammelt Vorraete"
SLOWEST_S = 15.0
HUGE = 8 * 1024**3
PRIVATE = (
    ".env",
    ".env.local",
    "production.env",
    "deploy.pem",
    "id_rsa",
    "id_ed25519",
    ".ssh/config",
    ".aws/credentials",
    ".netrc",
    "secrets.yaml",
    "terraform.tfstate",
)
LINKS = ("link-out", "folder-out/secret.yml", "private-by-another-name.txt", "loop", "swapped.md")
ODD = ("pipe", "zero", "random", "environ", "mem", "root/etc/passwd", "huge.bin", "sock")
SPELLED = (
    "../outside/secret.yml",
    "src/../../outside/secret.yml",
    "src/../link-out",
    "./link-out",
    "link-out/",
    "//etc/passwd",
    "/etc/passwd",
    "/proc/self/environ",
    "/proc/self/root/etc/passwd",
    "/dev/zero",
    "/dev/stdin",
    "~/.ssh/id_rsa",
    "$HOME/.ssh/id_rsa",
    "file:///etc/passwd",
    "..\\outside\\secret.yml",
    "%2e%2e/outside/secret.yml",
)


@dataclass
class Trap:
    """A project full of traps, and what nobody may open."""

    project: Path
    outside: Path
    names: list[str] = field(default_factory=list)

    @classmethod
    def set_up(cls, folder: Path) -> Trap:
        """Lay the traps."""
        trap = cls(repository(folder / "project"), folder / "outside")
        trap.outside.mkdir()
        secret = trap.outside / "secret.yml"
        secret.write_text(CANARY)
        for name in PRIVATE:
            path = trap.project / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"KEY = {CANARY}")
        (trap.project / "src").mkdir()
        (trap.project / "swapped.md").write_text("The cache lies in `cache/a`.\n")
        (trap.project / "link-out").symlink_to(secret)
        (trap.project / "folder-out").symlink_to(trap.outside)
        (trap.project / "private-by-another-name.txt").symlink_to(trap.project / ".env")
        (trap.project / "loop").symlink_to("loop")
        os.mkfifo(trap.project / "pipe")
        for name, target in (
            ("zero", "/dev/zero"),
            ("random", "/dev/random"),
            ("environ", "/proc/self/environ"),
            ("mem", "/proc/self/mem"),
            ("root", "/proc/self/root"),
            ("sock", "/dev/stdin"),
        ):
            (trap.project / name).symlink_to(target)
        with (trap.project / "huge.bin").open("wb") as huge:
            huge.truncate(HUGE)
        trap.names = [*PRIVATE, *LINKS, *ODD, *SPELLED]
        return trap

    def swap(self) -> None:
        """Put a link out of the project into the place of a file that may be read."""
        path = self.project / "swapped.md"
        path.unlink()
        path.symlink_to(self.outside / "secret.yml")

    def opened(self, lines: list[str]) -> list[str]:
        """Return the calls that opened a trap, whether they could or not."""
        forbidden = [str(self.outside / "secret.yml"), "/etc/passwd", "/proc/self/environ"]
        forbidden += ["/proc/self/mem", "/dev/zero", "/dev/random", "/dev/stdin"]
        forbidden += [str(self.project / name) for name in (*PRIVATE, *LINKS[:-1], *ODD[:-2])]
        quoted = [f'"{path}"' for path in forbidden]
        return [line for line in lines if any(path in line for path in quoted)]


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory) -> Trap:
    return Trap.set_up(tmp_path_factory.mktemp("trap"))


def is_soon(server: ServerProcess, path: str, value: dict[str, Any]) -> bytes:
    """Post something and hold its answer to coming soon, and to saying nothing that is private."""
    began = time.monotonic()
    reply = server.post(path, value)
    assert time.monotonic() - began < SLOWEST_S, value
    assert reply.status < 500, (value, reply.body)
    assert CANARY.encode() not in reply.body
    return reply.body


def hook_inputs(trap: Trap, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield hook calls that name a file in every field that could lead to it."""
    named = {"session_id": f"s-{name}", "cwd": str(trap.project)}
    inside = name if name.startswith("/") else f"{trap.project}/{name}"
    for path in (name, inside):
        tool = {"tool_name": "Edit", "tool_input": {"file_path": path, "notebook_path": path}}
        yield "PostToolUse", {**named, **tool, "transcript_path": inside}
        yield "UserPromptSubmit", {**named, "prompt": f"what says `{path}`?", "agent_path": path}
        yield "SessionStart", {**named, "source": "startup", "transcript_path": inside}
        command = {"tool_name": "Bash", "tool_input": {"command": f"cat {path}"}}
        yield "PostToolUse", {**named, **command, "transcript_path": inside}
    yield "Stop", {**named, "cwd": inside, "transcript_path": inside}
    yield "SubagentStop", {**named, "agent_transcript_path": inside}


def ask_everything(server: ServerProcess, trap: Trap) -> None:
    """Name each trap in every field of API and hooks."""
    placed = {"project_dir": str(trap.project)}
    for name in trap.names:
        content = f"The cache lies in `{name}`, see {name}."
        is_soon(server, "/v1/remember", {**placed, "content": content, "files": [name]})
        is_soon(server, "/v1/remember", {**placed, "content": content, "session_id": f"s-{name}"})
        is_soon(server, "/v1/recall", {**placed, "query": f"what says {name}", "files": [name]})
        inside = name if name.startswith("/") else f"{trap.project}/{name}"
        for path in ("/v1/recall", "/v1/wrong"):
            is_soon(server, path, {"query": "cache", "project_dir": inside})
        for path in ("/v1/history/look", "/v1/history/import"):
            is_soon(server, path, {"client_home": inside})
        for path in ("/v1/import", "/v1/merge"):
            is_soon(server, path, {"name": name})
        is_soon(server, "/v1/export", {"project": name})
        for event, value in hook_inputs(trap, name):
            is_soon(server, f"/hook/{event}", value)
    trap.swap()
    is_soon(server, "/v1/recall", {**placed, "query": "where does the cache lie"})
    is_soon(server, "/hook/UserPromptSubmit", {"session_id": "last", "prompt": "which cache?"})


def write_client_files(trap: Trap) -> None:
    """Have the client's own files import what is private; the server reads those files."""
    imports = [f"@{name}" for name in (*trap.names, str(trap.outside / "secret.yml"))]
    (trap.project / "CLAUDE.md").write_text("\n".join(["# Rules", *imports]))
    rules = trap.project / ".claude" / "rules"
    rules.mkdir(parents=True)
    os.mkfifo(rules / "waits.md")
    (rules / "out.md").symlink_to(trap.outside / "secret.yml")
    (rules / "private.md").symlink_to(trap.project / ".env")
    (trap.project / ".claude" / "CLAUDE.md").symlink_to("/dev/zero")


def holds(home: Path, text: str) -> list[str]:
    """Return the files of a data home in which a text lies."""
    wanted = text.lower().encode()
    files = [path for path in home.rglob("*") if path.is_file()]
    return [path.name for path in files if wanted in path.read_bytes().lower()]


@pytest.mark.slow
def test_nothing_outside_and_nothing_private_is_opened(trap: Trap, tmp_path: Path) -> None:
    write_client_files(trap)
    server = TracedServer(tmp_path / "home", calls="open,openat,openat2,creat")
    try:
        server.start()
        note = {"content": "The cache lies in `cache/a`.", "files": ["swapped.md"]}
        placed = {**note, "project_dir": str(trap.project)}
        assert server.call("remember", **placed)["anchored_files"] == ["swapped.md"]
        ask_everything(server, trap)
        assert server.run("stop").returncode == 0
        wait_until(lambda: not server.answers(), "it has stopped")
        lines = server.lines()
        assert any(f'"{trap.project}/swapped.md"' in line for line in lines), "it sees what is read"
        assert trap.opened(lines) == []
        assert holds(server.home, CANARY) == []
        assert server.tracebacks() == []
    finally:
        server.end()


def test_git_settings_of_a_project_start_no_program(tmp_path: Path) -> None:
    project = repository(tmp_path / "project")
    mark = tmp_path / "started"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\nexit 1\n")
    program.chmod(0o755)
    for name in ("core.fsmonitor", "core.sshCommand", "core.pager", "diff.external", "core.editor"):
        git(project, "config", name, str(program))
    git(project, "config", "core.hooksPath", str(tmp_path))
    mark.unlink(missing_ok=True)
    (project / "a.py").write_text("PORT = 8080\n")
    server = ServerProcess(tmp_path / "home")
    try:
        server.start()
        placed = {"project_dir": str(project), "files": ["a.py"]}
        server.call("remember", content="`PORT` is 8080.", **placed)
        (project / "a.py").rename(project / "b.py")
        server.call("recall", query="which port", project_dir=str(project))
        where = {"session_id": "s", "cwd": str(project)}
        server.hook("SessionStart", {**where, "source": "startup"})
        server.hook("PostToolUse", {**where, "tool_name": "Bash", "tool_input": {"command": "mv"}})
        server.hook("UserPromptSubmit", {**where, "prompt": "which port does `PORT` name?"})
        server.kill()
        assert not mark.exists()
    finally:
        server.end()
