"""Which sentences of a prompt state something that is to last, and for which projects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.phrases import any_of
from hitherto_server.core.text import identifiers_in, normalised
from hitherto_server.sessions.prompt import preference_wordings as w

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hitherto_contract.words import Kind

FEWEST_CHARS, MOST_CHARS = 8, 400
MOST_SENTENCES = 40
MOST_KEPT = 3
"""A prompt that states more than that is a document."""


@dataclass(frozen=True)
class Heard:
    """What of a prompt are the person's own sentences, and which of them state something."""

    sentences: tuple[str, ...] = ()
    stated: tuple[tuple[str, Kind, str], ...] = ()
    """The sentence, what it states, and how that is kept."""


@dataclass(frozen=True)
class Preference:
    """What a person wants from now on."""

    content: str
    kind: Kind
    is_explicit: bool
    """Whether they asked for it to be kept, or for what is to come."""
    is_user_wide: bool
    """Whether it is about them, and about no project."""


def preferences_in(heard: Heard) -> list[Preference]:
    """Return what the sentences want to last, in their order; none where it is a document."""
    stated = {sentence: (kind, content) for sentence, kind, content in heard.stated}
    found = list(_found(heard, stated)) if len(heard.sentences) <= MOST_SENTENCES else []
    return found if len(found) <= MOST_KEPT else []


def of_sentence(sentence: str) -> Preference:
    """Return a sentence as a preference, whatever its wording."""
    return _preference(sentence, "preference", sentence)


def is_of_the_person(content: str) -> bool:
    """Tell whether a statement is about its writer, so that it holds in every project."""
    if identifiers_in(content) or any_of(*w.OF_THE_PROJECT).search(content):
        return False
    return any_of(*w.ABOUT_US).search(content) is not None


def warm() -> None:
    """Compile the patterns, so that nobody waits for it."""
    for group in (
        w.EXPLICIT,
        w.WISH,
        w.LASTS,
        w.PREFERS,
        w.ABOUT_US,
        w.OF_THE_PROJECT,
        w.PASSING,
        w.ANOTHERS,
        w.TOLD_OF,
    ):
        any_of(*group)


def _found(heard: Heard, stated: dict[str, tuple[Kind, str]]) -> Iterator[Preference]:
    for sentence in heard.sentences:
        if not FEWEST_CHARS <= len(sentence) <= MOST_CHARS or _is_passing(sentence):
            continue
        if any_of(*w.ANOTHERS).search(sentence) or _is_told_of(sentence):
            continue
        kind, content = stated.get(sentence, (None, sentence))
        if kind == "preference" or _is_explicit(sentence) or _prefers(sentence):
            yield _preference(sentence, kind or "preference", content)


def _preference(sentence: str, kind: Kind, content: str) -> Preference:
    content = normalised(any_of(w.LEADS).sub("", content, count=1))
    is_user_wide = is_of_the_person(content)
    return Preference(
        content=content[:1].upper() + content[1:],
        kind="preference" if is_user_wide else kind,
        is_explicit=_is_explicit(sentence),
        is_user_wide=is_user_wide,
    )


def _is_explicit(sentence: str) -> bool:
    return any_of(*w.EXPLICIT).search(sentence) is not None


def _is_told_of(sentence: str) -> bool:
    """Tell whether the words that ask for something to be kept stand in a text that is told of."""
    sentence = any_of(w.OPENERS).sub("", sentence, count=1)
    found = any_of(*w.EXPLICIT).search(sentence)
    if found is None:
        return False
    # at a sentence's end they are the writer's own, whatever stands before them
    before, behind = sentence[: found.start()], sentence[found.end() :]
    return bool(behind.strip(" .!")) and any_of(*w.TOLD_OF).search(before) is not None


def _prefers(sentence: str) -> bool:
    if any_of(*w.PREFERS).search(sentence):
        return True
    wishes = any_of(*w.WISH).search(sentence)
    return wishes is not None and any_of(*w.LASTS).search(sentence) is not None


def _is_passing(sentence: str) -> bool:
    return any_of(*w.PASSING).search(sentence) is not None
