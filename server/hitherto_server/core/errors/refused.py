"""What the state of things forbids."""

from __future__ import annotations

from hitherto_server.core.errors.base import HithertoError


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
