"""Models of other dimensions follow each other over one store."""

from __future__ import annotations

import asyncio
import shutil
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.wiring import TestClock, faults_in, rows

from hitherto_contract import RememberRequest
from hitherto_server.api.service import status_of
from hitherto_server.app import open_services
from hitherto_server.core.home import Home
from hitherto_server.core.settings import Settings
from hitherto_server.gates.remember import remember
from hitherto_server.models.build import build
from hitherto_server.models.files import DEFAULT_NAME, get_files, write_description
from hitherto_server.models.sample_texts import sample_texts
from hitherto_server.recall.hits import Question

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hitherto_contract.recall import RecallReply
    from hitherto_server.models.runtime import LoadedModel
    from hitherto_server.services import Services

FACT = "The login token expires while the page is open."
DIMENSIONS = "SELECT DISTINCT dimension FROM embedding"
NAMES = "SELECT DISTINCT model FROM embedding"


@pytest.fixture
def home(tmp_path: Path, model_dir: Path, tiny_bert: Path) -> Home:
    """Return a data home with the default model, and with one of 32 numbers a vector."""
    home = Home(tmp_path / "home")
    home.create()
    (home.models / model_dir.name).symlink_to(model_dir, target_is_directory=True)
    build(tiny_bert, home.models / "tiny", name="tiny", source="a test")
    return home


@asynccontextmanager
async def serving(home: Home, model: str) -> AsyncIterator[Services]:
    """Wire a server whose settings name this model; at the end the store must be sound."""
    settings = replace(Settings(), model=model)
    async with open_services(home, settings, token="t", port=0, clock=TestClock()) as services:
        services.wake_model()
        yield services
    assert faults_in(home.database) == []


async def write(services: Services, *contents: str) -> None:
    for content in contents:
        await remember(services.writes, RememberRequest(content=content, scope="user"))


async def ask(services: Services, text: str) -> RecallReply:
    return await services.recaller.recall(Question(text, None, None, limit=50))


async def found(services: Services, text: str) -> list[str]:
    # the small model's weights are random: it ranks as it likes
    return [hit.excerpt for hit in (await ask(services, text)).hits]


async def settle(services: Services) -> None:
    """Wait until the model of the settings serves, and nothing is to be made or removed."""
    wanted = services.embedder.wanted
    async with asyncio.timeout(60):
        while not (
            services.embedder.state == "ready"
            and services.embedder.answering is wanted
            and await services.indexer.waiting() == 0
            and await services.indexer.progress() is None
            and len(rows(services.home.database, NAMES)) == 1
            and (await ask(services, "does a token expire")).arms["passages"] == "ok"
        ):
            await asyncio.sleep(0.02)


async def test_a_model_of_another_dimension_takes_over_and_back(home: Home) -> None:
    async with serving(home, DEFAULT_NAME) as services:
        await write(services, FACT, *(f"Berth {number} is closed." for number in range(40)))
        await settle(services)
        assert rows(home.database, DIMENSIONS) == [(384,)]
    for model, dimension in (("tiny", 32), (DEFAULT_NAME, 384)):
        async with serving(home, model) as services:
            await settle(services)
            assert rows(home.database, DIMENSIONS) == [(dimension,)]
            assert FACT in await found(services, "login token")


async def test_what_is_written_while_the_model_changes_is_found(home: Home) -> None:
    async with serving(home, DEFAULT_NAME) as services:
        await write(services, *(f"Berth {number} is closed." for number in range(60)))
        await settle(services)
    async with serving(home, "tiny") as services:
        await write(services, FACT)
        assert FACT in await found(services, "login token")
        await settle(services)
        assert FACT in await found(services, "login token")


async def test_without_the_former_model_words_answer_until_the_vectors_are_made(
    home: Home,
) -> None:
    async with serving(home, "tiny") as services:
        await write(services, FACT, *(f"Berth {number} is closed." for number in range(40)))
        await settle(services)
    shutil.rmtree(home.models / "tiny")
    said = set()
    async with serving(home, DEFAULT_NAME) as services, asyncio.timeout(60):
        while services.embedder.state != "ready":
            reply = await ask(services, "login token")
            said.add(reply.arms["passages"])
            assert FACT in [hit.excerpt for hit in reply.hits]
        await settle(services)
    assert said <= {"model loading", "model absent", "model changing", "ok"}


async def test_a_model_that_is_missing_leaves_the_one_that_serves(home: Home) -> None:
    async with serving(home, DEFAULT_NAME) as services:
        await write(services, FACT)
        await settle(services)
    async with serving(home, "nowhere") as services:
        async with asyncio.timeout(60):
            while (await ask(services, "token")).arms["passages"] != "ok":
                await asyncio.sleep(0.02)
        status = await status_of(services)
        assert status.model["name"] == DEFAULT_NAME
        assert any("nowhere is not there" in notice for notice in status.notices)


async def test_the_same_name_with_another_prefix_is_another_model(home: Home) -> None:
    async with serving(home, "tiny") as services:
        await write(services, FACT)
        await settle(services)
    (before,) = rows(home.database, NAMES)
    folder = home.models / "tiny"
    write_description(folder, replace(get_files(folder).description, query_prefix="query: "))
    async with serving(home, "tiny") as services:
        async with asyncio.timeout(60):
            while rows(home.database, NAMES) == [before] or len(rows(home.database, NAMES)) != 1:
                await asyncio.sleep(0.02)
        await settle(services)
    assert rows(home.database, DIMENSIONS) == [(32,)]


async def test_a_prefix_reaches_the_model(home: Home) -> None:
    folder = home.models / "tiny"
    plain = get_files(folder).load()
    write_description(folder, replace(get_files(folder).description, query_prefix="query: "))
    prefixed = get_files(folder).load()
    assert (plain.embed("query: a pool", "query") == prefixed.embed("a pool", "query")).all()
    assert (plain.embed("a pool", "passage") == prefixed.embed("a pool", "passage")).all()


async def test_texts_lie_apart_once_the_middle_is_taken_away(home: Home) -> None:
    # random weights crowd as strongly as a model can
    loaded = get_files(home.models / "tiny").load()
    assert loaded.frames is not None
    bare = replace(loaded, frames=None)

    def crowding(model: LoadedModel) -> float:
        middle = np.mean([model.embed(text, "passage") for text in sample_texts()[:40]], axis=0)
        return float(middle @ middle)

    assert crowding(bare) > 0.5
    assert crowding(loaded) < crowding(bare) / 2
