"""The checks of coding sessions see what must not be."""

from __future__ import annotations

import threading
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from endurance_place import Place
from endurance_told import SentEvent, Told
from integrity_checks import IntegrityChecks
from integrity_session import CodingSession, may_be_lost
from tests.wiring import TestClock, opened

from hitherto_contract import RememberRequest
from hitherto_server.gates.remember import remember

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hitherto_server.services import Services

BLOCK = (
    "INSERT INTO obligation (session_id, generation, kind, subject, raised_at_ms, blocks,"
    " cleared_at_ms, cleared_by) VALUES ('s', 0, 'block', :prompt, 1, 1, 1, 'given')"
)
OWED = (
    "INSERT INTO obligation (session_id, generation, kind, subject, raised_at_ms)"
    " VALUES ('s', 0, 'store', 'p1', 1)"
)
SESSION = (
    "INSERT INTO session (id, client, started_at_ms, seen_at_ms, generation)"
    " VALUES ('s', 'claude-code', 1, 1, :generation)"
)
DIGEST = (
    "INSERT INTO digest (session_id, generation, asked_at_ms, done_at_ms, done_by, chosen_by,"
    " items) VALUES ('s', :generation, :at_ms, :at_ms, 'start', 'rule', '[]')"
)
GIVEN = (
    "INSERT INTO injection (session_id, generation, admission, channel, memory_number, revision,"
    " outcome, reason, decided_at_ms) VALUES ('s', 0, 'a1', 'prompt', 1, 1, 'injected', 'floor', 1)"
)
LOOP = (
    "INSERT INTO loop (session_id, task, state, iteration, most_iterations, started_at_ms,"
    " until_ms, ended_at_ms) VALUES ('s', 'Mend it.', :state, 3, 9, 1, 9, :ended)"
)


@pytest.fixture
def session(tmp_path: Path) -> CodingSession:
    place = Place(tmp_path, installed=None)  # type: ignore[arg-type]
    return CodingSession("s", tmp_path, place, Told(), Random(1), threading.Event())


async def found(
    session: CodingSession,
    check: Callable[[IntegrityChecks], Any],
    *rows: tuple[str, dict[str, Any]],
) -> list[str]:
    """What a check finds in a store with those rows and one memory."""
    async with opened(session.place.home, TestClock()) as services:
        await _fill(services, rows)
        checks = IntegrityChecks(session.place, session.told, [session])
        return list(check(checks))


async def _fill(services: Services, rows: tuple[tuple[str, dict[str, Any]], ...]) -> None:
    plan = RememberRequest(content="# Plan\n\n1. Do it.", kind="plan", scope="user")
    await remember(services.writes, plan)
    for statement, values in rows:
        await services.store.writer.run(lambda c, s=statement, v=values: c.execute(s, v))


async def test_more_than_one_block_in_a_prompt_or_three_in_a_session(
    session: CodingSession,
) -> None:
    session.heard.blocks = [("p1", "why"), ("p1", "why"), ("p2", "why"), ("p3", "why")]
    noted = [(BLOCK, {"prompt": prompt}) for prompt in ("p1", "p2")]
    said = await found(session, IntegrityChecks.of_blocks, *noted)
    assert said == [
        "s was blocked 4 times",
        "s was blocked 2 times in p1",
        "the block of s in p3 is not noted",
    ]


async def test_what_a_session_still_owes(session: CodingSession) -> None:
    assert await found(session, IntegrityChecks.stuck_obligations, (OWED, {})) == [
        "s owes store: p1"
    ]


async def test_plans_of_nobody_and_plans_that_are_lost(session: CodingSession) -> None:
    session.heard.plans = {"# Plan\n\n2. Do more.": True, "# Plan\n\n3. Maybe.": False}
    said = await found(session, IntegrityChecks.of_plans)
    assert said == [
        "a plan of nobody: '# Plan\\n\\n1. Do it.'",
        "lost plan: '# Plan\\n\\n2. Do more.'",
    ]


async def test_more_digests_than_compactions_and_those_of_a_time_to_come(
    session: CodingSession,
) -> None:
    session.heard.compactions = 1
    rows = [(SESSION, {"generation": 2})]
    rows += [(DIGEST, {"generation": one, "at_ms": one}) for one in (1, 2)]
    said = await found(session, IntegrityChecks.of_digests, *rows)
    assert said == [
        "s has digests of [1, 2] after 1 compactions",
        "s is in 2 and has digests of [1, 2]",
    ]


async def test_what_was_given_and_is_not_entered_and_the_other_way_round(
    session: CodingSession,
) -> None:
    session.heard.given = ["unknown"]
    said = await found(session, IntegrityChecks.of_ledger, (GIVEN, {}))
    assert said == [
        "s was given what the ledger does not know: {'unknown': 1}",
        "s heard nothing of 1 admissions",
    ]
    session.heard.maybe["UserPromptSubmit"] = 1
    session.heard.given = []
    assert await found(session, IntegrityChecks.of_ledger) == []


async def test_loops_that_outlive_their_session_or_count_otherwise(session: CodingSession) -> None:
    session.is_over = True
    session.heard.iterations = [("Mend it.", "p1", 2), ("Mend it.", "p1", 2)]
    said = await found(
        session, IntegrityChecks.of_loops, (LOOP, {"state": "running", "ended": None})
    )
    assert said == [
        "s has ended and its loop has not: [('running', 3, 9)]",
        "s was asked twice for ('Mend it.', 'p1', 2)",
        "s heard of 1 iterations, and 2 were asked for",
    ]


@pytest.mark.parametrize(
    ("how", "is_lost"),
    [
        ({}, False),
        ({"killed": True}, True),
        ({"server_killed": True}, True),
        ({"took_s": 0.31}, True),
    ],
)
def test_an_answer_may_be_lost_by_a_kill_or_by_time(how: dict[str, Any], *, is_lost: bool) -> None:
    assert may_be_lost(SentEvent("s", "UserPromptSubmit", "hash", **how)) is is_lost
