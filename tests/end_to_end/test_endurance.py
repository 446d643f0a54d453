"""The installed wheel under kill -9, a full disk and SIGSTOP, with eight sessions at work."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import endurance
import pytest
from endurance_harm import EACH_ONCE
from endurance_place import MountingFailed
from tests.model_fixture import CACHE

if TYPE_CHECKING:
    from pathlib import Path

# read at import: the guard takes it out of the environment before a test sees it
MUST_MOUNT = os.environ.get("HITHERTO_REQUIRE_MOUNT") == "1"
SEED = int(os.environ.get("ENDURANCE_SEED", "4"))


@pytest.mark.slow
def test_of_the_installed_wheel_nothing_is_lost_torn_stuck_or_left_behind(
    tmp_path_factory: pytest.TempPathFactory, models_dir: Path
) -> None:
    folder = tmp_path_factory.mktemp("e")  # a short path: the socket lies in it
    try:
        found = endurance.endure(folder, CACHE, models_dir, EACH_ONCE, SEED)
    except MountingFailed as error:
        if MUST_MOUNT:
            raise
        pytest.skip(f"no small disk can be mounted here: {error}")
    assert found.problems() == []
    details = found.details
    assert details["acknowledged"].keys() == {"mcp", "cli"}, "both were at work"
    assert details["harm"].keys() >= {
        "servers killed",
        "hooks killed",
        "MCP processes killed",
        "times the disk was full",
        "processes stopped",
    }
    assert details["events"]["noted"] > 50
