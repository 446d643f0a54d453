"""`hitherto-mcp`: the memory tools over stdio, for one session of an agent."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hitherto_mcp.client import VERSION, Client
from hitherto_mcp.spawn import data_home
from hitherto_mcp.stdio import Service, serve
from hitherto_mcp.tools import INSTRUCTIONS, SERVER_INFO, TOOLS, Caller

USAGE = "usage: hitherto-mcp [--version]   (speaks MCP on stdin and stdout)"


def main() -> None:
    """Serve this process's stdin and stdout until the client goes."""
    match sys.argv[1:]:
        case []:
            serve(service_of(dict(os.environ)))
        case ["--version"]:
            sys.stdout.write(f"hitherto-mcp {VERSION}\n")
        case _:
            sys.exit(USAGE)


def service_of(environ: dict[str, str]) -> Service:
    """Return what is served to the session that the environment names."""
    client = Client(data_home())
    project_dir = environ.get("CLAUDE_PROJECT_DIR") or working_directory()
    return Service(
        info=SERVER_INFO,
        instructions=INSTRUCTIONS,
        tools=TOOLS,
        caller=Caller.named(environ.get("CLAUDE_CODE_SESSION_ID"), project_dir),
        call=client.call,
        wake=client.wake,
    )


def working_directory() -> str | None:
    """Return where this process was started, unless that folder is gone."""
    try:
        return str(Path.cwd())
    except OSError:
        return None


if __name__ == "__main__":
    main()
