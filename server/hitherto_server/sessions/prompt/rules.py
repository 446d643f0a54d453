"""What a prompt's own words say of it, where no judgment does; measured in docs/judgments.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.sessions.prompt import wordings
from hitherto_server.sessions.prompt.silence import silent_because
from hitherto_server.sessions.prompt.sought import sought

if TYPE_CHECKING:
    from hitherto_server.judge.surfaces.prompt_urgency import Tier

MOST_SMALL_WORDS = 20
"""Who takes more words describes more than one thing."""


def tier_by_rule(prompt: str) -> Tier:
    """Say how much a prompt depends on the past; what isn't told is given what is set."""
    if silent_because(prompt) or silent_because(sought(prompt)):
        return "skip"
    return tier_of_searched(prompt, asks_session=asks_about_a_session(prompt))


def tier_of_searched(prompt: str, *, asks_session: bool) -> Tier:
    """Say the same of a prompt that is searched, and of which it is known if it asks for that."""
    if asks_session or goes_back(prompt):
        return "must"
    return "consider" if is_small(prompt) else "should"


def asks_about_a_session(prompt: str) -> bool:
    """Tell whether a prompt asks what took place in an earlier session."""
    return wordings.asks_about_a_session().search(_read(prompt)) is not None


def goes_back(prompt: str) -> bool:
    """Tell whether a prompt goes back to a decision, an agreement or an old problem."""
    return wordings.goes_back().search(_read(prompt)) is not None


def is_small(prompt: str) -> bool:
    """Tell whether a prompt looks at one thing that it names, or changes one."""
    if len(prompt.split()) > MOST_SMALL_WORDS or wordings.large().search(prompt):
        return False
    return wordings.small().search(prompt) is not None


def warm() -> None:
    """Compile the patterns, so that no prompt waits for it."""
    for pattern in (
        wordings.asks_about_a_session,
        wordings.goes_back,
        wordings.small,
        wordings.large,
    ):
        pattern()


def _read(prompt: str) -> str:
    return prompt if len(prompt) <= wordings.MOST_CHARS else prompt[: wordings.MOST_CHARS]
