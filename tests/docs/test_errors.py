"""docs/errors.md explains every code that can be met, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from tests.documented_errors import documented

import hitherto_mcp
import hitherto_server
from hitherto_server.core.errors import HithertoError

RAISED_BY_NAME = re.compile(r'(?:ServerSaid|failed)\(\s*"([a-z_]+)"')


def kinds(base: type[HithertoError] = HithertoError) -> list[type[HithertoError]]:
    found = [kind for kind in base.__subclasses__() if ".core.errors." in kind.__module__]
    return [base, *(kind for child in found for kind in kinds(child))]


def codes_by_name() -> set[str]:
    """Codes that are written where they are raised: MCP has no tree of errors."""
    roots = [Path(package.__path__[0]) for package in (hitherto_mcp, hitherto_server)]
    sources = [path.read_text() for root in roots for path in root.rglob("*.py")]
    return {code for source in sources for code in RAISED_BY_NAME.findall(source)}


def test_every_code_of_the_error_tree_is_explained_with_its_status() -> None:
    told = {kind.code: str(kind.status) for kind in kinds() if "code" in vars(kind)}
    assert documented() == told


def test_every_code_that_mcp_says_is_explained() -> None:
    assert codes_by_name()
    assert codes_by_name() <= documented().keys()


def test_no_two_errors_share_a_code() -> None:
    own = [kind.code for kind in kinds() if "code" in vars(kind)]
    assert len(own) == len(set(own))


def test_every_error_says_what_mends_it() -> None:
    assert all(kind("x").mend.strip().endswith((".", "`")) for kind in kinds())
