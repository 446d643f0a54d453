"""Runs every benchmark, one after another, and prints one table (`make bench`)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from harness import Bar, table

HERE = Path(__file__).parent
BENCHMARKS = (
    "hook_wall",
    "day",
    "transport",
    "footprint",
    "languages",
    "recall_latency",
    "backups",
    "standing",
    "recall_quality",
    "injection",
    "pairs",
    "secrets",
    "judgment_rules",
    "judgment_rules_blind",
    "blind",
    "judged_writes",
    "judge_outage",
    "extraction",
    "first_recall",
    "endurance",
    "integrity",
)


def run(name: str, arguments: list[str]) -> list[Bar]:
    """Run one benchmark and return its bars; one that fails has none that is ok."""
    done = subprocess.run(
        [sys.executable, str(HERE / f"{name}.py"), *arguments],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        note = f"ended with code {done.returncode}"
        return [Bar(f"{name} as a whole", None, "", "runs", ok=False, note=note)]
    found = json.loads(done.stdout.strip().splitlines()[-1])
    return [Bar(**bar) for bar in found["bars"]]


def main() -> None:
    """Run all with the arguments given, and fail if a bar was missed."""
    bars = [bar for name in BENCHMARKS for bar in run(name, sys.argv[1:])]
    print(table(bars))
    for bar in bars:
        if bar.value is None:
            print(f"not measured: {bar.name}: {bar.note}")
    print(json.dumps({"bars": [vars(bar) for bar in bars]}))
    sys.exit(any(bar.ok is False for bar in bars))


if __name__ == "__main__":
    main()
