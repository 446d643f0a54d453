"""`wrong`: a person's word on an injection, and what follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hitherto_contract as contract
from hitherto_server.core.errors import InvalidInput, NotFound
from hitherto_server.recall.feedback import DEMOTED_AT
from hitherto_server.store import feedback

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_contract.control import WrongMemory, WrongReply
    from hitherto_server.store.driver import Connection, Row
    from hitherto_server.store.feedback import Aim

HERE = "not given again in this session"
NOWHERE = "given unasked in no session until it is edited, confirmed, or this is undone"
AGAIN = "may be given again"


def mark(
    connection: Connection, aim: Aim, *, reason: str | None, said_by: str, at_ms: int
) -> WrongReply:
    """Keep that the injection which is meant was wrong; raises NotFound where there is none."""
    given = feedback.find_last_given(connection, aim)
    if given is None:
        message = f"nothing was injected {_where(aim)}"
        raise NotFound(message, mend="See `hitherto why`.")
    told = feedback.list_given(connection, given["admission"], aim)
    _refuse_several(told, aim)
    for one in told:
        feedback.say_wrong(connection, given, one, reason=reason, said_by=said_by, at_ms=at_ms)
    return contract.WrongReply(
        session_id=given["session_id"],
        query=given["query"],
        at_ms=given["decided_at_ms"],
        undone=False,
        memories=_marked(connection, told, here=True),
    )


def unmark(connection: Connection, aim: Aim, *, at_ms: int) -> WrongReply:
    """Take back what was said last; raises NotFound where nothing stands."""
    said = feedback.list_last_said(connection, aim)
    if not said:
        message = f"nothing is marked as wrong {_where(aim)}"
        raise NotFound(message, mend="See `hitherto why`.")
    _refuse_several(said, aim)
    feedback.undo(connection, [row["feedback_id"] for row in said], at_ms)
    return contract.WrongReply(
        session_id=said[0]["session_id"],
        query=None,
        at_ms=said[0]["said_at_ms"],
        undone=True,
        memories=_marked(connection, said, here=False),
    )


def _refuse_several(told: Sequence[Row], aim: Aim) -> None:
    if aim.memory is not None and len(told) > 1:
        message = f"{len(told)} memories begin with {aim.memory}"
        raise InvalidInput(message, mend="Give more of the id.")


def _where(aim: Aim) -> str:
    if aim.memory is not None:
        return f"of memory {aim.memory}"
    if aim.session_id is not None:
        return f"in session {aim.session_id[:100]}"
    return "in this project" if aim.project is not None else "yet"


def _marked(connection: Connection, told: Sequence[Row], *, here: bool) -> list[WrongMemory]:
    counts = feedback.wrong_sessions(connection, [row["memory_number"] for row in told])
    marked = []
    for row in told:
        sessions = counts.get(row["memory_number"], 0)
        effect = NOWHERE if sessions >= DEMOTED_AT else HERE if here else AGAIN
        marked.append(
            contract.WrongMemory(
                id=row["id"], opening=row["opening"], wrong_sessions=sessions, effect=effect
            )
        )
    return marked
