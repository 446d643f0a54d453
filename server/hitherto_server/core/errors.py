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

from typing import ClassVar


class HithertoError(Exception):
    """An expected failure: a code of docs/errors.md, what happened, and what mends it."""

    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500
    default_mend: ClassVar[str] = "Run `hitherto doctor`."

    def __init__(self, message: str, *, mend: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend or self.default_mend


class InvalidInput(HithertoError):
    """The request does not say what it must, or says it wrongly."""

    code = "invalid_input"
    status = 400
    default_mend = "Correct the request: the message names the field."


class TooLarge(InvalidInput):
    """The request is larger than the server reads."""

    code = "too_large"
    status = 413
    default_mend = "Shorten it, or split it into several memories."


class OnlyASecret(InvalidInput):
    """Without its secret the text says hardly anything, so nothing of it is kept."""

    code = "only_a_secret"
    default_mend = "Say in words what it opens and where it is kept; the secret is not stored."


class NotFound(HithertoError):
    """Nothing has that id."""

    code = "not_found"
    status = 404
    default_mend = "Look the id up with `recall` or `memories`."


class GitSlow(HithertoError):
    """Git did not say in time which project a folder is of."""

    code = "git_slow"
    status = 503
    default_mend = "Try again; see whether `git status` answers in that folder."


class Refused(HithertoError):
    """The request is well formed, but the state of things forbids it."""

    status = 409


class RevisionMoved(Refused):
    """Somebody changed the memory since the caller saw it."""

    code = "revision_moved"
    default_mend = "Read the memory again and repeat the change on what it says now."


class IdempotencyClash(Refused):
    """The idempotency key was used for another content."""

    code = "idempotency_clash"
    default_mend = "Use a new key for a new statement."


class AlreadyKnown(Refused):
    """A live memory of that scope says the very same."""

    code = "already_known"
    default_mend = "Use the memory that is named."


class NothingToUndo(Refused):
    """The memory has no earlier state."""

    code = "nothing_to_undo"
    default_mend = "Use `forget` to take the memory out of recall."


class SupersedesItself(Refused):
    """The supersession would run in a circle."""

    code = "supersedes_itself"
    default_mend = "Name an older memory that does not already replace this one."


class FolderIgnored(Refused):
    """The caller stands in a folder of which a person wants nothing to be kept."""

    code = "folder_ignored"
    default_mend = "Run `hitherto ignore --remove PATH`, or call from another folder."


class LoopRuns(Refused):
    """A session works on one task at a time in a loop."""

    code = "loop_runs"
    default_mend = "End it first: `loop` with action stop, or `hitherto loop stop`."


class ImportConflict(Refused):
    """What is to be imported differs from what is here; nothing of it was taken."""

    code = "import_conflict"
    default_mend = "Run `hitherto import FILE --merge`: of two states the newer one holds."


class HistoryBusy(Refused):
    """A client's history is being read: one at a time."""

    code = "history_busy"
    default_mend = "Wait until it is read: `hitherto import-history` shows how far it is."


class BackfillState(Refused):
    """The backfill is not in a state in which that can be done, or nobody may be asked."""

    code = "backfill_state"
    default_mend = "See `hitherto judge backfill status`."


class NotOffered(Refused):
    """The list does not offer that any more: it was settled, or a reason for it is gone."""

    code = "not_offered"
    default_mend = "Read the list again."


class ToldByAPerson(Refused):
    """A person said the memory, so that only a person lets another one replace it."""

    code = "told_by_a_person"
    default_mend = "Ask the person: `hitherto clean` in a terminal acts for them."


class TriageBusy(Refused):
    """What is expendable is being judged: one run at a time."""

    code = "triage_busy"
    default_mend = "Wait until it is through, or end it: `hitherto clean expendable --cancel`."


class BenchBusy(Refused):
    """A bench runs: one at a time, or each would slow the other down."""

    code = "bench_busy"
    default_mend = "Wait until it is through."


class NobodyToAsk(Refused):
    """A judgment was asked for where none can come: switched off, or no backend is configured."""

    code = "nobody_to_ask"
    default_mend = "`hitherto judge` says what is switched on; `--backend rules` needs nobody."


class SwitchLocked(Refused):
    """What the switch allows needs a passed bench of the configuration that runs."""

    code = "switch_locked"
    default_mend = "Run `hitherto bench SURFACE --backend configured` first."


class NotAllowed(HithertoError):
    """The caller may not do that."""

    status = 403


class Unauthorized(NotAllowed):
    """The token is missing or wrong."""

    code = "unauthorized"
    status = 401
    default_mend = "Open the address that `hitherto status` prints, or send the token of run/token."


class ForeignOrigin(NotAllowed):
    """The request comes from another site or for another host."""

    code = "foreign_origin"
    default_mend = "Call the server by its loopback address, from its own pages."


class ProtocolMismatch(NotAllowed):
    """The caller speaks a protocol that this server does not."""

    code = "protocol_mismatch"
    status = 426
    default_mend = "Upgrade the older side, then run `hitherto stop` and `hitherto install`."


class StoreError(HithertoError):
    """The database cannot serve."""


class StoreBusy(StoreError):
    """Another process holds the database."""

    code = "store_busy"
    status = 503
    default_mend = "Stop the other process that has the database open, then try again."


class StoreNewer(StoreError):
    """The database was written by a newer version; it is left untouched."""

    code = "store_newer"
    default_mend = "Upgrade Hitherto, or point HITHERTO_HOME at another folder."


class StoreUnreadable(StoreError):
    """The database file is damaged, or is no database."""

    code = "store_unreadable"
    default_mend = "Run `hitherto doctor`: it names the newest good backup, and how to restore it."


class StoreFull(StoreError):
    """The disk is full or read-only; nothing was written."""

    code = "store_full"
    status = 507
    default_mend = (
        "Free some space or make the folder writable; what was refused can be sent again."
    )


class BackupUnusable(StoreError):
    """The file is no sound copy of a store; nothing was changed."""

    code = "backup_unusable"
    status = 422
    default_mend = "Use another one: `hitherto backup --list` names them."


class ExportNewer(StoreError):
    """A newer version wrote the export, in a form that this one does not know."""

    code = "export_newer"
    status = 422
    default_mend = "Upgrade Hitherto here, or export with the version that runs here."


class NoDriver(StoreError):
    """No SQLite that is new enough can be loaded."""

    code = "no_driver"
    default_mend = "Install the package `pysqlite3`."


class ServerError(HithertoError):
    """The server process is not as it should be."""


class ServerAway(ServerError):
    """No server answers in this data home."""

    code = "server_away"
    status = 503
    default_mend = "Start it with `hitherto serve`."


class HomeUnusable(ServerError):
    """The data home cannot be made, or is no folder of ours."""

    code = "home_unusable"
    default_mend = "Point HITHERTO_HOME at a folder that you can write."


class AlreadyRunning(ServerError):
    """A server already owns this data home."""

    code = "already_running"
    status = 409
    default_mend = "Use it, or stop it with `hitherto stop`."


class ModelError(HithertoError):
    """The embedding model cannot serve."""

    status = 503


class ModelMissing(ModelError):
    """No embedding model is installed; recall is lexical."""

    code = "model_missing"
    default_mend = "Run `hitherto models fetch`."


class ModelLoading(ModelError):
    """The embedding model is still being loaded."""

    code = "model_loading"
    default_mend = "Try again in a second; until then recall is lexical."


class ModelRefused(ModelError):
    """The model's files are not what they should be."""

    code = "model_refused"
    status = 422
    default_mend = "Remove the model's folder and run `hitherto models fetch`."


class LanguageNotRead(ModelError):
    """The question is in a language that the model was not made for; recall is lexical."""

    code = "language_not_read"
    status = 422
    default_mend = "Set HITHERTO_MODEL to a multilingual model: docs/models.md."


class ClientConfigError(HithertoError):
    """The agent's own configuration cannot be changed."""

    status = 409


class UnreadableConfig(ClientConfigError):
    """A configuration file cannot be parsed; it is left untouched."""

    code = "unreadable_config"
    default_mend = "Mend the file by hand (the message says where), then run the command again."


# --- the installer's own ---


class UnwritableConfig(ClientConfigError):
    """A configuration file cannot be replaced, or keeps changing; it is left as it was."""

    code = "unwritable_config"
    default_mend = "Make the folder writable (the message names it), then run the command again."


class EntryTaken(ClientConfigError):
    """The client already has an MCP server named `hitherto` that is not ours."""

    code = "entry_taken"
    default_mend = "Rename or remove that entry, then run the command again."


class ScopeNotPossible(ClientConfigError):
    """What is asked for cannot be registered in that scope."""

    code = "scope_not_possible"
    default_mend = "Use another scope: `hitherto install claude-code --scope user`."


class CommandMissing(ClientConfigError):
    """A program of ours that the client would have to start is not where it should be."""

    code = "command_missing"
    default_mend = "Install the package `hitherto` again, then run the command again."
