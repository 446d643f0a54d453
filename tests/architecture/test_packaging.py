"""The wheel carries what the code reads, and the lock names what the project needs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CARRIED = {".sql", ".html", ".css", ".js", ".jsonl", ".scm"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Build the wheel with the installed backend, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    command += ["--quiet", "--disable-pip-version-check", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return zipfile.ZipFile(next(folder.glob("hitherto-*.whl")))


def test_the_wheel_carries_every_file_that_the_code_reads(wheel: zipfile.ZipFile) -> None:
    carried = set(wheel.namelist())
    wanted = {
        path.relative_to(top).as_posix()
        for top in (ROOT / "server", ROOT / "migrations")
        for path in top.rglob("*")
        if path.suffix in CARRIED
    }
    assert wanted
    assert wanted - carried == set()


def test_the_wheel_carries_no_tests_and_both_commands(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/"))]
    points = wheel.read(next(name for name in names if name.endswith("entry_points.txt"))).decode()
    assert "hitherto = " in points
    assert "hitherto-mcp = " in points


def test_every_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    locked = {
        line.partition("==")[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
    }
    names = {re.match(r"[\w.-]+", need)[0].lower().replace("_", "-") for need in needed}  # type: ignore[index]
    assert names - locked == set()
