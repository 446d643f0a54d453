"""Settings are of their type and in their range, or the server says which is not."""

from __future__ import annotations

from dataclasses import fields

import pytest

from hitherto_server.core.errors import InvalidInput
from hitherto_server.core.settings import LEAST_AND_MOST, Settings, load_settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "70000"),
        ("PORT", "-1"),
        ("PORT", "http"),
        ("READERS", "0"),
        ("READERS", "1000"),
        ("LOG_LEVEL", "loud"),
        ("LOG_LEVEL", ""),
        ("INJECTION_FLOOR", "nan"),
        ("INJECTION_FLOOR", "1.5"),
        ("FUSION_WEIGHT", "1.5"),
        ("PROMPT_MEMORIES", "-1"),
        ("BRIEF_TOKENS", "1000000"),
    ],
)
def test_a_setting_out_of_its_range_is_refused_and_named(name: str, value: str) -> None:
    with pytest.raises(InvalidInput, match=f"HITHERTO_{name}=") as refused:
        load_settings({f"HITHERTO_{name}": value})
    assert f"HITHERTO_{name}" in refused.value.mend


def test_the_ends_of_a_range_are_in_it() -> None:
    for name, ends in LEAST_AND_MOST.items():
        for end in ends:
            found = load_settings({f"HITHERTO_{name.upper()}": str(end)})
            assert getattr(found, name) == end


def test_every_number_has_a_range_and_every_default_is_in_it() -> None:
    numbers = {one.name for one in fields(Settings) if isinstance(one.default, int | float)}
    assert set(LEAST_AND_MOST) == numbers
    defaults = {f"HITHERTO_{one.name.upper()}": str(one.default) for one in fields(Settings)}
    assert load_settings(defaults) == Settings() == load_settings({})
