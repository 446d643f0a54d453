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
from hitherto_server.install.interpreters import (
    Choice,
    choose,
    compile_hooks,
    system_interpreters,
)

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
    other_interpreters: tuple[Path, ...] = ()
    """What hooks may run instead of the server's interpreter, if it starts faster."""


def find_programs() -> Programs:
    """Return the programs of the running installation; raises CommandMissing."""
    interpreter = Path(sys.executable).absolute()
    beside = interpreter.with_name(MCP_NAME)
    found = str(beside) if beside.exists() else shutil.which(MCP_NAME)
    if found is None:
        msg = f"{MCP_NAME} is neither beside {interpreter} nor on PATH."
        raise CommandMissing(msg)
    script = Path(hitherto_hooks.__file__).absolute().with_name("run.py")
    others = system_interpreters(interpreter)
    return Programs(interpreter, script, Path(found).absolute(), others)


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
    choice = choose(programs.interpreter, programs.other_interpreters, hook_choice(home))
    texts = {
        hook_shim(home): (hook_text(choice, programs), 0o700),
        mcp_shim(home): (
            f'#!/bin/sh\n{SETTING}\nexec {shlex.quote(str(programs.mcp))} "$@"\n',
            0o700,
        ),
        home.serve_command: (serve_command_text(programs.interpreter), 0o600),
    }
    import compileall

    # Compiled now, so that the first hook is as fast as the second, also in a read-only folder.
    compileall.compile_dir(programs.hook_script.parent, maxlevels=0, quiet=2)
    if choice.interpreter != programs.interpreter:
        compile_hooks(programs.hook_script.parent, choice.interpreter)
    return [
        path for path, (text, mode) in texts.items() if write_whole(path, os.fsencode(text), mode)
    ]


def hook_text(choice: Choice, programs: Programs) -> str:
    """Return the hooks' shim: the interpreter that was chosen, then the server's, else nothing."""
    script = shlex.quote(str(programs.hook_script))
    # It is looked for first: an interpreter without its script exits 2, which blocks the client.
    lines = ["#!/bin/sh", SETTING, f"[ -f {script} ] || exit 0"]
    if choice.why:
        lines.insert(2, f"# {choice.why}")
    for path in dict.fromkeys((choice.interpreter, programs.interpreter)):
        interpreter = shlex.quote(str(path))
        lines.append(f'[ -x {interpreter} ] && exec {interpreter} -I -S {script} "$@"')
    return "\n".join([*lines, "exit 0", ""])


def hook_choice(home: Home) -> Choice | None:
    """Return which interpreter the hooks' shim runs and why; None where there is no such shim."""
    try:
        text = os.fsdecode(hook_shim(home).read_bytes())
        words = shlex.split(text, comments=True)
        interpreter = words[words.index("exec") + 1]
    except (OSError, ValueError, IndexError):
        return None
    remarks = [line[2:] for line in text.split("\n") if line.startswith("# ")]
    return Choice(Path(interpreter), remarks[0] if remarks else "")


def is_servers(choice: Choice) -> bool:
    """Whether hooks run the interpreter that the server runs, by whichever name."""
    return choice.interpreter.resolve() == Path(sys.executable).resolve()


def remove_shims(home: Home) -> list[Path]:
    """Remove both shims; returns those that were there."""
    present = [path for path in (hook_shim(home), mcp_shim(home)) if path.exists()]
    for path in present:
        path.unlink()
    return present


def starts_server(home: Home) -> bool:
    """Whether the command by which hooks start the server names a program that exists."""
    try:
        program = os.fsdecode(home.serve_command.read_bytes()).partition("\n")[0]
    except OSError:
        return False
    return os.access(program, os.X_OK)


def shims_work(home: Home) -> bool:
    """Whether both shims are there and every program that they name exists."""
    try:
        texts = [os.fsdecode(shim(home).read_bytes()) for shim in (hook_shim, mcp_shim)]
        words = [word for text in texts for word in shlex.split(text, comments=True)]
    except (OSError, ValueError):
        return False
    return all(Path(word).exists() for word in words if word.startswith("/"))
