"""A compaction: what is given back, once, whatever comes twice, late, or not at all."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from tests.system_one_stub import SystemOneStub
from tests.wiring import rows

from hitherto_server.judge.configuration import Backend, JudgeConfig
from hitherto_server.judge.profiles import PROFILES
from hitherto_server.judge.surfaces.compact_digest import Message
from hitherto_server.sessions.call import read_call
from hitherto_server.sessions.compaction.rule import labels_by_rule
from hitherto_server.sessions.compaction.words import MOST_REPLY_CHARS, messages_of
from hitherto_server.sessions.control.quiet import Target
from hitherto_server.store.digests import Turn
from hitherto_server.store.obligations import raise_obligation

from .conftest import Client, context_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hitherto_server.sessions.moments import Reply

GOAL = "Build an importer for the parish registers that reads the scanned index cards."
DECISION = "Let's keep the registers in SQLite and never in a second database."
LATER = "From now on every importer writes its progress into import.log."
TOKEN = "".join(("gh", "p_", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"))


async def asks(client: Client, *prompts: str, session: str = "s") -> None:
    """Prompt one after the other; each is kept with its turn."""
    for prompt in prompts:
        await client.says(
            "UserPromptSubmit", prompt=prompt, prompt_id=f"p-{prompt[:12]}", session_id=session
        )
    await client.services.sessions.tools.prompts.close()


async def settle(client: Client) -> None:
    """Wait until nothing is chosen or stored any more."""
    choosing = client.services.sessions.tools.choosing
    while tasks := list(choosing._others):
        await asyncio.wait(tasks, timeout=30)
        await asyncio.sleep(0)  # for what a task leaves to be done at its end


async def before(client: Client, **body: Any) -> Reply:
    reply = await client.says("PreCompact", trigger="manual", **body)
    await settle(client)
    return reply


async def compacts(client: Client, **body: Any) -> str:
    """Compact, and return what the session is given back."""
    given = await client.starts("compact", **body)
    await settle(client)
    return given


def digests(client: Client) -> list[tuple[Any, ...]]:
    query = "SELECT generation, done_by, chosen_by FROM digest ORDER BY asked_at_ms"
    return rows(client.services.home.database, query)


def candidates(client: Client) -> list[tuple[Any, ...]]:
    query = (
        "SELECT source_ref, tier, content FROM memory WHERE source = 'compaction' ORDER BY number"
    )
    return rows(client.services.home.database, query)


def generation(client: Client) -> int:
    query = "SELECT generation FROM session WHERE id = 's'"
    return int(rows(client.services.home.database, query)[0][0])


@pytest.fixture(autouse=True)
async def begun(client: Client) -> None:
    await client.starts("startup")
    await asks(client, GOAL, DECISION)


async def test_after_a_compaction_a_session_is_given_its_digest(client: Client) -> None:
    assert await before(client) is None, "the client appends what is printed to its instructions"
    given = await compacts(client)
    assert GOAL in given
    assert DECISION in given
    assert digests(client) == [(1, "start", "rule")]


@pytest.mark.parametrize(("since_ms", "is_own"), [(0, False), (1500, False), (2500, True)])
def test_a_reply_is_the_agents_own_until_it_was_given_that(since_ms: int, *, is_own: bool) -> None:
    said = "The register of Cuxhaven is sorted by the day of baptism."
    turns = [Turn("p", GOAL, said, 1000), Turn("q", DECISION, None, 2000)]
    found = messages_of(turns, (), [(since_ms, said)])
    assert (said in [one.text for one in found]) is is_own


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("Now write a test for the empty file too.", "request"),
        ("Could you please rename the helper?", None),
        ("ok, then add a dark theme to the settings page", "request"),
        ("I want to see the logs of last night.", "request"),
        ("Please fix it. And update the changelog.", "request"),
        ("Move the footer, don't shrink the rows.", "decision"),
        ("Raise the timeout to 90 s.", "decision"),
        ("Keep the old endpoint.", "decision"),
        ("Use Postgres, the team knows it.", "decision"),
        ("Fix it. Deletes are tombstones for 30 days.", "decision"),
        ("The accent stays orange in both.", "decision"),
        ("Add retries only where the call is idempotent.", "decision"),
    ],
)
def test_a_bare_request_settles_nothing(said: str, label: str | None) -> None:
    messages = [Message("person", text, at) for at, text in enumerate((GOAL, said))]
    assert labels_by_rule(messages)[1] == label


async def test_a_digest_has_requests_apart_from_what_was_settled(client: Client) -> None:
    request = "Now write a test for the empty file."
    await asks(client, request)
    await before(client)
    given = await compacts(client)
    settled, asked = given.index("Settled:"), given.index("Asked for:")
    assert settled < given.index(DECISION) < asked < given.index(request)


async def test_a_digest_is_a_candidate_that_says_where_it_is_from(client: Client) -> None:
    await before(client)
    assert candidates(client) == [], "nothing counts before the compaction has happened"
    await compacts(client)
    ((reference, tier, content),) = candidates(client)
    assert (reference, tier) == ("s:1", "candidate")
    assert GOAL in content
    query = "SELECT DISTINCT trust FROM support"
    assert rows(client.services.home.database, query) == [("user",)]


async def test_a_precompact_without_a_compaction_changes_nothing(client: Client) -> None:
    generation_before = generation(client)
    await before(client)
    await asks(client, LATER)
    assert candidates(client) == []
    assert generation(client) == generation_before
    await before(client)
    given = await compacts(client)
    assert LATER in given
    assert len(digests(client)) == len(candidates(client)) == 1


async def test_each_compaction_has_a_digest_of_its_own(client: Client) -> None:
    await before(client)
    await compacts(client)
    await asks(client, LATER)
    await before(client)
    assert LATER in await compacts(client)
    assert [one[0] for one in candidates(client)] == ["s:1", "s:2"]


async def test_settings_and_plugin_together_give_one_digest(client: Client) -> None:
    calls = [client.call("PreCompact", trigger="auto") for _ in range(2)]
    for call in calls:
        await client.services.sessions.take(call)
    await settle(client)
    client.clock.pass_ms(20)
    starts = [client.call("SessionStart", source="compact") for _ in range(2)]
    replies = [await client.services.sessions.take(call) for call in starts]
    await settle(client)
    assert [GOAL in context_of(reply) for reply in replies] == [True, False]
    assert len(digests(client)) == len(candidates(client)) == 1
    assert generation(client) == 2


async def test_a_compaction_that_nobody_announced_has_its_digest_too(client: Client) -> None:
    given = await compacts(client)
    assert DECISION in given
    assert digests(client) == [(1, "start", "rule")]
    assert len(candidates(client)) == 1


async def test_a_start_that_comes_again_by_the_spool_gives_nothing_twice(client: Client) -> None:
    await before(client)
    at_ms = client.clock() + 1000
    client.clock.pass_ms(1000)
    call = client.call("SessionStart", source="compact")
    await client.services.sessions.take(call)
    await settle(client)
    client.services.sessions._recent.clear()  # as after a restart of the server
    folder = str(client.project)
    line = client.spool("SessionStart", at_ms=at_ms, cwd=folder, source="compact")
    await client.services.sessions._take_line(line)
    await settle(client)
    assert len(digests(client)) == len(candidates(client)) == 1
    assert generation(client) == 2


async def test_an_old_completion_leaves_a_newer_digest_alone(client: Client) -> None:
    folder = str(client.project)
    await before(client)
    lost_ms = client.clock() + 500  # a start that no server heard
    await asks(client, LATER)
    await before(client)  # of the next compaction, which is still at work
    line = client.spool("SessionStart", at_ms=lost_ms, cwd=folder, source="compact")
    await client.services.sessions._take_line(line)
    await settle(client)
    assert [one[:1] for one in digests(client)] == [(1,), (None,)]
    assert LATER in await compacts(client)
    assert [one[0] for one in candidates(client)] == ["s:1", "s:2"]


async def test_a_completion_from_before_the_last_one_does_nothing(client: Client) -> None:
    folder = str(client.project)
    lost_ms = client.clock() + 500
    await asks(client, LATER)
    await before(client)
    await compacts(client)
    held, at = digests(client), generation(client)
    for event, more in (("SessionStart", {"source": "compact"}), ("PostCompact", {})):
        line = client.spool(event, at_ms=lost_ms, cwd=folder, **more)
        await client.services.sessions._take_line(line)
    await settle(client)
    assert (digests(client), generation(client)) == (held, at)


async def test_the_end_alone_makes_a_digest_count_and_a_late_start_adds_none(
    client: Client,
) -> None:
    await before(client)
    started_ms = client.clock() + 10
    await client.says("PostCompact", trigger="manual", compact_summary="…")
    await settle(client)
    assert digests(client) == [(1, "end", "rule")]
    assert generation(client) == 2
    line = client.spool("SessionStart", at_ms=started_ms, cwd=str(client.project), source="compact")
    await client.services.sessions._take_line(line)
    await settle(client)
    assert digests(client) == [(1, "start", "rule")]
    assert generation(client) == 2
    assert len(candidates(client)) == 1


async def test_an_end_behind_its_start_changes_nothing(client: Client) -> None:
    await before(client)
    await compacts(client)
    await client.says("PostCompact", trigger="manual", compact_summary="…")
    await settle(client)
    assert digests(client) == [(1, "start", "rule")]
    assert generation(client) == 2


async def test_a_digest_that_a_kill_kept_from_becoming_a_candidate_becomes_one_later(
    client: Client,
) -> None:
    await before(client)
    call = client.call("SessionStart", source="compact")
    await client.services.sessions.take(call)
    await client.services.sessions.tools.choosing.close()
    query = "UPDATE digest SET memory_id = NULL"
    await client.services.store.writer.run(lambda c: c.execute(query).rowcount)
    await client.says("SessionEnd", reason="other")
    await settle(client)
    assert len(candidates(client)) == 1


async def test_what_was_recalled_before_is_given_again(client: Client) -> None:
    lesson = "parse_config reads its file twice, first for the encoding."
    await client.knows(lesson)
    question = "Why does parse_config read its file twice for the encoding?"
    assert lesson in await client.prompts(question)
    assert lesson not in await client.prompts(f"{question} Again, please tell.")
    await before(client)
    await compacts(client)
    assert lesson in await client.prompts(f"{question} Again, please tell.")


async def test_what_a_session_owes_comes_with_its_digest(client: Client) -> None:
    detail = {"why": "cards.py was edited", "clears": "a remember of this session"}
    await client.services.store.writer.run(
        lambda c: raise_obligation(c, "s", "store", "p-1", detail=detail, at_ms=client.clock())
    )
    await before(client)
    given = await compacts(client)
    assert "cards.py was edited" in given
    assert "a remember of this session" in given
    assert given.index("cards.py was edited") < given.index("</hitherto-digest>")


async def test_nothing_that_hitherto_gave_is_digested(client: Client) -> None:
    lesson = "parse_config reads its file twice, first for the encoding."
    await client.knows(lesson)
    assert lesson in await client.prompts("Why does parse_config read its file twice?")
    block = f"<hitherto-memories>\n- {lesson}\n</hitherto-memories>"
    await asks(client, f"{LATER}\n{block}")
    answer = f"{lesson} So I cache the card reader's settings instead of reading them anew."
    query = "UPDATE turn SET reply = ? WHERE prompt_id = ?"
    values = (f"{answer}\n[judged] Store what you learned.", f"p-{LATER[:12]}")
    await client.services.store.writer.run(lambda c: c.execute(query, values).rowcount)
    await before(client)
    await compacts(client)
    ((_, _, content),) = candidates(client)
    assert LATER in content
    assert "So I cache the card reader's settings" in content
    assert lesson not in content
    assert "Store what you learned" not in content


def transcript_of(client: Client, folder: Path, said: str, at: str) -> str:
    row = {
        "type": "assistant",
        "uuid": "u1",
        "sessionId": "s",
        "cwd": str(client.project),
        "timestamp": at,
        "message": {"role": "assistant", "content": [{"type": "text", "text": said}]},
    }
    transcript = folder / "s.jsonl"
    transcript.write_text(f"{json.dumps(row)}\n")
    return str(transcript)


async def test_a_reply_that_is_not_kept_is_read_from_the_transcript_without_its_secrets(
    client: Client, tmp_path: Path
) -> None:
    said = f"The cards are 1200 pixels wide because the scanner crops them; token {TOKEN}."
    await before(
        client, transcript_path=transcript_of(client, tmp_path, said, "2099-01-01T00:00:00Z")
    )
    given = await compacts(client)
    assert "the scanner crops them" in given
    assert TOKEN not in given


async def test_no_half_of_a_secret_comes_from_a_long_reply(client: Client, tmp_path: Path) -> None:
    end = "The cards are 1200 pixels wide because the scanner crops them."
    filler = "so it is. " * 600
    said = f"token {TOKEN} {filler[: MOST_REPLY_CHARS - len(end) - len(TOKEN) // 2]} {end}"
    await before(
        client, transcript_path=transcript_of(client, tmp_path, said, "2099-01-01T00:00:00Z")
    )
    await compacts(client)
    assert TOKEN[-12:] not in repr(rows(client.services.home.database, "SELECT items FROM digest"))


async def test_what_was_said_in_a_pause_is_not_read_from_the_transcript(
    client: Client, tmp_path: Path
) -> None:
    await asks(client, GOAL)
    await client.services.quiet.begin("pause", Target(session_id="s"))
    client.clock.pass_ms(5000)
    at = datetime.fromtimestamp(client.clock() / 1000, UTC).isoformat()
    client.clock.pass_ms(5000)
    await client.services.quiet.end("pause", Target(session_id="s"))
    said = "The cards are 1200 pixels wide because the scanner crops them."
    await before(client, transcript_path=transcript_of(client, tmp_path, said, at))
    assert "the scanner crops them" not in await compacts(client)


@pytest.mark.parametrize("path", ["/nowhere/s.jsonl", "/dev/zero", "relative.jsonl", ""])
async def test_a_transcript_that_cannot_be_read_is_done_without(client: Client, path: str) -> None:
    await before(client, transcript_path=path)
    assert GOAL in await compacts(client)


async def test_a_digest_keeps_to_its_budget_and_leaves_the_brief_its_own(client: Client) -> None:
    cards = "the register keeps its cards. " * 40
    await asks(client, *(f"{n}. Let's keep it: {cards}" for n in range(30)))
    for number in range(8):
        lesson = f"Lesson {number}. " + "The scanner crops every card at the edge. " * 20
        await client.knows(lesson, kind="decision", importance=9)
    await before(client)
    given = await compacts(client)
    assert len(given.encode()) / 3 <= client.services.settings.brief_tokens
    assert given.count("(asked)") == 10
    assert "<hitherto-memories>" in given


async def test_a_late_start_gives_nothing_and_notes_nothing_as_given(client: Client) -> None:
    await before(client)
    body = {"session_id": "s", "cwd": str(client.project), "source": "compact"}
    raw = json.dumps(body).encode()
    call = read_call("SessionStart", raw, at_ms=client.clock(), deadline_ms=200)
    client.clock.pass_ms(500)
    assert await client.services.sessions.take(call) is None
    await settle(client)
    query = "SELECT given_at_ms FROM digest"
    assert rows(client.services.home.database, query) == [(None,)]


async def test_a_digest_that_did_not_arrive_comes_with_the_next_prompt_once(client: Client) -> None:
    await before(client)
    body = {"session_id": "s", "cwd": str(client.project), "source": "compact"}
    call = read_call(
        "SessionStart", json.dumps(body).encode(), at_ms=client.clock(), deadline_ms=200
    )
    client.clock.pass_ms(500)
    assert await client.services.sessions.take(call) is None
    given = await client.prompts("Please go on with the cards of 1891.")
    assert given.count("<hitherto-digest>") == 1
    assert DECISION in given
    assert "<hitherto-digest>" not in await client.prompts("And now with those of 1892, please.")


async def test_a_compaction_that_no_server_heard_of_gives_its_digest_on_the_next_prompt(
    client: Client,
) -> None:
    await before(client)
    line = client.spool("SessionStart", cwd=str(client.project), source="compact")
    await client.services.sessions._take_line(line)
    await settle(client)
    assert DECISION in await client.prompts("Please go on with the cards of 1891.")


async def test_where_digests_are_turned_off_none_is_made(
    client: Client,
) -> None:
    object.__setattr__(client.services.settings, "digest_tokens", 0)
    try:
        await before(client)
        assert "<hitherto-digest>" not in await compacts(client)
        assert candidates(client) == []
        assert generation(client) == 2
    finally:
        object.__setattr__(client.services.settings, "digest_tokens", 600)


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub() as serving:
        yield serving


async def use(client: Client, stub: SystemOneStub) -> None:
    backend = Backend(PROFILES["custom"], stub.url, stub.model)
    await client.services.judge.change(lambda c: JudgeConfig(c.on, backend, c.surfaces))


async def test_a_judge_says_what_is_kept(client: Client, stub: SystemOneStub) -> None:
    await use(client, stub)
    stub.answers = lambda state, key, _: (
        "decision" if state["messages"][key]["text"] == DECISION else "none"
    )
    await before(client)
    given = await compacts(client)
    assert "[judged]" in given
    assert DECISION in given
    assert GOAL not in given
    await client.services.judge.flush()
    query = "SELECT surface, origin, session_id, outcome FROM judgment_log"
    ((surface, origin, session, outcome),) = rows(client.services.home.database, query)
    assert (surface, origin, session) == ("compact-digest", "hook", "s")
    assert json.loads(outcome) == {"kept": ["decision"], "came_in_time": True}


async def test_a_judge_that_answers_after_the_compaction_changes_nothing(
    client: Client, stub: SystemOneStub
) -> None:
    await use(client, stub)
    stub.answers = {"c1": "none", "c2": "none"}
    stub.delay_s = 0.5
    await client.says("PreCompact", trigger="manual")
    async with asyncio.timeout(30):
        while not stub.asked:
            await asyncio.sleep(0.01)
    given = await compacts(client)  # waits for the judge after it has its own answer
    assert "[rule]" in given
    assert GOAL in given
    await client.services.judge.flush()
    query = "SELECT json_extract(outcome, '$.came_in_time') FROM judgment_log"
    assert rows(client.services.home.database, query) == [(0,)]


async def test_a_precompact_does_not_wait_for_the_judge(
    client: Client, stub: SystemOneStub
) -> None:
    await use(client, stub)
    stub.delay_s = 1.0
    assert await client.says("PreCompact", trigger="manual") is None
    assert client.services.sessions.tools.choosing._others, "the judge is still being asked"
    await settle(client)
