"""What clean-up reads and writes: its lists, its scores, and what was done with what they offer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hitherto_server.store.driver import Connection, Row

sql = load_queries("cleaning")

What = Literal["change", "confirm", "relate", "decide", "dissolve", "dismiss"]
WRONG_AT = 2
"""In so many sessions a memory was said to be wrong: it keeps being false."""
BY_ITSELF = "worth"
"""Who sets aside what keeps being false."""
MOST_SET_ASIDE = 20
LAST = 2**62
"""Before it comes everything."""
BY_RULES = "rule"
"""Who takes back what may be said again."""
MACHINES = frozenset({"rule", "judge"})
"""What they take back may be said again; so nobody who acts may bear their names."""


@dataclass(frozen=True)
class Wanted:
    """Which part of a list is wanted: of some projects (None: of all), or these entries alone."""

    projects: Sequence[int] | None = None
    only: Sequence[int] | None = None
    most: int = 50

    def values(self) -> dict[str, Any]:
        """Return it as queries take it."""
        return {
            "projects": None if self.projects is None else json.dumps(list(self.projects)),
            "only": None if self.only is None else json.dumps(list(self.only)),
            "most": self.most,
        }


@dataclass(frozen=True)
class Step:
    """One thing that an action did to a memory, and what an undo needs to know of it."""

    what: What
    number: int
    revision: int
    """That it left the memory at."""
    relation: int | None = None
    detail: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class NewScore:
    """What was judged of a memory at one revision."""

    number: int
    revision: int
    answer: str
    probability: float
    basis_hash: str


def list_pairs(
    connection: Connection, kind: str, wanted: Wanted, *, before: int = LAST
) -> list[Row]:
    """Return live pairs of a kind that nobody settled, the latest first."""
    values = {**wanted.values(), "kind": kind, "before": before}
    return connection.execute(sql["pairs"], values).fetchall()


def list_replaced(connection: Connection, wanted: Wanted, *, before: int = LAST) -> list[Row]:
    """Return what rules and judgments replaced and nobody has looked at, the latest first."""
    return connection.execute(sql["replaced"], {**wanted.values(), "before": before}).fetchall()


def list_copies(connection: Connection, wanted: Wanted, *, after: int = 0) -> list[Row]:
    """Return the memories of projects that say what another one says everywhere."""
    return connection.execute(sql["copies"], {**wanted.values(), "after": after}).fetchall()


def list_expendable(
    connection: Connection, wanted: Wanted, *, unimportant: int, old_ms: int
) -> list[Row]:
    """Return what may be expendable, that for which most speaks first."""
    values = {**wanted.values(), "unimportant": unimportant, "old_ms": old_ms, "wrong": WRONG_AT}
    return connection.execute(sql["expendable"], values).fetchall()


def list_false(connection: Connection, *, until_ms: int) -> list[int]:
    """Return what keeps being false and was last said to be wrong before a time."""
    values = {"until_ms": until_ms, "wrong": WRONG_AT, "most": MOST_SET_ASIDE}
    return [row["number"] for row in connection.execute(sql["false"], values)]


def list_set_aside(connection: Connection, *, since_ms: int) -> list[Row]:
    """Return what was set aside of its own since a time: action, memory and how that begins."""
    values = {"actor": BY_ITSELF, "since_ms": since_ms, "most": MOST_SET_ASIDE}
    return connection.execute(sql["set_aside"], values).fetchall()


def list_scores(connection: Connection, numbers: Iterable[int]) -> dict[int, Row]:
    """Return the latest score of each of some memories that has one."""
    values = {"numbers": json.dumps(list(numbers))}
    return {row["number"]: row for row in connection.execute(sql["scores"], values)}


def put_scores(connection: Connection, scores: Iterable[NewScore], *, at_ms: int) -> None:
    """Keep scores instead of those before; what has changed since it was judged gets none."""
    for one in scores:
        values = {**vars(one), "judged_at_ms": at_ms}
        connection.execute(sql["drop_score"], values)
        connection.execute(sql["put_score"], values)


def list_anchored(connection: Connection, wanted: Wanted, *, after: int = 0) -> list[int]:
    """Return live memories that are tied to files, by their numbers."""
    rows = connection.execute(sql["anchored"], {**wanted.values(), "after": after})
    return [row["number"] for row in rows]


def list_members(connection: Connection, numbers: Iterable[int]) -> dict[int, Row]:
    """Return what is shown of some memories."""
    values = {"numbers": json.dumps(list(numbers))}
    return {row["number"]: row for row in connection.execute(sql["members"], values)}


def list_dismissed(
    connection: Connection, which: str, numbers: Iterable[int]
) -> set[tuple[int, str]]:
    """Return what of some memories was dismissed from a list."""
    values = {"list": which, "numbers": json.dumps(list(numbers))}
    return {
        (row["number"], str(row["what"])) for row in connection.execute(sql["dismissed"], values)
    }


def category_names(connection: Connection, numbers: Iterable[int]) -> dict[int, str]:
    """Return the paths of some categories."""
    rows = connection.execute(sql["category_names"], {"ids": json.dumps(list(set(numbers)))})
    return {row["id"]: str(row["name"]) for row in rows}


def put_recalled(connection: Connection, counts: Mapping[str, int], *, at_ms: int) -> None:
    """Count how often memories (by their ids) were given to somebody who asked."""
    values = {"counts": json.dumps(list(counts.items())), "at_ms": at_ms}
    connection.execute(sql["put_recalled"], values)


def put_action(
    connection: Connection, which: str, deed: str, steps: Iterable[Step], *, actor: str, at_ms: int
) -> int:
    """Note what somebody did with a list, and return the action's number."""
    values = {"list": which, "deed": deed, "actor": actor, "at_ms": at_ms}
    number = int(connection.execute(sql["put_action"], values).fetchone()[0])
    for step in steps:
        values = {
            "action_id": number,
            "what": step.what,
            "number": step.number,
            "revision": step.revision,
            "relation_id": step.relation,
            "detail": json.dumps(dict(step.detail or {})),
        }
        connection.execute(sql["put_step"], values)
    return number


def find_action(connection: Connection, number: int) -> Row | None:
    """Return an action, if there was one."""
    row: Row | None = connection.execute(sql["action"], {"id": number}).fetchone()
    return row


def list_steps(connection: Connection, action: int) -> list[Row]:
    """Return what an action did, the last first."""
    return connection.execute(sql["steps"], {"id": action}).fetchall()


def mark_undone(connection: Connection, action: int, *, actor: str, at_ms: int) -> None:
    """Note that an action was taken back."""
    connection.execute(sql["undo_action"], {"id": action, "actor": actor, "at_ms": at_ms})


def list_actions(connection: Connection, *, before: int = LAST, most: int = 50) -> list[Row]:
    """Return actions, the latest first."""
    return connection.execute(sql["actions"], {"before": before, "most": most}).fetchall()


def relate_once(
    connection: Connection,
    kind: str,
    *,
    newer: int,
    older: int,
    said_by: str,
    at_ms: int,
    reason: str,
) -> int | None:
    """Say what two memories are to each other; None if that is said already."""
    values = {"kind": kind, "newer": newer, "older": older, "said_by": said_by, "reason": reason}
    row = connection.execute(sql["relate"], {**values, "at_ms": at_ms}).fetchone()
    return None if row is None else int(row[0])


def find_relation(connection: Connection, number: int) -> Row | None:
    """Return a relation, if there is one of that number."""
    row: Row | None = connection.execute(sql["relation"], {"id": number}).fetchone()
    return row


def decide(connection: Connection, relation: int, at_ms: int | None) -> None:
    """Note that somebody settled what a relation says; None: it is open again."""
    connection.execute(sql["decide"], {"id": relation, "at_ms": at_ms})


def dissolve(connection: Connection, relation: int, *, actor: str, at_ms: int) -> None:
    """Take a relation back; what somebody takes back, no job says again."""
    connection.execute(sql["dissolve"], {"id": relation, "actor": actor, "at_ms": at_ms})


def revive(connection: Connection, relation: int) -> None:
    """Let a relation stand again that was taken back, unless the same was said since."""
    connection.execute(sql["revive"], {"id": relation})


def release(connection: Connection, relation: int, *, at_ms: int) -> None:
    """Let rules and judgments say again what somebody had taken back."""
    revive(connection, relation)
    dissolve(connection, relation, actor=BY_RULES, at_ms=at_ms)


def set_confirmed(
    connection: Connection, number: int, at_ms: int | None, commit: str | None
) -> None:
    """Put back when and where a memory was confirmed."""
    values = {"number": number, "confirmed_at_ms": at_ms, "confirmed_commit": commit}
    connection.execute(sql["set_confirmed"], values)
