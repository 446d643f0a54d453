"""What an anchor holds on to, and what it lets pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hitherto_server.standing.anchors import Part, anchor
from hitherto_server.standing.reading import FileState, FileText
from hitherto_server.standing.verify import check

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Tree

STORE = '''\
import json

TIMEOUT = 30


class SessionStore:
    """Keeps sessions."""

    limit = 10

    def save(self, session):
        text = json.dumps(session)
        self.rows.append(text)
        return len(self.rows)

    def load(self, number):
        return json.loads(self.rows[number])


def unrelated(value):
    return value + 1
'''


def parts_of(tree: Tree, content: str, text: str = STORE) -> dict[str, str]:
    tree.write("store.py", text)
    anchors = tree.anchored(content, "store.py")
    return {part.name: part.kind for part in anchors[0].parts}


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("`TIMEOUT` is short", {"TIMEOUT": "symbol"}),
        ("`SessionStore.save` appends", {"SessionStore.save": "symbol"}),
        ("`session_store.save()` appends", {"SessionStore.save": "symbol"}),
        ("`store.unrelated` adds one", {"unrelated": "symbol"}),
        ("`self.save` appends", {"save": "symbol"}),
        ("`json.dumps` is slow here", {"json.dumps": "mention"}),
        ("`other.save` is something else", {}),
        ("`nowhere_to_be_found` matters", {}),
        (
            'it has "return len(self.rows)"',
            {"return len(self.rows)": "line"},
        ),
    ],
)
def test_a_name_is_tied_to_what_it_means_in_the_file(
    tree: Tree, content: str, parts: dict[str, str]
) -> None:
    assert parts_of(tree, content) == parts


def test_a_class_named_beside_its_method_is_read_by_its_outline(tree: Tree) -> None:
    tree.write("store.py", STORE)
    anchors = tree.anchored("`SessionStore` in store.py: `save` keeps text, never objects.")
    tree.write("store.py", STORE.replace("self.rows[number]", "self.rows[number - 1]"))
    assert tree.standing(anchors).standing == "current"
    tree.write("store.py", STORE.replace("limit = 10", "limit = 20"))
    assert tree.standing(anchors).standing == "changed"


def test_a_class_named_alone_is_read_as_a_whole(tree: Tree) -> None:
    tree.write("store.py", STORE)
    anchors = tree.anchored("`SessionStore` in store.py keeps text.")
    tree.write("store.py", STORE.replace("self.rows[number]", "self.rows[number - 1]"))
    assert tree.standing(anchors).standing == "changed"


def test_another_definition_of_the_same_name_changes_nothing(tree: Tree) -> None:
    tree.write("store.py", STORE)
    anchors = tree.anchored("`save` in store.py returns the count.")
    tree.write("store.py", STORE + "\n\nclass Other:\n    def save(self):\n        return None\n")
    assert tree.standing(anchors).standing == "current"


def test_when_some_parts_are_gone_the_memory_is_changed_and_says_which(tree: Tree) -> None:
    tree.write("store.py", STORE)
    anchors = tree.anchored("store.py: `save`, `TIMEOUT` and `unrelated` belong together.")
    tree.write("store.py", STORE.replace("TIMEOUT = 30\n", ""))
    view = tree.standing(anchors)
    assert (view.standing, view.reason) == ("changed", "TIMEOUT is gone from store.py")
    assert "save reads as before in store.py" in view.details


def test_a_changed_file_in_which_nothing_is_named_is_changed(tree: Tree) -> None:
    tree.write("store.py", STORE)
    anchors = tree.anchored("The store is slow.", "store.py")
    tree.write("store.py", STORE + "\n")
    view = tree.standing(anchors)
    assert view.standing == "changed"
    assert "nothing can be told apart" in view.reason


def test_moving_a_line_out_of_its_branch_is_an_edit(tree: Tree) -> None:
    tree.write("a.py", "def act(x):\n    if x:\n        one()\n        two()\n")
    anchors = tree.anchored("`act` in a.py")
    tree.write("a.py", "def act(x):\n    if x:\n        one()\n    two()\n")
    assert tree.standing(anchors).standing == "changed"


def test_a_decorator_belongs_to_what_it_decorates(tree: Tree) -> None:
    tree.write("a.py", "@cached(60)\ndef act(x):\n    return x\n")
    anchors = tree.anchored("`act` in a.py")
    tree.write("a.py", "@cached(5)\ndef act(x):\n    return x\n")
    assert tree.standing(anchors).standing == "changed"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.py", 'x_y = "a b"', 'x_y = "a  b"'),
        ("a.py", "x_y = (1,)", "x_y = (1)"),
        ("a.json", '{"x_y": "5"}', '{"x_y": 5}'),
        ("a.yaml", "x_y:\n  a:\n    b: 1\n", "x_y:\n  a:\n  b: 1\n"),
        ("a.js", "const x_y = `a${1}b`;", "const x_y = `a${1}c`;"),
        ("a.rs", 'const x_y: &str = "a\\nb";', 'const x_y: &str = "a\\nc";'),
    ],
)
def test_what_only_looks_like_layout_is_an_edit(
    tree: Tree, name: str, before: str, after: str
) -> None:
    tree.write(name, before + "\n")
    anchors = tree.anchored(f"`x_y` in {name}")
    tree.write(name, after + "\n")
    assert tree.standing(anchors).standing == "changed"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        (
            "a.py",
            "def x_y(): return [1, 2]",
            "def x_y():\n    return [\n        1,\n        2,\n    ]",
        ),
        ("a.ts", "const x_y = {a: 1, b: 2};", "const x_y = {\n  a: 1,\n  b: 2,\n};"),
        ("a.toml", "x_y = ['a', \"b\"]", 'x_y = [\n  "a",\n  "b"\n]'),
        ("a.py", "x_y = 1", "# a new comment above\nx_y = 1  # and behind"),
        ("a.yml", "x_y: 'on'", 'x_y:   "on"'),
    ],
)
def test_what_a_formatter_does_is_no_edit(tree: Tree, name: str, before: str, after: str) -> None:
    tree.write(name, before + "\n")
    anchors = tree.anchored(f"`x_y` in {name}")
    tree.write(name, after + "\n")
    assert tree.standing(anchors).standing == "current"


def test_a_syntax_error_does_not_make_a_part_gone(tree: Tree) -> None:
    tree.write("store.py", STORE)
    anchors = tree.anchored("`save` in store.py")
    tree.write("store.py", STORE.replace("def save(self, session):", "def save(self, ((session:"))
    view = tree.standing(anchors)
    assert (view.standing, view.is_certain) == ("changed", False)


@pytest.mark.parametrize(
    ("edit", "standing", "is_certain"),
    [
        (("return len(self.rows)", "return 0"), "changed", True),
        (("def save", "def keep"), "changed", True),
        (("TIMEOUT = 30", "TIMEOUT = 31"), "current", False),
    ],
)
def test_a_change_is_certain_where_a_part_shows_it(
    tree: Tree, edit: tuple[str, str], standing: str, is_certain: bool
) -> None:
    tree.write("store.py", STORE)
    anchors = tree.anchored("`save` in store.py")
    tree.write("store.py", STORE.replace(*edit))
    view = tree.standing(anchors)
    assert (view.standing, view.is_certain) == (standing, is_certain)
    (tree.root / "store.py").unlink()
    assert tree.standing(anchors).is_certain


def test_a_change_without_a_named_part_is_not_certain(tree: Tree) -> None:
    tree.write("store.py", STORE)
    anchors = tree.anchored("The store is slow.", "store.py")
    tree.write("store.py", STORE + "\n")
    assert not tree.standing(anchors).is_certain


def test_a_short_constant_is_not_taken_for_the_new_name_of_another(tree: Tree) -> None:
    tree.write("a.py", "FIRST = None\nSECOND = None\n")
    anchors = tree.anchored("`FIRST` in a.py")
    tree.write("a.py", "SECOND = None\n")
    assert tree.standing(anchors).standing == "stale"


def test_a_mention_is_intact_while_the_word_stands_somewhere(tree: Tree) -> None:
    tree.write("store.py", STORE)
    anchors = tree.anchored("store.py uses `json.loads`")
    tree.write("store.py", STORE.replace("return json.loads(", "yield json.loads("))
    assert tree.standing(anchors).standing == "current"
    tree.write("store.py", STORE.replace("json.loads(", "json.loads_all("))
    assert tree.standing(anchors).standing == "stale"


def test_a_hash_made_in_an_unknown_way_is_never_compared(tree: Tree) -> None:
    tree.write("store.py", STORE)
    part = Part("symbol", "save", "whole99:0123456789abcdef")
    (finding,) = check(
        tree.anchored("x", "store.py")[0].__class__("store.py", "0", (part,)),
        FileText("store.py", STORE.encode()),
    )
    assert finding.state == "incomparable"


def test_files_are_read_through_the_reader_that_is_given(tmp_path: Path) -> None:
    state = FileState("read", "", "abc", b"def run_it(): pass\n")
    (found,) = anchor("`run_it`", ["a.py"], tmp_path, lambda _root, _name: state, commit="c0ffee1")
    assert (found.file_hash, found.commit) == ("abc", "c0ffee1")
    assert [part.name for part in found.parts] == ["run_it"]


SAVE = STORE[STORE.index("    def save") : STORE.index("    def load")]
REGION = (STORE.index("def save"), STORE.index("def save") + len(SAVE.strip()))
fast = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@fast
@given(st.text("abcxyz_ =+()#\n    ", max_size=40))
def test_no_edit_outside_the_named_parts_changes_the_standing(tree: Tree, addition: str) -> None:
    tree.write("store.py", STORE)
    anchors = tree.anchored("`save` and `TIMEOUT` in store.py")
    comment = "".join(f"# {line}\n" for line in addition.splitlines())
    tree.write("store.py", f"{comment}{STORE}\n\nlast = {addition!r}\n{comment}")
    assert tree.standing(anchors).standing == "current"


@fast
@given(st.integers(*(REGION[0] + len("def save"), REGION[1] - 1)), st.sampled_from("qZ7"))
def test_every_edit_of_a_letter_inside_a_named_part_is_noticed(
    tree: Tree, place: int, letter: str
) -> None:
    if STORE[place].isspace() or STORE[place] == letter:
        return
    tree.write("store.py", STORE)
    anchors = tree.anchored("`save` in store.py")
    tree.write("store.py", STORE[:place] + letter + STORE[place + 1 :])
    assert tree.standing(anchors).standing in {"changed", "stale"}


MAKEFILE = "PYTHON ?= python3\n\ntest: lint\n\t$(PYTHON) -m pytest\n\nlint:\n\truff check\n"
DOCKERFILE = 'FROM python:3.11 AS build\nARG VERSION=1\nENV PORT=8080 \\\n    MODE="a b"\n'


@pytest.mark.parametrize(
    ("name", "text", "content", "part", "edit", "elsewhere"),
    [
        ("Makefile", MAKEFILE, "`make` runs `test` in the Makefile", "test",
         ("-m pytest", "-m pytest -x"), ("ruff check", "ruff check .")),
        ("Makefile", MAKEFILE, "Makefile: `PYTHON` is the interpreter", "PYTHON",
         ("python3", "python3.12"), ("-m pytest", "-m pytest -x")),
        ("Dockerfile", DOCKERFILE, "the Dockerfile sets `PORT=8080`", "PORT",
         ("8080", "80"), ("a b", "c")),
        ("docker/Dockerfile.dev", DOCKERFILE, "`VERSION` in docker/Dockerfile.dev", "VERSION",
         ("VERSION=1", "VERSION=2"), ("8080", "80")),
        ("conf/app.toml", "[web]\nport = 80\nhost = 'a'\n", "`port = 80` in conf/app.toml", "port",
         ("80", "81"), ("'a'", "'b'")),
    ],
)  # fmt: skip
def test_the_keys_of_build_files_are_parts(  # noqa: PLR0917 - a row of the table
    tree: Tree,
    name: str,
    text: str,
    content: str,
    part: str,
    edit: tuple[str, str],
    elsewhere: tuple[str, str],
) -> None:
    tree.write(name, text)
    anchors = tree.anchored(content)
    assert part in {one.name for one in anchors[0].parts if one.kind == "key"}
    tree.write(name, text.replace(*elsewhere))
    assert tree.standing(anchors).standing == "current"
    tree.write(name, text.replace(*edit))
    assert tree.standing(anchors).standing == "changed"


@pytest.mark.parametrize("in_git", [True, False])
def test_a_file_named_without_its_folders_is_found_if_it_is_the_only_one(
    tree: Tree, in_git: bool
) -> None:
    tree.write("src/pkg/store.py", STORE)
    tree.write("src/pkg/__init__.py", "")
    tree.write("src/__init__.py", "")
    tree.write("config/.env", "A_B=1\n")
    if in_git:
        tree.commit()
    content = "`save` in store.py appends; see pkg/store.py, __init__.py and .env"
    assert [anchor.path for anchor in tree.anchored(content)] == ["src/pkg/store.py"]


def test_a_symbol_without_a_file_is_found_in_the_one_edited_file_that_defines_it(
    tree: Tree,
) -> None:
    tree.write("store.py", STORE)
    tree.write("other.py", "def act():\n    return SessionStore().save(1)\n")
    content = "`SessionStore.save` returns the count."
    edited = [str(tree.root / "other.py"), str(tree.root / "store.py"), "/elsewhere/x.py"]
    (found,) = anchor(content, (), tree.root, edited=edited)
    assert (found.path, [part.name for part in found.parts]) == ("store.py", ["SessionStore.save"])


def test_a_symbol_that_two_edited_files_define_is_tied_to_none(tree: Tree) -> None:
    tree.write("a.py", "def act():\n    return 1\n")
    tree.write("b.py", "def act():\n    return 2\n")
    assert anchor("`act` is slow", (), tree.root, edited=["a.py", "b.py"]) == ()


def test_a_file_that_is_named_comes_before_one_that_was_edited(tree: Tree) -> None:
    tree.write("a.py", "def act():\n    return 1\n")
    tree.write("b.py", "def act():\n    return 2\n\n\ndef other():\n    return 3\n")
    found = anchor("`act` in a.py calls `other`", (), tree.root, edited=["b.py"])
    assert {one.path: [part.name for part in one.parts] for one in found} == {
        "a.py": ["act"],
        "b.py": ["other"],
    }


def test_a_quoted_line_speaks_for_the_names_in_it(tree: Tree) -> None:
    tree.write("store.py", STORE)
    anchors = tree.anchored('store.py has "def save(self, session):"')
    assert [(part.kind, part.name) for part in anchors[0].parts] == [
        ("line", "def save(self, session):")
    ]
    tree.write("store.py", STORE.replace("self.rows.append(text)", "self.rows.insert(0, text)"))
    assert tree.standing(anchors).standing == "current"
    anchors = tree.anchored('`save` in store.py: "def save(self, session):"')
    tree.write("store.py", STORE)
    assert tree.standing(anchors).standing == "changed", "it is named by itself too"


@pytest.mark.parametrize(("old", "new"), [("30", "300"), ("TIMEOUT", "MY_TIMEOUT")])
def test_a_quoted_line_is_no_piece_of_a_longer_word(tree: Tree, old: str, new: str) -> None:
    tree.write("notes.txt", "TIMEOUT = 30\n")
    anchors = tree.anchored('notes.txt says "TIMEOUT = 30"')
    tree.write("notes.txt", "TIMEOUT = 30\n".replace(old, new))
    assert tree.standing(anchors).standing in {"changed", "stale"}


def test_a_file_that_is_named_is_no_key_of_itself(tree: Tree) -> None:
    text = "[dependencies]\ntoml = '1'\nserde = { version = '1', features = ['derive'] }\n"
    tree.write("Cargo.toml", text)
    anchors = tree.anchored("`serde.version` in Cargo.toml is pinned.")
    assert [part.name for part in anchors[0].parts] == ["serde.version"]
    tree.write("Cargo.toml", text.replace("toml = '1'", "toml = '2'").replace("derive", "rc"))
    assert tree.standing(anchors).standing == "current"
    tree.write("Cargo.toml", text.replace("version = '1'", "version = '2'"))
    assert tree.standing(anchors).standing == "changed"
