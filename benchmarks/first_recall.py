"""Five minutes: from a fresh clone to the first memory that a prompt is given.

Clones this repository, runs `make run` in an empty home with the package registries as they are,
connects Claude Code, imports a history that was written for this project, and sends a prompt
through the hook that was registered. The clone itself is the project that is worked on.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import ROOT, at_most, begin, clean_environ, figure, read_options, unmeasured
from written_history import read_sessions, write_transcript

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness import Bar

BAR_S = 300.0
NAME = "fresh clone to the first memory given to a prompt"
FIXTURES = Path(__file__).parent / "fixtures" / "history"
ANSWERS = b"hitherto install claude-code"
"""What `make run` prints once the server answers."""
WAIT_S = 900.0
POLL_S = 0.05
TRIES_S = 30.0
"""The model loads beside the first prompts; a person's next prompt comes as soon as this."""
PROMPT = "The injection table needs a new column. Which migration file do I edit for that?"
EXPECTED = "Never edit a migration that is released"


@dataclass
class Clock:
    """Says how long each step took."""

    began: float = field(default_factory=time.monotonic)
    steps: dict[str, float] = field(default_factory=dict)

    def done(self, step: str) -> None:
        """Note that a step is done."""
        spent = sum(self.steps.values())
        self.steps[step] = time.monotonic() - self.began - spent


@dataclass(frozen=True)
class Place:
    """An empty home, and a clone in it."""

    folder: Path

    @property
    def clone(self) -> Path:
        return self.folder / "work" / "hitherto"

    @property
    def environ(self) -> dict[str, str]:
        """Nothing of the person's but where pip finds its registry."""
        found = clean_environ(self.folder, HITHERTO_PORT="0")
        configured = Path.home() / ".config" / "pip" / "pip.conf"
        if configured.exists():
            found.setdefault("PIP_CONFIG_FILE", str(configured))
        return found

    def run(self, *command: str, given: bytes = b"") -> bytes:
        """Run a command in the clone and return what it printed."""
        done = subprocess.run(
            command, cwd=self.clone, env=self.environ, input=given, capture_output=True, check=False
        )
        if done.returncode:
            message = f"{command[0]}: {done.stderr.decode(errors='replace')[-500:]}"
            raise RuntimeError(message)
        return done.stdout


def write_history(place: Place) -> int:
    """Write what Claude Code would have kept: this project's sessions among those of others."""
    projects = place.folder / ".claude" / "projects"
    count = 0
    for file in sorted(FIXTURES.glob("*/*.txt")):
        for day, session in enumerate(read_sessions(file)):
            is_ours = file.parent.name == "first"
            folder = place.clone if is_ours else place.folder / "work" / session.project
            write_transcript(session, projects, str(folder), day=day)
            count += 1
    return count


@contextmanager
def made_run(place: Place) -> Iterator[None]:
    """Do `make run` until the server says that it answers; end it with the block."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            ["make", "run"],
            cwd=place.clone,
            env=place.environ,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _wait_for_answer(process, output)
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(WAIT_S)


def _wait_for_answer(process: subprocess.Popen[bytes], output: Any) -> None:
    ends = time.monotonic() + WAIT_S
    while ANSWERS not in (said := os.pread(output.fileno(), 1_000_000, 0)):
        if process.poll() is not None or time.monotonic() > ends:
            message = f"make run: {said.decode(errors='replace')[-500:]}"
            raise RuntimeError(message)
        time.sleep(POLL_S)


def first_memory(place: Place) -> tuple[str, int]:
    """Prompt through the registered hook until a memory is given; return it and the tries."""
    hook = str(place.folder / ".hitherto" / "bin" / "hook")
    ends = time.monotonic() + TRIES_S
    tries = 0
    while time.monotonic() < ends:
        tries += 1
        event = {
            "session_id": f"first-{tries}",
            "hook_event_name": "UserPromptSubmit",
            "cwd": str(place.clone),
            "prompt": PROMPT,
        }
        said = place.run(hook, "UserPromptSubmit", given=json.dumps(event).encode())
        if EXPECTED.encode() in said:
            return str(json.loads(said)["hookSpecificOutput"]["additionalContext"]), tries
        time.sleep(POLL_S)
    message = f"no memory was given in {tries} prompts"
    raise RuntimeError(message)


def measure(place: Place) -> tuple[list[Bar], dict[str, Any]]:
    """Do all of it once, the clock running."""
    count = write_history(place)
    clock = Clock()
    subprocess.run(
        ["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(place.clone)],
        check=True,
        env=place.environ,
    )
    clock.done("clone")
    with made_run(place):
        clock.done("make run, until the server answers")
        said = place.run(str(place.clone / ".venv/bin/hitherto"), "install", "claude-code", "--yes")
        clock.done("connect and import")
        given, tries = first_memory(place)
        clock.done("first prompt")
    total = sum(clock.steps.values())
    steps = {name: round(value, 2) for name, value in clock.steps.items()}
    bars = [at_most(NAME, total, "s", BAR_S)]
    bars += [figure(f"of it: {name}", value, "s") for name, value in steps.items()]
    told = said.decode().replace(str(place.folder), "~").splitlines()
    details = {
        "sessions": count,
        "prompts until it was given": tries,
        "given": given,
        "said by the import": [line for line in told if not line.startswith("written")],
        "how": "one run; pip without a cache, from the registry that this machine is set to; the "
        "clone is of this checkout's last commit, over the disk and not the network",
    }
    return bars, details


def main() -> None:
    """Measure, compare with the bar, and write the result."""
    options = read_options(__doc__ or "")
    run = begin("first_recall", options)
    if options.quick:
        reason = "an installation takes longer than a quick run may"
        run.end([unmeasured(NAME, "s", f"<= {BAR_S:g}", reason)], {})
        return
    with tempfile.TemporaryDirectory(prefix="hb-") as folder:
        bars, details = measure(Place(Path(folder)))
    run.end(bars, details)


if __name__ == "__main__":
    main()
