"""Which files the client gives its session anyway, and that no other file is read."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from hitherto_server.sessions.client import files as client_files
from hitherto_server.sessions.client.files import MOST_FILES, ClientFiles, read_again

RULE = "Never {} the billing ledger by hand."
WORDS = ("edit", "copy", "print", "move", "delete", "export", "sort", "merge", "archive", "rename")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "person" / ".claude"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "code" / "shop"
    root.mkdir(parents=True)
    return root


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def where(root: Path, home: Path, word: str) -> str | None:
    read = read_again(root, home, ())
    assert read is not None
    return read[0].where(RULE.format(word))


def test_every_file_that_the_client_loads_is_read(root: Path, home: Path) -> None:
    slug = "".join(c if c.isalnum() else "-" for c in str(root))
    places = {
        root / "CLAUDE.md": "CLAUDE.md",
        root / "CLAUDE.local.md": "CLAUDE.local.md",
        root / ".claude" / "CLAUDE.md": ".claude/CLAUDE.md",
        root / ".claude" / "rules" / "api" / "money.md": ".claude/rules/api/money.md",
        root.parent / "CLAUDE.md": "CLAUDE.md",
        home / "CLAUDE.md": "CLAUDE.md",
        home / "rules" / "ways.md": "ways.md",
        home / "projects" / slug / "memory" / "MEMORY.md": "MEMORY.md",
    }
    for word, path in zip(WORDS, places, strict=False):
        write(path, f"# Rules\n\n- {RULE.format(word)}\n")
    for word, name in zip(WORDS, places.values(), strict=False):
        assert where(root, home, word) == name


def test_imports_are_followed_from_where_they_stand(root: Path, home: Path) -> None:
    write(root / "CLAUDE.md", "See @docs/money.md and `@docs/code.md`.\n```\n@docs/fence.md\n```\n")
    write(root / "docs" / "money.md", f"{RULE.format('edit')}\n@more/deep.md and @money.md again")
    write(root / "docs" / "more" / "deep.md", RULE.format("copy"))
    write(root / "docs" / "code.md", RULE.format("print"))
    write(root / "docs" / "fence.md", RULE.format("move"))
    assert where(root, home, "edit") == "docs/money.md"
    assert where(root, home, "copy") == "docs/more/deep.md"
    assert where(root, home, "print") is None
    assert where(root, home, "move") is None


def test_imports_end_somewhere(root: Path, home: Path) -> None:
    for number in range(2 * MOST_FILES):
        write(root / f"n{number}.md", f"@n{number + 1}.md @n{number + 2}.md\n{RULE.format('edit')}")
    write(root / "CLAUDE.md", "@n0.md")
    read = read_again(root, home, ())
    assert read is not None
    assert len(read[1]) <= MOST_FILES


def test_an_import_from_somebody_who_does_not_exist_hides_no_file(root: Path, home: Path) -> None:
    write(root / "CLAUDE.md", f"@~nobody-of-this-name/notes.md\n\n{RULE.format('edit')}")
    assert where(root, home, "edit") == "CLAUDE.md"


def test_a_file_that_cannot_be_read_hides_no_other(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.open

    def refusing(path: Path, *given: Any) -> Any:
        if path.parent == root.parent:
            raise PermissionError(path)
        return real(path, *given)

    write(root / "CLAUDE.md", RULE.format("edit"))
    write(root.parent / "CLAUDE.md", RULE.format("copy"))
    monkeypatch.setattr(Path, "open", refusing)
    assert where(root, home, "edit") == "CLAUDE.md"


def test_a_folder_of_rules_that_leads_to_a_whole_disk_is_not_walked_through(
    root: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_files, "MOST_LOOKED_AT", 3)
    for number in range(10):
        write(tmp_path / "disk" / f"{number}" / "a.md", RULE.format(WORDS[number]))
    (root / ".claude").mkdir()
    (root / ".claude" / "rules").symlink_to(tmp_path / "disk")
    write(root / "CLAUDE.md", "Rules.")
    read = read_again(root, home, ())
    assert read is not None
    assert len(read[1]) < len(WORDS)


def test_only_so_much_is_read_in_all(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_files, "MOST_BYTES_IN_ALL", 100)
    write(root / "CLAUDE.md", f"{RULE.format('edit')} {'x' * 100}")
    write(root / "CLAUDE.local.md", RULE.format("copy"))
    assert where(root, home, "edit") == "CLAUDE.md"
    assert where(root, home, "copy") is None


def test_a_file_full_of_signs_is_searched_for_imports_in_no_time() -> None:
    began = time.process_time()
    assert client_files._imports(Path("/a/CLAUDE.md"), "-@" * 50_000) == []
    assert time.process_time() - began < 1


def test_keys_and_environments_are_never_opened(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []
    real = client_files._read

    def watched(path: Path, most: int) -> str:
        opened.append(path.name)
        return real(path, most)

    monkeypatch.setattr(client_files, "_read", watched)
    write(root / ".env", RULE.format("edit"))
    write(root / ".env.md", RULE.format("copy"))
    write(root / "secrets.txt", RULE.format("print"))
    write(root / ".ssh" / "notes.md", RULE.format("move"))
    (root / "CLAUDE.local.md").symlink_to(root / ".env")
    (root / "innocent.md").symlink_to(root / "secrets.txt")
    write(root / "CLAUDE.md", "@.env @.env.md @secrets.txt @.ssh/notes.md @innocent.md @main.py")
    assert where(root, home, "edit") is None
    assert opened == ["CLAUDE.md"]


def test_what_did_not_change_is_not_read_again(root: Path, home: Path) -> None:
    file = write(root / "CLAUDE.md", RULE.format("edit"))
    first = read_again(root, home, ())
    assert first is not None
    assert read_again(root, home, first[1]) is None
    write(file, RULE.format("copy"))
    os.utime(file, ns=(1, 1))
    changed = read_again(root, home, first[1])
    assert changed is not None
    assert changed[0].where(RULE.format("copy")) == "CLAUDE.md"
    write(root / ".claude" / "rules" / "new.md", RULE.format("print"))
    assert read_again(root, home, changed[1]) is not None


def test_a_file_that_went_is_forgotten(root: Path, home: Path) -> None:
    file = write(root / "CLAUDE.md", RULE.format("edit"))
    first = read_again(root, home, ())
    assert first is not None
    file.unlink()
    gone = read_again(root, home, first[1])
    assert gone is not None
    assert gone[0].where(RULE.format("edit")) is None


async def test_where_there_is_no_project_nothing_is_known(home: Path) -> None:
    said = await ClientFiles(home).said_in(None, wait_s=0)
    assert said.where(RULE.format("edit")) is None


async def test_the_first_to_ask_waits_for_the_reading(root: Path, home: Path) -> None:
    write(root / "CLAUDE.md", RULE.format("edit"))
    files = ClientFiles(home)
    said = await files.said_in(root, wait_s=20)
    assert said.where(RULE.format("edit")) == "CLAUDE.md"
    await files.close()
