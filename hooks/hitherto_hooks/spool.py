"""Where events wait for a server: an append-only file, one record a line, bounded."""

import fcntl
import posix

MAX_BYTES = 16 << 20
MAX_RECORD_BYTES = 2 << 20
MAX_HEAD_BYTES = 1 << 14
MAX_QUIET_BYTES = 1 << 20
QUIET_FIELDS = 3
APPEND = posix.O_RDWR | posix.O_APPEND | posix.O_CREAT | posix.O_CLOEXEC


def append(home: bytes, event: bytes, time_ns: int, project: bytes, body: bytes) -> None:
    """Add one event, or count it as dropped where it does not fit or cannot be written."""
    folder = home + b"/spool"
    record = b"%b\t%d\t%b\t%b\n" % (event, time_ns, project, body.replace(b"\n", b" "))
    try:
        if not append_record(folder, record):
            count_dropped(folder)
    except OSError:
        count_dropped(folder)


def is_left_alone(home: bytes, now_ms: int, folders: tuple[bytes, ...], body: bytes) -> bool:
    """Whether the server noted that the session or one of the folders is paused or ignored."""
    try:
        file = posix.open(home + b"/run/quiet", posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return False
    try:
        lines = posix.read(file, MAX_QUIET_BYTES).split(b"\n")
    finally:
        posix.close(file)
    for line in lines:
        fields = line.split(b"\t")
        if len(fields) != QUIET_FIELDS or not fields[0].isdigit():
            continue
        until_ms, kind, name = int(fields[0]), fields[1], fields[2]
        if 0 < until_ms <= now_ms:
            continue
        if kind == b"session" and b'"%b"' % name in body:
            return True
        if kind == b"path" and any((folder + b"/").startswith(name + b"/") for folder in folders):
            return True
    return False


def append_record(folder: bytes, record: bytes) -> bool:
    """Whether the record was written, whole."""
    file = open_locked(folder)
    try:
        size = posix.fstat(file).st_size
        # A writer that was killed half-way left a torn line: end it, or it would swallow this one.
        if size and posix.pread(file, 1, size - 1) != b"\n":
            record = b"\n" + record
        if len(record) > MAX_RECORD_BYTES + MAX_HEAD_BYTES or size + len(record) > MAX_BYTES:
            return False
        written = posix.write(file, record)
        if written < len(record):
            posix.ftruncate(file, size)
            return False
        return True
    finally:
        posix.close(file)


def open_locked(folder: bytes) -> int:
    """The spool's file under its lock, also when the server moves it away meanwhile."""
    path = folder + b"/events"
    while True:
        file = open_or_make(path, folder)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            if is_still_at(path, file):
                return file
        except BaseException:
            posix.close(file)
            raise
        posix.close(file)


def open_or_make(path: bytes, folder: bytes) -> int:
    """The file, in a folder that is made where it is missing."""
    try:
        return posix.open(path, APPEND, 0o600)
    except FileNotFoundError:
        for missing in (folder.rpartition(b"/")[0], folder):
            try:
                posix.mkdir(missing, 0o700)
            except FileExistsError:
                continue
        return posix.open(path, APPEND, 0o600)


def is_still_at(path: bytes, file: int) -> bool:
    """Whether the path still leads to the open file."""
    mine = posix.fstat(file)
    try:
        there = posix.stat(path)
    except FileNotFoundError:
        return False
    return (mine.st_ino, mine.st_dev) == (there.st_ino, there.st_dev)


def count_dropped(folder: bytes) -> None:
    """Count one lost event: with each the file `dropped` grows by a byte, or on a full disk `lost`.

    The server has made `lost` ahead: its first block takes more bytes where nothing else does.
    """
    places = (
        (folder + b"/dropped", APPEND),
        (folder.rpartition(b"/")[0] + b"/run/lost", APPEND & ~posix.O_CREAT),
    )
    for path, flags in places:
        try:
            file = posix.open(path, flags, 0o600)
            try:
                posix.write(file, b".")
            finally:
                posix.close(file)
        except OSError:
            continue
        return
