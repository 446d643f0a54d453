"""The tool by which an agent works at a task in iterations: loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hitherto_mcp.tools.base import Caller, Tool, understood

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_mcp.client import Call


async def loop(arguments: Mapping[str, Any], caller: Caller, call: Call) -> str:
    """Start a loop, say how far it is, end it, or look at it."""
    from hitherto_contract import LoopReply, LoopRequest
    from hitherto_mcp.tools.render import looped

    request = LoopRequest.model_validate({**arguments, **caller.placed()})
    reply = await call("loop", request.model_dump(mode="json", exclude_unset=True))
    return looped(understood(LoopReply, reply))


LOOP = Tool(
    name="loop",
    description=(
        "Work at a task in iterations: each time you stop, the next one is asked for. End each "
        "with update: note, and state done or blocked (only the person can go on)."
    ),
    properties={
        "action": {"enum": ["start", "update", "stop", "status"]},
        "task": {"type": "string", "maxLength": 2000},
        "iterations": {"type": "integer", "maximum": 50},
        "minutes": {"type": "integer", "maximum": 60},
        "note": {"type": "string", "maxLength": 500},
        "state": {"enum": ["going", "done", "blocked"]},
    },
    required=("action",),
    handler=loop,
)

LOOP_TOOLS = (LOOP,)
