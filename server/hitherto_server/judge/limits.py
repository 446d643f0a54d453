"""What can be asked at all, and of this backend."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hitherto_server.judge.answers import Unavailable
from hitherto_server.judge.questions import AskChoice, AskScore

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hitherto_server.judge.profiles import Profile
    from hitherto_server.judge.questions import Question

LEAST_OPTIONS = 2


def why_unaskable(questions: Mapping[str, Question], profile: Profile) -> Unavailable | None:
    """Return why these questions can't be asked; None if they can."""
    if not questions:
        return Unavailable("invalid", "nothing is asked")
    for key, one in questions.items():
        count, most = _size_of(one, profile)
        if not one.instructions.strip():
            return Unavailable("invalid", f"the question {key[:40]!r} has no words")
        if count is not None and count < LEAST_OPTIONS:
            return Unavailable("invalid", f"the question {key[:40]!r} leaves no choice")
        if count is not None and count > most:
            told = f"{count} options are more than the {most} that the backend takes"
            return Unavailable("budget", told)
    return None


def _size_of(question: Question, profile: Profile) -> tuple[int | None, int]:
    match question:
        case AskChoice(_, options):
            return len(options), profile.most_options
        case AskScore(_, levels):
            return len(levels), profile.most_levels
        case _:
            return None, 0


def without_secrets(
    questions: Mapping[str, Question], clean: Callable[[str], str]
) -> dict[str, Question] | None:
    """Return the questions with the descriptions of options cleaned; None if a name holds a secret.

    Options may be a person's own words, such as their categories; all else is ours.
    """
    cleaned: dict[str, Question] = {}
    for key, one in questions.items():
        if not isinstance(one, AskChoice):
            cleaned[key] = one
            continue
        if any(clean(name) != name for name in one.options):
            return None
        told = {name: clean(words) for name, words in one.options.items()}
        cleaned[key] = replace(one, options=told)
    return cleaned
