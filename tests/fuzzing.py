"""What the fuzz tests share: how long they search, and JSON as no good client sends it."""

from __future__ import annotations

import json
import os
from contextlib import closing
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from hitherto_server.store.check import disagreements
from hitherto_server.store.driver import open_raw

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypothesis.strategies import SearchStrategy
    from tests.server_process import ServerProcess

# read at import: the guard takes it out of the environment before a test sees it
TIMES = int(os.environ.get("HITHERTO_FUZZ", "1"))
"""How many times as long as in CI; from 2 on each run takes another course."""

ODD_TEXTS = (
    "",
    " ",
    "\x00",
    "a\x00b",
    "\ud800",
    "\udfff tail",
    "x" * 20_001,
    "../../etc/passwd",
    "/proc/self/environ",
    "\u202e\u200b",
    "'; DROP TABLE memory; --",
    "%00",
    "{{7*7}}",
    "\N{GRINNING FACE}" * 300,
)
ODD_NUMBERS = (0, -1, 2**31, 2**63, -(2**63) - 1, 10**400, 1e308, 5.5)
ODD_TOKENS = ("NaN", "Infinity", "-Infinity", "1e999", "-0", "9" * 5000)
"""Numbers that a parser may take and no float or column holds; put in as they are."""


def profile(examples: int) -> settings:
    """Return how a fuzz test searches: in CI always the same examples."""
    return settings(
        max_examples=examples * TIMES,
        derandomize=TIMES == 1,
        database=None,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )


def texts() -> SearchStrategy[str]:
    """Any text, lone surrogates and NULs among it, and the odd ones more often."""
    return st.one_of(st.text(max_size=60), st.text(st.characters()), st.sampled_from(ODD_TEXTS))


def values(leaves: int = 12) -> SearchStrategy[Any]:
    """Any JSON value."""
    numbers = st.one_of(st.integers(), st.floats(), st.sampled_from(ODD_NUMBERS))
    simple = st.one_of(st.none(), st.booleans(), numbers, texts())
    return st.recursive(
        simple,
        lambda inner: st.one_of(
            st.lists(inner, max_size=5), st.dictionaries(texts(), inner, max_size=5)
        ),
        max_leaves=leaves,
    )


def objects(names: Sequence[str], always: dict[str, Any] | None = None) -> SearchStrategy[Any]:
    """Objects with fields of these names, of any type, some missing and some unknown."""
    known = st.dictionaries(st.sampled_from(list(names)), values(), max_size=len(names))
    unknown = st.dictionaries(texts(), values(4), max_size=2)
    return st.builds(lambda u, k: {**u, **(always or {}), **k}, unknown, known)


def written(value: Any) -> bytes:
    """A value as JSON; what Python would refuse to encode is escaped."""
    return json.dumps(value).encode()


@st.composite
def broken(draw: st.DrawFn, whole: SearchStrategy[bytes]) -> bytes:
    """A JSON text that was cut, doubled, or changed in a byte or a number."""
    text = draw(whole)
    at = draw(st.integers(0, len(text)))
    some = draw(st.binary(max_size=40))
    token = draw(st.sampled_from(ODD_TOKENS)).encode()
    depth = draw(st.sampled_from([50, 990, 100_000]))
    ways = [
        text[:at],
        text[:at] + some + text[at:],
        text[:at] + some + text[at + len(some) :],
        text.replace(b"null", token),
        text.replace(b"null", b"[" * depth + b"]" * depth),
        text + text,
        b"\xef\xbb\xbf" + text,
    ]
    return draw(st.sampled_from(ways))


def assert_sound(server: ServerProcess) -> None:
    """Hold a server to having met no bug and its store to saying one thing."""
    assert server.get("/health").status == 200
    assert server.tracebacks() == []
    assert "a bug met" not in server.log
    with closing(open_raw(server.database)) as connection:
        assert disagreements(connection) == []
