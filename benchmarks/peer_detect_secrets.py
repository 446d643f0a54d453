"""detect-secrets, in an environment of its own, asked for the same texts."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PEER, VERSION = "detect-secrets", "1.5.0"
INSTALL_S, RUN_S = 300, 300
SIDE = """
import json, sys, tempfile, time
from pathlib import Path
from detect_secrets.core.scan import scan_file
from detect_secrets.settings import default_settings

asked = json.load(sys.stdin)
with default_settings(), tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "note.txt"

    def look(text):
        file.write_text(text)
        began = time.perf_counter()
        found = list(scan_file(str(file)))
        return bool(found), (time.perf_counter() - began) * 1000

    flagged = [look(text)[0] for text in asked["texts"]]
    took = [look(note)[1] for note in asked["notes"]]
print(json.dumps({"flagged": flagged, "took_ms": took}))
"""
"""As files: its way to scan a single line takes every quoted word for a secret."""


class PeerFailed(Exception):
    """The peer could not be installed, or did not run to its end."""


def scan(kept: Path, texts: Sequence[str], notes: Sequence[str]) -> tuple[list[bool], list[float]]:
    """Return which texts the peer finds a secret in, and how long it takes for each note."""
    python = _installed(kept / f"{PEER}-{VERSION}")
    asked = json.dumps({"texts": list(texts), "notes": list(notes)})
    done = _run([str(python), "-c", SIDE], RUN_S, asked)
    said = json.loads(done)
    return said["flagged"], said["took_ms"]


def _installed(folder: Path) -> Path:
    python = folder / "bin" / "python"
    if not (folder / "installed").exists():
        _run([sys.executable, "-m", "venv", str(folder)], INSTALL_S)
        _run([str(python), "-m", "pip", "install", "-q", f"{PEER}=={VERSION}"], INSTALL_S)
        (folder / "installed").touch()
    return python


def _run(command: list[str], most_s: int, stdin: str | None = None) -> str:
    try:
        done = subprocess.run(
            command, input=stdin, capture_output=True, text=True, timeout=most_s, check=True
        )
    except subprocess.CalledProcessError as error:
        message = f"{PEER}: {(error.stderr or '').strip().splitlines()[-1:]}"
        raise PeerFailed(message) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        message = f"{PEER}: {type(error).__name__}"
        raise PeerFailed(message) from error
    return done.stdout
