"""The standing benchmark: its oracle reads right, and its figures fall when standing is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import standing
from histories import History, Package, Step, git
from part_oracle import keys_of, likeness, regions_of
from standing_memories import Named, truth_of

from hitherto_server.standing.decide import StandingView

if TYPE_CHECKING:
    from pathlib import Path

GO = """package a

// Run runs.
func (s *Server) Run(
\tport int,
) error {
\tif port == 0 {
\t\treturn nil
\t}
\treturn s.listen(port)
}

func other() {}
"""
RUST = """pub struct Store<T>
where
    T: Clone,
{
    rows: Vec<T>,
}

impl<T: Clone> Reader for Store<T> {
    pub(crate) fn read(&self) -> usize {
        self.rows.len()
    }
}

const LIMIT: usize = 10;
"""
TYPESCRIPT = """export const limit = 10
export const load = async (
  name: string,
) => {
  return read(name)
}

export class Client extends Base {
  private async fetch(name: string): Promise<void> {
    if (name) {
      return
    }
  }
}
"""
PYTHON = """class Store:
    def save(self):
        return 1

LIMIT = 10
"""


@pytest.mark.parametrize(
    ("name", "text", "names", "edit", "differs"),
    [
        ("a.go", GO, {"Server.Run", "other"}, ("listen(port)", "listen(0)"), "Server.Run"),
        ("a.rs", RUST, {"Store", "Store.read", "LIMIT"}, ("rows.len()", "rows.n()"), "Store.read"),
        ("a.rs", RUST, {"Store", "Store.read", "LIMIT"}, ("Vec<T>,", "Vec<T>, n: u8,"), "Store"),
        ("a.ts", TYPESCRIPT, {"limit", "load", "Client", "Client.fetch"}, ("(name)\n}", "()\n}"),
         "load"),
        ("a.py", PYTHON, {"Store", "Store.save", "LIMIT"}, ("LIMIT = 10", "LIMIT = 1"), "LIMIT"),
    ],
)  # fmt: skip
def test_the_oracle_finds_definitions_and_sees_an_edit_in_that_one_alone(
    name: str, text: str, names: set[str], edit: tuple[str, str], differs: str
) -> None:
    before, after = regions_of(name, text), regions_of(name, text.replace(*edit))
    assert before is not None
    assert after is not None
    assert set(before) == set(after) == names
    assert [one for one in names if before[one] != after[one]] == [differs]


@pytest.mark.parametrize(("name", "text"), [("a.go", GO), ("a.rs", RUST), ("a.py", PYTHON)])
def test_the_oracle_sees_no_edit_in_layout_or_a_line_above(name: str, text: str) -> None:
    relaid = "\n\n" + text.replace("\n\n", "\n\n\n")
    assert regions_of(name, relaid) == regions_of(name, text)


def test_the_oracle_reads_keys_under_their_sections() -> None:
    assert keys_of("a.toml", "[a.b]\nc = 1\n") == {"a\0b\0c": ("1",)}
    assert keys_of("a.json", '{"a": {"b": []}}') == {"a\0b": ("[]",)}
    assert keys_of("a.cfg", "[a]\nb = 1\n") == {"a\0b": ('"1"',)}
    assert keys_of("a.toml", "= broken") is None


def test_a_part_is_intact_different_removed_or_moved() -> None:
    named = Named("symbol", "Store.save", "a.py")
    then = {"a.py": PYTHON}
    assert truth_of(named, then, {"a.py": PYTHON + "x = 1\n"}) == "intact"
    assert truth_of(named, then, {"a.py": PYTHON.replace("return 1", "return 2")}) == "differs"
    assert truth_of(named, then, {"a.py": PYTHON.replace("def save", "def keep")}) == "removed"
    assert truth_of(named, then, {}) == "removed"
    assert truth_of(named, then, {"b/a.py": PYTHON}) == "intact"
    assert likeness(PYTHON, PYTHON) == 1


def test_a_key_in_another_section_is_the_same_key_as_far_as_it_was_named() -> None:
    named = Named("key", "isort.combine", "a.toml")
    then = {"a.toml": "[tool.isort]\ncombine = true\n"}
    assert truth_of(named, then, {"a.toml": "[tool.lint.isort]\ncombine = true\n"}) == "intact"
    assert truth_of(named, then, {"a.toml": "[tool.isort]\ncombine = false\n"}) == "differs"
    assert truth_of(named, then, {"a.toml": "[tool.other]\ncombine = true\n"}) == "removed"


@pytest.fixture
def history(tmp_path: Path) -> History:
    """Make a package of four versions: the last removes what the second changed."""
    root = tmp_path / "package"
    root.mkdir()
    git(root, "init", "-q")
    body = "def act_{n}(value):\n    total = value * {by} + {n}\n    return total\n\n\n"
    steps = []
    for version, by in (("1", 1), ("2", 2), ("3", 2), ("4", None)):
        for file in range(4):
            text = "".join(body.format(n=n, by=by) for n in range(6)) if by else "x = 1\n"
            (root / f"m{file}.py").write_text(text + ("y = 2\n" if version == "3" else ""))
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", version)
        steps.append(Step(version, git(root, "rev-parse", "HEAD")))
    package = Package("made-up", "python", "pypi", "test", ("1", "2", "3", "4"))
    return History(package, root, tuple(steps))


def test_a_replay_finds_what_stayed_and_what_went(history: History) -> None:
    seen, stored = standing.replay(history, standing.SHORT)
    assert len(stored) >= 4
    figures = standing.Tally(seen).figures()
    assert figures["intact stay current"] == 100
    assert figures["removed noticed"] == 100
    assert figures["intact"] > 0
    assert figures["removed parts"] > 0
    assert standing.tied(stored) == 100


@pytest.mark.parametrize(
    ("said", "intact", "removed"), [("current", 100.0, 0.0), ("changed", 0.0, 100.0)]
)
def test_its_bars_are_missed_when_standing_says_one_thing_always(
    history: History, monkeypatch: pytest.MonkeyPatch, said: str, intact: float, removed: float
) -> None:
    view = StandingView(said, "always")  # type: ignore[arg-type]
    monkeypatch.setattr(standing, "standings", lambda memories, *_: (view,) * len(memories))
    findings = standing.Findings()
    findings.add(history, standing.SHORT)
    bars = {bar.name: bar for bar in standing.bars_of(findings)}
    kept, noticed = (bars[name] for name, _, _ in standing.BARS)
    assert (kept.value, kept.ok) == (intact, intact >= 80)
    assert (noticed.value, noticed.ok) == (removed, removed >= 100)


def test_without_any_history_nothing_is_claimed() -> None:
    bars = standing.bars_of(standing.Findings())
    assert [bar.value for bar in bars] == [None] * 3
    assert all(bar.note == "no history could be fetched" for bar in bars)
