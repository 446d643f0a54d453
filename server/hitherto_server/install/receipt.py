"""What the installer did, kept in the data home so that it can be mended and taken back."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hitherto_server.core.errors import UnreadableConfig
from hitherto_server.install.config_file import write_whole

if TYPE_CHECKING:
    from hitherto_server.core.home import Home

Scope = Literal["user", "project", "local"]
Client = Literal["claude-code", "codex"]
Transport = Literal["command", "http"]
"""How a client's hooks reach the server: by a command, or by a request of the client's own."""


@dataclass(frozen=True)
class Registration:
    """One place of the client in which we are registered."""

    client_home: str
    scope: Scope
    project: str | None = None
    config_dir: str | None = None
    client: Client = "claude-code"
    transport: Transport = "command"

    @property
    def place(self) -> Registration:
        """The registration, whatever its transport: there is one a place."""
        return replace(self, transport="command")


@dataclass(frozen=True)
class Receipt:
    """Registrations and plugins; each file's first state (None: no file) and mode; our folders."""

    registrations: tuple[Registration, ...] = ()
    originals: dict[str, str | None] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    modes: dict[str, int] = field(default_factory=dict)
    """Of the files that were closed to others, because they came to hold a token."""

    @property
    def is_in_use(self) -> bool:
        """Whether a client may still call the shims."""
        return bool(self.registrations) or any(Path(plugin).exists() for plugin in self.plugins)

    def with_plugin(self, target: Path) -> Receipt:
        """Return the receipt with that plugin folder, once."""
        others = tuple(plugin for plugin in self.plugins if plugin != str(target))
        return replace(self, plugins=(*others, str(target)))

    def with_registration(self, registration: Registration) -> Receipt:
        """Return the receipt with that registration, once."""
        others = tuple(r for r in self.registrations if r.place != registration.place)
        return replace(self, registrations=(*others, registration))

    def without(self, registration: Registration) -> Receipt:
        """Return the receipt without that registration."""
        others = tuple(r for r in self.registrations if r.place != registration.place)
        return replace(self, registrations=others)


def folder(home: Home) -> Path:
    """Return where receipt and backups of clients' files lie."""
    return home.backups / "clients"


def read_receipt(home: Home) -> Receipt:
    """Return the receipt, an empty one where nothing was installed."""
    path = folder(home) / "receipt.json"
    try:
        value: dict[str, Any] = json.loads(path.read_bytes())
        return Receipt(
            tuple(Registration(**entry) for entry in value["registrations"]),
            dict(value["originals"]),
            tuple(value["folders"]),
            tuple(value["plugins"]),
            dict(value.get("modes", {})),
        )
    except FileNotFoundError:
        return Receipt()
    except (OSError, ValueError, TypeError, KeyError) as error:
        msg = f"{path} cannot be read: {error}."
        raise UnreadableConfig(
            msg, mend="Move the file away, then run the command again."
        ) from error


def write_receipt(home: Home, receipt: Receipt) -> None:
    """Write the receipt."""
    text = json.dumps(asdict(receipt), indent=2, ensure_ascii=True) + "\n"
    write_whole(folder(home) / "receipt.json", text.encode(), 0o600)
