"""A server's parts over a real store, a project, and a person who writes from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.person import Person
from tests.wiring import TestClock, opened, repository

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hitherto_server.services import Services


@pytest.fixture
def clock() -> TestClock:
    return TestClock()


@pytest.fixture
async def services(tmp_path: Path, clock: TestClock) -> AsyncIterator[Services]:
    async with opened(tmp_path / "home", clock) as services:
        yield services


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return repository(tmp_path / "project", "git@example.com:owner/name.git")


@pytest.fixture
def me(services: Services, project: Path, clock: TestClock) -> Person:
    return Person(services, project, clock)
