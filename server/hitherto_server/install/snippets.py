"""The text that connects an MCP client whose files we do not write: to be pasted by a person."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitherto_server.install import toml_text
from hitherto_server.install.registration import SERVER_NAME

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Entry = dict[str, Any]


@dataclass(frozen=True)
class Reach:
    """How this installation is reached: a program to start, or an address and what opens it."""

    program: Path
    environ: dict[str, str]
    url: str
    token: str

    def stdio(self, **more: object) -> Entry:
        """Return the members that nearly every client takes."""
        env = {"env": self.environ} if self.environ else {}
        return {**more, "command": str(self.program), "args": [], **env}

    def http(self, key: str, **more: object) -> Entry:
        """Return the members for a client that asks over HTTP, its address under that key."""
        return {**more, key: self.url, "headers": {"Authorization": f"Bearer {self.token}"}}


@dataclass(frozen=True)
class Snippet:
    """What is pasted, in which format, and where it goes."""

    client: str
    place: str
    text: str
    kind: str = "json"
    remark: str = ""


@dataclass(frozen=True)
class McpClient:
    """An MCP client: the file, the member that holds its servers, and one server's entry."""

    title: str
    place: Callable[[str], str]
    parent: str
    entry: Callable[[Reach], Entry]
    kind: str = "json"
    remark: str = ""


def home_file(name: str) -> Callable[[str], str]:
    """Return the place of a file that lies at the same spot on every system."""
    return lambda platform: f"~/{name}"  # noqa: ARG005 - the same on each


def code_file(platform: str) -> str:
    """Return where VS Code keeps a person's own servers."""
    folder = "Library/Application Support" if platform == "darwin" else ".config"
    return f"~/{folder}/Code/User/mcp.json, or .vscode/mcp.json of a project"


MCP_SERVERS = "mcpServers"
CLIENTS: dict[str, McpClient] = {
    "cursor": McpClient(
        "Cursor", home_file(".cursor/mcp.json"), MCP_SERVERS, lambda reach: reach.stdio()
    ),
    "vscode": McpClient("VS Code", code_file, "servers", lambda reach: reach.stdio(type="stdio")),
    "windsurf": McpClient(
        "Windsurf",
        home_file(".codeium/windsurf/mcp_config.json"),
        MCP_SERVERS,
        lambda reach: reach.stdio(),
    ),
    "gemini": McpClient(
        "Gemini CLI", home_file(".gemini/settings.json"), MCP_SERVERS, lambda reach: reach.stdio()
    ),
    "zed": McpClient(
        "Zed",
        home_file(".config/zed/settings.json"),
        "context_servers",
        lambda reach: reach.stdio(),
    ),
    "opencode": McpClient(
        "OpenCode",
        home_file(".config/opencode/opencode.json"),
        "mcp",
        lambda reach: {
            "type": "local",
            "command": [str(reach.program)],
            "enabled": True,
            **({"environment": reach.environ} if reach.environ else {}),
        },
    ),
    "claude-code": McpClient(
        "Claude Code",
        home_file(".claude.json"),
        MCP_SERVERS,
        lambda reach: reach.stdio(type="stdio"),
        remark="`hitherto install claude-code` does this and registers the hooks, too.",
    ),
    "codex": McpClient(
        "Codex",
        home_file(".codex/config.toml"),
        "mcp_servers",
        lambda reach: reach.stdio(),
        kind="toml",
        remark="`hitherto install codex` does this and registers the hooks, too.",
    ),
    "stdio": McpClient(
        "any client that starts a program",
        lambda platform: "the client's file of MCP servers",  # noqa: ARG005
        MCP_SERVERS,
        lambda reach: reach.stdio(),
    ),
    "http": McpClient(
        "any client that asks over HTTP",
        lambda platform: "the client's file of MCP servers",  # noqa: ARG005
        MCP_SERVERS,
        lambda reach: reach.http("url", type="http"),
        remark="The address holds while the server runs on that port; the token opens everything.",
    ),
}


def snippet_for(name: str, reach: Reach, *, platform: str = sys.platform) -> Snippet:
    """Return what connects that client, one of CLIENTS."""
    client = CLIENTS[name]
    entry = client.entry(reach)
    if client.kind == "toml":
        text = toml_text.with_table("", (client.parent, SERVER_NAME), entry)
    else:
        text = json.dumps({client.parent: {SERVER_NAME: entry}}, indent=2, ensure_ascii=False)
    return Snippet(client.title, client.place(platform), text.strip(), client.kind, client.remark)
