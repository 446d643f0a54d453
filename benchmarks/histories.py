"""Histories of public packages: their published versions, fetched once, as one git repository each.

Fetched with the registries' ordinary clients: pip (which brings `unearth`, since pip itself builds
whatever it downloads), npm, and apt with lists of its own. What cannot be had is left out and said.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal, assert_never

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Language = Literal["python", "typescript", "go", "rust"]
Half = Literal["development", "test"]

UNEARTH = "unearth==0.19.0"
DEBIAN_SUITES = ("bullseye", "bookworm", "trixie", "forky", "sid")
FETCH_S = 120
MOST_FAILURES = 3
"""After so many a registry that gave nothing yet is away, and is not asked again."""
MAX_FILE_BYTES = 512 * 1024
SUFFIXES = frozenset(
    ".py .pyi .ts .tsx .js .mjs .go .rs .toml .ini .cfg .json .yaml .yml .md .rst .txt".split()  # noqa: SIM905
)
LEFT_OUT = frozenset(
    "vendor node_modules dist build third_party docs PKG-INFO __tests__ testdata".split()  # noqa: SIM905
)


@dataclass(frozen=True)
class Package:
    """A public package whose published versions are the steps of a history."""

    name: str
    language: Language
    registry: Literal["pypi", "npm", "debian"]
    half: Half
    versions: tuple[str, ...]
    inside: str = ""
    """The folder of it that counts."""

    @property
    def slug(self) -> str:
        return self.name.strip("@").replace("/", "-")


def _package(  # noqa: PLR0917 - one line a package reads best
    name: str, language: Language, registry: str, half: Half, versions: str, inside: str = ""
) -> Package:
    return Package(name, language, registry, half, tuple(versions.split()), inside)  # type: ignore[arg-type]


PACKAGES = (
    _package("click", "python", "pypi", "development", "8.0.0 8.1.0 8.1.3 8.1.7 8.2.0 8.3.0 8.5.0"),
    _package("httpx", "python", "pypi", "test", "0.18.0 0.20.0 0.22.0 0.23.0 0.24.0 0.26.0 0.28.0"),
    _package("rich", "python", "pypi", "test", "10.0.0 11.0.0 12.0.0 12.6.0 13.0.0 13.7.0 14.0.0"),
    _package("@reduxjs/toolkit", "typescript", "npm", "development",
             "1.6.0 1.7.0 1.8.0 1.9.0 1.9.5 2.0.0 2.2.0 2.5.0 2.8.0"),
    _package("@tanstack/query-core", "typescript", "npm", "test",
             "5.0.0 5.17.0 5.28.0 5.45.0 5.59.0 5.62.0 5.75.0 5.90.1 5.100.0"),
    _package("mobx", "typescript", "npm", "test",
             "6.0.0 6.1.0 6.3.0 6.4.0 6.6.0 6.7.0 6.9.0 6.12.0 6.13.0"),
    _package("golang-github-spf13-cobra", "go", "debian", "development",
             "1.6.1-1 1.8.1-1 1.10.2-1"),
    _package("restic", "go", "debian", "test", "0.14.0-1 0.18.0-1 0.19.1-1"),
    _package("wandb", "go", "pypi", "test",
             "0.18.0 0.18.1 0.18.3 0.18.5 0.18.7 0.19.0 0.19.2 0.19.6 0.19.9", "core"),
    _package("maturin", "rust", "pypi", "development",
             "0.14.3 0.15.0 1.0.0 1.2.0 1.4.0 1.6.0 1.7.0 1.8.0 1.9.0"),
    _package("pydantic-core", "rust", "pypi", "test",
             "2.7.0 2.10.0 2.14.0 2.16.3 2.18.0 2.20.0 2.23.0 2.27.0 2.33.0"),
    _package("cryptography", "rust", "pypi", "test",
             "40.0.0 41.0.0 42.0.0 43.0.0 44.0.0 45.0.1 46.0.0"),
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """One published version, as a commit."""

    version: str
    commit: str


@dataclass(frozen=True)
class History:
    """A package's repository and its steps, the oldest first."""

    package: Package
    root: Path
    steps: tuple[Step, ...]

    def check_out(self, step: Step) -> None:
        """Make the working tree that version."""
        git(self.root, "checkout", "-q", "-f", step.commit)
        git(self.root, "clean", "-q", "-fd")


def history_of(package: Package, data: Path, most: int | None = None) -> History | None:
    """Return a package's history, fetched if it is not there; None if fewer than two versions."""
    wanted = package.versions[-most:] if most else package.versions
    kept = data / "histories"
    archives = [(version, fetch(package, version, kept)) for version in wanted]
    found = [(version, archive) for version, archive in archives if archive is not None]
    if len(found) < 2:
        return None
    name = package.slug if most is None else f"{package.slug}-last-{most}"
    return _repository(package, kept / "repositories" / name, found)


_given: Counter[str] = Counter()
_failed: Counter[str] = Counter()
"""What each registry gave in this run, and where it failed."""


def fetch(package: Package, version: str, kept: Path) -> Path | None:
    """Return a version's archive, from what is kept or from its registry; None if it is not had."""
    folder = kept / "archives" / package.slug / version
    registry = package.registry
    is_away = _failed[registry] >= MOST_FAILURES and not _given[registry]
    if _archive_in(folder, package) is None and not is_away:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            _download(package, version, folder, kept / "tools")
            _given[registry] += 1
        except (OSError, subprocess.SubprocessError) as error:
            _failed[registry] += 1
            print(f"{package.name} {version} was not fetched: {error}"[:300], file=sys.stderr)
    return _archive_in(folder, package)


def _archive_in(folder: Path, package: Package) -> Path | None:
    archives = [
        path
        for path in sorted(folder.glob("*"))
        if path.suffix in {".gz", ".tgz", ".xz", ".bz2"}
        and (package.registry != "debian" or ".orig." in path.name)
    ]
    return archives[0] if archives else None


def _download(package: Package, version: str, folder: Path, tools: Path) -> None:
    match package.registry:
        case "pypi":
            wanted = f"{package.name}=={version}"
            _run([*_unearth(tools), wanted, "--no-binary", "--download", str(folder)])
        case "npm":
            _run(["npm", "pack", "--silent", f"{package.name}@{version}"], folder)
        case "debian":
            environ = {**os.environ, "APT_CONFIG": str(_apt(tools))}
            source = ["apt-get", "source", "--download-only", f"{package.name}={version}"]
            _run(source, folder, environ)
        case _:
            assert_never(package.registry)


def _unearth(tools: Path) -> list[str]:
    folder = tools / "unearth"
    if not (folder / "bin" / "unearth").exists():
        if not (folder / "bin" / "pip").exists():
            venv.create(folder, with_pip=True, clear=True)
        soon = ("--retries", "1", "--timeout", "15")
        _run([str(folder / "bin" / "pip"), "install", "--quiet", *soon, UNEARTH])
    return [str(folder / "bin" / "unearth")]


def _apt(tools: Path) -> Path:
    """Return a configuration of apt with the source lists of several releases, for us alone."""
    folder = tools / "apt"
    config = folder / "apt.conf"
    if config.exists():
        return config
    for part in ("lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    # the mirror that this machine uses already, whichever it is
    said = _run(["apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI)"])
    mirrors = sorted(line.split()[1] for line in said.splitlines() if line.startswith("Debian "))
    mirror = min((one for one in mirrors if "security" not in one), key=len)
    key = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]"
    lines = [f"deb-src {key} {mirror} {suite} main\n" for suite in DEBIAN_SUITES]
    (folder / "sources.list").write_text("".join(lines))
    values = {
        "Dir::State::lists": folder / "lists",
        "Dir::Cache": folder / "cache",
        "Dir::Etc::sourcelist": folder / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "APT::Sandbox::User": "root",
    }
    draft = config.with_suffix(".draft")
    draft.write_text("".join(f'{name} "{value}";\n' for name, value in values.items()))
    _run(["apt-get", "update"], environ={**os.environ, "APT_CONFIG": str(draft)})
    if not any((folder / "lists").glob("*Sources*")):  # it says nothing of what it could not have
        message = "no source list could be fetched"
        raise OSError(message)
    draft.rename(config)
    return config


def _run(
    command: list[str], folder: Path | None = None, environ: dict[str, str] | None = None
) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env=environ,
        timeout=FETCH_S,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def _repository(package: Package, root: Path, found: Sequence[tuple[str, Path]]) -> History:
    """Make a repository with one commit a version, or take the one that is there."""
    marks = root.with_suffix(".steps")
    versions = [version for version, _ in found]
    if marks.exists():
        rows = [line.split() for line in marks.read_text().splitlines()]
        if [version for version, _ in rows] == versions:
            return History(package, root, tuple(Step(*row) for row in rows))
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    git(root, "init", "-q")
    steps = []
    for version, archive in found:
        _lay_out(package, archive, root)
        git(root, "add", "-A")
        git(root, "commit", "-q", "--allow-empty", "-m", version)
        steps.append(Step(version, git(root, "rev-parse", "HEAD")))
    marks.write_text("".join(f"{step.version} {step.commit}\n" for step in steps))
    return History(package, root, tuple(steps))


def _lay_out(package: Package, archive: Path, root: Path) -> None:
    for old in root.iterdir():
        if old.name != ".git":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    for name, content in _files(archive):
        path = PurePosixPath(name)
        if package.inside and path.parts[0] != package.inside:
            continue
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _files(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Give the files that people write, without the archive's own top folder."""
    with tarfile.open(archive) as tar:  # whatever packed it
        for member in tar:
            path = PurePosixPath(member.name)
            path = PurePosixPath(*path.parts[1:])
            if not (member.isfile() and path.parts) or ".." in path.parts:
                continue
            written = path.suffix in SUFFIXES and not path.name.endswith((".d.ts", ".min.js"))
            if not written or LEFT_OUT & set(path.parts) or member.size > MAX_FILE_BYTES:
                continue
            content = tar.extractfile(member)
            if content is not None:
                yield str(path), content.read()


def git(root: Path, *arguments: str) -> str:
    """Run git without the person's configuration."""
    who = ("-c", "user.name=b", "-c", "user.email=b@example.org", "-c", "core.autocrlf=false")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", *who, "-C", str(root), *arguments],
        env={**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
        check=True,
        capture_output=True,
    )
    return done.stdout.decode("utf-8", "replace").strip()


if __name__ == "__main__":
    for one in PACKAGES:
        made = history_of(one, Path(sys.argv[1]))
        print(one.name, "none" if made is None else len(made.steps), flush=True)
