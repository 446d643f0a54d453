"""JSON-RPC 2.0 and MCP as pure functions: what a line says, and what a message is answered with."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitherto_mcp.quoting import quotable

if TYPE_CHECKING:
    from collections.abc import Mapping

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The revisions that a client agrees on with `initialize`."""

ENVELOPE_VERSIONS = ("2026-07-28",)
"""The revisions in which every request names its revision and nothing is agreed on first."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022

META_VERSION = "io.modelcontextprotocol/protocolVersion"
META_SERVER = "io.modelcontextprotocol/serverInfo"
CACHEABLE = frozenset({"server/discover", "tools/list"})
CAPABILITIES: dict[str, Any] = {"tools": {}}

MessageId = str | int
Object = dict[str, Any]


class RpcError(Exception):
    """What JSON-RPC answers a message with that cannot be served."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


@dataclass(frozen=True, slots=True)
class Request:
    """A message that wants an answer."""

    id: MessageId
    method: str
    params: Object


@dataclass(frozen=True, slots=True)
class Notification:
    """A message that wants none."""

    method: str
    params: Object


def parsed(line: bytes) -> Any:
    """Return the JSON value that a line holds."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RpcError(PARSE_ERROR, f"not JSON: {error}") from error


def understood(message: Any) -> Request | Notification | None:
    """Return what a message is; nothing for an answer, since this server asks nothing."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, "not a JSON-RPC 2.0 message")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    method, params = message.get("method"), message.get("params")
    if not isinstance(method, str):
        raise RpcError(INVALID_REQUEST, "method must be a string")
    if not isinstance(params, dict | None):
        raise RpcError(INVALID_PARAMS, "params must be an object")
    if "id" not in message:
        return Notification(method, params or {})
    if (message_id := id_of(message)) is None:
        raise RpcError(INVALID_REQUEST, "id must be a string or an integer")
    return Request(message_id, method, params or {})


def id_of(message: Any) -> MessageId | None:
    """Return the id of a message, as far as it has a usable one."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def initialized(params: Mapping[str, Any], server: Object, instructions: str) -> Object:
    """Return the answer to `initialize`: the revision asked for, else the newest agreeable."""
    wanted = params.get("protocolVersion")
    if not isinstance(wanted, str):
        raise RpcError(INVALID_PARAMS, "protocolVersion must be a string")
    return {
        "protocolVersion": wanted if wanted in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
        "capabilities": CAPABILITIES,
        "serverInfo": server,
        "instructions": instructions,
    }


def discovered(instructions: str) -> Object:
    """Return the answer to `server/discover`."""
    return {
        "supportedVersions": [*ENVELOPE_VERSIONS, *reversed(HANDSHAKE_VERSIONS)],
        "capabilities": CAPABILITIES,
        "instructions": instructions,
    }


def is_enveloped(params: Mapping[str, Any]) -> bool:
    """Tell whether a request names its revision by itself, and refuse one that is not spoken."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or META_VERSION not in meta:
        return False
    version = meta[META_VERSION]
    if version not in ENVELOPE_VERSIONS:
        data = {"supported": list(ENVELOPE_VERSIONS), "requested": version}
        raise RpcError(UNSUPPORTED_VERSION, "this protocol version is not spoken here", data)
    return True


def enveloped(method: str, result: Object, server: Object) -> Object:
    """Return a result with what the revisions without handshake want in each."""
    extra: Object = {"resultType": "complete", "_meta": {META_SERVER: server}}
    if method in CACHEABLE:
        extra |= {"ttlMs": 0, "cacheScope": "private"}
    return result | extra


def success(message_id: MessageId, result: Object) -> Object:
    """Return the message that answers a request."""
    return {"jsonrpc": "2.0", "id": message_id, "result": result}


def failure(message_id: MessageId | None, error: RpcError) -> Object:
    """Return the message that refuses one; it has no id where none could be read."""
    told: Object = {"code": error.code, "message": quotable(error.message)}
    if error.data is not None:
        told["data"] = error.data
    return {"jsonrpc": "2.0", "id": message_id, "error": told}


def encoded(message: Object | list[Object]) -> bytes:
    """Return a message as the line that carries it; ASCII, so that no reader stumbles."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
