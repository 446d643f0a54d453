"""Where a file went."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from hitherto_server.standing import moves as moves_module
from hitherto_server.standing.moves import Moves

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Tree

TEXT = "".join(f"def step_{n}(x):\n    return x * {n} + {n * n}\n\n\n" for n in range(12))
MEMORY = "`step_3` in old.py triples."


def test_a_file_moved_and_committed_is_followed(tree: Tree) -> None:
    tree.write("old.py", TEXT)
    commit = tree.commit()
    anchors = tree.anchored(MEMORY, commit=commit)
    tree.git("mv", "old.py", "new.py")
    tree.commit()
    view = tree.standing(anchors, moves=Moves(tree.root))
    assert (view.standing, view.reason) == ("current", "old.py moved to new.py")


def test_a_file_moved_without_telling_git_is_followed_by_its_content(tree: Tree) -> None:
    tree.write("old.py", TEXT)
    anchors = tree.anchored(MEMORY, commit=tree.commit())
    tree.write("lib/näw file.py", TEXT)
    (tree.root / "old.py").unlink()
    view = tree.standing(anchors, moves=Moves(tree.root))
    assert (view.standing, view.reason) == ("current", "old.py moved to lib/näw file.py")


@pytest.mark.parametrize(
    ("edit", "standing"),
    [(("x * 5 + 25", "x * 5 + 26"), "current"), (("x * 3 + 9", "x * 3 + 8"), "changed")],
)
def test_the_parts_are_looked_for_where_the_file_went(
    tree: Tree, edit: tuple[str, str], standing: str
) -> None:
    tree.write("old.py", TEXT)
    anchors = tree.anchored(MEMORY, commit=tree.commit())
    tree.git("mv", "old.py", "new.py")
    tree.write("new.py", TEXT.replace(*edit))
    tree.commit()
    view = tree.standing(anchors, moves=Moves(tree.root))
    assert view.standing == standing
    assert "old.py moved to new.py" in view.details


def test_a_deleted_file_is_gone_even_if_git_is_asked(tree: Tree) -> None:
    tree.write("old.py", TEXT)
    tree.write("other.py", "x = 1\n")
    anchors = tree.anchored(MEMORY, commit=tree.commit())
    tree.git("rm", "-q", "old.py")
    assert tree.standing(anchors, moves=Moves(tree.root)).standing == "stale"


def test_a_commit_that_git_does_not_know_and_a_folder_without_git_find_nothing(tree: Tree) -> None:
    moves = Moves(tree.root)
    assert moves.find("old.py", None, "0" * 64) is None
    tree.write("a.py", TEXT)
    tree.commit()
    for commit in ("0" * 40, "--output=stolen", "HEAD~1; true"):
        assert Moves(tree.root).find("old.py", commit, "0" * 64) is None
    assert not (tree.root / "stolen").exists()


def test_git_is_asked_once_and_only_when_a_file_is_missing(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []
    real = moves_module.ask_git

    def recording(root: Path, arguments: tuple[str, ...], end: float | None) -> tuple[str, ...]:
        asked.append(arguments)
        return real(root, arguments, end)

    monkeypatch.setattr(moves_module, "ask_git", recording)
    tree.write("old.py", TEXT)
    tree.write("other.py", TEXT + "# other\n")
    anchors = tree.anchored(f"{MEMORY} other.py too", commit=tree.commit())
    moves = Moves(tree.root)
    tree.standing(anchors, moves=moves)
    assert asked == []
    (tree.root / "old.py").unlink()
    (tree.root / "other.py").unlink()
    long_ago = time.time() - 86_400  # an answer counts if it came after the last move
    os.utime(tree.root, (long_ago, long_ago))
    tree.standing(anchors, moves=moves)
    tree.standing(anchors, moves=moves)
    assert [arguments[0] for arguments in asked] == ["diff", "ls-files"]


def test_outside_git_a_moved_file_is_followed_by_its_content(tree: Tree) -> None:
    tree.write("old.py", TEXT)
    tree.write("lib/other.py", "x = 1\n")
    anchors = tree.anchored(MEMORY)
    moves = Moves(tree.root)
    (tree.root / "old.py").rename(tree.root / "lib" / "new.py")
    view = tree.standing(anchors, moves=moves)
    assert (view.standing, view.reason) == ("current", "old.py moved to lib/new.py")
    (tree.root / "lib" / "new.py").unlink()
    assert tree.standing(anchors, moves=moves).standing == "stale"


def test_a_file_that_moves_after_git_was_asked_is_followed_all_the_same(tree: Tree) -> None:
    tree.write("src/old.py", TEXT)
    tree.write("src/gone.py", "x_y = 1\n")
    commit = tree.commit()
    anchors = tree.anchored("`step_3` in src/old.py triples.", commit=commit)
    gone = tree.anchored("`x_y` in src/gone.py", commit=commit)
    moves = Moves(tree.root)
    (tree.root / "src" / "gone.py").unlink()
    assert tree.standing(gone, moves=moves).standing == "stale"
    (tree.root / "src" / "old.py").rename(tree.root / "src" / "new.py")
    assert tree.standing(anchors, moves=moves).reason == "src/old.py moved to src/new.py"
    tree.git("add", "-A")
    tree.git("commit", "-q", "-m", "moved")
    tree.git("mv", "src/new.py", "newest.py")
    assert tree.standing(anchors, moves=moves).reason == "src/old.py moved to newest.py"


def test_a_file_that_moves_on_is_followed_again(tree: Tree) -> None:
    tree.write("src/old.py", TEXT)
    anchors = tree.anchored("`step_3` in src/old.py triples.", commit=tree.commit())
    moves = Moves(tree.root)
    before = tree.root / "src" / "old.py"
    for name in ("a/new.py", "b/newer.py"):
        (tree.root / name).parent.mkdir()
        before = before.rename(tree.root / name)
        assert tree.standing(anchors, moves=moves).reason == f"src/old.py moved to {name}"


def test_nothing_that_the_repository_configures_is_run(tree: Tree) -> None:
    tree.write("old.py", TEXT)
    anchors = tree.anchored(MEMORY, commit=tree.commit())
    tree.git("config", "core.fsmonitor", "touch ran; false")
    tree.git("config", "diff.external", "touch ran; false")
    tree.git("mv", "old.py", "new.py")
    view = tree.standing(anchors, moves=Moves(tree.root))
    (tree.root / "ran").unlink(missing_ok=True)  # `git mv` itself may have run the monitor
    view = tree.standing(anchors, moves=Moves(tree.root))
    assert view.standing == "current"
    assert not (tree.root / "ran").exists()
