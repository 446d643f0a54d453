"""Where the real Claude Code CLI comes from: a binary that was named, or a pinned npm package."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = "2.1.332"
MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
DOWNLOAD_DEADLINE_S = 600.0


@dataclass(frozen=True)
class ClientMissing:
    """The client can't be had on this machine, and why."""

    reason: str


def find_claude(environ: Mapping[str, str]) -> Path | ClientMissing:
    """Return `$CLAUDE_BIN`, or the pinned CLI from the cache, downloaded on first use."""
    if named := environ.get("CLAUDE_BIN"):
        path = Path(named)
        return path if path.is_file() else ClientMissing(f"CLAUDE_BIN names no file: {named}")
    machine = MACHINES.get(platform.machine().lower())
    system = platform.system().lower()
    if machine is None or system not in {"linux", "darwin"}:
        return ClientMissing(f"no Claude Code binary for {platform.system()} {platform.machine()}")
    cache = cache_dir(environ)
    package = f"@anthropic-ai/claude-code-{system}-{machine}"
    binary = cache / f"claude-code-{VERSION}" / "node_modules" / package / "claude"
    if binary.is_file():
        return binary
    return _download(package, binary, cache, environ)


def cache_dir(environ: Mapping[str, str]) -> Path:
    """Return the folder of shared downloads: `$HITHERTO_TEST_CACHE`, or a temporary one."""
    if named := environ.get("HITHERTO_TEST_CACHE"):
        return Path(named)
    return Path(tempfile.gettempdir()) / f"hitherto-test-cache-{os.getuid()}"


def _download(
    package: str, binary: Path, cache: Path, environ: Mapping[str, str]
) -> Path | ClientMissing:
    npm = shutil.which("npm", path=environ.get("PATH"))
    if npm is None:
        return ClientMissing("npm is not on PATH; it is needed once, to download the client")
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    if cache.stat().st_uid != os.getuid():
        return ClientMissing(f"{cache} belongs to somebody else; set HITHERTO_TEST_CACHE")
    # installed aside and renamed: a download that was cut off leaves no half a binary behind
    with tempfile.TemporaryDirectory(dir=cache, prefix="download-") as aside:
        if failure := _npm_install(npm, f"{package}@{VERSION}", Path(aside), environ):
            return ClientMissing(failure)
        _move_into_place(Path(aside) / "node_modules", binary.parents[2])
    return binary if binary.is_file() else ClientMissing(f"{package} holds no file named claude")


def _npm_install(npm: str, package: str, folder: Path, environ: Mapping[str, str]) -> str | None:
    """Install one package and return npm's last words if that failed."""
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"]
    command = [npm, "install", "--prefix", str(folder), "--cache", str(folder / "npm"), *quiet]
    try:
        ended = subprocess.run(
            [*command, package],
            env=dict(environ),
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=DOWNLOAD_DEADLINE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"npm install {package} took more than {DOWNLOAD_DEADLINE_S:.0f} s"
    if ended.returncode == 0:
        return None
    return f"npm install {package} failed: {ended.stderr.strip()[-300:]}"


def _move_into_place(source: Path, target: Path) -> None:
    target.parent.mkdir(exist_ok=True)
    try:
        source.rename(target)
    except OSError:
        if not target.is_dir():  # else another test run was faster, and its copy serves as well
            raise
