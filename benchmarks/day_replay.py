"""Plays recorded hook events through registered hook commands, as the client would run them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from day_told import Told
from harness import wall_ms
from prompts import ABOUT, ELSEWHERE

from hitherto_server.install.registration import LISTENERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from peer_claude_mem import ClaudeMem

FOLDER = Path(__file__).parent / "fixtures" / "day"
MATCHED = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure"})
NAMES = re.compile(r"[\w|, ]+")
NOT_PROMPTS = ("/", "<")


@dataclass(frozen=True)
class Step:
    """One event of the day, and how many rows its transcript had by then."""

    event: dict[str, Any]
    rows: int

    @property
    def name(self) -> str:
        return str(self.event["hook_event_name"])

    @property
    def tool(self) -> str:
        return str(self.event.get("tool_name", ""))


def sessions() -> list[list[Step]]:
    """Return the day's sessions as they were recorded."""
    return [
        [Step(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
        for path in sorted(FOLDER.glob("*.jsonl"))
    ]


def matches(matcher: str | None, step: Step) -> bool:
    """Tell whether the client runs a hook with that matcher for an event."""
    if not matcher or matcher == "*":
        return True
    subject = step.tool if step.name in MATCHED else str(step.event.get("source", ""))
    if NAMES.fullmatch(matcher):
        return subject in re.split(r"[|,] ?", matcher)
    return re.search(matcher, subject) is not None


@dataclass
class Side:
    """One product's hooks, in a home of its own."""

    name: str
    home: Path
    environ: Mapping[str, str]
    groups: Mapping[str, Sequence[tuple[str | None, list[str]]]]
    """The commands of each event, with their matchers."""
    told: Told = field(default_factory=Told)
    calls: int = 0
    _turn_ms: float = 0.0

    def play(self, step: Step, project: Path, scratch: Path) -> None:
        """Run the hooks of one event and note what they took and said."""
        commands = {
            tuple(command)
            for matcher, command in self.groups.get(step.name, ())
            if matches(matcher, step)
        }
        event = placed(step.event, project, self.home)
        self._grow_transcript(step, event, project)
        for command in sorted(commands):
            self._run(list(command), event, project, scratch)
        if step.name == "Stop":
            self.told.turns_ms.append(self._turn_ms)

    def _run(self, command: list[str], event: dict[str, Any], project: Path, scratch: Path) -> None:
        self.calls += 1
        given, out = scratch / f"{self.name}.in", scratch / f"{self.name}.out"
        given.write_text(json.dumps(event), encoding="utf-8")
        environ = {
            **self.environ,
            "CLAUDE_PROJECT_DIR": str(project),
            "CLAUDE_CODE_SESSION_ID": event["session_id"],
        }
        took_ms = wall_ms(command, environ, given, out)
        text = self.told.take(event, out.read_bytes(), took_ms)
        if event["hook_event_name"] == "UserPromptSubmit":
            self._turn_ms = 0.0
            self.told.answers.setdefault(kind_of(event["prompt"]), []).append(text)
        self._turn_ms += took_ms

    def _grow_transcript(self, step: Step, event: dict[str, Any], project: Path) -> None:
        source = FOLDER / "transcripts" / Path(event["transcript_path"]).name
        if not step.rows or not source.exists():
            return
        lines = source.read_text(encoding="utf-8").splitlines()[: step.rows]
        path = Path(event["transcript_path"])
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_bytes().count(b"\n") if path.exists() else 0
        with path.open("a", encoding="utf-8") as file:
            for line in lines[before:]:
                row = {**json.loads(line), "timestamp": datetime.now(UTC).isoformat()}
                file.write(json.dumps(placed(row, project, self.home)) + "\n")


def kind_of(prompt: str) -> str:
    """Return whether a prompt is about the project, about something else, or hardly one."""
    if prompt in ABOUT:
        return "about"
    return "elsewhere" if prompt in ELSEWHERE else "short"


def placed(value: Any, project: Path, home: Path) -> Any:
    """Put folders where the recording has names for them."""
    slug = "".join(c if c.isalnum() else "-" for c in str(project))
    text = json.dumps(value)
    for name, folder in (
        ("{project}", str(project)),
        ("{home}", str(home)),
        ("{slug}", slug),
        ("{place}", str(home)),
    ):
        text = text.replace(name, folder)
    return json.loads(text)


def do_in(project: Path, step: Step) -> None:
    """Have an edit's file be as it was after the edit."""
    said = step.event.get("tool_response")
    if step.name != "PostToolUse" or step.tool not in {"Edit", "Write"} or said is None:
        return
    path = Path(placed(said["filePath"], project, project))
    if not path.is_relative_to(project) or not path.exists():
        return
    before = path.read_text(encoding="utf-8")
    if step.tool == "Edit":
        path.write_text(before.replace(said["oldString"], said["newString"], 1), encoding="utf-8")


def ours(home: Path, environ: Mapping[str, str]) -> Side:
    """Return our hooks as the installer registers them."""
    groups: dict[str, list[tuple[str | None, list[str]]]] = {}
    for one in LISTENERS:
        command = ["/bin/sh", "-c", f"$HOME/.hitherto/bin/hook {one.event}"]
        groups.setdefault(one.event, []).append((one.matcher, command))
    return Side("hitherto", home, environ, groups)


def theirs(home: Path, peer: ClaudeMem) -> Side:
    """Return the peer's hooks as its hooks.json registers them."""
    groups = {event: list(_commands(found, peer.shell)) for event, found in peer.hooks.items()}
    return Side("claude-mem", home, peer.environ, groups)


def _commands(
    groups: Sequence[dict[str, Any]], shell: str
) -> Iterator[tuple[str | None, list[str]]]:
    for group in groups:
        for hook in group["hooks"]:
            yield group.get("matcher"), [shell, "-c", hook["command"]]
