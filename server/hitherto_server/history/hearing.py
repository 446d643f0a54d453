"""A prompt as a person said it: their own sentences, and what these state."""

from __future__ import annotations

from hitherto_server.history.spoken import own_words, sentences
from hitherto_server.history.statements import stated_in
from hitherto_server.sessions.prompt.preference_rules import Heard


def hear(prompt: str) -> Heard:
    """Return what a prompt says in the person's own words."""
    said = own_words(prompt)
    stated = ((one.sentence, one.kind, one.content) for one in stated_in(said))
    return Heard(tuple(sentences(said)), tuple(stated))
