"""A candidate becomes a memory by use, by confirmation, or by a person; and by nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import NOW_MS

from hitherto_contract import RecallRequest
from hitherto_server.api.operations import perform
from hitherto_server.gates.promotion import Case, bar_of
from hitherto_server.store.memories import NewMemory, insert_memory

if TYPE_CHECKING:
    from tests.person import Person

    from hitherto_server.services import Services

MINED = "The heron cluster drains `gauge_ctl` slowly."


async def mined(me: Person, trust: str = "tool") -> str:
    """Put a candidate into the person's project, as an import would."""
    project = await me.services.projects.get(str(me.folder))

    def job(connection: Any) -> None:
        new = NewMemory(
            id="01a00000-0000-7000-8000-000000000001",
            project=project.number,
            content=MINED,
            kind="fact",
            source="import",
            actor="import",
            device="d",
            at_ms=NOW_MS,
            spans=((0, len(MINED)),),
            tier="candidate",
            held_back_because="seen in a session",
        )
        number = insert_memory(connection, new)
        connection.execute(
            "INSERT INTO event (id, session_id, name, body_hash, occurred_at_ms, received_at_ms)"
            " VALUES (1, 's', 'History', 'h', 0, 0)"
        )
        connection.execute(
            "INSERT INTO support VALUES (?, 1, ?, 'affirms', ?)", (number, MINED, trust)
        )

    await me.services.store.writer.run(job)
    return "01a00000-0000-7000-8000-000000000001"


async def ask(services: Services, me: Person, session: str | None) -> None:
    asked = RecallRequest(
        query="what drains gauge_ctl slowly?", project_dir=str(me.folder), session_id=session
    )
    reply: Any = await perform(services, asked)
    assert [hit.excerpt for hit in reply.hits] == [MINED]


async def test_what_two_sessions_ask_for_is_admitted(me: Person, services: Services) -> None:
    memory = await mined(me)
    await ask(services, me, "one")
    await ask(services, me, "one")
    assert (await me.see(memory)).tier == "candidate"
    await ask(services, me, "two")
    assert (await me.see(memory)).tier == "admitted"
    assert [(one.change, one.actor) for one in await me.history(memory)] == [
        ("create", "import"),
        ("admit", "use"),
    ]


async def test_what_comes_from_outside_is_admitted_by_no_use(
    me: Person, services: Services
) -> None:
    memory = await mined(me, trust="external")
    for session in ("one", "two", "three"):
        await ask(services, me, session)
    assert (await me.see(memory)).tier == "candidate"


async def test_what_is_confirmed_is_admitted(me: Person) -> None:
    memory = await mined(me)
    done = await me.reflect(memory, "confirm")
    seen = await me.see(memory)
    assert (seen.tier, seen.revision) == ("admitted", done.revision)
    assert (await me.reflect(memory, "confirm")).revision == done.revision


async def test_what_is_edited_is_admitted(me: Person) -> None:
    memory = await mined(me)
    done = await me.reflect(memory, "edit", content="The heron cluster drains quickly now.")
    seen = await me.see(memory)
    assert (seen.tier, seen.revision) == ("admitted", done.revision)


@pytest.mark.parametrize(
    ("case", "bar"),
    [
        (Case("user", is_suspect=False, rival=None), None),
        (Case("tool", is_suspect=False, rival=None), None),
        (Case("user", is_suspect=True, rival=None), "suspect: it addresses an agent"),
        (Case("user", is_suspect=False, rival="m1"), "it may contradict m1"),
        (
            Case("external", is_suspect=False, rival=None),
            "from outside: only a person admits it",
        ),
    ],
)
def test_what_only_a_person_settles_is_named(case: Case, bar: str | None) -> None:
    assert bar_of(case) == bar
