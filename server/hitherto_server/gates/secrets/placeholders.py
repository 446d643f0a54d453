"""What stands where a secret would: placeholders, and values that open nothing."""

from __future__ import annotations

import re
from collections import Counter

REFERENCE = re.compile(
    r"""
      \[redacted | ^<.*>$ | <[\w .:-]+> | \$\{ | \{\{ | ^\$[A-Za-z_(] | ^%[\w]+%$ | ^@\w+@$
    | \*{3} | \.{3} | … | \{\w[\w.()]*\} | ^\{\}$ | ^\#\{ | ^!Ref\b | ^arn:
    | (?:^|[^\w])(?:os\.environ|process\.env|getenv|env\[|ENV\[|secrets\.|vault:|op://|var\.|data\.)
    """,
    re.VERBOSE,
)
STAND_IN = re.compile(
    r"""
    example | sample | placeholder | change[-_. ]?(?:me|it|this) | dummy | redacted | removed
  | masked | undefined | goes[-_. ]here | foobar | lorem
  | \breplace(?:[-_. ]?(?:me|this|with))? | \bnot[-_. ](?:set|a[-_. ]real|real|used)
  | (?<![a-z0-9])your(?:s|self)?(?=[-_. ]|(?-i:[A-Z])|\Z)
  | (?<![a-z0-9])my[-_. ]?(?:secret|password|token|key|api)
  | (?<![a-z0-9])some[-_. ]?(?:secret|password|token|key|value)
  | (?<![a-z0-9])(?:fake|insert|hidden|todo|tbd|fixme|foo|none|null|unset|empty|here)(?![a-z0-9])
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Words that say that the real one goes here; a short one only by itself: chance spells it too."""
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
DIGEST = re.compile(
    r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})",
    re.IGNORECASE,
)
INTEGRITY = re.compile(r"(?:sha(?:1|256|384|512)[-:]|md5[-:]|h1:)[A-Za-z0-9+/=_-]{20,}")
RUN = 8
SEQUENCES = (
    "abcdefghijklmnopqrstuvwxyz",
    "zyxwvutsrqponmlkjihgfedcba",
    "01234567890123456789",
    "98765432109876543210",
    "qwertyuiop",
)
MOST_OF_ONE = 0.5


def is_placeholder(value: str) -> bool:
    """Tell whether a value only shows where a secret would stand."""
    if REFERENCE.search(value) or STAND_IN.search(value):
        return True
    return is_repetitive(value) or _is_sequence(value.lower())


def is_repetitive(value: str) -> bool:
    """Tell whether a value is filled up with one character."""
    body = max(re.split(r"[_-]", value.lower()), key=len)
    return not body or Counter(body).most_common(1)[0][1] > len(body) * MOST_OF_ONE


def _is_sequence(value: str) -> bool:
    windows = {value[at : at + RUN] for at in range(len(value) - RUN + 1)}
    return any(window in sequence for sequence in SEQUENCES for window in windows)


def is_harmless(value: str) -> bool:
    """Tell whether a value has the shape of what is no secret: a UUID, a digest, a number."""
    return bool(
        UUID.fullmatch(value)
        or DIGEST.fullmatch(value)
        or INTEGRITY.match(value)
        or re.fullmatch(r"[\d.,:_+-]+", value)
    )
