"""A server of the same HTTP API with the contract's own types, run as a process of its own.

It keeps what it is told in one JSON file, so that it can be killed and started again.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

import hitherto_contract as contract

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

HOME = Path(os.environ["HITHERTO_HOME"])
STORE = HOME / "stand_in.json"
LOG = HOME / "stand_in_calls.jsonl"
REQUESTS = {
    "remember": contract.RememberRequest,
    "recall": contract.RecallRequest,
    "reflect": contract.ReflectRequest,
    "forget": contract.ForgetRequest,
    "restore": contract.RestoreRequest,
    "memories": contract.MemoriesRequest,
}


class Refusal(Exception):
    """An error with a code."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class Store:
    """Memories as lists of their revisions, saved after every change."""

    def __init__(self) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = (
            json.loads(STORE.read_text()) if STORE.exists() else {}
        )

    def add(self, row: dict[str, Any], change: str) -> dict[str, Any]:
        """Write a revision down, durably."""
        states = self.rows.setdefault(row["id"], [])
        row = row | {"revision": len(states) + 1, "change": change}
        states.append(row)
        fresh = STORE.with_suffix(".new")
        fresh.write_text(json.dumps(self.rows))
        fresh.replace(STORE)
        return row

    def get(self, memory_id: str) -> dict[str, Any]:
        """Return the newest revision."""
        if memory_id not in self.rows:
            raise Refusal(404, "not_found", f"no memory has the id {memory_id}")
        return self.rows[memory_id][-1]

    def live(self) -> list[dict[str, Any]]:
        """Return what is not in the trash, oldest first."""
        return [rows[-1] for rows in self.rows.values() if rows[-1]["trashed_at_ms"] is None]


STATE = Store()


def view(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as the wire shows it."""
    shown = {name: row.get(name) for name in contract.MemoryView.model_fields}
    shown |= {"standing": "unverified", "standing_reason": "nothing to check it against"}
    return contract.MemoryView.model_validate(shown).model_dump(mode="json")


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def remember(request: contract.RememberRequest) -> dict[str, Any]:
    for row in STATE.live():
        if row["content"] == request.content or (
            request.idempotency_key and row["key"] == request.idempotency_key
        ):
            return remembered(row, "already_known")
    for old in request.supersedes:
        STATE.get(old)
    row = {
        **request.model_dump(include=set(contract.MemoryView.model_fields)),
        "id": str(uuid.uuid4()),
        "key": request.idempotency_key,
        "project": Path(request.project_dir).name if request.project_dir else None,
        "tier": "admitted",
        "device": "here",
        "learned_at_ms": now_ms(),
        "trashed_at_ms": None,
        "superseded_by": None,
        "suspect": False,
    }
    row = STATE.add(row, "remember")
    for old in request.supersedes:
        STATE.add(STATE.get(old) | {"superseded_by": row["id"]}, "superseded")
    return remembered(row, superseded=request.supersedes)


def remembered(
    row: dict[str, Any], outcome: str = "stored", superseded: Sequence[str] = ()
) -> dict[str, Any]:
    return {
        "id": row["id"],
        "revision": row["revision"],
        "outcome": outcome,
        "scope": row["scope"],
        "project": row["project"],
        "superseded": list(superseded),
        "anchored_files": [],
        "notes": [],
    }


def recall(request: contract.RecallRequest) -> dict[str, Any]:
    words = set(request.query.lower().split())
    found = [r for r in STATE.live() if words & set(r["content"].lower().split())]
    kept = [r for r in found if request.include_superseded or not r["superseded_by"]]
    hits = [
        {
            **{name: row.get(name) for name in contract.Hit.model_fields},
            "excerpt": row["content"],
            "standing": "superseded" if row["superseded_by"] else "unverified",
            "standing_reason": "nothing to check it against",
            "why": ["words"],
        }
        for row in kept[: request.limit]
    ]
    withheld = {"superseded": len(found) - len(kept)} if len(found) > len(kept) else {}
    arms = {"words": "ok", "passages": "model loading"}
    return {"hits": hits, "withheld": withheld, "arms": arms, "took_ms": 1.0, "explain": None}


def expect(row: dict[str, Any], revision: int | None) -> None:
    if revision is not None and revision != row["revision"]:
        raise Refusal(409, "revision_moved", f"{row['id']} is at revision {row['revision']}")


def reflect(request: contract.ReflectRequest) -> dict[str, Any]:
    row = STATE.get(request.id)
    expect(row, request.expected_revision)
    fields = ("content", "kind", "tags", "files", "importance", "category", "state_key")
    new = {name: v for name in fields if (v := getattr(request, name)) is not None}
    match request.action:
        case "edit":
            return remembered(STATE.add(row | new, "edit"))
        case "confirm":
            return remembered(STATE.add(row | {"confirmed_at_ms": now_ms()}, "confirm"))
        case "undo":
            return remembered(STATE.add(STATE.rows[request.id][-2], "undo"))
        case "supersede":
            newer = STATE.add(row | new | {"id": str(uuid.uuid4())}, "remember")
            STATE.add(row | {"superseded_by": newer["id"]}, "superseded")
            return remembered(newer, superseded=[request.id])


def forget(request: contract.ForgetRequest) -> dict[str, Any]:
    row = STATE.get(request.id)
    expect(row, request.expected_revision)
    return remembered(STATE.add(row | {"trashed_at_ms": now_ms()}, "forget"))


def restore(request: contract.RestoreRequest) -> dict[str, Any]:
    row = STATE.get(request.id)
    expect(row, request.expected_revision)
    return remembered(STATE.add(row | {"trashed_at_ms": None}, "restore"))


def memories(request: contract.MemoriesRequest) -> dict[str, Any]:
    match request.view:
        case "recent":
            rows = STATE.live()[::-1]
            page = rows[request.offset :][: request.limit]
            return {"memories": [view(r) for r in page], "total": len(rows)}
        case "trash":
            rows = [s[-1] for s in STATE.rows.values() if s[-1]["trashed_at_ms"] is not None]
            return {"memories": [view(r) for r in rows], "total": len(rows)}
        case "get":
            return {"memories": [view(STATE.get(i)) for i in request.ids]}
        case "history":
            known = set(contract.RevisionView.model_fields)
            rows = [row for i in request.ids if STATE.get(i) for row in STATE.rows[i]]
            return {
                "revisions": [
                    {**{k: v for k, v in r.items() if k in known}, "changed_at_ms": now_ms()}
                    for r in rows
                ]
            }
        case "stats":
            return {"stats": {"live": len(STATE.live())}}
        case "events":
            return {"events": [{"session_id": request.session_id}]}


OPERATIONS = {
    "remember": remember,
    "recall": recall,
    "reflect": reflect,
    "forget": forget,
    "restore": restore,
    "memories": memories,
}


async def serve(request: Request) -> JSONResponse:
    """Answer one operation of the API."""
    operation = request.path_params["operation"]
    payload = await request.json()
    with LOG.open("a") as log:
        headers = dict(request.headers)
        log.write(json.dumps({"op": operation, "payload": payload, "headers": headers}) + "\n")
    try:
        reply = OPERATIONS[operation](REQUESTS[operation].model_validate(payload))
    except ValidationError as error:
        return refused(400, "invalid_input", str(error))
    except Refusal as refusal:
        return refused(refusal.status, refusal.code, str(refusal))
    return JSONResponse(reply)


def refused(status: int, code: str, message: str) -> JSONResponse:
    body = {"error": {"code": code, "message": message, "mend": "Mend it."}}
    return JSONResponse(body, status_code=status)


def socket_path() -> Path:
    pointer = HOME / "run" / "socket"
    return Path(pointer.read_text()) if pointer.exists() else HOME / "run" / "server.sock"


def end_with(keeper: int) -> None:
    """End this process when the test run has ended, however it did."""
    while HOME.exists():
        try:
            os.kill(keeper, 0)
        except ProcessLookupError:
            break
        time.sleep(0.5)
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=end_with, args=[int(sys.argv[1])], daemon=True).start()
    (HOME / "run").mkdir(parents=True, exist_ok=True)
    (HOME / "run" / "server.json").write_text(json.dumps({"pid": os.getpid()}))
    app = Starlette(routes=[Route("/v1/{operation}", serve, methods=["POST"])])
    uvicorn.run(app, uds=str(socket_path()), log_level="warning", lifespan="off")
