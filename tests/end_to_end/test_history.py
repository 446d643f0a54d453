"""Past sessions through the real server: killed in the middle, with secrets, and from `install`."""

from __future__ import annotations

import json
import os
import random
import select
import string
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.server.history.conftest import Client
from tests.server_process import ServerProcess, wait_until
from tests.wiring import repository, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

MANY = 80
DONE_S = 120.0
DRAW = random.Random(20261130)


def progress(server: ServerProcess) -> dict[str, Any]:
    found: dict[str, Any] = server.get("/v1/history").json
    return found


def bring(server: ServerProcess, client: Client, **more: Any) -> dict[str, Any]:
    """Import and return how it ended."""
    server.call("history/import", client_home=str(client.home), **more)
    wait_until(lambda: progress(server)["phase"] == "done", "all is read", DONE_S)
    return progress(server)


def live(server: ServerProcess) -> list[tuple[Any, ...]]:
    return rows(
        server.database,
        "SELECT content, tier, kind FROM memory WHERE trashed_at_ms IS NULL ORDER BY content",
    )


@contextmanager
def another(folder: Path) -> Iterator[ServerProcess]:
    server = ServerProcess(folder)
    try:
        yield server.start()
    finally:
        server.end()


def many_sessions(tmp_path: Path) -> Client:
    client = Client(tmp_path / "claude")
    folder = repository(tmp_path / "pröject with spaces")
    for number in range(MANY):
        port = f"Always use port {4000 + number} for the service s{number}."
        fails = ("bash!", f"pytest t{number}.py\nE   KeyError: 'gauge{number}'\n1 failed")
        edit = ("edit", f"m{number}.py\n- a\n+ b")
        client.session(
            folder, ("user", port), fails, edit, ("bash", f"pytest t{number}.py\n1 passed")
        )
    return client


def test_an_import_that_is_killed_goes_on_and_ends_as_if_nothing_had_been(
    server: ServerProcess, tmp_path: Path
) -> None:
    client = many_sessions(tmp_path)
    server.start()
    server.call("history/import", client_home=str(client.home), admits=True)
    for killed_at in (MANY // 8, MANY // 2):
        wait_until_read(server, killed_at)
        server.kill()
        assert files_read(server) < MANY, "it was too quick to be killed"
        assert faultless(server)
        server.start()
    wait_until(lambda: progress(server)["phase"] == "done", "it went on by itself", DONE_S)
    assert progress(server)["outcomes"] == {"stored": 2 * MANY}
    with another(tmp_path / "other home") as other:
        assert bring(other, client, admits=True)["outcomes"] == {"stored": 2 * MANY}
        assert live(other) == live(server)
    assert rows(server.database, "SELECT count(*) FROM support") == [(4 * MANY,)]


def files_read(server: ServerProcess) -> int:
    return int(rows(server.database, "SELECT count(*) FROM history_file")[0][0])


def wait_until_read(server: ServerProcess, least: int) -> None:
    wait_until(lambda: files_read(server) >= least, "so many are read", DONE_S)


def faultless(server: ServerProcess) -> bool:
    return rows(server.database, "PRAGMA integrity_check") == [("ok",)]


def drawn(count: int) -> str:
    return "".join(DRAW.choices(string.ascii_letters + string.digits, k=count))


def test_secrets_of_past_sessions_lie_nowhere(server: ServerProcess, tmp_path: Path) -> None:
    secrets = ["gh" + "p_" + drawn(36) for _ in range(6)]
    client = Client(tmp_path / "claude")
    folder = repository(tmp_path / "project")
    client.session(
        folder,
        ("user", f"Always use the token {secrets[0]} for the registry."),
        ("bash!", f"TOKEN={secrets[1]} make publish\nerror: cannot publish with {secrets[1]}"),
        ("assistant", f"The cause is that {secrets[2]} has expired."),
        ("edit", f"conf.ini\n- token = old\n+ token = {secrets[3]}"),
        ("bash", f"TOKEN={secrets[1]} make publish\npublished"),
    )
    client.session(folder, ("user", f"How do I publish to the registry, with {secrets[4]}?"))
    (folder / "CLAUDE.md").write_text(f"- Never share the token {secrets[5]} with the CI.\n")
    server.start()
    server.call("history/look", client_home=str(client.home))
    wait_until(lambda: progress(server)["phase"] == "done", "all is looked at")
    looked = json.dumps(progress(server))
    done = bring(server, client, admits=True)
    assert done["outcomes"]["stored"] == 3
    assert "[redacted:" in looked
    server.kill(15)
    files = [path for path in server.home.rglob("*") if path.is_file()]
    assert server.database in files
    for number, secret in enumerate(secrets):
        assert secret not in looked + json.dumps(done), number
        for path in files:
            held = path.read_bytes().lower()
            assert secret.encode().lower() not in held, (number, path.name)


def person_of(server: ServerProcess) -> Path:
    """Return the home of whoever runs the server's commands."""
    return Path(server.environment()["HOME"])


def said(server: ServerProcess, *arguments: str, **more: Any) -> str:
    done = server.run(*arguments, **more)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_install_only_hints_where_nobody_answers_and_imports_where_told(
    server: ServerProcess, tmp_path: Path
) -> None:
    home = person_of(server)
    client = Client(home / ".claude")
    folder = repository(tmp_path / "project")
    client.session(folder, ("user", "Always use UTC in reports."))
    assert "hitherto import-history" in said(server, "install", "claude-code")
    assert not server.database.exists()
    assert "import-history" not in said(server, "install", "claude-code", "--no-import")
    assert "1 memory, 1 admitted" in said(server, "install", "claude-code", "--yes")
    assert live(server) == [("Always use UTC in reports.", "admitted", "preference")]


def test_the_command_previews_imports_lists_and_takes_back(
    server: ServerProcess, tmp_path: Path
) -> None:
    client = Client(tmp_path / "claude ü")
    folder = repository(tmp_path / "project")
    client.session(folder, ("user", "Always use UTC in reports."))
    server.environ["CLAUDE_CONFIG_DIR"] = str(client.home)
    looked = said(server, "import-history", "--preview")
    assert "Always use UTC in reports." in looked
    assert "Nothing is written yet." in looked
    assert rows(server.database, "SELECT count(*) FROM memory") == [(0,)]
    assert "Import this?" in said(server, "import-history", input=b"n\n")
    assert rows(server.database, "SELECT count(*) FROM memory") == [(0,)]
    assert "Import 1: 1 memory" in said(server, "import-history", input=b"y\n")
    assert "1 memory  done" in said(server, "import-history", "--list")
    assert "0 candidates." in said(server, "candidates", cwd=folder)
    assert "1 in the trash" in said(server, "import-history", "--undo")
    assert live(server) == []


def test_a_person_admits_a_candidate_from_the_list(server: ServerProcess, tmp_path: Path) -> None:
    client = Client(tmp_path / "claude")
    folder = repository(tmp_path / "project")
    client.session(folder, ("user", "Always use UTC in reports."))
    server.start()
    bring(server, client)
    listed = said(server, "candidates", cwd=folder)
    assert "you said it: not confirmed or used yet" in listed
    assert "Admitted: 1." in said(server, "candidates", "--admit", listed.split()[0])
    assert live(server) == [("Always use UTC in reports.", "admitted", "preference")]


def test_an_imported_memory_is_given_to_a_prompt(server: ServerProcess, tmp_path: Path) -> None:
    client = Client(tmp_path / "claude")
    folder = repository(tmp_path / "project")
    rule = "Never restart the tide gauge `gauge_ctl` before noon."
    client.session(folder, ("user", rule))
    server.start()
    bring(server, client, admits=True)
    reply = server.hook(
        "UserPromptSubmit",
        {
            "session_id": "new",
            "cwd": str(folder),
            "prompt": "How do I restart the tide gauge with gauge_ctl?",
        },
    )
    assert rule in reply.json["hookSpecificOutput"]["additionalContext"]


def test_install_at_a_terminal_shows_what_there_is_and_asks(
    server: ServerProcess, tmp_path: Path
) -> None:
    client = Client(person_of(server) / ".claude")
    client.session(repository(tmp_path / "project"), ("user", "Always use UTC in reports."))
    for answer, kept in ((b"n\n", 0), (b"y\n", 1)):
        shown = at_terminal(server, answer, "install", "claude-code")
        assert "Always use UTC in reports." in shown
        assert len(live(server)) == kept


def at_terminal(server: ServerProcess, answer: bytes, *arguments: str) -> str:
    """Run a command at a terminal of its own, answer its question, and return what it showed."""
    ours, theirs = os.openpty()
    try:
        process = subprocess.Popen(
            [*server.command(), *arguments],
            env=server.environment(),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        shown = read_until(ours, b"Import this?")
        os.write(ours, answer)
        shown += read_until(ours, None)
        assert process.wait(DONE_S) == 0, shown
    finally:
        os.close(ours)
    return shown.decode(errors="replace")


def read_until(terminal: int, mark: bytes | None) -> bytes:
    """Read up to a mark, or to the end: a terminal that nobody holds any more is an error."""
    shown = b""
    while mark is None or mark not in shown:
        ready, _, _ = select.select([terminal], [], [], DONE_S)
        assert ready, shown
        try:
            piece = os.read(terminal, 65_536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    return shown
