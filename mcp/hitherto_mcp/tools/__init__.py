"""The tools, one family a file, and what the model is told of them as a whole."""

from typing import Any

from hitherto_mcp.client import VERSION
from hitherto_mcp.tools.base import Caller, Tool, ToolResult, answer
from hitherto_mcp.tools.files import FILE_TOOLS
from hitherto_mcp.tools.loops import LOOP_TOOLS
from hitherto_mcp.tools.memory import MEMORY_TOOLS

TOOLS: dict[str, Tool] = {tool.name: tool for tool in (*MEMORY_TOOLS, *FILE_TOOLS, *LOOP_TOOLS)}

SERVER_INFO: dict[str, Any] = {"name": "hitherto", "title": "Hitherto", "version": VERSION}

INSTRUCTIONS = (
    "Memory across sessions. Recall before work that earlier sessions may have touched; remember "
    "what a later session could not read off the code. A memory is a suggestion: its standing "
    "says what shows that it still holds."
)

__all__ = ["INSTRUCTIONS", "SERVER_INFO", "TOOLS", "Caller", "Tool", "ToolResult", "answer"]
