"""What Codex gives its session anyway, which is not what Claude Code gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hitherto_server.sessions.client.files import ClientFiles, client_home, codex_beginnings

if TYPE_CHECKING:
    from pathlib import Path

RULE = "Never {} the billing ledger by hand."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    return root


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "person"
    home.mkdir()
    return home


async def test_each_client_is_compared_with_its_own_files(root: Path, home: Path) -> None:
    (root / "CLAUDE.md").write_text(RULE.format("edit"))
    (root / "AGENTS.md").write_text(f"{RULE.format('copy')}\n\nSee @more.md\n")
    (root / "more.md").write_text(RULE.format("print"))
    (home / "AGENTS.md").write_text(RULE.format("move"))
    files = ClientFiles(home)
    codex = await files.said_in(root, wait_s=20, client="codex")
    claude = await files.said_in(root, wait_s=20)
    await files.close()
    assert codex.where(RULE.format("copy")) == "AGENTS.md"
    assert codex.where(RULE.format("move")) == "AGENTS.md"
    for word in ("edit", "print"):
        assert codex.where(RULE.format(word)) is None, "Codex reads neither CLAUDE.md nor imports"
    assert claude.where(RULE.format("edit")) == "CLAUDE.md"
    assert claude.where(RULE.format("copy")) is None


def test_an_override_stands_for_the_file_beside_it(root: Path, home: Path) -> None:
    for name in ("AGENTS.md", "AGENTS.override.md"):
        (root / name).write_text("x")
    assert list(codex_beginnings(root, home)) == [root / "AGENTS.override.md"]


def test_the_environment_names_codexs_home(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("CODEX_HOME", str(home))
    assert client_home("codex") == home
    assert client_home() != home
