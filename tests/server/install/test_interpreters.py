"""Which interpreter hooks run, tried with real ones: copies that are slow, old, broken or open."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hitherto_server.cli_install import _interpreter
from hitherto_server.doctor.clients import _hook_interpreter
from hitherto_server.install import interpreters
from hitherto_server.install.interpreters import Choice, choose
from hitherto_server.install.shims import (
    find_programs,
    hook_choice,
    hook_shim,
    shims_work,
    write_shims,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Make = Callable[..., Path]

FAST = Path(os.path.realpath(sys.executable))
SLOW = "import time; time.sleep(0.08)"
OLD = "import sys; sys.version_info = (3, 10, 14, 'final', 0)"
HANGING = "import time; time.sleep(60)"
FAILING = "raise SystemExit(3)"
BODY = b'{"session_id":"s1"}'

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="a copied interpreter finds its library elsewhere"
)


@pytest.fixture(autouse=True)
def fewer_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told apart here differs by 80 ms."""
    monkeypatch.setattr(interpreters, "STARTS", 5)


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Makes an interpreter of its own that runs some code at its start, before anything else."""

    def made(name: str, at_start: str) -> Path:
        prefix, stdlib = tmp_path / name, Path(sysconfig.get_path("stdlib"))
        library = prefix / sys.platlibdir / stdlib.name
        program = prefix / "bin" / "python3"
        program.parent.mkdir(parents=True)
        shutil.copy(FAST, program)
        program.chmod(0o755)
        mirror(stdlib, library, but="encodings")
        mirror(stdlib / "encodings", library / "encodings", but="__init__.py")
        real = (stdlib / "encodings" / "__init__.py").read_text(encoding="utf-8")
        (library / "encodings" / "__init__.py").write_text(f"{at_start}\n{real}", encoding="utf-8")
        return program

    return made


def mirror(folder: Path, target: Path, but: str) -> None:
    target.mkdir(parents=True)
    for entry in folder.iterdir():
        if entry.name not in {but, "__pycache__"}:
            (target / entry.name).symlink_to(entry)


def trace(path: Path) -> str:
    """Code that leaves a trace at each start."""
    return f"import posix; posix.close(posix.open({str(path)!r}, posix.O_CREAT | posix.O_WRONLY))"


def run_shim(client, event: str = "Stop") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [hook_shim(client.home), event],
        input=BODY,
        capture_output=True,
        env={"PATH": os.environ["PATH"], "HOME": str(client.root)},
        check=False,
    )


def test_a_clearly_faster_interpreter_is_chosen_and_the_figures_are_said(make):
    slow = make("slow", SLOW)
    chosen = choose(slow, [FAST])
    assert chosen.interpreter == FAST
    said = re.fullmatch(r"starts in (\d+) ms, the server's in (\d+) ms", chosen.why)
    assert said is not None
    assert int(said[1]) < int(said[2]) >= 80


def test_a_slower_interpreter_is_not_chosen(make):
    assert choose(FAST, [make("slow", SLOW)]).interpreter == FAST


def test_an_interpreter_that_is_not_clearly_faster_is_not_chosen(monkeypatch, make):
    server, twin = make("server", "pass"), make("twin", "pass")
    timed = {server: 10.0, twin: 9.5}
    monkeypatch.setattr(interpreters, "start_ms", lambda _: timed)
    assert choose(server, [twin]).interpreter == server


@pytest.mark.parametrize("at_start", [OLD, FAILING])
def test_an_interpreter_that_is_too_old_or_fails_is_refused(make, at_start):
    assert choose(make("slow", SLOW), [make("odd", at_start)]).why == ""


def test_the_version_alone_is_what_refuses_the_old_one(make):
    assert interpreters.can_run_hooks(make("slow", SLOW))
    assert not interpreters.can_run_hooks(make("old", OLD))


def test_an_interpreter_that_hangs_is_refused_and_ended(make, monkeypatch):
    monkeypatch.setattr(interpreters, "PATIENCE_S", 0.4)
    hanging = make("hanging", HANGING)
    began = time.monotonic()
    assert choose(FAST, [hanging]) == Choice(FAST)
    assert 0.4 <= time.monotonic() - began < 30


def test_an_interpreter_that_hangs_only_when_it_is_timed_is_ended_and_slow(make, monkeypatch):
    monkeypatch.setattr(interpreters, "PATIENCE_S", 0.4)
    assert interpreters.one_start_ms(make("hanging", HANGING)) >= 400


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757])
def test_a_program_that_others_can_write_is_refused_without_being_run(make, tmp_path, mode):
    ran = tmp_path / "ran"
    slow, program = make("slow", SLOW), make("open", trace(ran))
    program.chmod(mode)
    assert choose(slow, [program]) == Choice(slow)
    assert not ran.exists()
    program.chmod(0o755)
    assert choose(slow, [program]).interpreter == program
    assert ran.exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
def test_a_program_of_another_user_is_refused(make):
    program = make("theirs", "pass")
    assert interpreters.is_trusted(program)
    os.chown(program, 65534, -1)
    assert not interpreters.is_trusted(program)


def test_a_program_in_a_folder_that_others_can_write_is_refused(make):
    program = make("open", "pass")
    assert interpreters.is_trusted(program)
    program.parent.parent.chmod(0o777)
    assert not interpreters.is_trusted(program)
    program.parent.parent.chmod(0o1777)  # there nobody can replace what is somebody else's
    assert interpreters.is_trusted(program)


def test_a_shell_script_is_refused_without_being_run(tmp_path):
    ran, script = tmp_path / "ran", tmp_path / "python3"
    script.write_text(f'#!/bin/sh\ntouch {ran}\nexec {FAST} "$@"\n')
    script.chmod(0o755)
    assert choose(FAST, [script]) == Choice(FAST)
    assert not ran.exists()


@pytest.mark.parametrize("name", ["gone", ""])
def test_what_is_no_file_is_refused(tmp_path, name):
    assert not interpreters.is_trusted(tmp_path / name)


def test_a_choice_stands_unless_another_is_much_faster(monkeypatch, make):
    server, other = make("server", "pass"), make("other", "pass")
    timed = {server: 10.0, other: 8.0}
    monkeypatch.setattr(interpreters, "start_ms", lambda _: timed)
    first = choose(server, [other])
    assert first.interpreter == other
    timed[server] = 7.0
    assert choose(server, [other], first) == first
    timed[server] = 5.0
    assert choose(server, [other], first).interpreter == server


def test_the_server_s_interpreter_stands_as_well_once_it_was_compared(monkeypatch, make):
    server, other = make("server", "pass"), make("other", "pass")
    timed = {server: 10.0, other: 9.2}
    monkeypatch.setattr(interpreters, "start_ms", lambda _: timed)
    first = choose(server, [other])
    timed[other] = 8.0
    assert choose(server, [other], first) == first
    assert choose(server, [other], Choice(server)).interpreter == other


@pytest.fixture
def two(client, make):
    """An installation whose hooks run a quick interpreter instead of the server's slow one."""
    server = make("server", f"{SLOW}\n{trace(client.root / 'server-ran')}")
    quick = make("quick", trace(client.root / "quick-ran"))
    programs = replace(client.programs, interpreter=server, other_interpreters=(quick,))
    client.install(programs=programs)
    for name in ("server-ran", "quick-ran"):
        (client.root / name).unlink()
    return programs


def ran(client) -> list[str]:
    return sorted(path.name for path in client.root.glob("*-ran"))


def test_the_shim_runs_the_chosen_interpreter(client, two):
    done = run_shim(client)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert ran(client) == ["quick-ran"]
    assert (client.home.spool / "events").read_bytes().startswith(b"Stop\t")


def test_the_shim_runs_the_server_s_interpreter_when_the_chosen_one_is_gone(client, two):
    two.other_interpreters[0].unlink()
    done = run_shim(client)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert ran(client) == ["server-ran"]
    assert (client.home.spool / "events").read_bytes().startswith(b"Stop\t")


def test_the_shim_is_silent_when_both_are_gone(client, two):
    two.other_interpreters[0].unlink()
    two.interpreter.unlink()
    done = run_shim(client)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_second_install_leaves_the_shims_as_they_are(client, two):
    before = hook_shim(client.home).read_bytes()
    changes = client.install(programs=two)
    assert changes.written == ()
    assert hook_shim(client.home).read_bytes() == before


def test_a_repair_drops_an_interpreter_that_is_gone(client, two):
    assert shims_work(client.home)
    two.other_interpreters[0].unlink()
    assert not shims_work(client.home)
    assert client.repair(two).written == (hook_shim(client.home),)
    assert hook_choice(client.home) == Choice(two.interpreter)
    assert shims_work(client.home)


def test_install_and_doctor_name_an_interpreter_that_is_not_the_server_s(client, two):
    quick = two.other_interpreters[0]
    [said] = _interpreter(client.home)
    assert re.fullmatch(rf"Hooks run {quick}: it starts in \d+ ms, the server's in \d+ ms\.", said)
    finding = _hook_interpreter(client.home)
    assert finding.ok
    assert finding.said.startswith(f"{quick}, starts in ")


def test_doctor_says_that_the_chosen_interpreter_is_gone(client, two):
    two.other_interpreters[0].unlink()
    finding = _hook_interpreter(client.home)
    assert not finding.ok
    assert finding.said == f"{two.other_interpreters[0]} is gone"
    assert "hitherto doctor --fix" in finding.mend


def test_install_says_nothing_of_the_server_s_own_interpreter(client):
    client.install()
    assert _interpreter(client.home) == []
    finding = _hook_interpreter(client.home)
    assert (finding.ok, finding.said) == (True, "the server's")


def test_uninstalling_takes_the_shim_with_it(client, two):
    client.uninstall()
    assert not hook_shim(client.home).exists()
    assert hook_choice(client.home) is None


def test_the_chosen_interpreter_finds_the_hooks_compiled(client, make, tmp_path):
    hooks = tmp_path / "hooks"
    shutil.copytree(client.programs.hook_script.parent, hooks, ignore=lambda *_: ["__pycache__"])
    quick = make("quick", "import sys; sys.implementation.cache_tag = 'other-311'")
    programs = replace(
        client.programs,
        interpreter=make("server", SLOW),
        hook_script=hooks / "run.py",
        other_interpreters=(quick,),
    )
    write_shims(client.home, programs)
    compiled = {path.name for path in (hooks / "__pycache__").iterdir()}
    assert {"pipe.other-311.pyc", f"pipe.{sys.implementation.cache_tag}.pyc"} <= compiled


def test_this_machine_s_choice_can_be_made_and_stands(client):
    # The server's own interpreter against the system's, whatever both are here.
    write_shims(client.home, find_programs())
    chosen = hook_choice(client.home)
    assert chosen is not None
    assert write_shims(client.home, find_programs()) == []
    assert hook_choice(client.home) == chosen


def test_no_interpreter_of_the_system_is_the_server_s_own():
    assert interpreters.system_interpreters(FAST) == tuple(
        path for path in interpreters.system_interpreters(Path("/")) if path != FAST
    )
