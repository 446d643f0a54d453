"""What the benchmarks share: figures, bars, results, and what a result may not say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import harness
import pytest


def test_a_bar_is_met_at_its_limit_and_missed_beyond_it() -> None:
    assert harness.at_most("a", 35.0, "ms", 35).ok is True
    assert harness.at_most("a", 35.1, "ms", 35).ok is False
    assert harness.at_least("a", 5.0, "x", 5).ok is True
    assert harness.at_least("a", 4.9, "x", 5).ok is False


def test_what_was_not_measured_is_null_and_never_0() -> None:
    bar = harness.unmeasured("a", "ms", "<= 1", "no peer here")
    assert (bar.value, bar.ok, bar.note) == (None, None, "no peer here")
    assert " - " in harness.table([bar])


def test_a_percentile_is_a_value_that_was_measured() -> None:
    values = [float(n) for n in range(1, 101)]
    assert harness.percentile(values, 0.95) == 95
    assert harness.percentile([7.0], 0.95) == 7


def test_works_run_in_turn_and_the_warm_up_does_not_count() -> None:
    order: list[str] = []

    def work(name: str, number: int) -> float:
        order.append(name)
        return float(number)

    works = {"a": lambda n: work("a", n), "b": lambda n: work("b", n)}
    assert harness.interleaved(works, rounds=3, warm_up=1) == {"a": [0, 1, 2], "b": [0, 1, 2]}
    assert order.count("a") == order.count("b") == 4
    assert "aaa" not in "".join(order)


def test_a_command_that_fails_ends_the_benchmark(tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-S", "-c", "raise SystemExit(3)"]
    with pytest.raises(RuntimeError, match="status"):
        harness.wall_ms(command, {}, Path(os.devnull), tmp_path / "out")


def test_a_quick_run_replaces_no_full_result(tmp_path: Path) -> None:
    harness.write_result("a", {"quick": True, "n": 1}, quick=True, folder=tmp_path)
    harness.write_result("a", {"quick": False, "n": 2}, quick=False, folder=tmp_path)
    harness.write_result("a", {"quick": True, "n": 3}, quick=True, folder=tmp_path)
    assert json.loads((tmp_path / "a.json").read_text())["n"] == 2
    assert json.loads((tmp_path / "a.quick.json").read_text())["n"] == 3


def test_measured_processes_get_nothing_of_the_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    environ = harness.clean_environ(tmp_path, HITHERTO_PORT="0")
    assert environ["HOME"] == str(tmp_path)
    assert not {"ANTHROPIC_API_KEY", "PYTHONDONTWRITEBYTECODE", "HITHERTO_HOME"} & set(environ)


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="reads Linux's /proc")
def test_memory_is_that_of_the_process() -> None:
    code = "import sys; kept = bytearray(60_000_000); print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = harness.memory_of(process.pid)
        process.kill()
    assert 60 < found.rss <= found.peak < 120


@pytest.mark.parametrize("path", sorted(harness.RESULTS.glob("*.json")), ids=lambda path: path.name)
def test_a_kept_result_says_what_it_must_and_names_no_path_of_a_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    result = json.loads(text)
    assert {"bars", "commit", "machine", "versions", "seed", "load_average"} <= set(result)
    assert {"cpu", "cores", "memory_gb", "os", "python"} <= set(result["machine"])
    assert not [folder for folder in ("/home/", "/root", "/work", "/tmp") if folder in text]
    for bar in result["bars"]:
        assert (bar["value"] is None) <= (bar["ok"] is None and bool(bar["note"]))
