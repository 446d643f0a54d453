"""Hitherto as a person has it: the wheel in an environment of its own, nothing of the checkout."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
import venv
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]


@dataclass(frozen=True)
class Installed:
    """An environment that holds the wheel and what it needs."""

    folder: Path
    wheel: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def hitherto(self) -> Path:
        return self.folder / "bin" / "hitherto"

    @property
    def packages(self) -> Path:
        return next((self.folder / "lib").glob("python*/site-packages"))


def install(folder: Path, cache: Path) -> Installed:
    """Build the wheel and install it into a fresh environment in that folder."""
    wheel = build_wheel(folder / "dist")
    needed = needed_packages(cache)
    environment = folder / "environment"
    venv.create(environment, symlinks=True)
    made = Installed(environment, wheel)
    shutil.copytree(needed, made.packages, copy_function=link_or_copy, dirs_exist_ok=True)
    pip("--python", str(made.python), "install", "--no-deps", str(wheel))
    return made


def build_wheel(folder: Path) -> Path:
    """Build the wheel with the installed backend, without a network."""
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT))
    return next(folder.glob("hitherto-*.whl"))


def needed_packages(cache: Path) -> Path:
    """Return the site-packages of what the wheel needs, without the wheel; installed once."""
    constraints = ROOT / "constraints.txt"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed: list[str] = project["dependencies"]
    said = "\n".join([*needed, constraints.read_text(encoding="utf-8"), sys.version])
    kept = cache / f"needed-{hashlib.sha256(said.encode()).hexdigest()[:12]}"
    with held(cache):
        if not kept.exists():
            making = kept.with_suffix(".making")
            shutil.rmtree(making, ignore_errors=True)
            venv.create(making, symlinks=True)
            python = str(making / "bin" / "python")
            pip("--python", python, "install", "-c", str(constraints), *needed)
            making.rename(kept)
    return next((kept / "lib").glob("python*/site-packages"))


def pip(*arguments: str) -> None:
    """Run pip, with nothing of this process's own interpreter settings."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [*PIP, *arguments], env=environ, capture_output=True, text=True, check=False
    )
    if done.returncode:
        message = f"pip {arguments[0]} failed: {done.stderr[-1000:]}"
        raise RuntimeError(message)


def link_or_copy(source: str, target: str) -> None:
    """Give a file a second name, or copy it to another disk."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@contextmanager
def held(cache: Path) -> Iterator[None]:
    """Keep other processes from filling the cache meanwhile."""
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "installed.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def foreign_modules(made: Installed) -> list[str]:
    """Return which of our packages the environment would take from elsewhere than its own."""
    names = ("contract", "hooks", "mcp", "migrations", "server")
    code = "import importlib.util as u, sys; [print(u.find_spec(n).origin) for n in sys.argv[1:]]"
    command = [str(made.python), "-c", code, *(f"hitherto_{name}" for name in names)]
    run = partial(subprocess.run, capture_output=True, text=True, check=True, env=bare_environ())
    found = run(command, cwd=made.folder).stdout.split("\n")[:-1]
    return [origin for origin in found if not origin.startswith(str(made.packages))]


def bare_environ() -> dict[str, str]:
    """Return what a process needs to find its programs, and nothing of this checkout."""
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
