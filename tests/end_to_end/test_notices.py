"""A real server tells a session once what a checkout did to what it was given; restarts too."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

from tests.server_process import wait_until
from tests.wiring import git, repository, rows

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server_process import ServerProcess

CODE = "def send_invoice(customer):\n    total = sum(customer.items)\n    return total * 2\n"
FACT = "An invoice is sent by `send_invoice` in billing.py, which doubles the total."
QUESTION = "What does send_invoice in billing.py do with the total?"


def context(server: ServerProcess, event: str, **body: Any) -> str:
    """What the session's model hears at an event."""
    reply = server.hook(event, {"session_id": "s", **body})
    assert reply.status in {200, 204}, reply.body
    return "" if reply.status == 204 else reply.json["hookSpecificOutput"]["additionalContext"]


def given(server: ServerProcess, folder: Path) -> str:
    """Make a project with two branches and give a session a memory; return the memory's id."""
    repository(folder, commit=False)
    (folder / "billing.py").write_text(CODE)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Start")
    git(folder, "checkout", "--quiet", "-b", "next")
    (folder / "billing.py").write_text(CODE.replace("* 2", "* 3"))
    git(folder, "commit", "--quiet", "--all", "--message", "Triple")
    git(folder, "checkout", "--quiet", "main")
    memory = str(server.call("remember", content=FACT, project_dir=str(folder))["id"])
    said = context(server, "UserPromptSubmit", prompt=QUESTION, cwd=str(folder))
    assert f"{memory} · current" in said
    return memory


def test_a_checkout_by_a_command_is_told_at_once_and_never_again(
    server: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    folder = tmp_path / "shop"
    memory = given(server, folder)
    git(folder, "checkout", "--quiet", "next")
    said = context(server, "PostToolUse", tool_name="Bash", tool_use_id="1", cwd=str(folder))
    assert f"{memory} · changed (send_invoice differs in billing.py)" in said
    for number, restarts in enumerate((False, True, True)):
        if restarts:
            server.restart()
        (folder / "billing.py").write_text(CODE.replace("* 2", f"* {number + 4}"))
        told = context(
            server, "PostToolUse", tool_name="Bash", tool_use_id=f"again {number}", cwd=str(folder)
        )
        assert told == ""
        asked = f"{QUESTION} Asked for the {number}th time."
        assert memory not in context(server, "UserPromptSubmit", prompt=asked, cwd=str(folder))
    assert server.tracebacks() == []


def test_a_checkout_in_another_window_is_told_with_a_later_prompt_after_a_restart_too(
    server: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    folder = tmp_path / "shop"
    memory = given(server, folder)
    server.restart()  # what was given is in the database, not in the process
    context(server, "SessionStart", source="resume", cwd=str(folder))
    git(folder, "checkout", "--quiet", "next")
    said: list[str] = []

    def is_told() -> bool:
        prompt = f"Now something else entirely, number {len(said)}: where is the office?"
        said.append(context(server, "UserPromptSubmit", prompt=prompt, cwd=str(folder)))
        return memory in said[-1]

    wait_until(is_told, "the next prompts bring the notice", 60)
    query = "SELECT count(*) FROM obligation WHERE kind = 'notice'"
    assert rows(server.database, query) == [(1,)]
    assert server.kill(signal.SIGTERM) == 0
    assert server.tracebacks() == []
