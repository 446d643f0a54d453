"""What build files define, however they are laid out."""

from __future__ import annotations

import time

import pytest

from hitherto_server.standing.build_files import docker_keys, make_keys

LONG = 60_000


@pytest.mark.parametrize("text", ["ARG  \n", "ENV \\\n", "LABEL \t", "FROM  \n"])
def test_an_instruction_that_names_nothing_defines_nothing(text: str) -> None:
    assert list(docker_keys(text)) == []


def test_a_name_on_the_line_after_its_instruction_is_found() -> None:
    assert [one.name for one in docker_keys("ENV \\\n  MODE fast\n")] == ["MODE"]


def test_a_target_may_have_blanks_before_its_colon() -> None:
    assert [one.name for one in make_keys("build test \t: deps\n\tcc\n")] == ["build", "test"]


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (make_keys, "a" + " " * LONG),
        (make_keys, "a b" * LONG),
        (docker_keys, "LABEL " + "x" * LONG),
        (docker_keys, "FROM " + "x" * LONG),
        (docker_keys, "ENV a='" + 'b=" ' * LONG),
    ],
)
def test_a_long_line_takes_time_in_proportion(read: object, text: str) -> None:
    began = time.process_time()
    list(read(text))  # type: ignore[operator]
    assert time.process_time() - began < 2
