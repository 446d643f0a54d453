"""An installation works wherever a home lies and however it is called, and homes never mix."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.server_process import HITHERTO, PERSONAL_PREFIXES, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

NUMBERS = count()
SHAPES = {
    "plain": "home",
    "spaces, quotes and signs of the shell": 'it\'s "my" $HOME `x` & (a) \\ home',
    "not ASCII": "дом 家 ñ 🏠",
    "long": "/".join(["a rather long name of a folder"] * 8),
}
SHARED_MEMORY = Path("/dev/shm")


@dataclass
class Person:
    """A person with a home, an installation in it, and Claude Code told of it."""

    home: Path
    named: str = ""
    """The data home that the environment names; empty: none, so that it is the usual one."""
    data: Path = field(init=False)

    def __post_init__(self) -> None:
        self.data = Path(self.named) if self.named else self.home / ".hitherto"

    @property
    def environ(self) -> dict[str, str]:
        kept = {n: v for n, v in os.environ.items() if not n.startswith(PERSONAL_PREFIXES)}
        named = {"HITHERTO_HOME": self.named} if self.named else {}
        return {**kept, **named, "HOME": str(self.home), "HITHERTO_PORT": "0"}

    def run(self, *arguments: str, cwd: Path | None = None) -> str:
        done = subprocess.run(
            [str(HITHERTO), *arguments],
            env=self.environ,
            cwd=cwd or self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def hook(self, event: str, cwd: Path, **fields: str) -> str:
        """Run the registered command of an event as the client does, without our variables."""
        settings = json.loads((self.home / ".claude" / "settings.json").read_text())
        command = settings["hooks"][event][0]["hooks"][0]["command"]
        environ = {k: v for k, v in self.environ.items() if k != "HITHERTO_HOME"}
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            env=environ,
            cwd=cwd,
            input=json.dumps({"session_id": "s1", "cwd": str(cwd), **fields}),
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def is_given(self, memory: str, prompt: str, cwd: Path) -> None:
        """Ask until a prompt is given a memory: a busy machine may be late for one."""

        def given() -> bool:
            session = f"s{next(NUMBERS)}"
            return memory in self.hook("UserPromptSubmit", cwd, prompt=prompt, session_id=session)

        wait_until(given, f"{memory!r} is given")

    def end(self) -> None:
        with suppress(AssertionError):
            self.run("stop")


def folder_of(shape: str, tmp_path: Path) -> Iterator[Path]:
    """Yield a home of that shape."""
    if shape == "a link":
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "real")
        yield tmp_path / "link"
    elif shape == "another file system":
        if not SHARED_MEMORY.is_dir() or SHARED_MEMORY.stat().st_dev == tmp_path.stat().st_dev:
            pytest.skip("there is no other file system here")
        with tempfile.TemporaryDirectory(dir=SHARED_MEMORY, prefix="hitherto-test-") as folder:
            yield Path(folder)
    else:
        home = tmp_path / SHAPES[shape]
        home.mkdir(parents=True)
        yield home


@pytest.fixture(params=[*SHAPES, "a link", "another file system"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    yield from folder_of(request.param, tmp_path)


def full_round(person: Person, project: Path) -> None:
    """Install, have a hook start the server, store, and be given what was stored."""
    person.run("install", "claude-code")
    person.hook("SessionStart", project, source="startup")
    person.run("remember", "The deploy of the shop goes to port 8443.", cwd=project)
    person.is_given("8443", "To which port does the deploy of the shop go?", project)
    assert (person.data / "memory.db").exists()
    person.run("uninstall", "claude-code")
    assert not (person.home / ".claude" / "settings.json").exists()


def test_the_usual_data_home_serves(home: Path, tmp_path: Path) -> None:
    person = Person(home)
    project = home / "my project é"
    project.mkdir()
    try:
        full_round(person, project)
    finally:
        person.end()


def test_a_data_home_elsewhere_serves_without_being_named_again(home: Path, tmp_path: Path) -> None:
    person = Person(home, named=str(tmp_path / "data's home ü"))
    project = home / "p"
    project.mkdir()
    try:
        full_round(person, project)
        assert not (home / ".hitherto").exists()
    finally:
        person.end()


def test_two_data_homes_never_mix(tmp_path: Path) -> None:
    people = []
    project = tmp_path / "one project"
    project.mkdir()
    try:
        for number in (8001, 8002):
            home = tmp_path / f"person {number}"
            home.mkdir()
            people.append(Person(home, named=str(tmp_path / f"data {number}")))
            people[-1].run("install", "claude-code")
            text = f"The deploy of the shop goes to port {number}."
            people[-1].run("remember", text, cwd=project)
        question = "To which port does the deploy of the shop go?"
        for person, own, foreign in ((people[0], "8001", "8002"), (people[1], "8002", "8001")):
            person.is_given(own, question, project)
            assert foreign not in person.run("recall", question, cwd=project)
            assert f"home {shlex.quote(str(person.data))}".replace("'", "") in person.run("status")
    finally:
        for person in people:
            person.end()


def test_a_project_that_is_the_home_is_a_project(tmp_path: Path) -> None:
    person = Person(tmp_path / "h")
    person.home.mkdir()
    try:
        full_round(person, person.home)
    finally:
        person.end()
