"""What may be wrong with the database and its copies."""

from __future__ import annotations

from hitherto_server.core.errors.base import HithertoError


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
