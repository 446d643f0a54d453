"""The two small programs in the data home that stay where they are when an environment moves."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import hitherto_hooks
from hitherto_server.core.errors import CommandMissing
from hitherto_server.core.launch import serve_command_text
from hitherto_server.install.config_file import write_whole

if TYPE_CHECKING:
    from hitherto_server.core.home import Home

MCP_NAME = "hitherto-mcp"
# A shim lies in the data home that it serves, so its own path says which one that is.
SETTING = 'export HITHERTO_HOME="${HITHERTO_HOME:-${0%/bin/*}}"'


@dataclass(frozen=True)
class Programs:
    """The programs of this installation that a client starts, by absolute path."""

    interpreter: Path
    hook_script: Path
    mcp: Path

    def are_there(self) -> bool:
        """Whether all of them still exist."""
        return all(path.exists() for path in (self.interpreter, self.hook_script, self.mcp))


def find_programs() -> Programs:
    """Return the programs of the running installation; raises CommandMissing."""
    interpreter = Path(sys.executable).absolute()
    beside = interpreter.with_name(MCP_NAME)
    found = str(beside) if beside.exists() else shutil.which(MCP_NAME)
    if found is None:
        msg = f"{MCP_NAME} is neither beside {interpreter} nor on PATH."
        raise CommandMissing(msg)
    script = Path(hitherto_hooks.__file__).absolute().with_name("run.py")
    return Programs(interpreter, script, Path(found).absolute())


def hook_shim(home: Home) -> Path:
    """Return where the hooks' shim is."""
    return home.root / "bin" / "hook"


def mcp_shim(home: Home) -> Path:
    """Return where the MCP server's shim is."""
    return home.root / "bin" / "mcp"


def is_usual(home: Home, client_home: Path) -> bool:
    """Whether the data home is the one that programs take when nothing is said."""
    return home.root == client_home / ".hitherto"


def write_shims(home: Home, programs: Programs) -> list[Path]:
    """Write the shims and the command that starts the server; returns the files that changed."""
    interpreter, script, mcp = (
        shlex.quote(str(path))
        for path in (programs.interpreter, programs.hook_script, programs.mcp)
    )
    # Both are looked for: an interpreter without its script exits 2, which blocks the client.
    hook = f'[ -x {interpreter} ] && [ -f {script} ] && exec {interpreter} -I -S {script} "$@"'
    texts = {
        hook_shim(home): (f"#!/bin/sh\n{SETTING}\n{hook}\nexit 0\n", 0o700),
        mcp_shim(home): (f'#!/bin/sh\n{SETTING}\nexec {mcp} "$@"\n', 0o700),
        home.serve_command: (serve_command_text(programs.interpreter), 0o600),
    }
    import compileall

    # Compiled now, so that the first hook is as fast as the second, also in a read-only folder.
    compileall.compile_dir(programs.hook_script.parent, maxlevels=0, quiet=2)
    return [
        path for path, (text, mode) in texts.items() if write_whole(path, os.fsencode(text), mode)
    ]


def remove_shims(home: Home) -> list[Path]:
    """Remove both shims; returns those that were there."""
    present = [path for path in (hook_shim(home), mcp_shim(home)) if path.exists()]
    for path in present:
        path.unlink()
    return present


def shims_work(home: Home) -> bool:
    """Whether both shims are there and every program that they name exists."""
    try:
        texts = [os.fsdecode(shim(home).read_bytes()) for shim in (hook_shim, mcp_shim)]
        words = [word for text in texts for word in shlex.split(text, comments=True)]
    except (OSError, ValueError):
        return False
    return all(Path(word).exists() for word in words if word.startswith("/"))
