"""What a session seems to have said or shown, kept as a candidate until it is used or confirmed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import hitherto_contract as contract
from hitherto_server.gates.context import find_place, tie
from hitherto_server.gates.neighbours import Subject, look_by_words
from hitherto_server.gates.promotion import WAITS
from hitherto_server.gates.remember import draft
from hitherto_server.gates.secrets import redact
from hitherto_server.gates.writing import write
from hitherto_server.store.history import Evidence, put_support
from hitherto_server.store.memories import get_row

if TYPE_CHECKING:
    from hitherto_contract import RememberRequest
    from hitherto_server.gates.context import WriteContext
    from hitherto_server.gates.neighbours import Neighbourhood
    from hitherto_server.gates.writing import Written
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.history import Trust
    from hitherto_server.store.memories import NewMemory


@dataclass(frozen=True)
class Shown:
    """What shows that something was said: who speaks for it, in which words, when."""

    session_id: str
    body_hash: str
    """Of the event that carries it: the same event speaks once."""
    sentence: str
    trust: Trust
    at_ms: int


async def propose(
    context: WriteContext, request: RememberRequest, shown: Shown
) -> contract.Remembered | None:
    """Keep a candidate with what shows it; None where it holds a secret, and nothing is kept.

    What is known already is left as it is, and nobody is asked for a judgment.
    """
    if redact(request.content).changed or redact(shown.sentence).changed:
        return None
    place = await find_place(context, request, user_wide=request.scope == "user")
    new = replace(
        draft(context, request, place),
        anchors=await tie(context, request.content, request.files, place),
        tier="candidate",
        held_back_because=WAITS[shown.trust],
    )
    subject = Subject(new.project, new.content)
    around = await context.store.readers.run(lambda c: look_by_words(c, subject))
    written = await context.store.writer.run(lambda c: _write(c, new, request, around, shown))
    if written.stored:
        context.on_written()
    return contract.Remembered(
        id=written.id,
        revision=written.revision,
        outcome="stored" if written.stored else "already_known",
        scope=request.scope,
        project=place.project.name if place.project else None,
    )


def _write(
    connection: Connection,
    new: NewMemory,
    request: RememberRequest,
    around: Neighbourhood,
    shown: Shown,
) -> Written:
    written = write(connection, new, request, around, {})
    if written.stored:
        put_support(
            connection, get_row(connection, written.id)["number"], _evidence(shown), new.at_ms
        )
    return written


def _evidence(shown: Shown) -> Evidence:
    return Evidence(
        session_id=shown.session_id,
        body_hash=shown.body_hash,
        at_ms=shown.at_ms,
        detail="{}",
        sentence=shown.sentence,
        trust=shown.trust,
    )
