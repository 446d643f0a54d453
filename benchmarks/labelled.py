"""Projects with memories and labelled prompts, as fixtures/prompts/README.md describes them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

PROMPTS = Path(__file__).parent / "fixtures" / "prompts"


@dataclass(frozen=True)
class LabelledMemory:
    """A memory of a project, under its name in the file."""

    name: str
    kind: str
    files: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class LabelledPrompt:
    """A prompt and the memories that a person at work would want to see."""

    number: int
    text: str
    kind: str
    session: int
    wants: frozenset[str]


@dataclass(frozen=True)
class LabelledProject:
    """A project whose words no other project's labels know."""

    name: str
    half: str
    memories: tuple[LabelledMemory, ...]
    prompts: tuple[LabelledPrompt, ...]


def read_projects(folder: Path) -> list[LabelledProject]:
    """Return all projects of a folder, by name."""
    return [_read(path) for path in sorted(folder.glob("*.jsonl"))]


def _read(path: Path) -> LabelledProject:
    head, *lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    memories = [
        LabelledMemory(line["memory"], line["kind"], tuple(line["files"]), line["text"])
        for line in lines
        if "memory" in line
    ]
    prompts = [line for line in lines if "prompt" in line]
    labelled = [
        LabelledPrompt(number, one["prompt"], one["class"], one["session"], frozenset(one["wants"]))
        for number, one in enumerate(prompts)
    ]
    return LabelledProject(
        head["project"], head.get("half", "report"), tuple(memories), tuple(labelled)
    )
