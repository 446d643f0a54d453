"""What memory was worth: to one session, and as a whole. Null is not known, and never none."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from hitherto_contract.base import Wire
from hitherto_contract.memories import EpochMs, Placed

NoticeKind = Annotated[str, StringConstraints(min_length=1, max_length=80, pattern=r"^[a-z:-]+$")]


class WorthRequest(Placed):
    """What is asked for: a session, else the project's last one."""

    session_id: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None


class WorthAgainRequest(Wire):
    """Let a kind of notice speak again that fell silent."""

    kind: NoticeKind


class GivenView(Wire):
    """What became of one memory that a session was given."""

    id: str
    opening: str
    revision: int
    agent: str
    standing: str | None
    tokens: int | None
    given_at_ms: EpochMs
    outcome: Literal["used", "contradicted", "ignored", "unclear"]
    blame: Literal["false", "stale"] | None
    because: str


class TokensView(Wire):
    """What replies took, each reply counted once."""

    input: int | None
    output: int | None
    cache_creation: int | None
    cache_read: int | None
    replies: int | None
    replies_that_do_not_say: int | None


class RecallsView(Wire):
    """What was given: useful, false, stale, ignored or unclear; and the tokens of it."""

    useful: int = 0
    false: int = 0
    stale: int = 0
    ignored: int = 0
    unclear: int = 0
    injected_tokens: int = 0


class RateView(Wire):
    """How often one kind of notice, or one standing, was right; `rate` is null where none shows."""

    kind: str
    right: int
    heeded: int
    wrong: int
    ignored: int
    unclear: int
    open: int
    rate: float | None
    silent_because: str | None


class SessionWorthView(Wire):
    """One session."""

    session_id: str
    recalls: RecallsView
    tokens: TokensView
    given: list[GivenView]


class WorthReply(Wire):
    """A session, all sessions of the project (without one: of all), and every kind of notice."""

    session: SessionWorthView | None
    recalls: RecallsView
    tokens: TokensView
    sessions: int
    notices: list[RateView] = Field(default_factory=list)
