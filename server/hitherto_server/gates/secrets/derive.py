"""Derives `rules.json` from gitleaks' own rule file: `python -m …secrets.derive gitleaks.toml`."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

RULES = Path(__file__).with_name("rules.json")

LEADING_NAME = re.compile(r"(\(\?i\))?\[\\w\.-\]\{0,50\}\?")
"""What gitleaks lets stand before a vendor's name: it is never redacted, and costs most."""
ENDS_BY = r"""(?:[\x60'"\s;]|\\[nr]|$)"""
"""What must follow a value in a file; in a sentence it is a comma or a full stop as well."""
FLAG_INSIDE = "(?i)"
TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)
"""An escape, a whole set, or one character."""
PUBLIC = re.compile(r"-(client-id|access-id|public-key|pub-key|publishable-api-key)$")
"""Families that are public by their nature: an id or a public key opens nothing."""
LEFT_OUT = {
    "generic-api-key": "assignments.py decides, with the name's words",
    "hashicorp-tf-password": "assignments.py decides",
    "kubernetes-secret-yaml": "assignments.py decides",
    "pkcs12-file": "names a file, not a text",
    "private-key": "shapes.py takes the whole block, also one that was cut",
    "jwt": "shapes.py, which also reads a cut one",
    "curl-auth-header": "shapes.py takes every header, not only curl's",
    "curl-auth-user": "assignments.py takes it, in time in proportion to the text",
}


def derive(upstream: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rules that are kept, in Python's spelling of regular expressions."""
    return [
        _derived(rule)
        for rule in upstream["rules"]
        if rule["id"] not in LEFT_OUT and not PUBLIC.search(rule["id"])
    ]


def _derived(rule: dict[str, Any]) -> dict[str, Any]:
    pattern, contextual = _without_leading_name(rule["regex"])
    allowed = [
        pattern
        for allowlist in rule.get("allowlists", ())
        if "paths" not in allowlist and allowlist.get("regexTarget", "secret") == "secret"
        for pattern in allowlist.get("regexes", ())
    ]
    return {
        "kind": rule["id"],
        "pattern": python_spelling(pattern.replace(ENDS_BY, r"(?![\w/+=-])")),
        "group": rule.get("secretGroup", 0),
        "keywords": [word.lower() for word in rule["keywords"]],
        "entropy": rule.get("entropy", 0),
        "contextual": contextual,
        "allowed": [python_spelling(one) for one in allowed],
    }


def _without_leading_name(pattern: str) -> tuple[str, bool]:
    found = LEADING_NAME.match(pattern)
    if found is None:
        return pattern, False
    inner = pattern[found.end() :].replace("(?i:[\\w.-]{0,50}?", "(?i:", 1)
    return (found[1] or "") + inner, True


def python_spelling(pattern: str) -> str:
    """Return a Go (RE2) expression as Python reads it: each flag has a group of its own."""
    pattern = pattern.replace(r"\z", r"\Z")
    leading = FLAG_INSIDE if pattern.startswith(FLAG_INSIDE) else ""
    rest = "".join(_escaped(token) for token in TOKEN.findall(pattern[len(leading) :]))
    if leading:
        return leading + rest.replace(FLAG_INSIDE, "")
    while FLAG_INSIDE in rest:
        rest = _scoped(rest)
    return rest


def _escaped(token: str) -> str:
    """Escape a bracket inside a set: Python would warn that it may begin a set of its own."""
    if not token.startswith("["):
        return token
    return "[" + re.sub(r"(?<!\\)\[", r"\\[", token[1:])


def _scoped(pattern: str) -> str:
    """Give a flag in the middle a group of its own, up to the end of the group that it is in."""
    at = pattern.index(FLAG_INSIDE)
    end = _end_of_group(pattern, at + len(FLAG_INSIDE))
    return f"{pattern[:at]}(?i:{pattern[at + len(FLAG_INSIDE) : end]}){pattern[end:]}"


def _end_of_group(pattern: str, start: int) -> int:
    depth = 0
    for found in TOKEN.finditer(pattern, start):
        depth += (found[0] == "(") - (found[0] == ")")
        if depth < 0:
            return found.start()
        if found[0] == "|" and depth == 0:
            message = f"a flag before an alternation: {pattern}"
            raise ValueError(message)
    return len(pattern)


def main(source: str) -> None:
    """Write `rules.json` from a rule file of gitleaks."""
    rules = derive(tomllib.loads(Path(source).read_text(encoding="utf-8")))
    for rule in rules:
        re.compile(rule["pattern"])
    RULES.write_text(json.dumps(rules, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
