"""Everything that may go wrong on purpose.

HithertoError
├── InvalidInput            invalid_input        400
│   ├── TooLarge            too_large            413
│   └── OnlyASecret         only_a_secret        400
├── NotFound                not_found            404
├── GitSlow                 git_slow             503
├── Refused                 (what the state of things forbids)
│   ├── RevisionMoved       revision_moved       409
│   ├── IdempotencyClash    idempotency_clash    409
│   ├── AlreadyKnown        already_known        409
│   ├── NothingToUndo       nothing_to_undo      409
│   ├── SupersedesItself    supersedes_itself    409
│   ├── FolderIgnored       folder_ignored       409
│   ├── LoopRuns            loop_runs            409
│   ├── HistoryBusy         history_busy         409
│   ├── BackfillState       backfill_state       409
│   ├── NotOffered          not_offered          409
│   ├── ToldByAPerson       told_by_a_person     409
│   ├── TriageBusy          triage_busy          409
│   ├── BenchBusy           bench_busy           409
│   ├── NobodyToAsk         nobody_to_ask        409
│   ├── SwitchLocked        switch_locked        409
│   └── ImportConflict      import_conflict      409
├── NotAllowed              (who asks)
│   ├── Unauthorized        unauthorized         401
│   ├── ForeignOrigin       foreign_origin       403
│   └── ProtocolMismatch    protocol_mismatch    426
├── StoreError
│   ├── StoreBusy           store_busy           503
│   ├── StoreNewer          store_newer          500
│   ├── StoreUnreadable     store_unreadable     500
│   ├── StoreFull           store_full           507
│   ├── BackupUnusable      backup_unusable      422
│   ├── ExportNewer         export_newer         422
│   └── NoDriver            no_driver            500
├── ServerError
│   ├── ServerAway          server_away          503
│   ├── HomeUnusable        home_unusable        500
│   └── AlreadyRunning      already_running      409
├── ModelError
│   ├── ModelMissing        model_missing        503
│   ├── ModelLoading        model_loading        503
│   ├── ModelRefused        model_refused        422
│   └── LanguageNotRead     language_not_read    422
└── ClientConfigError
    ├── UnreadableConfig    unreadable_config    409
    ├── UnwritableConfig    unwritable_config    409
    ├── EntryTaken          entry_taken          409
    ├── ScopeNotPossible    scope_not_possible   409
    └── CommandMissing      command_missing      409
"""

from __future__ import annotations

from hitherto_server.core.errors.base import HithertoError
from hitherto_server.core.errors.clients import (
    ClientConfigError,
    CommandMissing,
    EntryTaken,
    ScopeNotPossible,
    UnreadableConfig,
    UnwritableConfig,
)
from hitherto_server.core.errors.refused import (
    AlreadyKnown,
    BackfillState,
    BenchBusy,
    FolderIgnored,
    HistoryBusy,
    IdempotencyClash,
    ImportConflict,
    LoopRuns,
    NobodyToAsk,
    NothingToUndo,
    NotOffered,
    Refused,
    RevisionMoved,
    SupersedesItself,
    SwitchLocked,
    ToldByAPerson,
    TriageBusy,
)
from hitherto_server.core.errors.requests import (
    ForeignOrigin,
    GitSlow,
    InvalidInput,
    NotAllowed,
    NotFound,
    OnlyASecret,
    ProtocolMismatch,
    TooLarge,
    Unauthorized,
)
from hitherto_server.core.errors.running import (
    AlreadyRunning,
    HomeUnusable,
    LanguageNotRead,
    ModelError,
    ModelLoading,
    ModelMissing,
    ModelRefused,
    ServerAway,
    ServerError,
)
from hitherto_server.core.errors.store import (
    BackupUnusable,
    ExportNewer,
    NoDriver,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreNewer,
    StoreUnreadable,
)

__all__ = [
    "AlreadyKnown",
    "AlreadyRunning",
    "BackfillState",
    "BackupUnusable",
    "BenchBusy",
    "ClientConfigError",
    "CommandMissing",
    "EntryTaken",
    "ExportNewer",
    "FolderIgnored",
    "ForeignOrigin",
    "GitSlow",
    "HistoryBusy",
    "HithertoError",
    "HomeUnusable",
    "IdempotencyClash",
    "ImportConflict",
    "InvalidInput",
    "LanguageNotRead",
    "LoopRuns",
    "ModelError",
    "ModelLoading",
    "ModelMissing",
    "ModelRefused",
    "NoDriver",
    "NobodyToAsk",
    "NotAllowed",
    "NotFound",
    "NotOffered",
    "NothingToUndo",
    "OnlyASecret",
    "ProtocolMismatch",
    "Refused",
    "RevisionMoved",
    "ScopeNotPossible",
    "ServerAway",
    "ServerError",
    "StoreBusy",
    "StoreError",
    "StoreFull",
    "StoreNewer",
    "StoreUnreadable",
    "SupersedesItself",
    "SwitchLocked",
    "ToldByAPerson",
    "TooLarge",
    "TriageBusy",
    "Unauthorized",
    "UnreadableConfig",
    "UnwritableConfig",
]
