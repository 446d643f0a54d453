"""Prompts are kept after their reply: without secrets, bounded, and only what a person asked."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.wiring import rows

from hitherto_server.core.errors import StoreFull
from hitherto_server.core.settings import Settings
from hitherto_server.sessions.prompt import keeper as prompts
from hitherto_server.sessions.prompt.keeper import QUERY_CHARS, WINDOW_CHARS, turn_of

if TYPE_CHECKING:
    from .conftest import Client

KEPT_CHARS = Settings().kept_prompt_chars
QUESTION = "Why does parse_config read its file twice?"
SECRET = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"


async def kept(client: Client) -> list[str]:
    """Return the prompts that the store holds once nothing waits any more."""
    await client.services.sessions.close()
    query = "SELECT prompt FROM turn ORDER BY id"
    return [row[0] for row in rows(client.services.home.database, query)]


def asked(client: Client) -> list[str | None]:
    query = "SELECT query FROM injection ORDER BY id"
    return [row[0] for row in rows(client.services.home.database, query)]


async def test_a_prompt_is_kept_and_the_ledger_says_what_was_asked(client: Client) -> None:
    await client.knows("parse_config reads its file twice, first for the encoding.")
    assert await client.prompts(QUESTION)
    assert await kept(client) == [QUESTION]
    assert asked(client) == [QUESTION]


async def test_a_secret_in_a_prompt_is_kept_nowhere(client: Client) -> None:
    await client.knows("parse_config reads its file twice, first for the encoding.")
    await client.prompts(f"{QUESTION} The token is {SECRET}, use it.", prompt_id=f"p {SECRET}")
    (prompt,) = await kept(client)
    assert prompt.startswith(QUESTION)
    assert "[redacted:" in prompt
    for file in client.services.home.root.rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file


@pytest.mark.parametrize(
    "prompt", ["ok, go on", "/compact", "<task-notification>done</task-notification>", "", "  "]
)
async def test_what_nobody_asked_is_not_kept(client: Client, prompt: str) -> None:
    await client.says("UserPromptSubmit", prompt=prompt)
    assert await kept(client) == []


async def test_a_follow_up_is_kept_though_nothing_is_searched_for_it(client: Client) -> None:
    await client.prompts("Do that again for the other one")
    assert await kept(client) == ["Do that again for the other one"]
    assert asked(client) == []


async def test_a_long_prompt_is_kept_by_its_two_ends(client: Client) -> None:
    await client.prompts(f"{QUESTION} {'x ' * 500_000} And why does save_config write it once?")
    (prompt,) = await kept(client)
    assert len(prompt) <= KEPT_CHARS
    assert prompt.startswith(QUESTION)
    assert prompt.endswith("And why does save_config write it once?")
    assert {len(query or "") for query in asked(client)} <= {*range(QUERY_CHARS + 1)}


@pytest.mark.parametrize("before", [KEPT_CHARS // 2 - 20, WINDOW_CHARS - 20, QUERY_CHARS // 2 - 10])
async def test_no_cut_leaves_half_a_secret(client: Client, before: int) -> None:
    await client.prompts(f"{'word ' * (before // 5)}{SECRET} {'word ' * 8000}")
    (prompt,) = await kept(client)
    assert SECRET[:12] not in prompt
    assert not any(SECRET[:12] in (query or "") for query in asked(client))


async def test_the_reply_does_not_wait_for_the_prompt_to_be_kept(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompts, "AFTER_REPLY_S", 3600.0)
    await client.knows("parse_config reads its file twice, first for the encoding.")
    assert await client.prompts(QUESTION)
    query = "SELECT count(*) FROM turn"
    assert rows(client.services.home.database, query) == [(0,)]
    assert await kept(client) == [QUESTION], "closing waits for what is to be kept"


async def test_a_prompt_that_came_by_the_spool_is_kept_once(client: Client) -> None:
    spool = client.services.sessions.spool
    spool.events.write_bytes(client.spool("UserPromptSubmit", prompt=QUESTION))
    await client.services.sessions.drain()
    client.services.sessions._recent.clear()  # as after a restart
    spool.events.write_bytes(client.spool("UserPromptSubmit", prompt=QUESTION))
    await client.services.sessions.drain()
    assert await kept(client) == [QUESTION]
    assert len(await client.events()) == 1


async def test_settings_and_plugin_together_keep_a_prompt_once(client: Client) -> None:
    call = client.call("UserPromptSubmit", prompt=QUESTION)
    await asyncio.gather(*(client.services.sessions.take(call) for _ in range(2)))
    assert await kept(client) == [QUESTION]


async def test_the_same_prompt_twice_is_two_turns(client: Client) -> None:
    for _ in range(2):
        await client.prompts(QUESTION)
    assert await kept(client) == [QUESTION, QUESTION]


@pytest.mark.parametrize("most", [0, 1, 10, 8000])
def test_no_more_of_a_prompt_is_kept_than_the_setting_says(client: Client, most: int) -> None:
    call = client.call("UserPromptSubmit", prompt=f"{QUESTION} {'x ' * 50_000}")
    turn = turn_of(call, most)
    assert (turn is None) == (most == 0)
    assert turn is None or len(turn.prompt) <= max(most, 5)


async def test_a_prompt_that_cannot_be_kept_costs_nothing_else(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompts, "AFTER_REPLY_S", 3600.0)
    await client.prompts(QUESTION)

    async def full(_: object) -> None:
        raise StoreFull("no space")

    with monkeypatch.context() as failing:
        failing.setattr(client.services.store.writer, "run", full)
        await client.services.sessions.close()
    assert await kept(client) == []
    assert len(await client.events()) == 1
