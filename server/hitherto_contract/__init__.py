"""What crosses a process border: the types that server, CLI, MCP and hooks agree on."""

from hitherto_contract.base import Wire
from hitherto_contract.memories import (
    MAX_CONTENT_CHARS,
    ForgetRequest,
    MemoriesReply,
    MemoriesRequest,
    MemoryView,
    ReflectRequest,
    Remembered,
    RememberRequest,
    RestoreRequest,
    RevisionView,
)
from hitherto_contract.recall import Hit, RecallReply, RecallRequest, WhyReply, WhyRequest
from hitherto_contract.service import ErrorBody, ErrorReply, Health, Status
from hitherto_contract.version import PROTOCOL, PROTOCOL_HEADER, VERSION, VERSION_HEADER
from hitherto_contract.words import Kind, Scope, Source, Standing, Tier

__all__ = [
    "MAX_CONTENT_CHARS",
    "PROTOCOL",
    "PROTOCOL_HEADER",
    "VERSION",
    "VERSION_HEADER",
    "ErrorBody",
    "ErrorReply",
    "ForgetRequest",
    "Health",
    "Hit",
    "Kind",
    "MemoriesReply",
    "MemoriesRequest",
    "MemoryView",
    "RecallReply",
    "RecallRequest",
    "ReflectRequest",
    "RememberRequest",
    "Remembered",
    "RestoreRequest",
    "RevisionView",
    "Scope",
    "Source",
    "Standing",
    "Status",
    "Tier",
    "WhyReply",
    "WhyRequest",
    "Wire",
    "build_models",
]


def build_models() -> None:
    """Build every model now, before FastAPI takes over how and when its routes' are built."""
    for name in __all__:
        value = globals()[name]
        if isinstance(value, type) and issubclass(value, Wire):
            value.model_config["defer_build"] = False
            value.model_rebuild(force=True)
