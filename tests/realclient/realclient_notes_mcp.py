"""A smallest MCP server over stdio: its tool tells what it was given, and by which session."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

TOOL = {
    "name": "keep",
    "description": "Keep a note.",
    "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    },
}


def kept(text: str) -> str:
    """Say what was kept, for which session and which project."""
    session, project = os.environ["CLAUDE_CODE_SESSION_ID"], os.environ["CLAUDE_PROJECT_DIR"]
    return f"kept {text} in {session} of {project}"


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the result of one request."""
    match method:
        case "initialize":
            about = {"name": "notes", "version": "1"}
            version = params["protocolVersion"]
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
        case "tools/list":
            return {"tools": [TOOL]}
        case "tools/call":
            return {"content": [{"type": "text", "text": kept(params["arguments"]["text"])}]}
        case _:
            return {}


def main() -> None:
    """Serve until stdin ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            result = answer(message["method"], message.get("params", {}))
            reply = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
