"""The approved plan under which a piece of a session was worked, as a line of that piece."""

from __future__ import annotations

from hitherto_server.core.text import opening_of

LEAD = "Under the plan: "
MOST_TITLE_CHARS = 120


def title_of(plan: str) -> str:
    """Return a plan's first heading or line."""
    lines = (line.strip().lstrip("#").strip(" *_") for line in plan.splitlines())
    return opening_of(" ".join(next(filter(None, lines), "").split()), MOST_TITLE_CHARS)


def with_plan(text: str, plan_id: str, title: str) -> str:
    """Return a piece's text with the plan behind its first line, which says what was asked."""
    first, gap, rest = text.partition("\n")
    return f"{first}\n{LEAD}{title} (memory {plan_id}){gap}{rest}"


def parted(text: str) -> tuple[str, str]:
    """Return a piece's text without the plan, and the plan; empty where there was none."""
    first, _, rest = text.partition("\n")
    line, gap, further = rest.partition("\n")
    if not line.startswith(LEAD):
        return text, ""
    return f"{first}{gap}{further}", line.removeprefix(LEAD)
