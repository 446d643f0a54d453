"""Routes over what memory was worth, and the kinds of notices that fell silent."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from starlette.responses import Response

from hitherto_contract import WorthAgainRequest, WorthReply, WorthRequest
from hitherto_contract.worth import (
    GivenView,
    RateView,
    RecallsView,
    SessionWorthView,
    TokensView,
)
from hitherto_server.api.memories import Wired
from hitherto_server.api.replies import json_response
from hitherto_server.core.errors import NotFound
from hitherto_server.store import shown
from hitherto_server.store import worth as rows
from hitherto_server.store.sessions import find_session

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hitherto_server.services import Services
    from hitherto_server.store.driver import Connection, Row

router = APIRouter(prefix="/v1")

COUNTED = {"used": "useful", "ignored": "ignored", "unclear": "unclear"}


@router.post("/worth")
async def worth(asked: WorthRequest, services: Wired) -> Response:
    """Say what memory was worth."""
    return json_response(await worth_reply(services, asked))


@router.post("/worth/again")
async def again(asked: WorthAgainRequest, services: Wired) -> Response:
    """Let a kind of notice speak again."""
    at_ms = services.clock()
    await services.store.writer.run(lambda c: shown.switch_on(c, asked.kind, at_ms=at_ms))
    tally = await services.store.readers.run(partial(shown.tally, kind=asked.kind))
    return json_response(rate_view(tally))


async def worth_reply(services: Services, asked: WorthRequest) -> WorthReply:
    """Look at the session anew, and return it beside all others of its project."""
    found = await services.projects.find(asked.project_dir) if asked.project_dir else None
    project = None if found is None else found.number
    read = services.store.readers.run
    session_id = asked.session_id or await read(partial(rows.find_latest, project=project))
    if asked.session_id is not None:
        await read(partial(_refuse_unknown, session_id=asked.session_id))
    if session_id is not None and services.settings.worth:
        await services.worth.look(session_id)
    return await read(partial(_reply, session_id=session_id, project=project))


def _refuse_unknown(connection: Connection, session_id: str) -> None:
    if find_session(connection, session_id) is None:
        message = f"there is no session {session_id}"
        raise NotFound(message, mend="`hitherto worth` alone takes the last one here.")


def _reply(connection: Connection, session_id: str | None, project: int | None) -> WorthReply:
    costs = rows.sum_costs(connection, project)
    return WorthReply(
        session=None if session_id is None else _session(connection, session_id),
        recalls=_recalls(rows.list_totals(connection, project)),
        tokens=_tokens(costs),
        sessions=costs["sessions"],
        notices=[rate_view(one) for one in shown.list_tallies(connection)],
    )


def _session(connection: Connection, session_id: str) -> SessionWorthView:
    given = rows.list_outcomes(connection, session_id)
    counted = [{**dict(row), "times": 1} for row in given]
    return SessionWorthView(
        session_id=session_id,
        recalls=_recalls(counted),
        tokens=_tokens(rows.find_cost(connection, session_id)),
        given=[GivenView(**{name: row[name] for name in GivenView.model_fields}) for row in given],
    )


def _recalls(counted: Iterable[Row | Mapping[str, Any]]) -> RecallsView:
    counts: Counter[str] = Counter()
    for row in counted:
        name = COUNTED.get(row["outcome"]) or row["blame"]
        counts[name] += row["times"]
        counts["injected_tokens"] += row["tokens"] or 0
    return RecallsView(**counts)


def _tokens(row: Row | None) -> TokensView:
    known = {} if row is None else dict(row)
    return TokensView(
        input=known.get("input_tokens"),
        output=known.get("output_tokens"),
        cache_creation=known.get("cache_creation_tokens"),
        cache_read=known.get("cache_read_tokens"),
        replies=known.get("replies"),
        replies_that_do_not_say=known.get("silent_replies"),
    )


def rate_view(tally: shown.Tally) -> RateView:
    """Return how often a kind was right, as it is told."""
    times = {name: tally.times.get(name, 0) for name in ("right", "heeded", "wrong", "ignored")}
    return RateView(
        kind=tally.kind,
        **times,
        unclear=tally.times.get("unclear", 0),
        open=tally.times.get("", 0),
        rate=None if tally.rate is None else round(tally.rate, 3),
        silent_because=tally.silent_because,
    )
