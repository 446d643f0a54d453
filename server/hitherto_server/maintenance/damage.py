"""What mends a damaged database: the newest good backup, and what can still be read."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from hitherto_server.core.clock import minute_of
from hitherto_server.core.errors import HithertoError
from hitherto_server.store.copies import prove
from hitherto_server.store.migrate import refuse_newer
from hitherto_server.store.shelf import list_backups

if TYPE_CHECKING:
    from hitherto_server.core.home import Home
    from hitherto_server.store.shelf import Backup

MOST_PROVED = 5
SALVAGE = "`hitherto doctor --salvage FILE` saves what can still be read"


def mend_of_damage(home: Home) -> str:
    """Return what to do about a damaged database, with the commands."""
    found = find_good_backup(home)
    if found is None:
        return f"There is no good backup. {SALVAGE}, and `hitherto restore FILE` puts it in place."
    command = f"`hitherto restore {shlex.quote(str(found.path))}`"
    return f"The newest good backup is of {minute_of(found.made_at_ms)}: {command}. {SALVAGE}."


def find_good_backup(home: Home) -> Backup | None:
    """Return the newest backup that can be restored now; what a restore put aside is none."""
    candidates = [one for one in list_backups(home.backups) if one.why != "replaced"]
    for one in candidates[:MOST_PROVED]:
        try:
            refuse_newer(one.path)
            prove(one.path)
        except HithertoError:
            continue
        return one
    return None
