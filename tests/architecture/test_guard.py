"""The guard of tests/conftest.py bites: nothing of the person's is in reach of a test."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

INNER = """
    import os, socket, subprocess, sys
    from pathlib import Path
    import pytest
    from hitherto_server.core.home import find_home

    def test_inner():
        assert "person" not in str(Path.home())
        assert "person" not in str(find_home().root)
        assert not [name for name in os.environ if name in {
            "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "CLAUDE_CONFIG_DIR", "HITHERTO_PORT",
            "MY_SECRET_TOKEN"}]
        seen = subprocess.run([sys.executable, "-c", "import os; print(os.environ['HOME'])"],
                              capture_output=True, text=True, check=True).stdout
        assert "person" not in seen
        with socket.socket() as reaching, pytest.raises(AssertionError):
            reaching.connect(("192.0.2.1", 443))
"""


def test_a_person_s_environment_does_not_reach_a_test(tmp_path: Path) -> None:
    person = tmp_path / "person"
    person.mkdir()
    inner = tmp_path / "test_inner.py"
    inner.write_text(textwrap.dedent(INNER))
    environment = {
        **os.environ,
        "HOME": str(person),
        "HITHERTO_HOME": str(person / ".hitherto"),
        "HITHERTO_PORT": "7420",
        "ANTHROPIC_API_KEY": "a real key",
        "OPENAI_API_KEY": "a real key",
        "CLAUDE_CONFIG_DIR": str(person / ".claude"),
        "MY_SECRET_TOKEN": "a real secret",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(inner)]
    command += ["--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml"), "-p", "tests.conftest"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert list(person.iterdir()) == []


def test_without_the_guard_the_same_test_fails(tmp_path: Path) -> None:
    person = tmp_path / "person"
    person.mkdir()
    inner = tmp_path / "test_inner.py"
    inner.write_text(textwrap.dedent(INNER))
    environment = {**os.environ, "HOME": str(person), "ANTHROPIC_API_KEY": "a real key"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(inner)]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert "1 failed" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("address", [("192.0.2.1", 443), ("2001:db8::1", 443), ("example.org", 80)])
def test_no_test_reaches_another_machine(address: tuple[str, int]) -> None:
    with socket.socket() as reaching, pytest.raises(AssertionError):
        reaching.connect(address)
