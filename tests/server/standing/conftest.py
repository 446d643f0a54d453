"""A working tree to write memories about, and the whole way from a text to its standing."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from hitherto_server.standing.anchors import Anchor, anchor
from hitherto_server.standing.decide import MemoryFacts, StandingView
from hitherto_server.standing.files import FileStates, Remembered, standings

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.standing.moves import Moves

FACTS = MemoryFacts("agent", learned_at_ms=1_790_000_000_000)


@dataclass
class Tree:
    """A folder with files, and the memories written about it."""

    root: Path
    states: FileStates = field(default_factory=FileStates)
    facts: MemoryFacts = FACTS

    def write(self, name: str, text: str | bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def anchored(self, content: str, *files: str, commit: str | None = None) -> tuple[Anchor, ...]:
        return anchor(content, files, self.root, commit=commit)

    def standing(
        self,
        anchors: tuple[Anchor, ...],
        *,
        moves: Moves | None = None,
        deadline: float | None = None,
    ) -> StandingView:
        memory = Remembered(self.facts, anchors)
        return standings([memory], self.root, self.states, moves, deadline)[0]

    def git(self, *arguments: str) -> str:
        author = ("-c", "user.name=T", "-c", "user.email=t@example.invalid")
        done = subprocess.run(
            ["git", *author, "-C", str(self.root), *arguments],
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def commit(self) -> str:
        if not (self.root / ".git").exists():
            self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a step")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    root = tmp_path / "project"
    root.mkdir()
    return Tree(root)
