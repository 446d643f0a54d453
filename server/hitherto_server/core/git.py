"""What git says about a folder: which project it is, and where its head stands."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from hitherto_server.core.errors import GitSlow

TIMEOUT_S = 5.0
COMMON = "--git-common-dir"
WALK_TIMEOUT_S = 60.0
"""What a walk through a whole history may take: it is made once."""

SCP_FORM = re.compile(r"^(?:[^@/]+@)?(?P<host>[^/:]+):(?P<path>(?!//).+)$")
URL_FORM = re.compile(
    r"^[a-z+]+://(?:[^@/]*@)?(?P<host>[^/:]+)(?::\d+)?/(?P<path>.+)$", re.IGNORECASE
)


@dataclass(frozen=True)
class WorkTree:
    """A folder's project as git sees it: its root, and its names from the surest to the weakest."""

    root: Path
    remote: str | None
    path: str

    @property
    def name(self) -> str:
        return (self.remote or self.path).rstrip("/").rsplit("/", 1)[-1]


@dataclass(frozen=True)
class Head:
    """Where a work tree stands; both are None outside git and before the first commit."""

    commit: str | None
    branch: str | None


def git(folder: Path, *arguments: str) -> str | None:
    """Return what a git command prints, or None where it fails or there is no git."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
            env=_environment(),
        )
    except subprocess.TimeoutExpired as error:  # says nothing of the repository
        raise _slow(folder) from error
    except OSError:
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None


def _environment() -> dict[str, str]:
    # a server started from a git hook inherits GIT_DIR and would look at another repository
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


def _slow(folder: Path) -> GitSlow:
    return GitSlow(f"git does not answer in {str(folder)[:100]!r}")


def find_work_tree(folder: Path) -> WorkTree:
    """Return the project that a folder belongs to; outside git, the folder itself.

    Worktrees and clones share their remote; without a remote, worktrees share their
    common git folder, which stands for the path.
    """
    folder = folder.resolve()
    asked = ("rev-parse", "--path-format=absolute")
    places = git(folder, *asked, "--show-toplevel", COMMON)
    if places is None:
        return WorkTree(folder, None, str(folder))
    top, *others = places.split("\n")
    common = others[0]
    if len(others) > 1:  # a folder's name holds a line end
        top, common = (git(folder, *asked, one) or "" for one in ("--show-toplevel", COMMON))
    shared = Path(common).parent if Path(common).name == ".git" else Path(common)
    return WorkTree(Path(top), _remote_of(shared), str(shared))


async def find_root_commit(folder: Path) -> str | None:
    """Return the first commit of a history; None if there is none or the clone is shallow."""
    if await asyncio.to_thread(git, folder, "rev-parse", "--is-shallow-repository") != "false":
        return None
    roots = await _walk(folder, "rev-list", "--max-parents=0", "HEAD")
    return min(roots.split()) if roots else None


async def _walk(folder: Path, *arguments: str) -> str | None:
    """Run a git command that may take long; it ends with the task that waits for it."""
    try:
        walking = await asyncio.create_subprocess_exec(
            *("git", "-C", str(folder), *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
    except OSError:
        return None
    try:
        async with asyncio.timeout(WALK_TIMEOUT_S):
            said, _ = await walking.communicate()
    except TimeoutError as error:
        raise _slow(folder) from error
    finally:
        if walking.returncode is None:
            walking.kill()
            await walking.wait()
    return said.decode("utf-8", "replace").strip() if walking.returncode == 0 else None


def has_commit(folder: Path, commit: str) -> bool:
    """Tell whether a folder's repository holds a commit."""
    return git(folder, "cat-file", "-e", f"{commit}^{{commit}}") is not None


def list_roots(folder: Path) -> list[str]:
    """Return the roots of all work trees of a folder's repository; outside git, none."""
    listed = git(folder, "worktree", "list", "--porcelain") or ""
    lines = listed.splitlines()
    return [line.removeprefix("worktree ") for line in lines if line.startswith("worktree ")]


def find_head(folder: Path) -> Head:
    """Return the commit and the branch of a work tree, as far as git says them in time."""
    try:
        said = git(folder, "rev-parse", "HEAD", "--abbrev-ref", "HEAD")
    except GitSlow:  # a statement is worth more than the commit where it was made
        said = None
    if said is None:
        return Head(None, None)
    commit, branch = said.split("\n")[:2]
    return Head(commit, None if branch == "HEAD" else branch)


def _remote_of(folder: Path) -> str | None:
    listed = git(folder, "config", "--get-regexp", r"^remote\..*\.url$")
    if not listed:
        return None
    remotes = dict(line.split(" ", 1) for line in listed.splitlines() if " " in line)
    chosen = remotes.get("remote.origin.url") or remotes[min(remotes)]
    remote = normalised_remote(chosen)
    # `../shared.git` names another repository in every folder
    return os.path.normpath(folder / remote) if remote.startswith(".") else remote


def normalised_remote(url: str) -> str:
    """Return `host/owner/name` for every spelling of a remote, without credentials."""
    url = url.strip()
    found = URL_FORM.match(url) or SCP_FORM.match(url)
    if found is None or url.lower().startswith("file://"):
        return url.removeprefix("file://").removesuffix("/").removesuffix(".git")
    path = found["path"].strip("/").removesuffix(".git").strip("/")
    return f"{found['host'].lower()}/{path}"
