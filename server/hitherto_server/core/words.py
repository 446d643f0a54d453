"""What a word is, in every script: the word index and the questions both read folded text."""

# ruff: noqa: RUF001 - the letters of other scripts look like that

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

IDEOGRAPHS = (
    "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
)
KANA = ("\u3041-\u309f", "\u30a1-\u30ff\u31f0-\u31ff")
HANGUL = "\u1100-\u11ff\uac00-\ud7ff"
IN_THREES = ("\u0e00-\u0e7f", "\u0e80-\u0eff", "\u1000-\u109f", "\u1780-\u17ff")
IN_TWOS = (IDEOGRAPHS, *KANA, HANGUL)
"""Written without spaces, about two characters a word; in Hangul the particles hang on it."""
UNSPACED = "".join((*IN_TWOS, *IN_THREES))
"""For a regular expression's class: where the end of a word can't be seen."""
WIDE_PUNCTUATION = "\u3000-\u3004\u3008-\u303f\uff01-\uff0f\uff1a-\uff20"
FOLDED_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f"
)
"""What is left out of a word: accents, and the vowel signs of Hebrew and Arabic."""
CYRILLIC_ENDINGS = (
    "иями|иях|ями|ами|ого|его|ому|ему|ыми|ими|ием|иям|ах|ях|ов|ев|ои|еи|ии|ыи|ых|их|ым|им|ом|ем|ам"
    "|ям|ая|яя|ую|юю|ое|ее|ые|ие|ия|ию|ью|ы|и|а|я|о|е|у|ю|ь"
)
"""Of Russian, as folded text spells them: without the breve of the short i."""
ARABIC_ARTICLE = "\\b[\u0648\u0628\u0641\u0643]?(?:\u0627\u0644|\u0644\u0644)(?=[\u0621-\u064a]{3})"
"""Alone, or behind 'and', 'with', 'so', 'like'."""
FUNCTION_IDEOGRAPHS = "的了吗呢吧么什怎哪谁我你他她它们是就都也很把被这那为何不"
"""Chinese; what Japanese writes in hiragana alone are endings and particles as well."""
# in no order; none that may mean something in English, as `der` and `du` do
FUNCTION_WORDS = """
das den dem ein eine einen einem einer und oder nicht kein keine ist sind wird werden wir ihr
sie er auf mit von für über wie wo wann warum wer welche welcher welchem welches nach bei aus
auch nur unser unsere uns ich durch le la les une et ne pas sont dans sur avec que qui quoi où
quand pourquoi comment combien quel quelle nous vous ils elles notre nos cette ces un el los las
una del se por qué quién dónde cuándo cómo cuánto nuestro как почему когда где кто что какой
какая какие какого каком сколько мы нам нас наш наши это ли на из от для при под над не бы же
или по за до со во мой لماذا كيف متى أين من ما هل كم على في عن إلى أي هذا هذه التي الذي عندما أن
لا لم أو مع 나요 인가 하나 어떻 떻게 언제 어디 무엇 엇인 누가 우리 되나 까요 니까 어느 습니
ทำไม อะไร อย่างไร ที่ไหน เมื่อไหร่ ใคร ของเรา
"""
_ASCII_WORD = re.compile(r"[^\W_]+")
_FIRST_OF_OTHER_SCRIPTS = "\u0400"


def folded(text: str) -> str:
    """Return the text as words are compared: small letters without accents, words apart.

    A run of a script without spaces becomes overlapping pieces of two or three characters;
    Cyrillic and Arabic words lose what hangs on them in most sentences.
    """
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text).casefold()
    whole = unicodedata.normalize("NFC", _patterns().marks.sub("", apart))
    if max(whole, default="") < _FIRST_OF_OTHER_SCRIPTS:
        return whole
    for pattern, change in _patterns().changes:
        whole = pattern.sub(change, whole)
    return whole


def without_unspaced(text: str) -> str:
    """Return the text with a space for each character of a script without spaces.

    What is left can be told apart: `修改src/app.py的超时` holds the name `src/app.py`.
    """
    return text if text.isascii() else _patterns().unspaced.sub(" ", text)


def is_joined(character: str) -> bool:
    """Tell whether a character beside a word makes another word of it."""
    return (character.isalnum() or character == "_") and bool(without_unspaced(character).strip())


def words_in(text: str) -> list[str]:
    """Return the words of a folded text, in order."""
    pattern = _ASCII_WORD if text.isascii() else _patterns().word
    return pattern.findall(text)


def word_at(text: str, position: int) -> str | None:
    """Return the word, or the rest of one, that begins at a position of a folded text."""
    pattern = _ASCII_WORD if text.isascii() else _patterns().word
    found = pattern.match(text, position)
    return found.group() if found else None


def is_telling(word: str) -> bool:
    """Tell whether a folded word may say something, in a language other than English too.

    A lone letter doesn't, an ideograph does; words and pieces of words that stand in any question
    don't.
    """
    if word.isascii():
        return len(word) > 1 and word not in _function_words()
    if word in _function_words() or _patterns().function.search(word):
        return False
    return len(word) > 1 or bool(_patterns().ideograph.match(word))


@dataclass(frozen=True)
class _Patterns:
    word: re.Pattern[str]
    marks: re.Pattern[str]
    ideograph: re.Pattern[str]
    function: re.Pattern[str]
    unspaced: re.Pattern[str]
    changes: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]


@cache  # compiling the wide classes takes longer than a start may
def _patterns() -> _Patterns:
    runs = "|".join(f"([{script}]+)" for script in (*IN_TWOS, *IN_THREES))
    return _Patterns(
        word=re.compile(rf"(?:[^\W_]|[{_kept_marks()}])+"),
        marks=re.compile(f"[{FOLDED_MARKS}]+"),
        ideograph=re.compile(f"[{IDEOGRAPHS}]"),
        function=re.compile(f"[{FUNCTION_IDEOGRAPHS}]|^[{KANA[0]}]+$"),
        unspaced=re.compile(f"[{UNSPACED}{WIDE_PUNCTUATION}]"),
        changes=(
            (re.compile(runs), _pieces),
            (re.compile(rf"\b([\u0430-\u045f]{{3,}}?)(?:{CYRILLIC_ENDINGS})\b"), r"\1"),
            (re.compile(ARABIC_ARTICLE), ""),
            # written either way
            (re.compile("\u0629\\b"), "\u0647"),
            (re.compile("\u0649\\b"), "\u064a"),
        ),
    )


@cache
def _function_words() -> frozenset[str]:
    return frozenset(word for line in FUNCTION_WORDS.split() for word in words_in(folded(line)))


def _kept_marks() -> str:
    """Return the vowel signs that are parts of a word, though no letters."""
    signs = map(chr, range(0x0300, 0x10000))
    return "".join(sign for sign in signs if unicodedata.category(sign) in {"Mn", "Mc"})


def _pieces(run: re.Match[str]) -> str:
    text = run.group()
    size = 2 if (run.lastindex or 1) <= len(IN_TWOS) else 3
    last = max(len(text) - size, 0)
    return " " + " ".join(text[at : at + size] for at in range(last + 1)) + " "
