"""What every tool family shares: what a tool is, who calls it, and how it answers."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from hitherto_mcp.client import Call, ServerSaid
from hitherto_mcp.quoting import quotable

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

MAX_SESSION_CHARS = 200
MAX_PATH_CHARS = 4096
MAX_FAULTS = 5

NO_TEXT = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # control codes, lone surrogates


@dataclass(frozen=True, slots=True)
class Caller:
    """The session and the project that a call belongs to, as far as the client said."""

    session_id: str | None = None
    project_dir: str | None = None

    @classmethod
    def named(cls, session_id: str | None, project_dir: str | None) -> Caller:
        """Return the caller, without what is no usable name."""
        return cls(
            session_id=usable(session_id, MAX_SESSION_CHARS),
            project_dir=usable(project_dir, MAX_PATH_CHARS),
        )

    def placed(self) -> dict[str, str]:
        """Return what the contract's requests carry of it."""
        placed = {"session_id": self.session_id, "project_dir": self.project_dir}
        return {name: value for name, value in placed.items() if value is not None}


def usable(name: str | None, longest: int) -> str | None:
    """Return the name unless it is empty, too long, not real text or a variable left unfilled."""
    name = (name or "").strip(" \t\r\n")
    if not name or len(name) > longest or name.startswith("${") or NO_TEXT.search(name):
        return None
    return name


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model reads."""

    text: str
    is_error: bool = False


Handler = Callable[[Mapping[str, Any], Caller, Call], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what the model is told of it, and what answers."""

    name: str
    description: str
    properties: Mapping[str, Any]
    required: tuple[str, ...]
    handler: Handler
    reads_only: bool = False

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return {
            "type": "object",
            "properties": dict(self.properties),
            "required": list(self.required),
            "additionalProperties": False,
        }

    def listed(self) -> dict[str, Any]:
        """Return its entry in a tool list."""
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.input_schema,
            "annotations": {
                "readOnlyHint": self.reads_only,
                "destructiveHint": False,
                "openWorldHint": False,
            },
        }


async def answer(
    tool: Tool, arguments: Mapping[str, Any], caller: Caller, call: Call
) -> ToolResult:
    """Run a tool; whatever goes wrong becomes an error that the model can act on."""
    from pydantic import ValidationError

    try:
        refuse_unknown(tool, arguments)
        return ToolResult(await tool.handler(arguments, caller, call))
    except ValidationError as error:
        return failed(*faults_of(error))
    except Exception as error:
        code, message, mend = (getattr(error, name, None) for name in ("code", "message", "mend"))
        if isinstance(code, str) and isinstance(message, str):
            return failed(code, message, mend if isinstance(mend, str) else "")
        logging.getLogger(__name__).exception("%s failed", tool.name)
        return failed(
            "internal", f"{type(error).__name__} in {tool.name}", "Run `hitherto doctor`."
        )


def refuse_unknown(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Raise for an argument that the tool does not list: it may not place a call by itself."""
    unknown = [name for name in arguments if name not in tool.properties]
    if unknown:
        message = f"{tool.name} has no argument {unknown[0][:60]!r}"
        mend = f"It takes: {', '.join(tool.properties)}."
        raise ServerSaid("invalid_input", message, mend)


Reply = TypeVar("Reply", bound="BaseModel")


def understood(model: type[Reply], reply: Mapping[str, Any]) -> Reply:
    """Return a reply of the server as its type; what a newer server adds to it is left out."""
    from pydantic import ValidationError

    try:
        return model.model_validate(reply, extra="ignore")
    except ValidationError as error:
        message = f"the server's answer is no {model.__name__}: {faults_of(error)[1]}"
        mend = "Restart the session, and the server with `hitherto stop`."
        raise ServerSaid("protocol_mismatch", message, mend) from error


def faults_of(error: ValidationError) -> tuple[str, str, str]:
    """Return code, message and mend for arguments that the contract refuses."""
    faults = error.errors(include_url=False, include_input=False)
    told = [place(fault["loc"]) + (excess_of(fault) or fault["msg"]) for fault in faults]
    message = "; ".join(told[:MAX_FAULTS])
    if len(faults) > MAX_FAULTS:
        message += f"; and {len(faults) - MAX_FAULTS} more"
    if any(map(excess_of, faults)):
        return "too_large", message, "Shorten it, or split it into several memories."
    return "invalid_input", message, "Correct the arguments and call again."


def excess_of(fault: ErrorDetails) -> str:
    """Say by how much a text or a list is too long; nothing for any other fault."""
    context = fault.get("ctx", {})
    if "max_length" not in context:
        return ""
    unit = "entries" if context.get("field_type") == "List" else "characters"
    return f"at most {context['max_length']} {unit}, not {context.get('actual_length', 'more')}"


def place(location: tuple[int | str, ...]) -> str:
    """Return where in the arguments a fault lies."""
    return ".".join(map(str, location)) + ": " if location else ""


def failed(code: str, message: str, mend: str) -> ToolResult:
    """Return the one form in which an error reaches the model."""
    told = f"{code}: {message.rstrip('.')}. {mend}".strip()
    return ToolResult(quotable(told), is_error=True)
