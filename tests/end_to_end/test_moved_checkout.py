"""A checkout that is moved away, and an environment made anew: what was registered works again."""

from __future__ import annotations

import json
import os
import shutil
import site
import subprocess
import sys
import venv
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.server_process import PERSONAL_PREFIXES, SocketConnection, exchange, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PARTS = ("server", "hooks", "mcp", "migrations")
SCRIPTS = {"hitherto": "hitherto_server.__main__", "hitherto-mcp": "hitherto_mcp.server"}


@dataclass
class Checkout:
    """A copy of the code with an environment of its own, and a person who has it installed."""

    folder: Path
    person: Path

    @property
    def home(self) -> Path:
        return self.person / ".hitherto"

    @property
    def environ(self) -> dict[str, str]:
        kept = {n: v for n, v in os.environ.items() if not n.startswith(PERSONAL_PREFIXES)}
        return {**kept, "HOME": str(self.person), "HITHERTO_PORT": "0"}

    def make_environment(self) -> None:
        """Make `.venv`: dependencies from the tests' own, the code from this checkout."""
        shutil.rmtree(self.folder / ".venv", ignore_errors=True)
        venv.create(self.folder / ".venv", symlinks=True)
        packages = next((self.folder / ".venv" / "lib").glob("python*")) / "site-packages"
        paths = [str(self.folder / part) for part in PARTS]
        (packages / "a.pth").write_text("\n".join([*paths, *site.getsitepackages(), ""]))
        for name, module in SCRIPTS.items():
            script = self.folder / ".venv" / "bin" / name
            script.write_text(
                f"#!/bin/sh\n'''exec' '{self.folder}/.venv/bin/python' \"$0\" \"$@\"\n' '''\n"
                f"import sys\nfrom {module} import main\nsys.exit(main())\n"
            )
            script.chmod(0o755)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run this checkout's `hitherto`."""
        return subprocess.run(
            [str(self.folder / ".venv" / "bin" / "hitherto"), *arguments],
            env=self.environ,
            cwd=self.person,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def move(self) -> None:
        """Move the folder elsewhere and make its environment anew."""
        new = self.folder.with_name("moved there ü")
        self.folder.rename(new)
        self.folder = new
        self.make_environment()

    def hook(self, event: str, **fields: str) -> str:
        """Call a hook as the client's shell would; it must succeed and say nothing aside."""
        body = {"session_id": "s1", "cwd": str(self.person), **fields}
        done = subprocess.run(
            ["/bin/sh", "-c", f'"$HOME/.hitherto/bin/hook" {event}'],
            env=self.environ,
            input=json.dumps(body),
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def answers(self) -> bool:
        """Tell whether a server answers."""
        try:
            connection = SocketConnection(self.home / "run" / "server.sock", timeout_s=5)
            with closing(connection):
                return exchange(connection, "GET", "/health", None, {}).status == 200
        except OSError:
            return False

    def mcp_program(self) -> Path:
        state = json.loads((self.person / ".claude.json").read_text())
        return Path(state["mcpServers"]["hitherto"]["command"])


@pytest.fixture
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    """Return an installed checkout that was used once, and then moved."""
    base = tmp_path_factory.mktemp("mv")
    made = Checkout(base / "first here", base / "person")
    made.person.mkdir()
    made.folder.mkdir()
    for part in PARTS:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / part, made.folder / part, ignore=ignored)
    made.make_environment()
    for arguments in (["install", "claude-code"], ["install", "codex"]):
        done = made.run(*arguments)
        assert done.returncode == 0, done.stderr
    stored = made.run("remember", "The deploy of the shop goes to port 8443.", "--user-wide")
    assert stored.returncode == 0, stored.stderr
    assert made.run("stop").returncode == 0
    wait_until(lambda: not made.answers(), "the server is gone")
    made.move()
    yield made
    if made.answers():
        made.run("stop")


def test_a_hook_of_a_checkout_that_is_gone_is_silent(checkout: Checkout) -> None:
    assert checkout.hook("SessionStart", source="startup") == ""
    assert not checkout.answers()
    assert sys.executable not in (checkout.home / "bin" / "hook").read_text()


@pytest.mark.parametrize(
    "mend",
    [["doctor", "--fix"], ["install", "claude-code"], ["recall", "port"]],
    ids=["doctor --fix", "install", "whatever starts the server"],
)
def test_one_command_mends_it(checkout: Checkout, mend: list[str]) -> None:
    if mend[0] == "doctor":
        said = checkout.run("doctor").stdout
        assert "gone or was moved" in said
        assert "Run `hitherto doctor --fix`." in said
    checkout.run(*mend)
    shim = checkout.home / "bin" / "hook"
    wait_until(lambda: str(checkout.folder) in shim.read_text(), "the shim is mended")
    wait_until(lambda: checkout.folder in checkout.mcp_program().parents, "the entry is mended")
    assert checkout.mcp_program().exists()
    checkout.hook("SessionStart", source="startup")
    wait_until(checkout.answers, "the hook has started the server")
    numbers = count()
    # a server that starts on a busy machine may be late for one prompt
    wait_until(lambda: "8443" in ask(checkout, next(numbers)), "a prompt is given the memory")


def ask(checkout: Checkout, number: int) -> str:
    """Ask in a session of its own, as a memory is given to each once."""
    question = "To which port does the deploy of the shop go?"
    return checkout.hook("UserPromptSubmit", prompt=question, session_id=f"s{number}")
