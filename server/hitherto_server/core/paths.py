"""How systems spell one folder: Windows' paths under WSL, macOS' two names and two cases."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from functools import cache
from typing import Literal

System = Literal["linux", "wsl", "darwin"]

DRIVE = re.compile(r"(?P<letter>[A-Za-z]):[\\/](?P<rest>.*)", re.DOTALL)
SHARE = re.compile(
    r"[\\/]{2}(?:wsl\$|wsl\.localhost)[\\/](?P<distro>[^\\/]+)(?P<rest>[\\/].*)?",
    re.IGNORECASE | re.DOTALL,
)
MOUNTED = re.compile(r"/mnt/[a-z](?:/|$)")
PRIVATE = re.compile(r"\A/private(?=/(?:var|tmp|etc)(?:/|$))")


@cache
def this_system() -> System:
    """Return the system that this process runs on."""
    if sys.platform == "darwin":
        return "darwin"
    return "wsl" if "microsoft" in os.uname().release.lower() else "linux"


def local_path(named: str, system: System | None = None, distro: str | None = None) -> str | None:
    """Return an absolute path as this system spells it; None for what is none here.

    Under WSL a client on Windows names `C:\\folder` and `\\\\wsl$\\DISTRO\\folder`.
    """
    if (system or this_system()) == "wsl":
        if share := SHARE.fullmatch(named):
            own = os.environ.get("WSL_DISTRO_NAME") if distro is None else distro
            # another distribution's files are not reached from here
            is_ours = not own or share["distro"].casefold() == own.casefold()
            return (share["rest"] or "/").replace("\\", "/") if is_ours else None
        if drive := DRIVE.fullmatch(named):
            rest = drive["rest"].replace("\\", "/").strip("/")
            return f"/mnt/{drive['letter'].lower()}/{rest}".rstrip("/")
    return named if named.startswith("/") else None


def path_key(path: str, system: System | None = None) -> str:
    """Return one name for a folder where the system knows it by several."""
    match system or this_system():
        case "darwin":
            # names differ by case, by form of an accent, and /var leads to /private/var
            return unicodedata.normalize("NFC", PRIVATE.sub("", path)).casefold()
        case "wsl" if MOUNTED.match(path):
            return path.casefold()  # a drive of Windows
        case _:
            return path
