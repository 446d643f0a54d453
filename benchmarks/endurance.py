"""Thirty rounds of kill -9, full disks and stopped processes over eight sessions at work.

Everything that runs is the installed wheel, in an environment of its own, called as the client
calls it: by the commands that the installer wrote into the client's files. The variables
ENDURANCE_SEED and ENDURANCE_ROUNDS set another course and length.
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

from endurance_checks import ENDS_S, Checks
from endurance_harm import ALL, EACH_ONCE, Harmer
from endurance_place import MountingFailed, Place, small_disk, waits
from endurance_session import Session
from endurance_told import Told
from harness import SEED, Bar, at_most, begin, figure, read_options, unmeasured
from installed import foreign_modules, install

from hitherto_server.models.sources import fetch_model

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from endurance_harm import Harm

SESSIONS = 8
ROUNDS = 30
DISK_MB = 192
PROJECTS = ("orders", "a project ü", "plain folder", "lib")
ACTS, ACTS_OF_A_SHORT_RUN = (40, 24), (20, 12)
"""What the sessions do before and after a harm, at least."""
WORKS_S = 40.0
TOLD = 2500
MUST_BE_NONE = (
    "acknowledged writes lost, events lost or doubled",
    "torn or left-over files",
    "obligations stuck",
    "orphan processes",
    "other faults: tracebacks, unexpected replies",
)


@dataclass
class Outcome:
    """What a run found; all lists are empty where everything held."""

    seed: int
    rounds: int
    lost: list[str] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)

    def problems(self) -> list[str]:
        """Return all that must not be, with the seed that shows it."""
        kinds = ("lost", "torn", "stuck", "orphans", "faults")
        return [
            f"seed {self.seed}: {kind}: {said}" for kind in kinds for said in getattr(self, kind)
        ]


@dataclass
class Run:
    """One run over one place."""

    place: Place
    sessions: list[Session]
    told: Told
    harmer: Harmer
    outcome: Outcome

    def go(self, harms: Sequence[Harm]) -> None:
        """Do every round, then end as a person does."""
        checks = Checks(self.place, self.told, self.sessions)
        for number, harm in enumerate(harms):
            began = time.monotonic()
            self.work_under(harm)
            if not checks.settle():
                break
            self.check(checks, f"round {number} ({harm})")
            print(f"round {number}: {harm}: {time.monotonic() - began:.1f} s", file=sys.stderr)
        self.outcome.stuck += self.told.stuck
        self.outcome.faults += self.told.faults
        self.outcome.details = self.details(checks)
        self.outcome.faults += [said[:TOLD] for said in self.server_log().split("Traceback")[1:]]
        self.end()

    def work_under(self, harm: Harm) -> None:
        """Let all sessions work, do the harm in their midst, and let them end what they do."""
        over = threading.Event()
        is_short = self.outcome.rounds <= len(EACH_ONCE)
        before, after = ACTS_OF_A_SHORT_RUN if is_short else ACTS
        with ThreadPoolExecutor(len(self.sessions)) as pool:
            for session in self.sessions:
                pool.submit(session.work, over)
            try:
                self.wait_for_acts(before)
                self.harmer.do(harm)
                self.wait_for_acts(after)
            finally:
                over.set()

    def wait_for_acts(self, count: int) -> None:
        """Wait until the sessions have done so many things more."""
        wanted = self.told.acts + count
        if not waits(lambda: self.told.acts >= wanted, WORKS_S):
            self.told.find_stuck(f"the sessions did not do {count} things in {WORKS_S} s")

    def check(self, checks: Checks, when: str) -> None:
        """Note whatever does not hold now."""
        out, events = self.outcome, checks.events()
        out.lost += [f"{when}: {said}" for said in checks.lost_memories()]
        if events.doubled or events.unaccounted:
            out.lost.append(f"{when}: {events}")
        torn = [*checks.torn_files(), *checks.unknown_texts()]
        out.torn += [f"{when}: {said}" for said in (*torn, *checks.temporary_files())]
        if not waits(lambda: not checks.orphans(), ENDS_S):
            out.orphans += [f"{when}: {said}" for said in checks.orphans()]

    def end(self) -> None:
        """End the sessions and stop the server; nothing may be left."""
        for session in self.sessions:
            if session.mcp is not None and not session.mcp.end(ENDS_S):
                self.outcome.stuck.append(f"MCP of {session.name} did not end")
        environ = self.place.environ(self.place.person, "end")
        command = [str(self.place.installed.hitherto), "stop"]
        subprocess.run(command, env=environ, capture_output=True, timeout=60, check=False)
        if not waits(lambda: not self.place.processes(), ENDS_S):
            self.outcome.orphans += [f"at the end: {c}" for c in self.place.processes().values()]
        left = [n for n in ("server.json", "server.sock") if (self.place.home / "run" / n).exists()]
        self.outcome.torn += [f"at the end: {name} was left" for name in left]
        errors = self.place.mcp_errors
        if errors.exists() and errors.stat().st_size:
            self.outcome.faults.append(f"MCP said {errors.read_text(errors='replace')[:500]}")

    def details(self, checks: Checks) -> dict[str, Any]:
        """Return what was done and seen, in numbers."""
        return {
            "acknowledged": dict(Counter(way for way, _ in self.told.acknowledged.values())),
            "events": asdict(checks.events()) | {"sent": len(self.told.events)},
            "refused": self.told.refused,
            "acts": self.told.acts,
            "slowest_s": {name: round(took, 2) for name, took in self.told.slowest_s.items()},
            "harm": self.harmer.counts,
        }

    def server_log(self) -> str:
        """Return what the server wrote, as far as it is kept."""
        return (self.place.home / "logs" / "server.log").read_text(errors="replace")


@contextmanager
def prepared(folder: Path, cache: Path, models: Path, seed: int) -> Iterator[Run]:
    """Install the wheel for a person on a small disk; at the end nothing of it runs any more."""
    installed = install(folder, cache)
    assert foreign_modules(installed) == []
    with ExitStack() as stack:
        place = Place(folder, installed)
        stack.enter_context(small_disk(place.person, DISK_MB))
        stack.callback(place.kill_all)
        place.connect()
        model = fetch_model(models)
        kept = place.home / "models" / model.name
        kept.symlink_to(model.folder, target_is_directory=True)
        yield new_run(place, seed)


def new_run(place: Place, seed: int) -> Run:
    """Return eight sessions in four projects, with a course that the seed decides."""
    told, full = Told(), threading.Event()
    projects = [project_in(place.folder / name) for name in PROJECTS]
    sessions = [
        Session(
            f"session-{number}",
            projects[number % len(projects)],
            place,
            told,
            Random(f"{seed}-{number}"),
            full,
        )
        for number in range(SESSIONS)
    ]
    harmer = Harmer(place, sessions, Random(seed), full, {})
    with ThreadPoolExecutor(SESSIONS) as pool:
        list(pool.map(Session.begin, sessions))
    return Run(place, sessions, told, harmer, Outcome(seed, 0))


def project_in(folder: Path) -> Path:
    """Make a project; the plain folder is no repository."""
    folder.mkdir()
    (folder / "notes.md").write_text("# Notes\n", encoding="utf-8")
    if "plain" not in folder.name:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        for command in (["init", "--quiet"], ["commit", "--quiet", "--allow-empty", "-m", "Start"]):
            subprocess.run(["git", *who, "-C", str(folder), *command], check=True)
    return folder


def endure(folder: Path, cache: Path, models: Path, harms: Sequence[Harm], seed: int) -> Outcome:
    """Do the rounds and return what was found."""
    with prepared(folder, cache, models, seed) as run:
        run.outcome.rounds = len(harms)
        run.go(harms)
        return run.outcome


def harms_of(rounds: int) -> list[Harm]:
    """Return what is done in each round: all harms in turn."""
    return [ALL[number % len(ALL)] for number in range(rounds)]


def main() -> None:
    """Run it, and keep the counts."""
    options = read_options(__doc__ or "")
    run = begin("endurance", options)
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit("ended")
    )  # nothing is left behind then either
    seed = int(os.environ.get("ENDURANCE_SEED", SEED))
    rounds = int(os.environ.get("ENDURANCE_ROUNDS", ROUNDS))
    harms = list(EACH_ONCE) if options.quick else harms_of(rounds)
    with tempfile.TemporaryDirectory(prefix="hb-") as folder:
        try:
            found = endure(Path(folder), options.data, options.data / "models", harms, seed)
        except MountingFailed as error:
            reason = f"no small disk can be mounted: {error}"
            run.end([unmeasured(name, "", "<= 0", reason) for name in MUST_BE_NONE], {})
            return
    for said in found.problems():
        print(said)
    run.end(bars_of(found), asdict(found))


def bars_of(found: Outcome) -> list[Bar]:
    """Return what was found, as figures."""
    kinds = (found.lost, found.torn, found.stuck, found.orphans, found.faults)
    events, written = found.details["events"], found.details["acknowledged"]
    return [
        figure("rounds of harm over 8 sessions", found.rounds, "rounds"),
        figure("acknowledged writes", sum(written.values()), "writes"),
        figure("events of hooks sent", events["sent"], "events"),
        *(at_most(name, len(kind), "", 0) for name, kind in zip(MUST_BE_NONE, kinds, strict=True)),
        figure("events not kept while the disk was full, counted", events["counted"], "events"),
    ]


if __name__ == "__main__":
    main()
