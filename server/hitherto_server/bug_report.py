"""What a command that met a bug leaves behind for whoever mends it."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from hitherto_server.core.home import find_home
from hitherto_server.core.private_file import write_private

if TYPE_CHECKING:
    from pathlib import Path


def keep(error: Exception) -> Path | None:
    """Write where it happened into logs/command.log, without secrets; None where that fails."""
    from hitherto_server.gates.secrets import redact

    path = find_home().logs / "command.log"
    try:
        write_private(path, redact("".join(traceback.format_exception(error))).text)
    except OSError:
        return None
    return path
