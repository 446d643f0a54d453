"""`wrong`: a person's word on an injection is kept, has its effect, and can be taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import repository, rows

from hitherto_contract import RecallRequest, ReflectRequest, WhyRequest, WrongRequest
from hitherto_server.api.control import say_wrong
from hitherto_server.api.operations import perform
from hitherto_server.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_contract import WrongReply

    from .conftest import Client

LESSON = "parse_config reads its file twice, first for the encoding."
OTHER = "Where the cache is cold, parse_config also reads the encoding of the file twice."
QUESTION = "Why does parse_config read its file twice for the encoding?"


async def says_wrong(client: Client, **values: Any) -> WrongReply:
    client.clock.pass_ms(1000)
    given = {"project_dir": str(client.project), "actor": "cli", **values}
    return await say_wrong(client.services, WrongRequest.model_validate(given))


async def asks(client: Client, session: str) -> str:
    """Return what a session is given for the question, in a context of its own."""
    await client.says("SessionStart", session_id=session, source="clear")
    given = await client.prompts(QUESTION, session_id=session)
    await client.services.sessions.close()  # what is kept after the reply is there
    return given


async def why(client: Client, session: str | None = None) -> dict[str | None, dict[str, Any]]:
    reply: Any = await perform(client.services, WhyRequest(session_id=session))
    return {one["id"]: one for one in reply.candidates}


async def test_a_memory_that_was_wrong_is_not_given_again_in_that_session(
    client: Client,
) -> None:
    lesson = await client.knows(LESSON)
    assert lesson in await asks(client, "s")
    marked = await says_wrong(client, because="it is read once since May")
    assert [one.id for one in marked.memories] == [lesson]
    assert marked.query == QUESTION
    assert await asks(client, "s") == ""
    candidate = (await why(client, "s"))[lesson]
    assert candidate["outcome"] == "dropped"
    assert candidate["reason"] == "said to be wrong in this session"
    assert candidate["wrong"]["because"] == "it is read once since May"
    assert lesson in await asks(client, "t"), "once may be a slip"


async def test_what_was_wrong_in_two_sessions_is_given_unasked_in_none_but_found_when_asked(
    client: Client,
) -> None:
    lesson = await client.knows(LESSON)
    for session in ("s", "t"):
        assert lesson in await asks(client, session)
        (marked,) = (await says_wrong(client)).memories
    assert marked.wrong_sessions == 2
    assert await asks(client, "u") == ""
    assert (await why(client, "u"))[lesson]["reason"] == "said to be wrong in 2 sessions"
    assert await client.starts("startup", session_id="v") == ""
    asked = RecallRequest(query=QUESTION, project_dir=str(client.project))
    reply: Any = await perform(client.services, asked)
    assert [hit.id for hit in reply.hits] == [lesson]
    assert "said to be wrong in 2 sessions" in reply.hits[0].why


@pytest.mark.parametrize("answer", ["edit", "confirm", "undo"])
async def test_an_edit_a_confirmation_or_an_undo_lets_it_be_given_again(
    client: Client, answer: str
) -> None:
    lesson = await client.knows(LESSON)
    for session in ("s", "t"):
        await asks(client, session)
        await says_wrong(client)
    assert await asks(client, "u") == ""
    client.clock.pass_ms(1000)
    if answer == "undo":
        undone = await says_wrong(client, undo=True)
        assert undone.undone
        assert [one.wrong_sessions for one in undone.memories] == [1]
    else:
        change = ReflectRequest.model_validate(
            {
                "id": lesson,
                "action": answer,
                "project_dir": str(client.project),
                "content": f"{LESSON} Since May once." if answer == "edit" else None,
            }
        )
        await perform(client.services, change)
    assert lesson in await asks(client, "v")


async def test_an_edit_that_is_undone_brings_back_what_was_wrong(client: Client) -> None:
    lesson = await client.knows(LESSON)
    for session in ("s", "t"):
        await asks(client, session)
        await says_wrong(client)
    place = {"id": lesson, "project_dir": str(client.project)}
    for values in (
        {"action": "edit", "content": f"{LESSON} Since May once."},
        {"action": "undo", "expected_revision": 2},
    ):
        client.clock.pass_ms(1000)
        await perform(client.services, ReflectRequest.model_validate({**place, **values}))
    assert await asks(client, "u") == ""


async def test_one_memory_of_an_injection_is_marked_by_how_its_id_begins(
    client: Client,
) -> None:
    lesson, other = await client.knows(LESSON), await client.knows(OTHER)
    given = await asks(client, "s")
    assert lesson in given
    assert other in given
    marked = await says_wrong(client, memory=other[:30])
    assert [one.id for one in marked.memories] == [other]
    again = await asks(client, "s")
    assert lesson in again
    assert other not in again


async def test_twice_in_a_session_counts_once_and_the_last_word_stands(client: Client) -> None:
    lesson = await client.knows(LESSON)
    await asks(client, "s")
    await says_wrong(client, because="a")
    (marked,) = (await says_wrong(client, because="b")).memories
    assert marked.wrong_sessions == 1
    assert (await why(client, "s"))[lesson]["wrong"]["because"] == "b"
    assert len(rows(client.services.home.database, "SELECT * FROM feedback")) == 1


async def test_the_last_injection_is_meant_and_not_a_later_silence(client: Client) -> None:
    lesson = await client.knows(LESSON)
    await asks(client, "s")
    await client.prompts("What is the weather in Lisbon like today?", session_id="s")
    assert [one.id for one in (await says_wrong(client)).memories] == [lesson]


async def test_without_a_session_the_project_s_last_injection_is_meant(
    client: Client, tmp_path: Path
) -> None:
    other = repository(tmp_path / "other", commit=False)
    lesson = await client.knows(LESSON, scope="user")
    await asks(client, "s")
    elsewhere = {"session_id": "t", "cwd": str(other)}
    assert lesson in await client.prompts(QUESTION, **elsewhere)
    assert (await says_wrong(client)).session_id == "s"
    assert (await says_wrong(client, project_dir=str(other))).session_id == "t"


@pytest.mark.parametrize(
    "aim",
    [
        {},
        {"session_id": "never seen"},
        {"memory": "0" * 8},
        {"undo": True},
        {"project_dir": "/never/seen"},
    ],
)
async def test_where_nothing_was_injected_nothing_can_be_wrong(
    client: Client, aim: dict[str, Any]
) -> None:
    with pytest.raises(NotFound):
        await says_wrong(client, **aim)


async def test_a_begin_that_several_memories_share_is_refused(client: Client) -> None:
    client.clock.pass_ms(1)
    lesson, other = await client.knows(LESSON), await client.knows(OTHER)
    assert lesson[:8] == other[:8]
    await asks(client, "s")
    with pytest.raises(InvalidInput):
        await says_wrong(client, memory=lesson[:8])


async def test_a_secret_in_a_reason_is_not_kept(client: Client) -> None:
    await client.knows(LESSON)
    await asks(client, "s")
    secret = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    await says_wrong(client, because=f"the token is {secret}")
    ((reason,),) = rows(client.services.home.database, "SELECT reason FROM feedback")
    assert secret not in reason


async def test_the_rank_is_told_how_often_a_memory_was_wrong(client: Client) -> None:
    from hitherto_server.store.recall import list_states

    await client.knows(LESSON)
    await asks(client, "s")
    await says_wrong(client)
    states = await client.services.store.readers.run(lambda c: list_states(c, [1], [1]))
    assert [state["wrong_sessions"] for state in states.values()] == [1]
