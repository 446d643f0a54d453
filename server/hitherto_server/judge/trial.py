"""A question that tells nothing about anybody, and that every backend can answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.judge.questions import AskNoul
from hitherto_server.judge.surface import Surface

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.judge.questions import Question

STATE = {"note": "The database of the demonstration listens on port 5432."}
QUESTIONS: Mapping[str, Question] = {
    "port": AskNoul("Does `note` name a port?", yes="It names one.", no="It names none.")
}
TRIAL = Surface(
    name="trial",
    version=1,
    asks="Does a fixed sentence name a port?",
    moment="When a person tries a backend out.",
    sends="A fixed sentence.",
    timeout_s=20.0,
    thresholds={},
    action="It is shown.",
    fallback="Nothing.",
    effect="advises",
    samples=QUESTIONS,
)
