"""Whole transcripts: what they yield, what was taken back, and what is torn, huge or binary."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hitherto_server.history.session import read_session
from hitherto_server.sessions import transcript

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.history.conftest import Client

FAILS = ("bash!", "pytest tests/a.py\nE   KeyError: 'tide'\n1 failed")
EDIT = ("edit", "a.py\n- x['tide']\n+ x.get('tide')")
PASSES = ("bash", "pytest tests/a.py\n4 passed")


def contents(path: Path) -> list[str]:
    return [one.content for one in read_session(path).findings]


def test_a_fix_names_command_error_cause_and_change(client: Client) -> None:
    cause = ("assistant", "The problem is that old gauges send no tide.")
    path = client.session("/p", ("user", "tests fail"), FAILS, cause, EDIT, PASSES)
    (found,) = read_session(path).findings
    assert found.content == (
        "`pytest tests/a.py` failed: KeyError: 'tide'\n"
        "The problem is that old gauges send no tide.\n"
        "It passed after a change of a.py: `x['tide']` became `x.get('tide')`."
    )
    assert (found.kind, found.files, found.trust) == ("issue", ("/p/a.py",), "tool")
    happened = [one.happened for one in found.support]
    assert happened == ["command failed", "edit", "command passed"]
    assert len({one.message_id for one in found.support}) == 3


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param((FAILS, PASSES), id="nothing was edited"),
        pytest.param((FAILS, EDIT), id="it never passed"),
        pytest.param((FAILS, EDIT, ("bash", "pytest tests/b.py\n1 passed")), id="another passed"),
        pytest.param((EDIT, FAILS, EDIT, PASSES), id="the session broke it itself"),
        pytest.param(
            (("bash", "cat > a.py <<E\n"), FAILS, EDIT, PASSES),
            id="a command wrote the file",
        ),
        pytest.param(
            (("bash!", "python3 -c 'x'\nKeyError: 1"), EDIT, ("bash", "python3 -c 'x'")),
            id="a program within the command",
        ),
        pytest.param((FAILS, EDIT, PASSES, FAILS), id="it failed again"),
        pytest.param(
            (FAILS, EDIT, PASSES, ("edit", "a.py\n- x.get('tide')\n+ x['tide']")), id="edited back"
        ),
        pytest.param((FAILS, EDIT, PASSES, ("bash", "git checkout -- a.py")), id="git took it"),
        pytest.param((FAILS, EDIT, PASSES, ("bash", "git reset --hard")), id="git took all back"),
        pytest.param((FAILS, EDIT, PASSES, ("user", "no, revert that")), id="the person did"),
        pytest.param(
            (
                ("bash!", "ruff check .\na.py:1:1: error: F401 unused import"),
                EDIT,
                ("bash", "ruff check .\nok"),
            ),
            id="only style",
        ),
    ],
)
def test_what_is_no_lasting_fix_is_left(client: Client, steps: tuple[tuple[str, str], ...]) -> None:
    assert contents(client.session("/p", ("user", "the tests fail"), *steps)) == []


def test_a_fix_stays_if_git_restores_another_file(client: Client) -> None:
    path = client.session(
        "/p", ("user", "x"), FAILS, EDIT, PASSES, ("bash", "git checkout -- other.py")
    )
    assert len(contents(path)) == 1


def test_a_decision_that_is_taken_back_is_left(client: Client) -> None:
    path = client.session(
        "/p",
        ("user", "Let's switch to vitest instead of jest."),
        ("user", "on second thought keep jest, vitest lacks our plugin"),
    )
    assert contents(path) == []


def test_only_the_person_speaks(client: Client) -> None:
    said = "From now on we always use squash merges."
    kinds = ("meta", "compact", "sidechain", "output", "note", "assistant", "read")
    steps = [(kind, f"guide.md\n{said}" if kind == "read" else said) for kind in kinds]
    assert contents(client.session("/p", *steps)) == []
    assert contents(client.session("/p", *steps, ("user", said))) == [said]


def test_torn_binary_and_foreign_lines_are_passed_over_and_counted(client: Client) -> None:
    path = client.session("/p", ("user", "Always use UTC in reports."))
    good = path.read_bytes()
    bad = [
        b'{"type": "user", "message": {"content": "Always use CET in rep',
        b"\x00\xff\xfe" + b'"message"' + bytes(range(256)).replace(b"\n", b""),
        b'["message"]',
        b'{"message": 3, "type": "user"}',
        b'{"type": "user", "message": {"content": [7, {"type": "text", "text": 5}]}}',
        b'{"message": ' + b"[" * 100_000 + b"}",
        '{"type": "user", "message": {"content": "\ud800"}}'.encode("utf-8", "surrogatepass"),
        b"",
    ]
    path.write_bytes(b"\n".join(bad) + b"\n" + good + b'{"type": "user", "message": {"cont')
    found = read_session(path)
    assert [one.content for one in found.findings] == ["Always use UTC in reports."]
    assert found.skipped_lines >= 5


def test_a_huge_line_costs_no_memory_and_hides_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "MOST_LINE_BYTES", 64 * 1024)
    path = client.session("/p", ("user", "Always use UTC in reports."))
    huge = {"type": "user", "message": {"content": "Never use UTC in reports. " * 20_000}}
    path.write_bytes(json.dumps(huge).encode() + b"\n" + path.read_bytes())
    found = read_session(path)
    assert [one.content for one in found.findings] == ["Always use UTC in reports."]
    assert found.skipped_lines == 1


def test_an_empty_transcript_yields_nothing(client: Client) -> None:
    path = client.session("/p")
    assert path.read_bytes() == b""
    assert read_session(path).findings == ()


def test_each_statement_has_the_message_that_carries_it(client: Client) -> None:
    path = client.session("/p", ("user", "hello"), ("user", "Good. Always use UTC in reports."))
    said = [json.loads(line) for line in path.read_text().splitlines()]
    (support,) = read_session(path).findings[0].support
    assert support.message_id == said[-1]["uuid"]
    assert support.sentence == "Always use UTC in reports."


def test_a_secret_is_taken_out_of_a_statement_and_of_a_fix(client: Client) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    path = client.session(
        "/p",
        ("user", f"Always use the token {key} for the registry."),
        ("bash!", f"TOKEN={key} make publish\nerror: cannot publish with {key}"),
        ("edit", f"conf.ini\n- token = \n+ token = {key}"),
        ("bash", f"TOKEN={key} make publish\npublished"),
    )
    found = read_session(path).findings
    assert len(found) == 2
    assert key not in repr(found)


def test_rows_of_types_that_nobody_knows_are_no_fault(client: Client) -> None:
    path = client.session("/p", ("user", "Always use UTC in reports."))
    blob = json.dumps({"type": "api-request-blob", "message": "Never use UTC in reports."})
    path.write_text(f"{blob}\n{path.read_text()}")
    found = read_session(path)
    assert ([one.content for one in found.findings], found.skipped_lines) == (
        ["Always use UTC in reports."],
        0,
    )
