"""The registrations with agents: missing, doubled, moved, or as they should be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError
from hitherto_server.doctor.finding import Finding, fault, unusable, well
from hitherto_server.install import config_file, json_text
from hitherto_server.install.codex import trust_key
from hitherto_server.install.codex_table import is_our_table
from hitherto_server.install.formats import format_of
from hitherto_server.install.places import places_of
from hitherto_server.install.receipt import read_receipt
from hitherto_server.install.registration import SERVER_NAME, find_our_hooks, listeners_of
from hitherto_server.install.shims import (
    hook_choice,
    hook_shim,
    is_servers,
    mcp_shim,
    shims_work,
    starts_server,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hitherto_server.core.home import Home
    from hitherto_server.install.receipt import Receipt, Registration
    from hitherto_server.install.registration import Found, Listener

AGAIN = "Run `hitherto doctor --fix`."
CONNECT = "Run `hitherto install claude-code`."


def connections(home: Home) -> Iterator[Finding]:
    """Look at each place where an agent was told of us."""
    try:
        receipt = read_receipt(home)
    except HithertoError as error:
        yield unusable("Claude Code", error)
        return
    if not receipt.is_in_use:
        yield fault("Claude Code", "it isn't connected", CONNECT)
        return
    yield _programs(home)
    yield _hook_interpreter(home)
    for registration in receipt.registrations:
        yield from _registered(home, registration)
    yield _doubled(receipt)


def _programs(home: Home) -> Finding:
    if shims_work(home) and not starts_server(home):
        return fault("hooks", "what they start the server with is gone or was moved", AGAIN)
    if shims_work(home):
        return well("hooks", f"registered through {hook_shim(home)}")
    return fault("hooks", "what they start is gone or was moved", AGAIN)


def _hook_interpreter(home: Home) -> Finding:
    what = "hooks' interpreter"
    choice = hook_choice(home)
    if choice is None:  # which is a finding of its own
        return well(what, "none: there are no hooks")
    said = "the server's" if is_servers(choice) else str(choice.interpreter)
    if not choice.interpreter.exists():
        return fault(what, f"{said} is gone", AGAIN)
    return well(what, f"{said}, {choice.why}" if choice.why else said)


def _registered(home: Home, registration: Registration) -> Iterator[Finding]:
    """Look into the two files of one scope."""
    places = places_of(registration)
    try:
        settings, servers = (
            format_of(path).parse(config_file.read(path).text)
            for path in (places.settings, places.servers)
        )
    except HithertoError as error:
        yield unusable("Codex" if registration.client == "codex" else "Claude Code", error)
        return
    count = Counter(found.place for found in find_our_hooks(settings, hook_shim(home)))
    yield _hooks_in(places.settings, count, listeners_of(registration.client))
    entry = json_text.value_at(servers, (*places.parents, SERVER_NAME))
    yield _server_in(places.servers, entry, mcp_shim(home))
    if registration.client == "codex" and registration.scope == "user":
        ours = list(find_our_hooks(settings, hook_shim(home)))
        yield _trusted(ours, places.settings, json_text.value_at(servers, ("hooks", "state")))


def _trusted(hooks: Sequence[Found], path: Path, state: object) -> Finding:
    """Tell whether the person let Codex run our hooks: the others it skips without a word."""
    known = state if isinstance(state, dict) else {}
    waiting = [found for found in hooks if not known.get(trust_key(found, path))]
    if not waiting:
        return well("Codex's trust", f"given to {len(hooks)} hooks")
    said = f"{len(waiting)} of {len(hooks)} hooks wait for it, and are not run"
    return fault("Codex's trust", said, "Open `codex`, type /hooks, and trust those of Hitherto.")


def _server_in(path: Path, entry: object, shim: Path) -> Finding:
    if not is_our_table(entry, shim):
        return fault("MCP server", f"{path} has no entry of ours", AGAIN)
    program = str(json_text.value_at(entry, ("command",)))
    if program.startswith("/") and not Path(program).exists():
        return fault("MCP server", f"{path} names {program}, which is gone", AGAIN)
    return well("MCP server", f"registered in {path}")


def _hooks_in(
    path: Path, count: Counter[tuple[str, str | None]], listeners: Sequence[Listener]
) -> Finding:
    missing = sorted({one.event for one in listeners if not count[one.place]})
    twice = sorted({event for (event, _), often in count.items() if often > 1})
    if missing:
        return fault("hooks", f"{path} lacks {', '.join(missing)}", AGAIN)
    if twice:
        return fault("hooks", f"{path} has {', '.join(twice)} twice", AGAIN)
    return well("hooks", f"{len(listeners)} in {path}")


def _doubled(receipt: Receipt) -> Finding:
    """Tell whether one session may meet us by two ways."""
    plugins = [plugin for plugin in receipt.plugins if Path(plugin).exists()]
    # Codex has no plugin of ours, and what one session reports twice is counted once
    ours = [one for one in receipt.registrations if one.client == "claude-code"]
    everywhere = [one for one in ours if one.scope == "user"]
    others = [one for one in ours if one.scope != "user"]
    if everywhere and plugins:
        said = f"connected by the settings and by the plugin {plugins[0]}: hooks run twice"
        mend = "Run `hitherto uninstall claude-code`, or delete the plugin's folder."
        return fault("connections", said, mend)
    if everywhere and others:
        one = others[0]
        said = f"connected for all projects and once more for {one.project}: hooks run twice"
        mend = f"There, run `hitherto uninstall claude-code --scope {one.scope}`."
        return fault("connections", said, mend)
    return well("connections", f"{len(receipt.registrations) + len(plugins)}, none twice")
