"""What ties a judgment to one content of a file and one revision of a memory."""

from __future__ import annotations

import hashlib


def basis_of(question: str, revision: int, path: str, file_hash: str) -> str:
    """Return 32 hexadecimal digits that change with the question, the memory or the file."""
    text = "\n".join((question, str(revision), path, file_hash))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]
