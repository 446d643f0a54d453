"""Words that most requests to a coding agent share: they say what to do, seldom what about."""

from __future__ import annotations

from functools import cache

from hitherto_server.recall.stem import stem

WORDS = """
access add adjust allow apply ask avoid better bit bring broken bug build call case change check
clean close code comment commit complete correct create current data day default delete different
docs drop edit end error example exist expect explain extra extract fail feature field file find
fine finish first fix folder follow function generate good handle help hold id idea implement
improve inside instead introduce issue item keep last line list load long look message method
missing move name new next number old open option order part pass place point possible pr prefer
problem project proper provide pull push question quick read real reason refactor remove rename
replace report request result return rewrite right run save script second send set show side simple
single size skip sort start state step stop string support switch task test text thing time turn
type understand update user value version wait way week whole work write wrong
"""


@cache
def common_stems() -> frozenset[str]:
    """Return the words' stems."""
    return frozenset(stem(word) for word in WORDS.split())
