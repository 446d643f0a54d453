"""Start the server detached, by the command that its installer or its last start wrote down."""

import posix

# The session's own secrets and its interpreter's settings are none of the server's business.
SESSION_ONLY = (b"CLAUDE", b"ANTHROPIC_", b"AI_AGENT", b"PYTHON", b"HITHERTO_HOME")
CLIENT_HOME = b"CLAUDE_CONFIG_DIR"
LOG = posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT


def start(home: bytes, environ: dict[bytes, bytes]) -> None:
    """Start the server if it is known how; it takes a lock, so a second one ends by itself."""
    command = serve_command(home)
    if not command:
        return
    try:  # noqa: SIM105 - importing contextlib costs more than the start itself
        posix.mkdir(home + b"/logs", 0o700)
    except FileExistsError:
        pass
    posix.chdir(home)
    # What the client left open would otherwise stay open for the server's whole life.
    posix.closerange(3, 256)
    server_environ = {
        k: v for k, v in environ.items() if k == CLIENT_HOME or not k.startswith(SESSION_ONLY)
    }
    server_environ[b"HITHERTO_HOME"] = home
    spawn_detached(command, server_environ, home + b"/logs/server.log")


def serve_command(home: bytes) -> list[bytes]:
    """The arguments in `run/serve.cmd`, one a line."""
    try:
        file = posix.open(home + b"/run/serve.cmd", posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return []
    try:
        return [line for line in posix.read(file, 1 << 16).split(b"\n") if line]
    finally:
        posix.close(file)


def spawn_detached(command: list[bytes], environ: dict[bytes, bytes], log: bytes) -> None:
    """Run the command in a session of its own, with its output in the log."""
    stdio = [
        (posix.POSIX_SPAWN_OPEN, 0, b"/dev/null", posix.O_RDONLY, 0),
        (posix.POSIX_SPAWN_OPEN, 1, log, LOG, 0o600),
        (posix.POSIX_SPAWN_DUP2, 1, 2),
    ]
    try:
        posix.posix_spawn(command[0], command, environ, file_actions=stdio, setsid=True)
    except NotImplementedError:
        # This C library cannot start a session; without one, at least leave the process group.
        posix.posix_spawn(command[0], command, environ, file_actions=stdio, setpgroup=0)
