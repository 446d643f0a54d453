"""Which project of one store is which of another: pure decisions over their names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hitherto_server.core.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Row = Mapping[str, Any]

PATH = "path"


@dataclass
class Matched:
    """For each project there its place among those here; None where it is not here yet."""

    places: dict[str, int | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def match_projects(
    there: Sequence[Row], here: Sequence[Row], told: Mapping[str, str] | None = None
) -> Matched:
    """Say which project is which: as told, by identity, folder, or a name that is one only."""
    matched = Matched()
    for old, new in (told or {}).items():
        matched.places[_told(there, old, "in the file")["identity"]] = _place(here, new)
    by_identity = {row["identity"]: place for place, row in enumerate(here)}
    once = _single_names(there) & _single_names(here)
    for row in there:
        identity = row["identity"]
        if identity in matched.places:
            continue
        place = by_identity.get(identity)
        if place is None:
            place = _alike(row, here, once)
            if place is not None:
                found = here[place]["identity"]
                matched.notes.append(
                    f"{row['name']} ({identity}) was taken for {found}; --map says otherwise"
                )
        matched.places[identity] = place
    return matched


def find_project(rows: Sequence[Row], named: str) -> int | None:
    """Return the place of the one project of that identity, folder or name."""
    for field_name in ("identity", "seen_root", "name"):
        found = [place for place, row in enumerate(rows) if row[field_name] == named]
        if len(found) == 1:
            return found[0]
    return None


def _alike(row: Row, here: Sequence[Row], once: set[str]) -> int | None:
    for place, other in enumerate(here):
        if not _may_be_one(row["identity"], other["identity"]):
            continue
        if row["seen_root"] == other["seen_root"]:
            return place
        if row["name"] == other["name"] and row["name"] in once:
            return place
    return None


def _may_be_one(first: str, second: str) -> bool:
    """Two remotes, or two histories, are two projects; a folder alone says little."""
    kinds = {first.partition(":")[0], second.partition(":")[0]}
    return len(kinds) == 2 or kinds == {PATH}  # noqa: PLR2004 - of two names


def _single_names(rows: Sequence[Row]) -> set[str]:
    counts = Counter(row["name"] for row in rows)
    return {name for name, count in counts.items() if count == 1}


def _told(rows: Sequence[Row], named: str, where: str) -> Row:
    place = find_project(rows, named)
    if place is None:
        names = ", ".join(sorted({row["name"] for row in rows})) or "none"
        message = f"--map: no project {named[:100]!r} {where}, or more than one; there are: {names}"
        raise InvalidInput(message, mend="Name projects by folder or identity: --map OLD=NEW.")
    return rows[place]


def _place(rows: Sequence[Row], named: str) -> int:
    return list(rows).index(_told(rows, named, "here"))
