"""A client's home, and the programs that an installation has."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import hitherto_hooks
from hitherto_server.core.home import Home
from hitherto_server.install import claude_code
from hitherto_server.install.shims import Programs

if TYPE_CHECKING:
    from collections.abc import Callable

    from hitherto_server.install.work import Changes

RUN = Path(hitherto_hooks.__file__).parent / "run.py"


@dataclass(frozen=True)
class Client:
    """A client's files, and the installer at work on them."""

    root: Path
    home: Home
    project: Path
    programs: Programs

    def install(self, scope: claude_code.Scope = "user", **given: object) -> Changes:
        options = {"home": self.home, "project": self.project, "programs": self.programs, **given}
        return claude_code.install(self.root, scope, **options)

    def uninstall(self, scope: claude_code.Scope = "user", **given: object) -> Changes:
        options = {"home": self.home, "project": self.project, **given}
        return claude_code.uninstall(self.root, scope, **options)

    def repair(self, programs: Programs | None = None) -> Changes:
        return claude_code.repair(self.home, programs=programs or self.programs)

    @property
    def settings(self) -> Path:
        return self.root / ".claude" / "settings.json"

    @property
    def state(self) -> Path:
        return self.root / ".claude.json"

    @property
    def copies(self) -> list[Path]:
        folder = self.home.backups / "clients"
        return sorted(p for p in folder.glob("*") if p.name != "receipt.json")

    def write_settings(self, content: bytes) -> bytes:
        self.settings.parent.mkdir(exist_ok=True)
        self.settings.write_bytes(content)
        return content


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    mcp = tmp_path / "env" / "bin" / "hitherto-mcp"
    mcp.parent.mkdir(parents=True)
    mcp.write_text("#!/bin/sh\n")
    mcp.chmod(0o755)
    return Programs(Path(sys.executable), RUN, mcp)


@pytest.fixture
def client(tmp_path: Path, programs: Programs) -> Client:
    root = Path(os.environ["HOME"])
    project = tmp_path / "project"
    project.mkdir()
    return Client(root, Home(root / ".hitherto"), project, programs)


@pytest.fixture
def moved(tmp_path: Path) -> Callable[[Programs], Programs]:
    """The programs at a new place, the old place gone."""

    def move(programs: Programs) -> Programs:
        programs.mcp.parent.rename(tmp_path / "moved")
        return Programs(
            programs.interpreter, programs.hook_script, tmp_path / "moved" / "hitherto-mcp"
        )

    return move
