"""What the commands say on a terminal: in words, and with the exit code that the docs promise."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import hitherto_server
from hitherto_server import cli, cli_bench, cli_memories, cli_sync
from hitherto_server.client import ServerSaid
from hitherto_server.core.errors import NobodyToAsk
from hitherto_server.core.notice_words import STANDINGS, in_words
from hitherto_server.core.text import counted
from hitherto_server.recall.arms import NO_INDEX

KIND = re.compile(r"\"((?:notice|nudge|advice|block):[a-z-]+)\"")
NOTHING: dict[str, Any] = {
    "still_accurate": [], "stale": [], "unjudged": [], "unreadable": [], "notes": [], "beyond": 0
}  # fmt: skip
REPORT: dict[str, Any] = {
    "surface": "relations", "backend": "custom", "model": None, "sample": "labelled", "note": "",
    "parts": {}, "passed": [], "missed": [], "basis": "b",
}  # fmt: skip
USAGE: dict[str, Any] = {
    "requests": 2, "unavailable": 1.0, "reasons": {"http": 2}, "p50_ms": None, "p95_ms": None,
    "input_tokens": None, "output_tokens": None, "cost_usd": None,
}  # fmt: skip


def test_every_kind_of_notice_has_words() -> None:
    texts = (one.read_text() for one in Path(hitherto_server.__file__).parent.rglob("*.py"))
    kinds = {kind for text in texts for kind in KIND.findall(text)}
    kinds |= {f"{family}:{one}" for family in ("notice", "standing") for one in STANDINGS}
    assert len(kinds) > 15
    assert [one for one in kinds if in_words(one) == one] == []
    assert in_words("gesture:of-tomorrow") == "gesture:of-tomorrow"


@pytest.mark.parametrize(
    ("number", "one", "said"),
    [
        (1, "session", "1 session"),
        (2, "session", "2 sessions"),
        (0, "memory", "0 memories"),
        (3, "piece of a session", "3 pieces of a session"),
        (2, "reply", "2 replies"),
        (2, "day", "2 days"),
    ],
)
def test_what_is_counted_is_one_or_many(number: int, one: str, said: str) -> None:
    assert counted(number, one) == said


@pytest.mark.parametrize(
    ("hits", "sessions", "by_meaning", "said"),
    [
        (1, 0, "ok", "1 memory found"),
        (0, 2, NO_INDEX, "0 memories and 2 earlier sessions found"),
        (3, 0, "model loading", "3 memories found, not by meaning: model loading"),
    ],
)
def test_the_foot_of_a_recall_is_a_sentence(
    hits: int, sessions: int, by_meaning: str, said: str
) -> None:
    answer = {"hits": [{}] * hits, "sessions": [{}] * sessions, "arms": {"passages": by_meaning}}
    assert cli_memories._foot(answer) == said


def test_sync_says_when_all_is_well_and_not_otherwise() -> None:
    assert [*cli_sync._told({**NOTHING, "looked_at": 3})] == [
        "All is well: 3 memories looked at, and none is in doubt."
    ]
    noted = [*cli_sync._told({**NOTHING, "looked_at": 3, "notes": ["1 was not looked at"]})]
    assert noted == ["1 was not looked at", "3 memories looked at"]
    assert "tied to a file" in next(cli_sync._told({**NOTHING, "looked_at": 0}))


@pytest.mark.parametrize("as_json", [False, True])
def test_a_bench_that_nobody_answered_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, as_json: bool
) -> None:
    report = {**REPORT, "usage": USAGE}
    monkeypatch.setattr(cli_bench, "ask", lambda *_, **__: report)
    with pytest.raises(NobodyToAsk):
        cli_bench.bench("relations", backend="configured", as_json=as_json)
    assert "relations" in capsys.readouterr().out
    monkeypatch.setitem(USAGE, "unavailable", 0.5)
    cli_bench.bench("relations", backend="configured", as_json=as_json)


@pytest.mark.parametrize(
    ("arguments", "said", "exit_code"),
    [
        (["pause", "--for", "soon"], None, 2),
        (["purge"], None, 2),
        (["show", "x"], ServerSaid("invalid_input", "no id", "give one"), 2),
        (["show", "x"], ServerSaid("not_found", "no such", "look"), 1),
    ],
    ids=["own check", "nothing named", "the server's check", "not found"],
)
def test_what_is_wrong_in_itself_exits_2_whoever_sees_it(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: ServerSaid | None,
    exit_code: int,
) -> None:
    def ask(*_: object, **__: object) -> None:
        assert said is not None, "the server is not asked"
        raise said

    monkeypatch.setattr("hitherto_server.cli_memories.ask", ask)
    monkeypatch.setattr("hitherto_server.cli_control.ask", ask)
    monkeypatch.setattr("sys.argv", ["hitherto", *arguments])
    monkeypatch.setattr("sys.stdout.reconfigure", lambda **_: None, raising=False)
    monkeypatch.setattr("sys.stderr.reconfigure", lambda **_: None, raising=False)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == exit_code
    assert capsys.readouterr().err.startswith("hitherto: ")
