"""What crosses a process border: the types that server, CLI, MCP and hooks agree on.

A type is imported when it is first used: pydantic takes a third of a server's start, and the
first hook of a session needs none. So `import hitherto_contract as contract` where that counts.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hitherto_contract.version import PROTOCOL, PROTOCOL_HEADER, VERSION, VERSION_HEADER
from hitherto_contract.words import Kind, Scope, Source, Standing, Tier

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hitherto_contract.base import Wire
    from hitherto_contract.categories import CategoriesReply, CategoriesRequest, CategoryView
    from hitherto_contract.control import (
        IgnoreRequest,
        PauseRequest,
        PurgeReply,
        PurgeRequest,
        QuietReply,
        QuietView,
        ResumeRequest,
        Target,
        WrongMemory,
        WrongReply,
        WrongRequest,
    )
    from hitherto_contract.erase import EraseReply, EraseRequest
    from hitherto_contract.history import (
        AdmitReply,
        AdmitRequest,
        CandidatesReply,
        CandidatesRequest,
        CandidateView,
        HistoryImportRequest,
        HistoryReply,
        HistoryRequest,
        HistorySample,
        HistoryShown,
        HistoryUndone,
        HistoryUndoRequest,
        ImportsReply,
        ImportView,
    )
    from hitherto_contract.loops import (
        LoopEntryView,
        LoopReply,
        LoopRequest,
        LoopsReply,
        LoopsRequest,
        LoopView,
    )
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
    from hitherto_contract.recall import (
        Hit,
        PastSessionView,
        RecallReply,
        RecallRequest,
        SyncPair,
        SyncReply,
        SyncRequest,
        WhyReply,
        WhyRequest,
    )
    from hitherto_contract.service import ErrorBody, ErrorReply, Health, Status
    from hitherto_contract.worth import WorthAgainRequest, WorthReply, WorthRequest

__all__ = [
    "MAX_CONTENT_CHARS",
    "PROTOCOL",
    "PROTOCOL_HEADER",
    "VERSION",
    "VERSION_HEADER",
    "AdmitReply",
    "AdmitRequest",
    "CandidateView",
    "CandidatesReply",
    "CandidatesRequest",
    "CategoriesReply",
    "CategoriesRequest",
    "CategoryView",
    "EraseReply",
    "EraseRequest",
    "ErrorBody",
    "ErrorReply",
    "ForgetRequest",
    "Health",
    "HistoryImportRequest",
    "HistoryReply",
    "HistoryRequest",
    "HistorySample",
    "HistoryShown",
    "HistoryUndoRequest",
    "HistoryUndone",
    "Hit",
    "IgnoreRequest",
    "ImportView",
    "ImportsReply",
    "Kind",
    "LoopEntryView",
    "LoopReply",
    "LoopRequest",
    "LoopView",
    "LoopsReply",
    "LoopsRequest",
    "MemoriesReply",
    "MemoriesRequest",
    "MemoryView",
    "PastSessionView",
    "PauseRequest",
    "PurgeReply",
    "PurgeRequest",
    "QuietReply",
    "QuietView",
    "RecallReply",
    "RecallRequest",
    "ReflectRequest",
    "RememberRequest",
    "Remembered",
    "RestoreRequest",
    "ResumeRequest",
    "RevisionView",
    "Scope",
    "Source",
    "Standing",
    "Status",
    "SyncPair",
    "SyncReply",
    "SyncRequest",
    "Target",
    "Tier",
    "WhyReply",
    "WhyRequest",
    "Wire",
    "WorthAgainRequest",
    "WorthReply",
    "WorthRequest",
    "WrongMemory",
    "WrongReply",
    "WrongRequest",
    "build_models",
]

OFTEN = ("base", "memories", "categories", "recall", "control", "erase", "history", "service")
SELDOM = ("loops", "worth", "transfer", "background", "cleaning", "judge", "benches")
"""What a person asks for now and then: no agent's first call waits for these."""


def __getattr__(name: str) -> Any:
    if name in __all__:
        for home in (*OFTEN, *SELDOM):
            module = import_module(f"hitherto_contract.{home}")
            if hasattr(module, name):
                return getattr(module, name)
    message = f"module 'hitherto_contract' has no attribute {name!r}"
    raise AttributeError(message)


def build_models(homes: Iterable[str] = (*OFTEN, *SELDOM)) -> None:
    """Build the models now, before FastAPI takes over how and when its routes' are built."""
    from hitherto_contract.base import Wire

    for home in homes:
        for value in vars(import_module(f"hitherto_contract.{home}")).values():
            if isinstance(value, type) and issubclass(value, Wire):
                value.model_config["defer_build"] = False
                value.model_rebuild(force=True)
