"""The changes that we make to a client's files, as functions from text to text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hitherto_server.core.errors import EntryTaken
from hitherto_server.install import json_text
from hitherto_server.install.registration import (
    SERVER_NAME,
    Found,
    Listener,
    find_our_hooks,
    group_of,
    is_our_request,
    is_our_server,
    listeners_of,
    script_of,
    shell_entry,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from hitherto_server.install.json_text import Keys
    from hitherto_server.install.receipt import Client

    TextChange = Callable[[str], str]


@dataclass(frozen=True)
class HookChange:
    """Brings the hooks of a settings file to what is wanted; wanting nothing takes ours away."""

    own_shim: Path
    wanted: tuple[tuple[Listener, dict[str, object]], ...]
    original: object | None

    def __call__(self, text: str) -> str:
        kept: set[tuple[str, str | None]] = set()
        while (surplus := self.find_surplus(text, kept)) is not None:
            text = remove_hook(text, surplus.keys, self.original)
        for listener, entry in self.wanted:
            if listener.place not in kept:
                text = add_group(text, listener, entry)
        return text

    def find_surplus(self, text: str, kept: set[tuple[str, str | None]]) -> Found | None:
        """The first entry of ours that is not wanted, or is there already."""
        wanted = {listener.place: entry for listener, entry in self.wanted}
        kept.clear()
        for found in find_our_hooks(json_text.parse(text), self.own_shim):
            if found.place in kept or wanted.get(found.place) != found.entry:
                return found
            kept.add(found.place)
        return None


def add_group(text: str, listener: Listener, entry: dict[str, object]) -> str:
    """Add a group of our own, after everybody else's."""
    keys = ("hooks", listener.event)
    groups = json_text.value_at(json_text.parse(text), keys)
    group = group_of(listener, entry)
    if groups is None:
        return json_text.set_member(text, keys, [group])
    return json_text.append_item(text, keys, group)


def remove_hook(text: str, keys: Keys, original: object | None) -> str:
    """Remove one entry, and around it what that leaves empty and what was not there before us."""
    text = json_text.remove(text, keys)
    group, event = keys[:3], keys[:2]
    if json_text.value_at(json_text.parse(text), keys[:4]) == []:
        text = json_text.remove(text, group)
        text = remove_if_empty(text, event, original)
        text = remove_if_empty(text, keys[:1], original)
    return text


def remove_if_empty(text: str, keys: Keys, original: object | None) -> str:
    """Remove an empty object or list that the original file did not have."""
    is_empty = json_text.value_at(json_text.parse(text), keys) in ({}, [])
    if is_empty and json_text.value_at(original, keys) is None:
        return json_text.remove(text, keys)
    return text


@dataclass(frozen=True)
class ServerChange:
    """Brings our MCP entry to what is wanted; wanting nothing takes it away."""

    own_shim: Path
    parents: tuple[str, ...]
    wanted: dict[str, object] | None
    original: object | None

    def __call__(self, text: str) -> str:
        keys = (*self.parents, SERVER_NAME)
        present = json_text.value_at(json_text.parse(text), keys)
        if self.wanted is None:
            return self.removed(text, keys) if is_our_server(present, self.own_shim) else text
        if present is not None and not is_our_server(present, self.own_shim):
            raise EntryTaken("The client has an MCP server `hitherto` that is not ours.")
        wanted = with_additions(present, self.wanted)
        return text if wanted == present else json_text.set_member(text, keys, wanted)

    def removed(self, text: str, keys: Keys) -> str:
        """The text without our entry and without the parents that only held it."""
        text = json_text.remove(text, keys)
        for length in range(len(self.parents), 0, -1):
            text = remove_if_empty(text, self.parents[:length], self.original)
        return text


def with_additions(present: object, wanted: dict[str, object]) -> dict[str, object]:
    """The wanted entry, with what the person added to the present one."""
    if not isinstance(present, dict):
        return wanted
    merged: dict[str, Any] = {**present, **wanted}
    if isinstance(present.get("env"), dict) and isinstance(wanted.get("env"), dict):
        merged["env"] = {**present["env"], **merged["env"]}
    return merged


@dataclass(frozen=True)
class DeadHooks:
    """Puts the shim in the place of entries of ours whose script is gone."""

    own_shim: Path
    shim: str
    client: Client

    def __call__(self, text: str) -> str:
        for found in list(find_our_hooks(json_text.parse(text), self.own_shim)):
            script = script_of(found.entry)
            listeners = listeners_of(self.client)
            listener = next((li for li in listeners if li.event == found.place[0]), None)
            if listener is not None and script is not None and not Path(script).exists():
                entry = shell_entry(listener, self.shim, self.client)
                text = json_text.replace(text, found.keys, entry)
        return text


@dataclass(frozen=True)
class MovedRequests:
    """Sends requests of ours to where the server listens now, with its token."""

    port: int
    token: str

    def __call__(self, text: str) -> str:
        for found in list(find_our_hooks(json_text.parse(text), Path())):
            if not is_our_request(found.entry) or not isinstance(found.entry, dict):
                continue
            path = str(found.entry["url"]).partition("/hook/")[2]
            headers = {**found.entry["headers"], "Authorization": f"Bearer {self.token}"}
            url = f"http://127.0.0.1:{self.port}/hook/{path}"
            moved = {**found.entry, "url": url, "headers": headers}
            if moved != found.entry:
                text = json_text.replace(text, found.keys, moved)
        return text


@dataclass(frozen=True)
class DeadServer:
    """Puts the program in the place of one that is gone, in an MCP entry of ours."""

    own_shim: Path
    parents: tuple[str, ...]
    program: str

    def __call__(self, text: str) -> str:
        keys = (*self.parents, SERVER_NAME)
        present = json_text.value_at(json_text.parse(text), keys)
        if not is_our_server(present, self.own_shim):
            return text
        command = json_text.value_at(present, ("command",))
        is_dead = str(command).startswith("/") and not Path(str(command)).exists()
        return json_text.set_member(text, (*keys, "command"), self.program) if is_dead else text
