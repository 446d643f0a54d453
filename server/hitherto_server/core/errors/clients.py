"""What may be wrong with an agent's own configuration."""

from __future__ import annotations

from hitherto_server.core.errors.base import HithertoError


class ClientConfigError(HithertoError):
    """The agent's own configuration cannot be changed."""

    status = 409


class UnreadableConfig(ClientConfigError):
    """A configuration file cannot be parsed; it is left untouched."""

    code = "unreadable_config"
    default_mend = "Mend the file by hand (the message says where), then run the command again."


class UnwritableConfig(ClientConfigError):
    """A configuration file cannot be replaced, or keeps changing; it is left as it was."""

    code = "unwritable_config"
    default_mend = "Make the folder writable (the message names it), then run the command again."


class EntryTaken(ClientConfigError):
    """The client already has an MCP server named `hitherto` that is not ours."""

    code = "entry_taken"
    default_mend = "Rename or remove that entry, then run the command again."


class ScopeNotPossible(ClientConfigError):
    """What is asked for cannot be registered in that scope."""

    code = "scope_not_possible"
    default_mend = "Use another scope: `hitherto install claude-code --scope user`."


class CommandMissing(ClientConfigError):
    """A program of ours that the client would have to start is not where it should be."""

    code = "command_missing"
    default_mend = "Install the package `hitherto` again, then run the command again."
