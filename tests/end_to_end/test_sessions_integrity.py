"""Eight coding sessions at once, server and hooks killed in their midst: all that is kept holds."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import integrity
import pytest
from installed import Installed
from realclient_product import HITHERTO

if TYPE_CHECKING:
    from endurance_harm import Harm

SEED = int(os.environ.get("INTEGRITY_SEED", "6"))
HARMS: tuple[Harm, ...] = ("kill the server and the hooks that spool",)
TURNS = (10, 6)


@pytest.mark.slow
def test_nothing_is_lost_doubled_or_stuck_when_server_and_hooks_are_killed(
    tmp_path_factory: pytest.TempPathFactory, models_dir: Path
) -> None:
    folder = tmp_path_factory.mktemp("i")  # a short path: the socket lies in it
    here = Installed(HITHERTO.parent.parent, Path(sys.executable))
    with integrity.prepared(folder, here, models_dir, SEED) as run:
        found = run.go(HARMS, TURNS)
    assert found.problems() == []
    details = found.details
    assert details["harm"]["servers killed"] >= 1
    assert details["harm"]["hooks killed"] >= 1
    assert details["hooks"] > 50
    assert min(details[one] for one in ("iterations", "plans", "memories given")) >= 1
