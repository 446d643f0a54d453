"""What every benchmark shares: options, bars, interleaved timing, memory, and the result's file."""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results"
SEED = 20261130
PACKAGES = ("hitherto", "fastapi", "uvicorn", "pydantic", "numpy", "onnxruntime", "pysqlite3")
NOT_INHERITED = ("HITHERTO_", "CLAUDE", "ANTHROPIC_", "PYTHON", "VIRTUAL_ENV", "XDG_")


@dataclass(frozen=True)
class Options:
    """What a person asked of one run; `data` keeps the model and the peers between runs."""

    data: Path
    peer: str | None
    quick: bool
    full: bool = False
    """Whether the sizes that take a quarter of an hour are wanted too."""


def read_options(about: str, arguments: Sequence[str] | None = None) -> Options:
    """Return the options that all benchmarks take."""
    kept = Path(tempfile.gettempdir()) / f"hitherto-bench-{os.getuid()}"
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--data", type=Path, default=kept, help="what is kept between runs")
    parser.add_argument("--peer", help="measure this peer only; `none` for no peer")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, within a minute")
    parser.add_argument("--full", action="store_true", help="the largest sizes too")
    found = parser.parse_args(arguments)
    return Options(found.data.absolute(), found.peer, found.quick, found.full)


@dataclass(frozen=True)
class Bar:
    """A figure beside what it has to reach; None where it was not measured or has no bar."""

    name: str
    value: float | None
    unit: str
    bar: str | None
    ok: bool | None
    note: str | None = None


def at_most(name: str, value: float, unit: str, limit: float, note: str | None = None) -> Bar:
    """Return a figure that must not pass its limit."""
    return Bar(name, rounded(value), unit, f"<= {limit:g}", value <= limit, note)


def at_least(name: str, value: float, unit: str, limit: float, note: str | None = None) -> Bar:
    """Return a figure that must reach its limit."""
    return Bar(name, rounded(value), unit, f">= {limit:g}", value >= limit, note)


def figure(name: str, value: float, unit: str, note: str | None = None) -> Bar:
    """Return a figure without a bar, for scale."""
    return Bar(name, rounded(value), unit, None, None, note)


def unmeasured(name: str, unit: str, bar: str | None, reason: str) -> Bar:
    """Return a bar whose value is not known, and why."""
    return Bar(name, None, unit, bar, None, reason)


def rounded(value: float) -> float:
    """Keep four significant digits: the rest is noise."""
    return float(f"{value:.4g}")


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of all does not exceed."""
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]


def spread(values: Sequence[float], digits: int = 2) -> dict[str, float]:
    """Return what a reader wants to know of many timings."""
    found = {
        "n": len(values),
        "min": min(values),
        "p50": median(values),
        "p95": percentile(values, 0.95),
        "max": max(values),
    }
    return {name: round(value, digits) for name, value in found.items()}


def interleaved(
    works: Mapping[str, Callable[[int], float]], rounds: int, warm_up: int = 2
) -> dict[str, list[float]]:
    """Run ABAB…, so that a noisy moment falls on all alike; the first rounds do not count."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    names = list(works)
    for number in range(-warm_up, rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            value = works[name](number)
            if number >= 0:
                taken[name].append(value)
    return taken


def wall_ms(command: list[str], environ: Mapping[str, str], stdin: Path, stdout: Path) -> float:
    """Run a command to its end and return its wall time; a failure ends the benchmark."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, str(stdin), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(stdout), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
    ]
    began = time.perf_counter()
    process = os.posix_spawn(command[0], command, environ, file_actions=actions)
    _, status = os.waitpid(process, 0)
    taken = (time.perf_counter() - began) * 1000
    if status:
        message = f"{' '.join(command)[:200]} ended with status {status}"
        raise RuntimeError(message)
    return taken


@dataclass(frozen=True)
class Memory:
    """What a process holds, in MB of 10^6 bytes."""

    rss: float
    pss: float | None
    peak: float


def memory_of(process: int) -> Memory:
    """Return resident, proportional and peak memory (Linux only)."""
    status = _kilobytes(Path(f"/proc/{process}/status"))
    try:
        pss: float | None = _kilobytes(Path(f"/proc/{process}/smaps_rollup"))["Pss"]
    except OSError:
        pss = None
    return Memory(status["VmRSS"], pss, status["VmHWM"])


def _kilobytes(path: Path) -> dict[str, float]:
    rows = (line.partition(":") for line in path.read_text(encoding="ascii").splitlines())
    return {
        name: round(int(value.split()[0]) * 1024 / 1e6, 1)
        for name, _, value in rows
        if value.endswith("kB")
    }


def cpu_s(process: int) -> float:
    """Return the processor time that a process has used so far (Linux only)."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def clean_environ(home: Path, **more: str) -> dict[str, str]:
    """Return an environment with nothing of the person's in it, and a home of its own."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(NOT_INHERITED)}
    return {**kept, "HOME": str(home), **more}


def machine() -> dict[str, Any]:
    """Say on what kind of machine this runs, and nothing that names it."""
    return {
        "cpu": _line_after("/proc/cpuinfo", "model name") or platform.machine(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "os": _line_after("/etc/os-release", "PRETTY_NAME", "=") or platform.system(),
        "kernel": platform.release(),
        "python": platform.python_version(),
    }


def _line_after(path: str, name: str, mark: str = ":") -> str | None:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    found = (line.partition(mark)[2] for line in lines if line.startswith(name))
    return next((value.strip().strip('"') for value in found), None)


def versions() -> dict[str, str]:
    """Return the versions of what was measured."""
    return {name: version(name) for name in PACKAGES}


def commit() -> str:
    """Return the commit that was measured, marked where the tree differs from it."""
    head = _git("rev-parse", "HEAD") or "unknown"
    changed = _git("status", "--porcelain", "--", "server", "hooks", "mcp", "migrations")
    return f"{head}+changes" if changed else head


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def load_average() -> list[float]:
    """Return the load of the last 1, 5 and 15 minutes."""
    return [round(load, 2) for load in os.getloadavg()]


@dataclass(frozen=True)
class Run:
    """One run of a benchmark, from its start on."""

    name: str
    options: Options
    began: float
    load_before: list[float]

    def end(self, bars: Sequence[Bar], details: Mapping[str, Any]) -> None:
        """Write the result and print it; its last line is one JSON object."""
        result = {
            "bars": [asdict(bar) for bar in bars],
            "benchmark": self.name,
            "quick": self.options.quick,
            "commit": commit(),
            "machine": machine(),
            "versions": versions(),
            "seed": SEED,
            "date": time.strftime("%Y-%m-%d", time.gmtime()),
            "took_s": round(time.monotonic() - self.began, 1),
            "load_average": {"before": self.load_before, "after": load_average()},
            "details": details,
        }
        write_result(self.name, result, quick=self.options.quick)
        print(table(bars))
        print(json.dumps({"bars": result["bars"]}))


def begin(name: str, options: Options) -> Run:
    """Note when a benchmark begins, and how busy the machine is."""
    return Run(name, options, time.monotonic(), load_average())


def write_result(
    name: str, result: Mapping[str, Any], *, quick: bool, folder: Path = RESULTS
) -> None:
    """Keep a result; a quick run replaces no full one."""
    folder.mkdir(exist_ok=True)
    full = folder / f"{name}.json"
    is_kept = full.exists() and not json.loads(full.read_text(encoding="utf-8"))["quick"]
    path = folder / f"{name}.quick.json" if quick and is_kept else full
    path.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def table(bars: Sequence[Bar]) -> str:
    """Return the bars as lines for a person."""
    said = {True: "ok", False: "MISSED", None: ""}
    rows = [(bar.name, shown(bar.value), bar.unit, bar.bar or "", said[bar.ok]) for bar in bars]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join(lines)


def shown(value: float | None) -> str:
    """Return a figure as text; what was not measured is a dash, never 0."""
    return "-" if value is None else f"{value:g}"
