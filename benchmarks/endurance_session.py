"""One of the concurrent sessions: its hooks, its MCP process and its command line at work."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from endurance_told import SentEvent, Told
from mcp_session import McpGone, McpLate, McpSession

from hitherto_server.sessions.call import hash_of

if TYPE_CHECKING:
    import threading
    from pathlib import Path
    from random import Random

    from endurance_place import Place

ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b")
CODE = re.compile(r"^(?:hitherto: )?([a-z_]+): ")
EXPECTED = frozenset({"server_away", "store_full", "store_busy", "git_slow", "revision_moved"})
"""With these a write may be refused while the disk is full or nobody serves; the last one where an
earlier edit had no answer and came after all."""
HOOK_LIMIT_S = {"UserPromptSubmit": 0.6, "Stop": 1.8}
OTHER_HOOK_LIMIT_S = 0.5
"""What docs/hooks.md promises, with the grace."""
SLACK_S = 4.0
"""Starting a process on a machine with more processes than cores."""
MCP_LIMIT_S = 7.0 + SLACK_S
CLI_LIMIT_S = 45.0
ACTS = {"hook": 12, "remember": 5, "recall": 2, "edit": 2, "command line": 1}
FACTS = (
    "The build cache of step {n} lies in `cache/step_{n}.bin` and is keyed by E{n}.",
    "Release {n} is cut from branch `train/{n}` after the smoke test of job {n} is green.",
    "The export of tenant {n} runs at minute {n} because its lock is held until then.",
)


@dataclass
class Session:
    """One session of an agent in one project, with a random course of its own."""

    name: str
    project: Path
    place: Place
    told: Told
    random: Random
    full: threading.Event
    number: int = 0
    running: dict[int, SentEvent] = field(default_factory=dict)
    """Hook processes that run now, by their group."""
    mcp: McpSession | None = None
    own: list[str] = field(default_factory=list)

    @property
    def environ(self) -> dict[str, str]:
        return self.place.environ(self.project, self.name)

    def work(self, over: threading.Event) -> None:
        """Act until told to stop; whatever is not expected is noted as a fault."""
        try:
            while not over.is_set():
                self.act()
        except Exception as error:  # noqa: BLE001 - a thread's failure must be seen
            self.told.find_fault(f"{self.name}: {type(error).__name__}: {error}"[:500])

    def act(self) -> None:
        """Do one thing that a session does."""
        [act] = self.random.choices(list(ACTS), list(ACTS.values()))
        began = time.monotonic()
        match act:
            case "hook":
                self.send_hook(self.random.choice(["PostToolUse", "UserPromptSubmit", "Stop"]))
            case "remember":
                self.remember()
            case "recall":
                self.ask("recall", query=self.next_text("cache"), limit=3)
            case "edit":
                self.edit()
            case _:
                self.remember_by_command()
        self.told.took(act, time.monotonic() - began)

    def next_text(self, end: str) -> str:
        """Return a text that nobody else says."""
        self.number += 1
        fact = self.random.choice(FACTS).format(n=self.random.randrange(1000))
        return f"{self.name} {self.number} {end}: {fact}"

    def begin(self) -> None:
        """Start as the client does: the MCP process, and the first hook."""
        self.ask_mcp()
        self.send_hook("SessionStart")

    def send_hook(self, event: str) -> None:
        """Run a hook on what the client would tell it."""
        self.run_hook(event, self.hook_input(event))

    def run_hook(self, event: str, given: dict[str, Any]) -> tuple[SentEvent, dict[str, Any]]:
        """Run a hook as the client does; return how it ended, and what it said."""
        body = json.dumps(given).encode()
        full = self.full.is_set()
        sent = SentEvent(self.name, event, hash_of(body), while_full=full)
        self.told.send_event(sent)
        began = time.monotonic()
        process = subprocess.Popen(
            ["/bin/sh", "-c", self.place.hooks[event]],
            env=self.environ,
            cwd=self.project,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.running[process.pid] = sent
        try:
            out, err = process.communicate(body, timeout=60)
        except subprocess.TimeoutExpired:
            self.told.find_stuck(f"a hook of {event} ran for a minute")
            process.kill()
            out, err = process.communicate()
            sent.killed = True
        finally:
            self.running.pop(process.pid, None)
        sent.while_full = full or self.full.is_set()
        sent.took_s = time.monotonic() - began
        return sent, self.judge_hook(sent, process.returncode, out, err)

    def judge_hook(self, sent: SentEvent, code: int, out: bytes, err: bytes) -> dict[str, Any]:
        """Compare how a hook ended with what is promised; return what the client heard."""
        if sent.killed:
            return {}
        if code or err:
            self.told.find_fault(f"a hook of {sent.event} ended with {code} and said {err[:300]!r}")
        said: dict[str, Any] = json.loads(out) if out else {}
        took_s, limit_s = sent.took_s, HOOK_LIMIT_S.get(sent.event, OTHER_HOOK_LIMIT_S)
        if took_s > limit_s + SLACK_S and not sent.paused:
            self.told.find_stuck(f"a hook of {sent.event} took {took_s:.1f} s")
        return said

    def hook_input(self, event: str) -> dict[str, Any]:
        """Return what the client would write to the hook's stdin."""
        said = {"session_id": self.name, "cwd": str(self.project), "hook_event_name": event}
        text = self.next_text("is asked")
        match event:
            case "UserPromptSubmit":
                return {**said, "prompt": text, "prompt_id": text[:40]}
            case "PostToolUse":
                edited = {"file_path": str(self.project / "notes.md"), "new_string": text}
                call = {"tool_name": "Edit", "tool_use_id": f"toolu_{self.name}{self.number}"}
                return {**said, **call, "tool_input": edited}
            case "SessionStart":
                return {**said, "source": "startup", "prompt_id": text[:40]}
            case _:
                return {**said, "last_assistant_message": text, "stop_hook_active": False}

    def remember(self) -> None:
        """Remember something by MCP."""
        text = self.next_text("is known")
        self.told.send_text(text)
        said = self.ask("remember", content=text, scope=self.random.choice(["project", "user"]))
        if said is not None:
            memory = ID.findall(said)[0]
            self.told.acknowledge("mcp", memory, text)
            self.own.append(memory)

    def edit(self) -> None:
        """Change a memory of this session by MCP."""
        if not self.own:
            return
        memory, text = self.random.choice(self.own), self.next_text("is known better")
        self.told.send_text(text)
        self.told.may_become(memory, text)
        if self.ask("reflect", action="edit", id=memory, content=text) is not None:
            self.told.acknowledge("mcp", memory, text)

    def remember_by_command(self) -> None:
        """Remember something by the command line."""
        text = self.next_text("is told")
        self.told.send_text(text)
        command = [str(self.place.installed.hitherto), "remember", "--json", text]
        try:
            done = subprocess.run(
                command,
                env=self.environ,
                cwd=self.project,
                capture_output=True,
                timeout=CLI_LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            self.told.find_stuck("the command line did not end")
            return
        if done.returncode == 0:
            self.told.acknowledge("cli", json.loads(done.stdout)["id"], text)
        else:
            self.judge_refusal(done.stderr.decode(errors="replace"))

    def ask(self, tool: str, **arguments: Any) -> str | None:
        """Return what an MCP tool says, None where it could not."""
        said = self.ask_mcp(tool, arguments)
        if said is None:
            return None
        text, is_error = said
        if is_error:
            self.judge_refusal(text)
            return None
        return text

    def ask_mcp(
        self, tool: str | None = None, arguments: dict[str, Any] | None = None
    ) -> tuple[str, bool] | None:
        """Call a tool, or only say hello; a process that was killed is started anew."""
        try:
            if self.mcp is None:
                place = self.place
                self.mcp = McpSession.start(place.mcp, self.environ, place.mcp_errors, MCP_LIMIT_S)
                self.mcp.initialize()
            return self.mcp.call(tool, **(arguments or {})) if tool is not None else None
        except McpLate:
            self.told.find_stuck(f"MCP {tool or 'initialize'} was not answered in {MCP_LIMIT_S} s")
        except McpGone as error:
            self.lose_mcp(error)
        return None

    def lose_mcp(self, error: McpGone) -> None:
        """Note that the MCP process went away; only a killed one may."""
        assert self.mcp is not None
        self.mcp.end(0)
        if self.mcp.process.returncode != -signal.SIGKILL:
            self.told.find_fault(f"MCP went away: {error}")
        self.mcp = None

    def judge_refusal(self, said: str) -> None:
        """Count a write that was refused, if by one of the errors that may be met here."""
        found = CODE.match(said)
        code = found[1] if found else "none"
        self.told.refuse(code)
        if code not in EXPECTED:
            self.told.find_fault(f"refused with {said[:300]!r}")

    def kill_hook(self) -> bool:
        """Kill a hook that runs now, and tell whether one did."""
        for pid, sent in list(self.running.items()):
            sent.killed = True
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
                return True
        return False

    def pause_hook(self) -> int | None:
        """Stop a hook that runs now, and return its process group."""
        for pid, sent in list(self.running.items()):
            sent.paused = True
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGSTOP)
                return pid
        return None

    def kill_mcp(self) -> None:
        """Kill this session's MCP process."""
        mcp = self.mcp
        if mcp is not None and mcp.process.poll() is None:
            os.killpg(mcp.process.pid, signal.SIGKILL)
