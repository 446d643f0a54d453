"""What the client's own files say is not said again; the ledger says where it stands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.server_process import wait_until
from tests.wiring import repository

if TYPE_CHECKING:
    from tests.server_process import ServerProcess

KNOWN = "Refunds wait ninety seconds before the first retry, since the bank rejects early ones."
ASKED = "why do refunds wait ninety seconds before the first retry at the bank?"


def given(server: ServerProcess, project: Path, session: str) -> str:
    said = {"session_id": session, "cwd": str(project), "prompt": ASKED}
    reply = server.hook("UserPromptSubmit", said)
    return reply.body.decode()


def last(server: ServerProcess, session: str) -> list[dict[str, Any]]:
    candidates: list[dict[str, Any]] = server.call("why", session_id=session)["candidates"]
    return candidates


def test_what_claude_md_says_is_not_repeated(server: ServerProcess, tmp_path: Path) -> None:
    server.start()
    project = repository(tmp_path / "shop")
    stored = server.call("remember", content=KNOWN, project_dir=str(project))["id"]
    assert stored in given(server, project, "before")
    (project / "docs").mkdir()
    (project / "docs" / "money.md").write_text(f"# Money\n\n- **{KNOWN}**\n")
    (project / "CLAUDE.md").write_text("Read @docs/money.md first.\n")
    sessions = iter(f"after-{number}" for number in range(10_000))
    asked: list[str] = []

    def is_silent() -> bool:  # the files are read beside the prompts
        asked.append(next(sessions))
        return stored not in given(server, project, asked[-1])

    wait_until(is_silent, "the files were read")
    (candidate,) = last(server, asked[-1])
    assert (candidate["outcome"], candidate["reason"]) == ("dropped", "already in docs/money.md")


def test_the_persons_own_file_counts_in_every_project(
    server: ServerProcess, tmp_path: Path
) -> None:
    own = Path(server.environment()["HOME"]) / ".claude" / "CLAUDE.md"
    own.parent.mkdir(parents=True)
    own.write_text(KNOWN)
    server.start()
    project = repository(tmp_path / "shop")
    stored = server.call("remember", content=KNOWN, project_dir=str(project))["id"]
    start = {"session_id": "s", "cwd": str(project), "source": "startup"}
    assert stored not in server.hook("SessionStart", start).body.decode()
    assert stored not in given(server, project, "s")
    assert [one["reason"] for one in last(server, "s")] == ["already in CLAUDE.md"]
