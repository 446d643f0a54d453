"""What is paused or ignored: nothing is given, nothing is kept, and one line says so."""

from __future__ import annotations

import json
import os
import shlex
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.bad_requests import ODD_HOOKS
from tests.wiring import repository, rows

from hitherto_contract import MemoriesRequest
from hitherto_server.api.listing import list_memories
from hitherto_server.api.quieted import pause_notices
from hitherto_server.core.errors import InvalidInput
from hitherto_server.sessions.call import read_call
from hitherto_server.sessions.client.files import read_again
from hitherto_server.sessions.control.quiet import Target, lies_in, spellings
from hitherto_server.store.quiet import QuietRule

if TYPE_CHECKING:
    from hitherto_server.sessions.moments import Reply

    from .conftest import Client

LESSON = "parse_config reads its file twice, first for the encoding."
QUESTION = "Why does parse_config read its file twice?"
PLAN = {
    "tool_name": "ExitPlanMode",
    "tool_response": {"plan": "# Plan\nMove the cache.", "filePath": "/x/plans/a-b-c.md"},
}
KEEPERS = ("session", "turn", "event", "injection", "obligation")


def kept(client: Client) -> dict[str, int]:
    """Return how many rows there are of what hooks leave behind."""
    database = client.services.home.database
    return {
        table: rows(database, f"SELECT count(*) FROM {table}")[0][0]
        for table in (*KEEPERS, "memory", "project")
    }


async def everything_happens(client: Client, session: str = "s") -> list[Reply]:
    """Do what a session does, and return what each hook said."""
    happened = [
        await client.says("SessionStart", session_id=session, source="startup"),
        await client.says("UserPromptSubmit", session_id=session, prompt=QUESTION),
        await client.says("PostToolUse", session_id=session, **PLAN),
        await client.says("UserPromptSubmit", session_id=session, prompt=f"Again: {QUESTION}"),
        await client.says("Stop", session_id=session),
        await client.says("SessionEnd", session_id=session, reason="exit"),
    ]
    await client.services.sessions.close()
    return happened


def lines(replies: list[Reply]) -> list[str]:
    return [str(reply["systemMessage"]) for reply in replies if reply is not None]


@pytest.mark.parametrize("kind", ["pause", "ignore", "pause session"])
async def test_a_session_that_is_left_alone_gets_one_line_and_leaves_nothing(
    client: Client, kind: str
) -> None:
    await client.knows(LESSON, scope="user")
    before = kept(client)
    target = Target(session_id="s") if "session" in kind else Target(path=str(client.project))
    await client.services.quiet.begin("ignore" if kind == "ignore" else "pause", target)
    replies = await everything_happens(client)
    (line,) = lines(replies)
    assert ("ignores" if kind == "ignore" else "paused") in line
    assert all("hookSpecificOutput" not in reply for reply in replies if reply is not None)
    assert kept(client) == before


async def test_a_line_that_would_come_too_late_is_for_the_next_call(client: Client) -> None:
    await client.services.quiet.begin("pause", Target(session_id="s"))
    body = json.dumps({"session_id": "s", "prompt": QUESTION}).encode()
    for spent_ms, told in ((400, False), (100, True), (100, False)):
        at_ms = client.clock() - spent_ms
        call = read_call("UserPromptSubmit", body, at_ms=at_ms, deadline_ms=300)
        assert (await client.services.sessions.take(call) is not None) is told
        client.clock.pass_ms(20_000)


async def test_another_session_goes_on(client: Client) -> None:
    await client.knows(LESSON)
    await client.services.quiet.begin("pause", Target(session_id="s"))
    assert await client.prompts(QUESTION, session_id="other")
    assert await client.prompts(QUESTION) == ""


async def test_a_pause_ends_by_itself_or_when_it_is_taken_back(client: Client) -> None:
    await client.knows(LESSON)
    await client.services.quiet.begin("pause", Target(session_id="s"), client.clock() + 60_000)
    assert await client.prompts(QUESTION) == ""
    client.clock.pass_ms(60_000)
    assert await client.prompts(QUESTION, session_id="s")
    await client.services.quiet.begin("pause", Target(path=str(client.project)))
    assert await client.prompts(QUESTION, session_id="t") == ""
    assert await client.services.quiet.end("pause", Target(path=str(client.project))) == 1
    assert await client.services.quiet.end("pause", Target(path=str(client.project))) == 0
    assert await client.prompts(QUESTION, session_id="t")


async def test_a_pause_survives_a_restart(client: Client) -> None:
    quiet = client.services.quiet
    await quiet.begin("pause", Target(session_id="s"))
    anew = type(quiet)(client.services.store, client.clock, quiet.note)
    await anew.load()
    assert [rule.session_id for rule in anew.in_force()] == ["s"]


async def test_a_folder_is_matched_by_whole_names_and_through_links(
    client: Client, tmp_path: Path
) -> None:
    inside = repository(client.project / "private" / "deep", commit=False)
    beside = repository(client.project / "private-not", commit=False)
    (tmp_path / "link").symlink_to(client.project / "private")
    await client.services.quiet.begin("ignore", Target(path=str(tmp_path / "link")))
    over = client.services.quiet.rule_for
    assert await over("s", [str(inside)])
    assert await over("s", [str(tmp_path / "link" / "deep")])
    assert await over("s", [str(client.project), str(inside)])
    assert await over("s", [str(beside)]) is None
    assert await over("s", [str(client.project)]) is None


@pytest.mark.parametrize(
    ("path", "folder", "inside"),
    [
        ("/a/b", "/a/b", True),
        ("/a/b/", "/a/b", True),
        ("/a/b/c", "/a/b/", True),
        ("/a/bc", "/a/b", False),
        ("/a", "/a/b", False),
        ("/a/x/../b/c", "/a/b", True),
        ("/anything", "/", True),
        ("/a/B", "/a/b", False),
        ("/a/ä ö/c", "/a/ä ö", True),
    ],
)
def test_what_lies_in_a_folder(path: str, folder: str, inside: bool) -> None:
    assert lies_in(path, spellings(folder)) is inside


async def test_what_the_spool_brings_is_judged_by_its_time(client: Client) -> None:
    quiet, spool = client.services.quiet, client.services.sessions.spool
    before_ms = client.clock()
    client.clock.pass_ms(30_000)
    await quiet.begin("pause", Target(session_id="s"))
    client.clock.pass_ms(30_000)
    during_ms = client.clock()
    client.clock.pass_ms(30_000)
    await quiet.end("pause", Target(session_id="s"))
    spool.events.write_bytes(
        client.spool("UserPromptSubmit", at_ms=before_ms, prompt=QUESTION)
        + client.spool("UserPromptSubmit", at_ms=during_ms, prompt=f"Secretly: {QUESTION}")
    )
    await client.services.sessions.drain()
    assert [event["occurred_at_ms"] for event in await client.events()] == [before_ms]
    assert rows(client.services.home.database, "SELECT prompt FROM turn") == [(QUESTION,)]


async def test_what_the_spool_brings_of_a_folder_that_is_ignored_by_now_is_dropped(
    client: Client,
) -> None:
    line = client.spool("UserPromptSubmit", prompt=QUESTION)
    client.clock.pass_ms(30_000)
    await client.services.quiet.begin("ignore", Target(path=str(client.project)))
    client.services.sessions.spool.events.write_bytes(line)
    await client.services.sessions.drain()
    assert kept(client) == dict.fromkeys((*KEEPERS, "memory", "project"), 0)
    assert list(client.services.home.spool.iterdir()) == []


async def test_what_was_given_before_a_compaction_in_a_pause_is_given_again(
    client: Client,
) -> None:
    await client.knows(LESSON)
    assert await client.prompts(QUESTION)
    await client.services.quiet.begin("pause", Target(session_id="s"))
    await client.says("SessionStart", source="compact")
    await client.services.quiet.end("pause", Target(session_id="s"))
    assert await client.prompts(QUESTION)


async def test_files_of_an_ignored_folder_are_neither_anchored_nor_read_nor_named(
    client: Client,
) -> None:
    private = client.project / "private"
    private.mkdir()
    (private / "pay.py").write_text("def charge_card(): ...\n")
    (client.project / "open.py").write_text("def show_card(): ...\n")
    files = ["private/pay.py", "open.py"]
    old = await client.knows("charge_card and show_card are siblings.", files=files)
    await client.services.quiet.begin("ignore", Target(path=str(private)))
    await client.knows("The nightly export waits for charge_card, then for show_card.", files=files)
    query = (
        "SELECT m.content, a.path FROM anchor AS a JOIN memory AS m ON m.number = a.memory_number"
        " ORDER BY a.id"
    )
    anchored = rows(client.services.home.database, query)
    assert ("The nightly export waits for charge_card, then for show_card.", "open.py") in anchored
    assert (
        "The nightly export waits for charge_card, then for show_card.",
        "private/pay.py",
    ) not in anchored
    (private / "pay.py").write_text("def charge(): ...\n")
    listed = MemoriesRequest(view="get", ids=[old], project_dir=str(client.project))
    (view,) = (await list_memories(client.services, listed)).memories
    assert view.standing == "current", "what is not read speaks neither for nor against it"
    await client.says(
        "PostToolUse", tool_name="Edit", tool_input={"file_path": str(private / "pay.py")}
    )
    assert "pay.py" not in str(await client.events())


@pytest.mark.parametrize("odd", ODD_HOOKS, ids=lambda odd: str(odd)[:40])
async def test_an_odd_call_is_taken_while_a_folder_is_ignored(
    client: Client, odd: dict[str, Any]
) -> None:
    await client.services.quiet.begin("ignore", Target(path=str(client.project)))
    for event in ("PostToolUse", "UserPromptSubmit"):
        call = read_call(event, json.dumps(odd).encode(), at_ms=client.clock())
        with suppress(InvalidInput):
            await client.services.sessions.take(call)
    assert all(event["name"] for event in await client.events("odd"))


async def test_a_relative_name_of_a_file_is_seen_from_the_session_s_folder(
    client: Client,
) -> None:
    await client.services.quiet.begin("ignore", Target(path=str(client.project / "private")))
    for name in ("private/a.py", "open/a.py"):
        await client.says("PostToolUse", tool_name="Edit", tool_input={"file_path": name})
    assert [event["detail"].get("file") for event in await client.events()] == [None, "open/a.py"]


async def test_a_folder_that_is_ignored_no_longer_is_read_again(client: Client) -> None:
    target = Target(path=str(client.project))
    await client.services.quiet.begin("ignore", target)
    assert client.services.quiet.hides(client.project / "a.py")
    await client.services.quiet.end("ignore", target)
    assert not client.services.quiet.hides(client.project / "a.py")


async def test_the_hooks_are_told_what_they_may_not_write_down(client: Client) -> None:
    quiet = client.services.quiet
    folder = Path("/a b/ä")
    await quiet.begin("ignore", Target(path=str(folder)))
    await quiet.begin("pause", Target(session_id="s"), client.clock() + 5)
    assert quiet.note.read_text() == (f"0\tpath\t/a%20b/%C3%A4\n{client.clock() + 5}\tsession\ts\n")
    assert quiet.note.stat().st_mode & 0o077 == 0
    await quiet.end("ignore", Target(path=str(folder)))
    await quiet.end("pause", Target(session_id="s"))
    assert not quiet.note.exists()


async def test_what_ends_a_pause_can_be_pasted_into_a_shell(client: Client) -> None:
    await client.services.quiet.begin("pause", Target(path="/a b/it's"))
    (notice,) = pause_notices(client.services)
    command = notice.split("`")[-2]
    assert shlex.split(command) == ["hitherto", "resume", "--path", "/a b/it's"]


async def test_a_link_to_a_folder_whose_name_is_no_text_can_be_left_alone(
    client: Client, tmp_path: Path
) -> None:
    quiet = client.services.quiet
    odd = os.fsencode(tmp_path) + b"/odd-\xff"
    Path(os.fsdecode(odd)).mkdir()
    (tmp_path / "link").symlink_to(os.fsdecode(odd))
    await quiet.begin("ignore", Target(path=str(tmp_path / "link")))
    assert quiet.note.read_text().endswith("/odd-%FF\n")


def test_a_rule_holds_from_its_beginning_to_its_first_end() -> None:
    rule = QuietRule(1, "pause", "s", None, began_at_ms=10, until_ms=30, ended_at_ms=20)
    assert [rule.holds_at(at_ms) for at_ms in (9, 10, 19, 20, 25, 30)] == [
        False,
        True,
        True,
        False,
        False,
        False,
    ]


def test_what_claude_md_imports_from_an_ignored_folder_is_forgotten(tmp_path: Path) -> None:
    private = tmp_path / "root" / "private" / "notes.md"
    private.parent.mkdir(parents=True)
    private.write_text("The cache is cold in the morning.\n")
    (tmp_path / "root" / "CLAUDE.md").write_text("Use tabs. See @private/notes.md\n")

    def hides(path: Path) -> bool:
        return "private" in path.parts

    first = read_again(tmp_path / "root", tmp_path / "home", ())
    assert first is not None
    assert str(private) in {name for name, _, _ in first[1]}
    second = read_again(tmp_path / "root", tmp_path / "home", first[1], hides)
    assert second is not None
    assert str(private) not in {name for name, _, _ in second[1]}
    assert read_again(tmp_path / "root", tmp_path / "home", second[1], hides) is None
