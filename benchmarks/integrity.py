"""Eight coding sessions at once while server and hooks are killed: does what is kept of them hold?

Each session plays turns through the registered hooks: prompts, edits, commands, plans, loops, stops
and compactions, some events sent twice as by settings and a plugin. After each harm nothing may be
lost, doubled or stuck. INTEGRITY_SEED and INTEGRITY_ROUNDS set another course and length.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from endurance import PROJECTS, project_in
from endurance_checks import ENDS_S
from endurance_harm import Harmer
from endurance_place import Place, waits
from endurance_told import Told
from harness import SEED, Bar, at_most, begin, figure, read_options
from installed import install
from integrity_checks import IntegrityChecks
from integrity_session import CodingSession

from hitherto_server.models.sources import fetch_model

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from endurance_harm import Harm
    from installed import Installed

SESSIONS = 8
HARMS: tuple[Harm, ...] = (
    "kill the server",
    "kill hooks and MCP processes",
    "kill the server again and again",
    "kill the server and the hooks that spool",
    "stop the server",
)
SHORT: tuple[Harm, ...] = ("kill the server", "kill hooks and MCP processes")
ROUNDS = 20
TURNS = (12, 8)
"""What the sessions play before and after a harm, at least."""
WORKS_S = 90.0
KINDS = ("stuck", "wrong", "faults")


@dataclass
class Outcome:
    """What a run found; the lists are empty where everything held."""

    seed: int
    stuck: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)

    def problems(self) -> list[str]:
        """Return all that must not be, with the seed that shows it."""
        return [f"seed {self.seed}: {kind}: {s}" for kind in KINDS for s in getattr(self, kind)]


@dataclass
class Run:
    """One run over one place."""

    place: Place
    sessions: list[CodingSession]
    told: Told
    harmer: Harmer
    outcome: Outcome

    def go(self, harms: Sequence[Harm], turns: tuple[int, int] = TURNS) -> Outcome:
        """Do every round; then each session pays what it owes, and ends."""
        checks = IntegrityChecks(self.place, self.told, self.sessions)
        checks.settle()
        for number, harm in enumerate(harms):
            began = time.monotonic()
            self.work_under(harm, turns)
            if not checks.settle():
                break
            self.outcome.wrong += [f"round {number} ({harm}): {one}" for one in checks.problems()]
            print(f"round {number}: {harm}: {time.monotonic() - began:.1f} s", file=sys.stderr)
        self.end(checks)
        self.outcome.stuck += self.told.stuck
        self.outcome.faults += self.told.faults
        return self.outcome

    def work_under(self, harm: Harm, turns: tuple[int, int]) -> None:
        """Let all sessions play, do the harm in their midst, and let them end their turns."""
        over = threading.Event()
        with ThreadPoolExecutor(len(self.sessions)) as pool:
            for session in self.sessions:
                pool.submit(session.work, over)
            try:
                self.wait_for_turns(turns[0])
                self.harmer.do(harm)
                self.wait_for_turns(turns[1])
            finally:
                over.set()

    def wait_for_turns(self, count: int) -> None:
        """Wait until the sessions have played so many turns more."""
        wanted = self.told.acts + count
        if not waits(lambda: self.told.acts >= wanted, WORKS_S):
            self.told.find_stuck(f"the sessions did not play {count} turns in {WORKS_S} s")

    def end(self, checks: IntegrityChecks) -> None:
        """Let each session pay its debts and end; nothing may be owed or go on any more."""
        for act in (CodingSession.settle_debts, CodingSession.finish):
            with ThreadPoolExecutor(len(self.sessions)) as pool:
                list(pool.map(act, self.sessions))
            if checks.settle() and act is CodingSession.settle_debts:
                self.outcome.stuck += checks.stuck_obligations()
        self.outcome.wrong += [f"at the end: {one}" for one in checks.problems()]
        self.outcome.details = self.details(checks)
        log = (self.place.home / "logs" / "server.log").read_text(errors="replace")
        self.outcome.faults += [ending_of_traceback(one) for one in log.split("Traceback")[1:]]
        unread = [line for line in log.splitlines() if "could not be read" in line]
        self.outcome.faults += [line[:500] for line in unread]
        for session in self.sessions:
            if session.mcp is not None:
                session.mcp.end(ENDS_S)
        stop = [str(self.place.installed.hitherto), "stop"]
        environ = self.place.environ(self.place.person, "end")
        subprocess.run(stop, env=environ, capture_output=True, timeout=60, check=False)

    def details(self, checks: IntegrityChecks) -> dict[str, Any]:
        """Return what was done and seen, in numbers."""
        heard = [session.heard for session in self.sessions]
        query = "SELECT kind, coalesce(cleared_by, 'open'), count(*) FROM obligation GROUP BY 1, 2"
        digests = checks.rows("SELECT count(*) FROM digest WHERE generation IS NOT NULL")
        loops = checks.rows("SELECT reason, count(*) FROM loop GROUP BY 1")
        return {
            "turns": self.told.acts,
            "hooks": len(self.told.events),
            "events": asdict(checks.events()),
            "blocks": sum(len(one.blocks) for one in heard),
            "iterations": sum(len(one.iterations) for one in heard),
            "loops": {str(reason): count for reason, count in loops},
            "plans": sum(len(one.plans) for one in heard),
            "compactions": sum(one.compactions for one in heard),
            "digests": digests[0][0],
            "memories given": sum(len(one.given) for one in heard),
            "obligations": {f"{kind} {by}": count for kind, by, count in checks.rows(query)},
            "refused": self.told.refused,
            "harm": dict(self.harmer.counts),
            "answers that may be lost": dict(sum((one.maybe for one in heard), Counter())),
        }


def ending_of_traceback(text: str) -> str:
    """Return where a traceback ends: in which of our lines, and with what."""
    lines = text.partition("\n2")[0].splitlines()  # a line of the log begins with its time
    return "\n".join(lines[-8:])[:1500]


@contextmanager
def prepared(folder: Path, installed: Installed, models: Path | None, seed: int) -> Iterator[Run]:
    """Connect eight sessions in four projects; at the end nothing of it runs any more."""
    with ExitStack() as stack:
        place = Place(folder, installed)
        place.person.mkdir()
        stack.callback(place.kill_all)
        place.connect()
        if models is not None:
            model = fetch_model(models)
            kept = place.home / "models" / model.name
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.symlink_to(model.folder, target_is_directory=True)
        told, full = Told(), threading.Event()
        projects = [project_in(folder / name) for name in PROJECTS]
        sessions = [
            CodingSession(
                f"session-{number}",
                projects[number % len(projects)],
                place,
                told,
                Random(f"{seed}-{number}"),
                full,
            )
            for number in range(SESSIONS)
        ]
        with ThreadPoolExecutor(SESSIONS) as pool:
            list(pool.map(CodingSession.begin, sessions))
        harmer = Harmer(place, sessions, Random(seed), full, Counter())
        yield Run(place, sessions, told, harmer, Outcome(seed))


def main() -> None:
    """Run it, and keep the counts."""
    options = read_options(__doc__ or "")
    run = begin("integrity", options)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # nothing is left behind then
    seed = int(os.environ.get("INTEGRITY_SEED", SEED))
    rounds = len(SHORT) if options.quick else int(os.environ.get("INTEGRITY_ROUNDS", ROUNDS))
    harms = [(SHORT if options.quick else HARMS)[n % len(HARMS)] for n in range(rounds)]
    with tempfile.TemporaryDirectory(prefix="hi-") as name:
        folder = Path(name)
        installed = install(folder, options.data)
        with prepared(folder, installed, options.data / "models", seed) as played:
            found = played.go(harms)
    for said in found.problems():
        print(said)
    run.end(bars_of(found, rounds), asdict(found))


def bars_of(found: Outcome, rounds: int) -> list[Bar]:
    """Return what was found, as figures."""
    details = found.details
    return [
        figure("rounds of harm over 8 coding sessions", rounds, "rounds"),
        figure("turns played", details["turns"], "turns"),
        figure("hooks run", details["hooks"], "hooks"),
        figure("stops held up by what was owed", details["blocks"], "blocks"),
        figure("iterations of loops", details["iterations"], "iterations"),
        at_most("obligations or sessions stuck", len(found.stuck), "", 0),
        at_most(
            "lost, doubled or wrong: obligations, plans, digests, ledger, loops",
            len(found.wrong),
            "",
            0,
        ),
        at_most("other faults", len(found.faults), "", 0),
    ]


if __name__ == "__main__":
    main()
