"""The holes 1-7, 10, 12, 13, 16 and 17 that were read in SynaBun: each test is without the hole."""

from __future__ import annotations

import json
import random
import socket
import string
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.complaints_parts import LESSON, QUESTION, claude_settings, events_of
from tests.server_process import wait_until
from tests.session_process import RUN, Session
from tests.wiring import git, repository, rows

if TYPE_CHECKING:
    from tests.server_process import ServerProcess

DRAW = random.Random(4)
BASE62 = string.ascii_letters + string.digits
CODE = "def send_invoice(customer):\n    return sum(customer.items) * 2\n"
FACT = "`send_invoice` in billing.py doubles the total of the customer's items."
SOON_S = 5.0


def drawn(count: int, characters: str = BASE62) -> str:
    return "".join(DRAW.choices(characters, k=count))


# --- security ---


def test_nothing_listens_beyond_this_machine_and_nobody_is_let_in_unasked(
    shared: ServerProcess,
) -> None:
    """Hole 1: it listened on all interfaces without a login."""
    tables = [Path(f"/proc/net/{name}").read_text() for name in ("tcp", "tcp6")]
    rows_of = [line.split() for table in tables for line in table.splitlines()[1:]]
    port = f"{shared.port:04X}"
    listening = {row[1] for row in rows_of if row[3] == "0A" and row[1].endswith(f":{port}")}
    assert listening == {f"0100007F:{port}"}
    for path in ("/v1/status", "/v1/memories", "/mcp/", "/", "/why"):
        assert shared.send_tcp("GET", path).status in {303, 307, 401, 405}, path


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ],
    ids=["rebound name", "name that begins like ours", "other site", "page without an origin"],
)
def test_another_sites_page_reads_and_writes_nothing_even_with_the_token(
    shared: ServerProcess, headers: dict[str, str]
) -> None:
    """Hole 2: DNS rebinding looked open for the whole HTTP API."""
    given = {**shared.bearer(), **headers}
    for method, path, body in (
        ("GET", "/v1/status", None),
        ("POST", "/v1/remember", b'{"content": "x y z", "scope": "user"}'),
        ("POST", "/mcp/", b"{}"),
        ("GET", "/", None),
    ):
        reply = shared.send_tcp(method, path, body, given)
        assert (reply.status, reply.code) == (403, "foreign_origin"), path


def test_no_setting_can_be_changed_over_the_network_without_the_token(
    shared: ServerProcess,
) -> None:
    """Hole 3: anybody could point the judge, and the key with it, to another address."""
    for method in ("PUT", "POST", "PATCH", "DELETE"):
        for path in ("/v1/settings", "/v1/config", "/settings", "/v1/pause", "/v1/erase"):
            assert shared.send_tcp(method, path, b"{}").status == 401, (method, path)


def test_secrets_are_taken_out_of_every_field_a_plan_and_a_prompt(session: Session) -> None:
    """Hole 4: tags, plans and transcripts went in as they came."""
    told = {what: "gh" + "p_" + drawn(36) for what in ("content", "tag", "ref", "plan", "prompt")}
    session.remember(
        f"The bot logs in with {told['content']} since May.",
        tags=[f"t={told['tag']}"],
        source_ref=f"run {told['ref']}",
    )
    plan = {"plan": f"# Plan\nSet the token to {told['plan']} and restart it.", "filePath": "/p"}
    session.hook("PostToolUse", tool_name="ExitPlanMode", tool_use_id="1", tool_response=plan)
    session.prompt(f"Why is {told['prompt']} refused by the gateway?")
    wait_until(lambda: len(session.listed()) == 2, "memory and plan are kept")
    query = "SELECT prompt FROM turn WHERE session_id = ?"
    wait_until(lambda: rows(session.server.database, query, session.id), "the prompt is kept")
    kept = json.dumps([session.listed(), rows(session.server.database, query, session.id)])
    assert [what for what, secret in told.items() if secret in kept] == []
    assert kept.count("[redacted:") >= 4


SECRETS = {
    "github_pat": lambda: "github" + "_pat_" + drawn(22) + "_" + drawn(59),
    "gitlab": lambda: "gl" + "pat-" + drawn(20),
    "google": lambda: "AI" + "za" + drawn(35),
    "aws session": lambda: "AS" + "IA" + drawn(16, string.ascii_uppercase + "234567"),
    "npm": lambda: "np" + "m_" + drawn(36),
    "stripe webhook": lambda: "wh" + "sec_" + drawn(32),
    "hugging face": lambda: "h" + "f_" + drawn(34, string.ascii_letters),
    "connection string": lambda: f"postgres://app:{drawn(14)}@db.internal/orders",
}


@pytest.mark.parametrize("family", SECRETS)
def test_a_credential_is_taken_out_without_any_judge(session: Session, family: str) -> None:
    """Hole 5: without the judge these were kept."""
    secret = SECRETS[family]()
    session.remember(f"The nightly job of the {family} side uses {secret} in its call.")
    [kept] = session.listed()
    assert secret not in kept["content"]
    assert "[redacted:" in kept["content"]


def test_the_name_of_a_database_key_is_left_alone(session: Session) -> None:
    """Hole 5: `pk_orders_customer_id` was taken for a secret."""
    text = "The key pk_orders_customer_id_created_at spans two columns, sk-index too."
    session.remember(text)
    assert session.listed()[0]["content"] == text


def test_a_config_that_cannot_be_read_is_left_as_it_is(own: Session) -> None:
    """Hole 6: a torn read was written back as an empty object."""
    own.server.start()
    state = Path(own.server.environment()["HOME"]) / ".claude.json"
    torn = b'{"projects": {"/a": {"history": ["...'
    state.write_bytes(torn)
    refused = own.server.run("install", "claude-code")
    assert refused.stderr.startswith(b"hitherto: unreadable_config: ")
    own.hook("SessionStart", source="startup")
    own.server.restart()
    assert state.read_bytes() == torn
    assert not (state.parent / ".claude" / "settings.json").exists(), "nothing is half done"


def test_no_file_of_the_data_home_or_behind_a_link_is_read_or_served(
    own: Session, tmp_path: Path
) -> None:
    """Hole 7: the data home could be the root of the file API, links were followed."""
    server = own.server.start()
    (server.home / ".env").write_text("JUDGE_KEY=canary_of_the_test\n")
    (own.folder / "link").symlink_to(server.home)
    for name in ("link/.env", "link/run/token", "../data home ü/.env", str(server.home / ".env")):
        value = {"content": "It is in `canary_of_the_test`.", "files": [name]}
        reply = server.post("/v1/remember", {**value, "project_dir": str(own.folder)})
        assert reply.code == "invalid_input", name
    for path in ("/static/../../run/token", "/static/%2e%2e/%2e%2e/.env", "/.env", "/run/token"):
        reply = server.send_tcp("GET", path, None, server.bearer())
        assert reply.status in {400, 404}, path
        assert b"canary" not in reply.body


# --- recall and store ---


def test_the_same_text_is_stored_once_without_model_judge_or_retry_key(own: Session) -> None:
    """Hole 10: offline, identical text was stored twice."""
    own.server.start()
    with ThreadPoolExecutor(4) as pool:
        ids = set(pool.map(lambda _: own.remember(LESSON), range(8)))
    assert len(ids) == 1
    assert own.call("remember", content=f"  {LESSON}\n")["outcome"] == "already_known"
    assert len(own.listed()) == 1


def test_a_project_takes_no_folder_whose_path_holds_its_name(
    session: Session, tmp_path: Path
) -> None:
    """Hole 12: a project called app captured unrelated paths."""
    app = Session(session.server, repository(tmp_path / "app"), "app")
    app.remember(LESSON)
    for name in ("app-other", "src/app/web", "myapp"):
        other = Session(session.server, repository(tmp_path / "elsewhere" / name), f"in {name}")
        assert other.recall(QUESTION) == [], name
        assert other.prompt(QUESTION).given == "", name
    inside = app.folder / "src" / "web"
    inside.mkdir(parents=True)
    assert LESSON in Session(session.server, inside, "inside").recall(QUESTION)


def test_shell_edits_and_checkouts_are_seen_and_what_was_given_outlives_the_server(
    own: Session,
) -> None:
    """Hole 13: only edits by the edit tool counted, and the ledger died with the server."""
    own.server.start()
    (own.folder / "billing.py").write_text(CODE)
    git(own.folder, "add", "--all")
    git(own.folder, "commit", "--quiet", "-m", "Bill")
    git(own.folder, "checkout", "--quiet", "-b", "next")
    memory = own.remember(FACT)
    question = "What does send_invoice in billing.py do with the total?"
    assert f"{memory} · current" in own.prompt(question).given
    own.server.restart()

    def is_known() -> bool:
        assert own.prompt(f"{question} Again at {time.monotonic()}.").given == ""
        return reason_of(own, memory) == "already delivered"

    wait_until(is_known, "the ledger knows it though the server was killed")
    subprocess.run(["sed", "-i", "s/[*] 2/* 3/", str(own.folder / "billing.py")], check=True)
    told: list[str] = []

    def is_told() -> bool:  # what would come too late comes with the next event
        told.append(own.tool("Bash", len(told), command="sed -i s/2/3/ billing.py").given)
        return f"{memory} · changed" in told[-1]

    wait_until(is_told, "the session hears of it")
    git(own.folder, "checkout", "--quiet", "--force", "main")
    (own.folder / "billing.py").unlink()
    assert own.call("recall", query=question)["hits"][0]["standing"] == "stale"


def reason_of(session: Session, memory: str) -> str | None:
    """Why a memory was not given last."""
    last = session.server.call("why", session_id=session.id)["candidates"]
    return next((one["reason"] for one in last if one["id"] == memory), None)


# --- hooks and tokens ---


def test_a_hook_waits_for_no_stdin_runs_once_and_blocks_no_stop(own: Session) -> None:
    """Hole 16: a stall of two seconds in each hook, a block that never cleared, hooks run twice."""
    own.server.start()
    reading, writing = socket.socketpair()
    with reading, writing:  # a stdin that never ends
        writing.sendall(b'{"session_id": "s", "hook_event_name": "Stop"}')
        began = time.monotonic()
        command = [sys.executable, "-I", "-S", str(RUN), "PostToolUse"]
        done = subprocess.run(
            command, stdin=reading.fileno(), env=own.environment(), capture_output=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert time.monotonic() - began < SOON_S
    for number in range(5):  # with edits that nobody stored
        own.tool("Edit", number, file_path=f"{number}.py")
        assert own.hook("Stop", stop_hook_active=number > 0).is_silent
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: own.tool("Edit", 99, file_path="a.py"), range(2)))
    wait_until(lambda: len(events_of(own)) >= 6, "all are noted")
    ids = [event["detail"].get("tool_use_id") for event in events_of(own)]
    assert ids.count("s-99") == 1


def test_a_prompt_that_asks_for_nothing_costs_no_token_and_no_dispatch_is_held_up(
    session: Session,
) -> None:
    """Hole 17: a fixed directive rode on every prompt, each subagent call was written twice."""
    session.remember(LESSON)
    for prompt in ("ok", "yes, go on", "thanks!", "/clear", "Rename the file to b.py."):
        assert session.prompt(prompt).out == b"", prompt
    session.says("install", "claude-code")
    hooks = claude_settings(session.server)
    assert {event for event, _ in hooks}.isdisjoint({"PostToolBatch"})
    for prompt in ("List the files.", "How often is an upload retried?"):
        dispatch = {"tool_name": "Agent", "tool_use_id": prompt, "tool_input": {"prompt": prompt}}
        assert session.hook("PreToolUse", **dispatch).out == b""
