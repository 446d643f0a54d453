"""How the server is started detached: by which command, and with what of the environment.

Hooks and MCP import nothing of the server and have copies of their own; a test compares them.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# The session's own secrets and its interpreter's settings are none of the server's business.
SESSION_ONLY = ("CLAUDE", "ANTHROPIC_", "AI_AGENT", "PYTHON", "HITHERTO_HOME")
CLIENT_HOME = "CLAUDE_CONFIG_DIR"
"""Where the client's own files are is no secret, and the server reads them."""


def serve_command(interpreter: str | Path = sys.executable) -> list[str]:
    """Return the command that starts the server; it imports nothing from where it is called."""
    return [str(interpreter), "-P", "-m", "hitherto_server", "serve"]


def serve_command_text(interpreter: str | Path = sys.executable) -> str:
    """Return that command as `run/serve.cmd` holds it: one argument a line."""
    return "\n".join(serve_command(interpreter)) + "\n"


def server_environment(environment: Mapping[str, str], home: Path) -> dict[str, str]:
    """Return what a server that outlives the caller may see of the caller's environment."""
    kept = {
        name: value
        for name, value in environment.items()
        if name == CLIENT_HOME or not name.startswith(SESSION_ONLY)
    }
    return {**kept, "HITHERTO_HOME": str(home)}
