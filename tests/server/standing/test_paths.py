"""Which files are never opened."""

from __future__ import annotations

import builtins
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hitherto_server.standing.anchors import anchor
from hitherto_server.standing.moves import Moves
from hitherto_server.standing.paths import confine, is_private, relative_name
from hitherto_server.standing.reading import MAX_FILE_BYTES, read_file

if TYPE_CHECKING:
    from conftest import Tree

PRIVATE = [
    ".env",
    ".env.local",
    ".env.example",
    "prod.env",
    "id_rsa",
    "id_ed25519.pub",
    "tls/server.pem",
    "server.KEY",
    "store.p12",
    ".netrc",
    ".npmrc",
    ".pypirc",
    "credentials",
    "credentials.json",
    "secrets.yaml",
    ".aws/config",
    ".ssh/known_hosts",
    "gcp-credentials.json",
    "service-account-prod.json",
    "infra/terraform.tfstate",
    "prod.tfvars",
]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record each path that Python opens, by whatever door."""
    paths: list[str] = []
    for module, name in ((os, "open"), (builtins, "open"), (io, "open")):
        real = getattr(module, name)

        def recording(path: Any, *args: Any, _real: Any = real, **kwargs: Any) -> Any:
            if not isinstance(path, int):  # a descriptor was opened before
                paths.append(str(path))
            return _real(path, *args, **kwargs)

        monkeypatch.setattr(module, name, recording)
    return paths


@pytest.mark.parametrize("name", PRIVATE)
def test_a_private_file_is_never_opened(tree: Tree, opened: list[str], name: str) -> None:
    tree.write(name, "TOKEN_VALUE=1\n")
    tree.write("a.py", "x = 1\n")
    opened.clear()
    anchors = tree.anchored(f"`TOKEN_VALUE` in `{name}` and a.py", name, "a.py")
    view = tree.standing(anchors)
    assert next((a.path, a.file_hash is None, a.parts) for a in anchors) == (name, True, ())
    assert view.standing == "current"
    assert [path for path in opened if not path.endswith("a.py")] == []
    assert opened


def test_a_private_file_is_not_opened_through_a_link_with_an_innocent_name(
    tree: Tree, opened: list[str]
) -> None:
    tree.write(".env", "A=1\n")
    (tree.root / "settings.txt").symlink_to(tree.root / ".env")
    opened.clear()
    assert read_file(tree.root, "settings.txt").condition == "withheld"
    assert opened == []


def test_a_memory_with_private_files_only_is_unverified(tree: Tree) -> None:
    tree.write(".env", "A=1\n")
    view = tree.standing(tree.anchored("The key is in .env", ".env"))
    assert view.standing == "unverified"
    assert "its files may not be read" in view.reason


@pytest.mark.parametrize("name", ["credentials.py", "env.py", "key.ts", "secret_store.go", "a.md"])
def test_source_code_about_secrets_is_no_secret(name: str) -> None:
    assert not is_private(Path(name))


@pytest.mark.parametrize(
    "name",
    ["../x.py", "a/../../x.py", "/etc/hostname", "", ".", "a\0b", "out/x.py", "out.py", "\ud800"],
)
def test_no_path_leads_out_of_the_root(tree: Tree, tmp_path: Path, name: str) -> None:
    (tmp_path / "x.py").write_text("secret_thing = 1\n")
    (tree.root / "out").symlink_to(tmp_path)
    (tree.root / "out.py").symlink_to(tmp_path / "x.py")
    assert confine(tree.root, name) is None
    assert read_file(tree.root, name).condition == "withheld"
    assert all(anchor.file_hash is None for anchor in tree.anchored("`secret_thing`", name))


def test_an_absolute_path_below_the_root_is_kept_relative_whichever_way_it_is_spelled(
    tree: Tree, tmp_path: Path
) -> None:
    tree.write("a.py", "x_y = 1\n")
    linked = tmp_path / "linked"
    linked.symlink_to(tree.root)
    for given in (tree.root / "a.py", linked / "a.py"):
        assert relative_name(linked, str(given)) == "a.py"
    assert relative_name(tree.root, str(tree.root)) is None


def test_a_link_inside_the_root_is_followed(tree: Tree) -> None:
    tree.write("a.py", "x = 1\n")
    (tree.root / "b.py").symlink_to(tree.root / "a.py")
    assert read_file(tree.root, "b.py").file_hash == read_file(tree.root, "a.py").file_hash


def test_what_is_no_plain_file_or_too_large_is_not_read(tree: Tree) -> None:
    os.mkfifo(tree.root / "pipe")
    (tree.root / "folder").mkdir()
    with (tree.root / "large.py").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    conditions = [read_file(tree.root, name).condition for name in ("pipe", "folder", "large.py")]
    assert conditions == ["withheld"] * 3


def test_a_binary_file_is_known_by_its_hash_only(tree: Tree) -> None:
    tree.write("logo.png", b"\x89PNG\0\0some_name")
    anchors = tree.anchored("`some_name` in logo.png")
    assert anchors[0].file_hash
    assert anchors[0].parts == ()
    tree.write("logo.png", b"\x89PNG\0\1some_name")
    assert tree.standing(anchors).standing == "changed"


def test_at_most_ten_files_are_anchored(tree: Tree) -> None:
    for number in range(15):
        tree.write(f"f{number}.py", f"value_{number} = 1\n")
    content = " ".join(f"f{number}.py" for number in range(15))
    assert len(tree.anchored(content)) == 10


@pytest.mark.parametrize("in_git", [True, False])
def test_neither_an_edit_nor_a_search_opens_a_private_file(
    tree: Tree, opened: list[str], in_git: bool
) -> None:
    secret = "def act_now():\n    return 'secret'\n"
    for name in (".env", "tls/server.pem", "conf/id_rsa", "conf/.env.local", "prod.env"):
        tree.write(name, secret)
    tree.write("old.env.py", secret)
    commit = tree.commit() if in_git else None
    anchors = tree.anchored("`act_now` in old.env.py", commit=commit)
    opened.clear()
    edited = [".env", "tls/server.pem", str(tree.root / "conf/id_rsa")]
    assert anchor("`act_now`; see .env.local and server.pem", (), tree.root, edited=edited) == ()
    (tree.root / "old.env.py").rename(tree.root / "moved.env")
    assert tree.standing(anchors, moves=Moves(tree.root)).standing == "stale"
    names = {Path(path).name for path in opened if str(tree.root) in path and ".git/" not in path}
    assert names <= {".git", "old.env.py"}


def test_a_file_that_got_a_private_name_is_not_followed_by_git_either(
    tree: Tree, opened: list[str]
) -> None:
    tree.write("settings.py", "".join(f"value_{n} = {n}\n" for n in range(30)))
    anchors = tree.anchored("`value_3` in settings.py", commit=tree.commit())
    tree.git("mv", "settings.py", ".env")
    opened.clear()
    assert tree.standing(anchors, moves=Moves(tree.root)).standing == "stale"
    assert str(tree.root / ".env") not in opened
