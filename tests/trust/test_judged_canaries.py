"""A day's use beside a judge: no secret and nothing of a private file is sent, logged or shown."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.canaries import Canaries
from tests.server_process import ServerProcess, wait_until
from tests.session_process import Session
from tests.system_one_stub import BROKEN, SystemOneStub
from tests.wiring import repository, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PRIVATE = "The canary of Ada sings at the harbour."
PRIVATE_FILES = (".env", ".env.local", "id_rsa", "deploy.pem", "config/credentials.json")
LEAST_SURFACES = 4
QUIET_S = 4.0


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub() as serving:
        yield serving


@pytest.fixture
def session(tmp_path: Path, stub: SystemOneStub, models_dir: Path) -> Iterator[Session]:
    # at level debug each line of the log is cleaned, and the judge's time is over meanwhile
    server = ServerProcess(tmp_path / "home")
    server.use_models(models_dir)
    server.start()
    backend = {"profile": "custom", "base_url": stub.url, "model": stub.model}
    server.call("judge/config", backend=backend)
    yield Session(server, repository(tmp_path / "project", "git@example.com:owner/name.git"))
    server.end()


def work_with_private_files(session: Session) -> None:
    """Write, name and edit private files, and ask whether memories still describe them."""
    for number, name in enumerate(PRIVATE_FILES):
        path = session.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"HOLD_SECONDS = 4{number}\n")
        session.remember(f"`HOLD_SECONDS` in {name} is how long lock {number} holds", files=[name])
        path.write_text(f"HOLD_SECONDS = 5{number}  # {PRIVATE}\n")
        edit = {"file_path": str(path), "old_string": "4", "new_string": f"5  # {PRIVATE}"}
        session.tool("Edit", number, **edit)
    session.says("sync")


def work_with_secrets(session: Session, secrets: Canaries) -> None:
    """Say a secret wherever something may be judged."""
    token, password = secrets.token, secrets.password
    (session.folder / "locks.py").write_text("HOLD_SECONDS = 40\n")
    session.remember("`HOLD_SECONDS` in locks.py is how long a lock holds", files=["locks.py"])
    path = session.folder / "locks.py"
    path.write_text(f'HOLD_SECONDS = 41\nTOKEN = "{token("file")}"\n')
    session.says("sync")
    held = f'HOLD_SECONDS = 42\nTOKEN = "{token("edited file")}"\n'
    path.write_text(held)
    session.tool("Edit", 90, file_path=str(path), old_string="41", new_string=held)
    for way in ("one", "another"):
        session.remember(f"The deploy job logs in with {token(f'memory {way}')} since May, {way}")
        session.remember(f"The deploy job uses DB_PASSWORD={password(f'memory {way}')} for {way}")
    session.call("recall", query=f"deploy job {token('recall')}", rerank=True)
    session.prompt(f"How does the deploy job log in with {token('prompt')}?")
    long = "We look at the deploy job. " * 75
    session.prompt(f"{long} Its key is {token('prompt that is cut')}, how does it log in?")
    session.hook("SubagentStart", agent_type="x", prompt=f"deploy job {token('subagent')}")


def wait_until_it_rests(stub: SystemOneStub, until: Callable[[], bool]) -> None:
    """Wait until something holds and nothing has been asked for a while."""
    seen, since = -1, time.monotonic()

    def rests() -> bool:
        nonlocal seen, since
        if len(stub.asked) != seen:
            seen, since = len(stub.asked), time.monotonic()
        if time.monotonic() - since < QUIET_S:
            return False
        if until():
            return True
        since = time.monotonic()  # looking costs the server something
        return False

    wait_until(rests, "no more is asked", 240)


@pytest.mark.slow
def test_no_secret_and_nothing_of_a_private_file_reaches_the_judge_its_log_or_an_error(
    session: Session, stub: SystemOneStub
) -> None:
    secrets, doubtful, server = Canaries(), Canaries(), session.server
    secrets.told["private file"] = PRIVATE
    session.hook("SessionStart", source="startup")
    # kept, since nothing says that it is a secret; but nobody is shown it
    word = doubtful.password("a value that may be one") + "x8sLw0ZmR4bN6v"
    session.remember(f"The build machine takes id={word} on the console")
    work_with_private_files(session)
    work_with_secrets(session, secrets)
    wait_until_it_rests(stub, until=lambda: judged(session) >= {"stale-check", "edit-stale"})
    stub.fault = BROKEN
    work_with_secrets(session, secrets)
    stub.fault = None
    assert len(judged(session)) >= LEAST_SURFACES, judged(session)
    assert b"[redacted:" in b"".join(one.raw for one in stub.asked)

    sent = [one.raw for one in stub.requests]
    said = [
        server.get("/v1/judge/log?limit=500").body,
        server.get("/v1/judge").body,
        server.run("judge", "log", "--json", "--limit", "500").stdout,
        server.output.read_bytes(),
        server.log.encode(),
        json.dumps(rows(server.database, "SELECT * FROM judgment_log")).encode(),
    ]
    assert leaks(secrets, sent) == []
    assert leaks(doubtful, [*sent, said[-1]]) == []
    assert leaks(secrets, said) == []
    server.run("stop")
    server.wait_for_its_end()
    assert secrets.found_in(server.home) == []
    assert server.tracebacks() == []


def judged(session: Session) -> set[str]:
    """Return the surfaces for which something was asked and answered."""
    session.server.get("/v1/judge/log")  # what waits is written first
    query = "SELECT DISTINCT surface FROM judgment_log WHERE answers IS NOT NULL"
    return {name for (name,) in rows(session.server.database, query)}


def leaks(secrets: Canaries, texts: list[bytes]) -> list[Any]:
    """Return which secrets are in which of the texts."""
    return [
        (way, text[max(text.find(one.encode()) - 120, 0) :][:240])
        for way, one in secrets.told.items()
        for text in texts
        if one.encode() in text
    ]
