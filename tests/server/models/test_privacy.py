"""The libraries below the model leave nothing in a person's home, and report to nobody."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LOAD = """
import sys
from pathlib import Path
from hitherto_server.models.files import get_files
from hitherto_server.models.runtime import embed_text, load_model
embed_text(load_model(get_files(Path(sys.argv[1]))), "a text")
"""


def left_in(home: Path, code: str, *arguments: str) -> list[str]:
    home.mkdir()
    # Nothing else of this environment: CI and other variables make onnxruntime quiet by themselves.
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    subprocess.run([sys.executable, "-c", code, *arguments], env=environment, check=True)
    return [str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()]


def test_the_model_is_used_without_a_trace_in_the_home(tmp_path: Path, model_dir: Path) -> None:
    assert left_in(tmp_path / "home", LOAD, str(model_dir)) == []


def test_onnxruntime_alone_would_leave_one(tmp_path: Path) -> None:
    # If this fails, onnxruntime has become quiet by itself, and the switch can go.
    assert left_in(tmp_path / "home", "import onnxruntime") != []
