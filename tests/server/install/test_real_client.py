"""What the real client makes of our registration."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from realclient_model import ToolCall, Turn, play
from realclient_required import require_claude
from realclient_session import Options, Place, open_session

from hitherto_server.install.plugin import write_plugin

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.realclient, pytest.mark.slow]
QUIET = {
    "ANTHROPIC_API_KEY": "test",
    # A port that nobody listens on: the client looks for nothing outside, and does not wait.
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    # Here only the registration is read: its hooks shall start no server.
    "HITHERTO_DISABLE": "1",
}


@pytest.fixture(scope="session")
def claude() -> Path:
    """The client's binary; found before the guard of each test hides where it is."""
    return require_claude(os.environ)


@pytest.fixture
def ask(claude, client):
    """Run the client in its isolated home and return what it says."""

    def run(*argv: str, **environ: str) -> str:
        done = subprocess.run(
            [claude, *argv],
            cwd=client.project,
            env={"PATH": os.environ["PATH"], "HOME": str(client.root), **QUIET, **environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return f"{done.stdout}{done.stderr}\nexit {done.returncode}"

    return run


@pytest.fixture(scope="session", autouse=True)
def needs_client(claude: Path) -> None:
    """Skip where there is no client, before anything else is made."""


@pytest.mark.parametrize(("scope", "said"), [("user", "User config"), ("local", "Local config")])
def test_the_client_reads_our_server_entry(client, ask, scope, said):
    client.install(scope)
    answer = ask("mcp", "get", "hitherto")
    assert said in answer
    assert str(client.programs.mcp) in answer


def test_the_client_reads_the_shared_server_entry(client, ask):
    client.install("project")
    answer = ask("mcp", "list")
    assert "hitherto" in answer


def test_the_client_reads_the_entry_in_another_configuration_folder(client, ask, tmp_path):
    config = tmp_path / "config"
    client.install(config_dir=config)
    assert "User config" in ask("mcp", "get", "hitherto", CLAUDE_CONFIG_DIR=str(config))


def test_the_client_can_take_our_server_entry_out_and_we_then_put_it_back(client, ask):
    client.install()
    ask("mcp", "remove", "hitherto", "--scope", "user")
    assert "hitherto-mcp" not in client.state.read_text()
    client.install()
    assert "User config" in ask("mcp", "get", "hitherto")
    client.uninstall()
    assert "hitherto-mcp" not in client.state.read_text()


def test_the_client_accepts_the_plugin_folder(client, ask, tmp_path):
    target = tmp_path / "plug in"
    write_plugin(target, home=client.home, client_home=client.root, programs=client.programs)
    answer = ask("plugin", "validate", str(target))
    assert "Validation passed" in answer
    assert answer.endswith("exit 0")
    assert "mcpServers: hitherto" in answer
    assert answer.count("hooks: ") >= 8


@pytest.fixture
def place(client, tmp_path: Path) -> Place:
    """The harness's place, with the client's home as its home."""
    made = Place(tmp_path / "place")
    made.root.mkdir()
    made.home.symlink_to(client.root)
    return made.create()


@pytest.fixture
def events_of_a_session(claude, client, place):
    """Lead a session that runs one command and fails another; return the events it spooled."""

    def lead(options: Options = Options()) -> list[str]:  # noqa: B008 - it is frozen
        # Without this file no hook starts a server: what the hooks heard stays in the spool.
        client.home.serve_command.unlink()
        calls = [ToolCall("Bash", {"command": command}) for command in ("true", "exit 3")]
        script = play(*(Turn(calls=(call,)) for call in calls), Turn("Done."))
        with open_session(claude, place, script, options) as session:
            session.say("Run it.")
        assert [run.stderr for run in session.hook_runs if run.stderr] == []
        lines = (client.home.spool / "events").read_bytes().splitlines()
        return [line.split(b"\t")[0].decode() for line in lines]

    return lead


HEARD = [
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SessionEnd",
]


def test_the_client_runs_the_registered_hooks_once_each(client, events_of_a_session):
    client.install()
    assert events_of_a_session() == HEARD


def test_hooks_in_user_and_project_settings_run_once_together(client, place, events_of_a_session):
    client.install("user")
    replace(client, project=place.project).install("project")
    assert events_of_a_session() == HEARD


def test_the_client_runs_the_plugins_hooks_once_each(client, tmp_path, events_of_a_session):
    target = tmp_path / "plug 'in"
    write_plugin(target, home=client.home, client_home=client.root, programs=client.programs)
    assert events_of_a_session(Options(plugin=target)) == HEARD
