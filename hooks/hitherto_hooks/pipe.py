"""The fast path of a hook: stdin to the server, its answer to stdout, within one total deadline."""

# Only builtins and C modules are imported here: `json`, `socket` or `pathlib` would each cost as
# much as the whole round trip. `from __future__` would read a file too.
import _signal  # type: ignore[import-not-found]
import _socket
import posix
import time

PROTOCOL = b"1"
CONNECT_S = 0.05
TOTAL_S = {"UserPromptSubmit": 0.3, "Stop": 1.5, "SubagentStop": 1.5}
OTHER_TOTAL_S = 0.2
# Where the server's file says that a judge is asked; without one both are as quick as ever.
JUDGED_TOTAL_S = {"UserPromptSubmit": 1.2, "SubagentStart": 1.2}
# An approved plan is stored and compared with what was decided; other tools' events stay quick.
PLAN_S = 1.2
PLAN = b'"ExitPlanMode"'
# What the spool may take after the deadline has passed, and the end of everything that blocks.
GRACE_S = 0.3
CHUNK = 1 << 16
MAX_HEAD = 1 << 14
MAX_BODY = 1 << 20
UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"

Environ = dict[bytes, bytes]


def main(argv: list[str], environ: Environ) -> None:
    """Deliver one event and print the server's answer, or leave the event in the spool."""
    started_ns, started = time.time_ns(), time.monotonic()
    event, client = [*argv[1:3], "", ""][:2]
    total_s = total_of(event, environ)
    _signal.signal(_signal.SIGALRM, out_of_time)
    _signal.setitimer(_signal.ITIMER_REAL, total_s + GRACE_S)
    is_wanted = environ.get(b"HITHERTO_DISABLE") != b"1" and event.isascii() and event.isalpha()
    # Claude Code's hooks say nothing of their client
    name = f"{event}@{client}" if client.isascii() and client.isalpha() else event
    try:
        body = read_stdin()
        if event == "PostToolUse" and PLAN in body:
            total_s = PLAN_S
            _signal.setitimer(_signal.ITIMER_REAL, total_s + GRACE_S)
        if is_wanted and is_object(body):
            deliver(name, body, environ, started_ns, started=started, total_s=total_s)
    except TimeoutError:  # the alarm in the midst of anything else, as after a stop of this process
        if is_wanted:
            count_lost(data_home(environ))


def total_of(event: str, environ: Environ) -> float:
    """The seconds that an event may take in all."""
    if event in JUDGED_TOTAL_S and posix.access(data_home(environ) + b"/run/judged", 0):
        return JUDGED_TOTAL_S[event]
    return TOTAL_S.get(event, OTHER_TOTAL_S)


def deliver(
    name: str, body: bytes, environ: Environ, started_ns: int, *, started: float, total_s: float
) -> None:
    """Send one event and print the answer; without a delivery, set the event aside."""
    home = data_home(environ)
    if not home:
        return
    project = percent_encoded(environ.get(b"CLAUDE_PROJECT_DIR", b""))
    server = connect(home)
    if server is not None:
        request = request_of(name, body, started_ns, total_s, project)
        answer = exchange(server, request, started + total_s)
        if answer is not None:
            print_out(answer)
            return
    set_aside(home, name, started_ns, project, body)
    if server is None and name.partition("@")[0] == "SessionStart":
        start_server(home, environ)


def out_of_time(signum: int, frame: object) -> None:  # noqa: ARG001 - the signature of a handler
    """Interrupt whatever blocks."""
    raise TimeoutError


def read_stdin() -> bytes:
    """Everything on stdin, or nothing where it cannot be read to its end; raises out of time."""
    chunks = []
    try:
        while chunk := posix.read(0, CHUNK):
            chunks.append(chunk)
    except TimeoutError:
        raise
    except OSError:
        return b""
    return b"".join(chunks)


def is_object(text: bytes) -> bool:
    """Whether the text can be one JSON object, judged by its ends."""
    text = text.strip()
    return text.startswith(b"{") and text.endswith(b"}")


def data_home(environ: Environ) -> bytes:
    """The folder that holds socket and spool, as an absolute path; empty if nothing names it."""
    home = environ.get(b"HITHERTO_HOME") or b"~/.hitherto"
    if home.startswith(b"~/"):
        if not environ.get(b"HOME"):
            return b""
        home = environ[b"HOME"] + home[1:]
    return home if home.startswith(b"/") else posix.getcwdb() + b"/" + home


def percent_encoded(path: bytes) -> bytes:
    """The path in the characters that a header and a spool record can carry."""
    return b"".join([b"%c" % c if c in UNRESERVED else b"%%%02X" % c for c in path])


def connect(home: bytes) -> _socket.socket | None:
    """A connection to the server, or None where there is no server."""
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        server.settimeout(CONNECT_S)
        server.connect(socket_path(home))
    except OSError:
        server.close()
        return None
    return server


def socket_path(home: bytes) -> bytes:
    """Where the server listens: the place that it wrote down, or the usual one."""
    try:
        note = posix.open(home + b"/run/socket", posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return home + b"/run/server.sock"
    try:
        return posix.read(note, 4096).strip()
    finally:
        posix.close(note)


def request_of(name: str, body: bytes, started_ns: int, total_s: float, project: bytes) -> bytes:
    """The bytes that carry one event."""
    head = (
        b"POST /hook/%b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        b"Content-Type: application/json\r\nContent-Length: %d\r\n"
        b"X-Hitherto-Protocol: %b\r\nX-Hitherto-Time: %d\r\nX-Hitherto-Deadline-Ms: %d\r\n"
    ) % (name.encode(), len(body), PROTOCOL, started_ns, total_s * 1000)
    if project:
        head += b"X-Hitherto-Project: %b\r\n" % project
    return head + b"\r\n" + body


def exchange(server: _socket.socket, request: bytes, ends: float) -> bytes | None:
    """What the server wants printed (maybe nothing), or None where the event was not delivered."""
    received = b""
    try:
        server.settimeout(left_until(ends))
        server.sendall(request)
        while True:
            server.settimeout(left_until(ends))
            chunk = server.recv(CHUNK)
            received += chunk
            answer = answer_in(received)
            if answer is not None or not chunk:
                return answer
    except (OSError, ValueError):
        return None
    finally:
        server.close()


def left_until(ends: float) -> float:
    """The seconds that are left; raises once there are none."""
    left_s = ends - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    return left_s


def answer_in(received: bytes) -> bytes | None:
    """The body of a whole answer, None while bytes are missing; raises where it is not ours."""
    head, end, body = received.partition(b"\r\n\r\n")
    if not end:
        if len(received) > MAX_HEAD or not b"HTTP/1.1 20".startswith(received[:11]):
            raise ValueError
        return None
    status, *lines = head.lower().split(b"\r\n")
    headers = {name: value.strip() for name, _, value in [line.partition(b":") for line in lines]}
    if headers.get(b"x-hitherto-protocol") != PROTOCOL:
        raise ValueError
    if status.startswith(b"http/1.1 204"):
        return b""
    length = int(headers.get(b"content-length", b""))
    if not status.startswith(b"http/1.1 200") or not 0 < length <= MAX_BODY:
        raise ValueError
    if len(body) < length:
        return None
    if len(body) > length or not is_object(body):
        raise ValueError
    return body


def print_out(answer: bytes) -> None:
    """Write the answer to stdout, as far as somebody reads it."""
    try:
        while answer:
            answer = answer[posix.write(1, answer) :]
    except OSError:
        return


def set_aside(home: bytes, name: str, started_ns: int, project: bytes, body: bytes) -> None:
    """Leave the event where the server finds it, unless nothing is to be kept of it."""
    import masking  # type: ignore[import-not-found,unused-ignore]
    import spool  # type: ignore[import-not-found,unused-ignore]

    try:
        here = percent_encoded(posix.getcwdb())
    except OSError:  # the folder is gone
        here = b""
    if spool.is_left_alone(home, started_ns // 1_000_000, (project, here), body):
        return
    try:
        if len(body) <= spool.MAX_RECORD_BYTES:  # a larger one is not kept, and takes too long
            body = masking.without_secrets(body.replace(b"\n", b" "))
    except TimeoutError:
        spool.count_dropped(home + b"/spool")
    else:
        spool.append(home, name.encode(), started_ns, project, body)


def count_lost(home: bytes) -> None:
    """Count an event of which nobody knows how far it came."""
    import spool  # type: ignore[import-not-found,unused-ignore]

    if home:
        spool.count_dropped(home + b"/spool")


def start_server(home: bytes, environ: Environ) -> None:
    """Start the server in the background; it serves the events after this one."""
    import spawn  # type: ignore[import-not-found,unused-ignore]

    spawn.start(home, environ)
