"""Is this English? Enough to keep a question from a model that would guess at it."""

# ruff: noqa: RUF001 - the letters of other languages look like that

from __future__ import annotations

import re

ENGLISH = """
the a an of to in is are was were be been and or not no for on with that this it we you they do does
did have has how what when where which who why should can could would will may must from at by as if
our my your their there than then only come die son
"""
# German and Dutch, French, Spanish and Portuguese and Italian, Polish and Czech, Turkish, Swedish
OTHER = """
der das den dem des ein eine einen einem einer und oder nicht kein keine ist sind war wird werden
wir ihr sie er im am zu zum zur auf mit von für über unter wie wo wann warum wer welche welcher
welchem nach bei aus auch nur sich het een van voor niet zijn wordt worden
le la les un une des du et ou ne pas est sont été pour dans sur avec par que qui quoi où quand
pourquoi comment combien nous vous ils elles notre nos votre au aux ce cette ces sans
el los las una unos unas del se fue para con por qué quién dónde cuándo cómo cuánto nuestro su al lo
como más os um uma da dos das não são foi em com il gli uno di che per nel della delle degli sono
quale perché quando dove chi
nie jest są na jak gdzie kiedy dlaczego je jsou kde kdy proč ve bir için ile neden nasıl zaman och
att det som på är inte hur när varför
"""
ENGLISH_WORDS = frozenset(ENGLISH.split())
OTHER_WORDS = frozenset(OTHER.split()) - ENGLISH_WORDS
WORD = re.compile(r"[^\W\d_]+")
MOST_READ = 2000
MOST_OTHER_LETTERS = 0.2
FIRST_NOT_LATIN = "\u0370"


def is_english(text: str) -> bool:
    """Tell whether a text may be English; a few bare words count as such."""
    words = WORD.findall(text[:MOST_READ].casefold())
    letters = sum(map(len, words))
    other = sum(letter >= FIRST_NOT_LATIN for word in words for letter in word)
    if other > MOST_OTHER_LETTERS * letters:
        return False
    english = sum(word in ENGLISH_WORDS for word in words)
    foreign = sum(word in OTHER_WORDS for word in words)
    return foreign <= english if english else not foreign and all(map(str.isascii, words))
