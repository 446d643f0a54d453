"""What must hold when the harm is over: nothing lost, nothing torn, nothing stuck, no orphan."""

from __future__ import annotations

import json
import time
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from endurance_place import waits
from homes import ask

from hitherto_server.core.home import Home
from hitherto_server.sessions.spool_reader import parse_record
from hitherto_server.store.check import disagreements
from hitherto_server.store.driver import open_raw

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from endurance_place import Place
    from endurance_session import Session
    from endurance_told import Told

PAGE = 50
ANSWERS_S, DRAINS_S, ENDS_S = 40.0, 60.0, 15.0
LEFT_S = 180.0
"""Two rounds may pass before the server is started again."""
SQLITE = b"SQLite format 3\0"
SHORTEST_TOKEN = 32


@dataclass
class Checks:
    """Compares what was told with what is there."""

    place: Place
    told: Told
    sessions: Sequence[Session]

    @property
    def home(self) -> Home:
        return Home(self.place.home)

    def settle(self) -> bool:
        """Wait until a server answers and nothing waits; what does not come is stuck."""
        if not waits(self._answers, ANSWERS_S):
            self.told.find_stuck(f"no server answered within {ANSWERS_S} s: {self._log()}")
            return False
        for what, holds in (("the spool", self._is_drained), ("the queue", self._has_no_work)):
            if not waits(holds, DRAINS_S):
                self.told.find_stuck(f"{what} did not drain in {DRAINS_S} s: {self.waiting()}")
        return True

    def _answers(self) -> bool:
        # nobody but the sessions starts it: their next act does
        self.sessions[0].send_hook("SessionStart")
        said = self.sessions[0].ask_mcp("memories", {"view": "stats"})
        return said is not None and not said[1]

    def _is_drained(self) -> bool:
        spool = self.home.spool
        return not (spool / "events").exists() and not (spool / "events.draining").exists()

    def _has_no_work(self) -> bool:
        pending = self._status().get("pending", {})
        return not any(pending.values())

    def _status(self) -> dict[str, Any]:
        return ask(self.home, "/v1/status")

    def waiting(self) -> str:
        """Say what waits."""
        status = self._status()
        return json.dumps({name: status.get(name) for name in ("pending", "spool", "model")})

    def _log(self) -> str:
        try:
            return (self.home.logs / "server.log").read_text(errors="replace")[-1500:]
        except OSError as error:
            return str(error)

    def lost_memories(self) -> list[str]:
        """Return the acknowledged memories that are not there with an acknowledged text."""
        return [
            f"{memory} ({self.told.acknowledged[memory][0]}): {text}"
            for memory, text in self._held().items()
            if text not in self.told.acknowledged[memory][1]
        ]

    def _held(self) -> dict[str, str | None]:
        ids = list(self.told.acknowledged)
        held: dict[str, str | None] = dict.fromkeys(ids)
        for start in range(0, len(ids), PAGE):
            request = {"view": "get", "ids": ids[start : start + PAGE]}
            for view in ask(self.home, "/v1/memories", request)["memories"]:
                held[view["id"]] = view["content"]
        return held

    def unknown_texts(self) -> list[str]:
        """Return the texts in the store that nobody said: torn ones."""
        with closing(open_raw(self.home.database, read_only=True)) as connection:
            held = [row[0] for row in connection.execute("SELECT content FROM memory")]
        return [text for text in held if text not in self.told.sent_texts]

    def events(self) -> Events:
        """Compare the events that were sent with those that are noted."""
        query = "SELECT body_hash, count(*) FROM event GROUP BY body_hash"
        with closing(open_raw(self.home.database, read_only=True)) as connection:
            noted: dict[str, int] = dict(connection.execute(query).fetchall())
        missing = [e for h, e in self.told.events.items() if h not in noted and not e.killed]
        return Events(
            doubled=sum(count > 1 for count in noted.values()),
            missing=sum(not event.while_full for event in missing),
            missing_while_full=sum(event.while_full for event in missing),
            counted=self._status()["spool"]["dropped"],
            noted=sum(noted.values()),
        )

    def torn_files(self) -> list[str]:
        """Return the files of the data home that do not read as what they are."""
        found = [said for path in self.files() for said in faults_of(path)]
        with closing(open_raw(self.home.database)) as connection:
            return [*found, *disagreements(connection)]

    def files(self) -> Iterator[Path]:
        """Yield every file of the data home that is its own."""
        for path in sorted(self.place.home.rglob("*")):
            if path.is_file() and not path.is_symlink():
                yield path

    def temporary_files(self) -> list[str]:
        """Return what killed writers left longer ago than a start lets it lie."""
        old = time.time() - LEFT_S
        dotted = [path for path in self.files() if path.name.startswith(".")]
        return [path.name for path in dotted if path.stat().st_mtime < old]

    def orphans(self) -> list[str]:
        """Return the processes beside one server and one MCP process a session."""
        mine = {session.mcp.process.pid for session in self.sessions if session.mcp}
        others = {p: c for p, c in self.place.processes().items() if p not in mine}
        servers = self.place.servers()
        return [c for p, c in others.items() if p not in servers[:1]]


@dataclass(frozen=True)
class Events:
    """How the events that were sent compare with those that are noted."""

    doubled: int
    missing: int
    missing_while_full: int
    counted: int
    """Events that could not be written down, as `hitherto status` shows them."""
    noted: int

    @property
    def unaccounted(self) -> int:
        """Events that are gone, and that nothing tells of."""
        return max(self.missing + self.missing_while_full - self.counted, 0)


def faults_of(path: Path) -> list[str]:
    """Return what is wrong with one file, by what it is."""
    try:
        read_as_what_it_is(path)
    except FileNotFoundError:
        return []
    except Exception as error:  # noqa: BLE001 - whatever a torn file makes a reader do
        return [f"{path.name}: {type(error).__name__}: {error}"]
    return []


def read_as_what_it_is(path: Path) -> None:
    """Raise unless the file is whole, as far as its kind lets one tell."""
    content = path.read_bytes()
    lines = content.splitlines()
    if content.startswith(SQLITE):
        check_database(path)
    elif path.suffix == ".json":
        json.loads(content)
    elif path.suffix == ".jsonl":
        _ = [json.loads(line) for line in lines]
    elif path.name in {"events", "events.draining"}:
        _ = [json.loads(parse_record(line).body) for line in lines]
    elif path.name == "token" and len(content) < SHORTEST_TOKEN:
        message = "it is cut"
        raise ValueError(message)


def check_database(path: Path) -> None:
    """Raise unless a database is sound."""
    with closing(open_raw(path, read_only=True)) as connection:
        said = [row[0] for row in connection.execute("PRAGMA integrity_check")]
    if said != ["ok"]:
        raise ValueError(str(said)[:300])
