"""Every surface has all that a person can steer, and something that answers in its place."""

from __future__ import annotations

import pkgutil
from dataclasses import replace
from typing import TYPE_CHECKING

import judgment_page
import pytest

import hitherto_server.judge.surfaces as folder
from hitherto_server.benches.bars import BARS
from hitherto_server.benches.rules import RULES
from hitherto_server.benches.trials import TRIALS
from hitherto_server.judge.configuration import Backend, JudgeConfig, SurfaceChoice
from hitherto_server.judge.profiles import PROFILES
from hitherto_server.judge.register import MODULES, surfaces
from hitherto_server.judge.switches import Switches

if TYPE_CHECKING:
    from pathlib import Path

SURFACES = surfaces()
MOST_TIMEOUT_S = 10.0


def test_every_module_of_the_folder_is_registered() -> None:
    assert {one.name for one in pkgutil.iter_modules(folder.__path__)} == set(MODULES)


def test_no_two_surfaces_share_a_name() -> None:
    assert len(SURFACES) == len(MODULES)
    assert set(SURFACES) == {name.replace("_", "-") for name in MODULES}


def test_every_surface_has_a_trial_and_a_rule() -> None:
    assert RULES.keys() == TRIALS.keys() == SURFACES.keys()


@pytest.mark.parametrize("name", SURFACES)
def test_a_trial_is_of_its_own_surface(name: str) -> None:
    assert TRIALS[name].surface is SURFACES[name]


@pytest.mark.parametrize("name", SURFACES)
def test_every_surface_says_what_a_person_wants_to_know(name: str) -> None:
    one = SURFACES[name]
    told = (one.asks, one.moment, one.sends, one.action, one.fallback, RULES[name].told)
    assert all(text.strip().endswith((".", "?", ")")) for text in told), told
    assert one.samples
    assert 0 < one.timeout_s <= MOST_TIMEOUT_S
    assert one.version >= 1
    assert one.rides_on is None or one.rides_on in SURFACES


@pytest.mark.parametrize("name", SURFACES)
def test_every_threshold_is_explained(name: str) -> None:
    one = SURFACES[name]
    assert [least for least in one.thresholds if f"`{least}`" not in one.action] == []
    assert all(0 <= value <= 10 for value in one.thresholds.values())


@pytest.mark.parametrize("name", SURFACES)
def test_every_locked_switch_has_bars_and_is_explained(name: str) -> None:
    for switch in SURFACES[name].locked:
        assert switch in BARS
        assert f"`{switch}`" in SURFACES[name].action


def test_no_bars_are_left_over() -> None:
    assert BARS.keys() == {switch for one in SURFACES.values() for switch in one.locked}


def switches_of(config: JudgeConfig, home: Path) -> Switches:
    """Return switches that stand as configured; nothing is read from a store."""
    found = Switches(None, lambda: 0, home / ".env", lambda: 0.0, {}, config=config)  # type: ignore[arg-type]
    return replace(found, _read_at_s=0.0)


@pytest.mark.parametrize("name", SURFACES)
def test_every_surface_can_be_switched_off_by_itself(name: str, tmp_path: Path) -> None:
    backend = Backend(PROFILES["custom"], "http://127.0.0.1:9", "judge-1")
    config = JudgeConfig(backend=backend, surfaces={name: SurfaceChoice(on=False)})
    switches = switches_of(config, tmp_path)
    on = {other for other, one in SURFACES.items() if switches.is_on(one)}
    assert on == SURFACES.keys() - {name}


def test_the_page_is_what_register_and_results_say() -> None:
    assert judgment_page.PAGE.read_text("utf-8") == judgment_page.page(), "run `make figures`"
