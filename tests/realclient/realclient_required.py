"""What a test does when the real client can't be had: it skips, or fails where it must run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from realclient_install import ClientMissing, find_claude

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def require_claude(environ: Mapping[str, str]) -> Path:
    """Return the client's binary, or skip the test; HITHERTO_REQUIRE_CLIENT=1 makes it fail."""
    match find_claude(environ):
        case ClientMissing(reason) if environ.get("HITHERTO_REQUIRE_CLIENT") == "1":
            pytest.fail(f"the real client is required: {reason}")
        case ClientMissing(reason):
            pytest.skip(f"no real client: {reason}")
        case path:
            return path
