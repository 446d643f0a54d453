"""The tool about files: sync."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hitherto_mcp.tools.base import Caller, Tool, understood
from hitherto_mcp.tools.memory import ID, PATHS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_mcp.client import Call


async def sync(arguments: Mapping[str, Any], caller: Caller, call: Call) -> str:
    """Have the memories whose files have changed judged, and say what became of each."""
    from hitherto_contract import SyncReply, SyncRequest
    from hitherto_mcp.tools.render import synced

    request = SyncRequest.model_validate({**arguments, **caller.placed()})
    reply = await call("sync", request.model_dump(mode="json", exclude_unset=True))
    return synced(understood(SyncReply, reply))


SYNC = Tool(
    name="sync",
    description=("Judge which memories still describe their changed files."),
    properties={"ids": {"type": "array", "items": ID, "maxItems": 50}, "files": PATHS},
    required=(),
    handler=sync,
)

FILE_TOOLS = (SYNC,)
