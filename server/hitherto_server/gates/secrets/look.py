"""All looks at one text: the rules, the places and the names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hitherto_server.gates.secrets.assignments import find_assigned
from hitherto_server.gates.secrets.findings import disjoint, overlaps
from hitherto_server.gates.secrets.rules import rule_set
from hitherto_server.gates.secrets.shapes import find_shapes
from hitherto_server.gates.secrets.told import find_told

if TYPE_CHECKING:
    from hitherto_server.gates.secrets.findings import Finding

TAKEN_OUT = re.compile(r"\[redacted:[\w-]+\]")


def find_secrets(text: str) -> list[Finding]:
    """Return the secrets of a text, in order and disjoint; what was taken out is none."""
    named = (*find_assigned(text), *find_told(text))
    found = disjoint(find_shapes(text), rule_set().find(text), named)
    taken = [match.span() for match in TAKEN_OUT.finditer(text)]
    return [one for one in found if not overlaps(one, taken)]
