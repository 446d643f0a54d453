"""Records the day's hook events with the real client: `python benchmarks/day_record.py`."""

from __future__ import annotations

import json
import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

import real_client  # noqa: F401 - puts the harness within reach
from day_script import DAY, Sitting, script_of
from realclient_install import ClientMissing, find_claude
from realclient_session import Options, Place, open_session
from seeds import make_project

FOLDER = Path(__file__).parent / "fixtures" / "day"
EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
)
SPOKEN = ("user", "assistant", "system")
TAP = """
import json, os, sys
event = json.load(sys.stdin)
path = event.get("transcript_path", "")
size = os.path.getsize(path) if os.path.exists(path) else 0
with open(sys.argv[1], "a", encoding="utf-8") as log:
    log.write(json.dumps({"event": event, "bytes": size}) + "\\n")
"""
TOOLS = ("Agent", "Bash", "Edit", "Read", "Write")


def main() -> None:
    """Play every session of the day and keep what its hooks were given."""
    claude = find_claude(os.environ)
    if isinstance(claude, ClientMissing):
        raise SystemExit(claude.reason)
    (FOLDER / "transcripts").mkdir(parents=True, exist_ok=True)
    for old in FOLDER.rglob("*.jsonl"):
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="hbd-") as folder:
        for number, sitting in enumerate(DAY):
            place = Place(Path(folder) / sitting.name).create()
            place.project.rmdir()
            make_project(place.project, 0)
            steps = record(claude, place, sitting)
            write(FOLDER / f"{number + 1}-{sitting.name}.jsonl", steps)
            for path in sorted((place.home / ".claude" / "projects").glob("*/*.jsonl")):
                rows = placeless(rows_of(path.read_bytes()), place)
                write(FOLDER / "transcripts" / path.name, rows)
            print(f"{sitting.name}: {len(steps)} events")


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows, one a line."""
    lines = (json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def record(claude: Path, place: Place, sitting: Sitting) -> list[dict[str, Any]]:
    """Play one session and return its events, without this machine's paths."""
    log, tap = place.root / "heard.jsonl", place.root / "tap.py"
    tap.write_text(TAP, encoding="utf-8")
    command = shlex.join([sys.executable, str(tap), str(log)])
    entry = {"type": "command", "command": command, "timeout": 10}
    place.write_settings({"hooks": {event: [{"hooks": [entry]}] for event in EVENTS}})
    options = Options(allow=TOOLS, attended=True, permission_mode="plan" if sitting.plans else None)
    with open_session(claude, place, script_of(sitting, place.project), options) as session:
        for said in sitting.said:
            session.say(said.prompt)
    heard = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return [step_of(one, transcripts_of(heard), place) for one in heard]


def transcripts_of(heard: list[dict[str, Any]]) -> dict[str, bytes]:
    """Return what the client kept of the sessions."""
    paths = {one["event"]["transcript_path"] for one in heard}
    return {path: Path(path).read_bytes() for path in paths if Path(path).exists()}


def step_of(heard: dict[str, Any], transcripts: dict[str, bytes], place: Place) -> dict[str, Any]:
    """Return an event and how many rows its transcript had by then."""
    kept = transcripts.get(heard["event"]["transcript_path"], b"")[: heard["bytes"]]
    return {"event": placeless(heard["event"], place), "rows": len(rows_of(kept))}


def rows_of(transcript: bytes) -> list[dict[str, Any]]:
    """Return the rows that say something of the conversation; the others are requests in bulk."""
    rows = [json.loads(line) for line in transcript.splitlines() if line.endswith(b"}")]
    return [row for row in rows if row.get("type") in SPOKEN]


def placeless(value: Any, place: Place) -> Any:
    """Return a value with `{project}` and `{home}` for the folders of its place."""
    text = json.dumps(value)
    slug = "".join(c if c.isalnum() else "-" for c in str(place.project))
    for folder, name in (
        (str(place.project), "{project}"),
        (str(place.home), "{home}"),
        (slug, "{slug}"),
        (str(place.root), "{place}"),
        (sys.executable, "python"),
    ):
        text = text.replace(folder, name)
    return json.loads(text)


if __name__ == "__main__":
    main()
