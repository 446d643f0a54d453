"""What a person changed at run time: one row, a section for each part of the server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection

Section = Literal["judge"]

sql = load_queries("config")


def read_section(connection: Connection, section: Section) -> dict[str, Any]:
    """Return what is set in a section; nothing of it: an empty map."""
    row = connection.execute(sql["document"]).fetchone()
    try:
        found = json.loads(row[0]).get(section) if row else None
    except (ValueError, AttributeError):  # written by somebody else
        found = None
    return found if isinstance(found, dict) else {}


def put_section(
    connection: Connection, section: Section, value: dict[str, Any], at_ms: int
) -> None:
    """Set a section."""
    values = {"section": section, "value": json.dumps(value), "at_ms": at_ms}
    connection.execute(sql["put_section"], values)
