"""By rule: does an agent's last message wait for its person, or can only a person go on?"""

from __future__ import annotations

import re

from hitherto_server.sessions.stop.waiting_words import (
    ASKED_OF,
    ASKS,
    AT_LEISURE,
    HANDS_OVER,
    LACKS,
    NEEDS_A_PERSON,
    ONLY_OTHERS,
    OPEN_POINT,
    OTHER_ASKS,
    OUT_OF_REACH,
    PERSONS_STEP,
    POLITE,
    RHETORICAL,
    STEP_OF_HANDS,
    STUCK,
    TELLS_OF_A_TEXT,
    TELLS_TO_ANSWER,
)

LAST_CHARS = 1500
LAST_SENTENCES = 4
SHORT_CODE = 60
REACH = 4
"""So many sentences after it was announced a question is still the one."""
CODE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|^>.*$|\"[^\"\n]*\"|[\u201c\u201e\u00ab][^\n]*?[\u201d\u201c\u00bb]",
    re.DOTALL | re.MULTILINE,
)
"""What is quoted is somebody else's question."""
MARKS = "?\uff1f\u061f"
END = "\u3002\uff1f\uff01"
SENTENCE = re.compile(rf"(?<=[.!?{END}])[\"')\]*_]*\s+|\n+|(?<=[{END}])")
QUESTION = re.compile(rf"[{MARKS}][\"'*_)\]\s]*$")


def last_sentences(message: str) -> list[str]:
    """Return how a message ends, without what it quotes."""
    return sentences(CODE.sub(" … ", message[-LAST_CHARS:]))[-LAST_SENTENCES:]


def sentences(prose: str) -> list[str]:
    """Return a text's sentences and the items of its lists."""
    found = (one.strip(" \t*_-#>•") for one in SENTENCE.split(prose))
    return [one for one in found if one]


def asks_person(message: str) -> bool:
    """Tell whether nothing goes on until a person answers or does something."""
    return waits(message) or is_blocked(message)


def waits(message: str) -> bool:
    """Tell whether a message ends with something that only its reader can answer."""
    ending = last_sentences(message)
    if any(TELLS_TO_ANSWER.search(one) and not POLITE.search(one) for one in ending):
        return True
    # behind a question that is the last word, nobody but the reader is left to answer
    if _asks_what_is_open(message):
        return True
    is_last_word = bool(ending) and _is_question(ending[-1]) and not POLITE.search(ending[-1])
    return is_last_word or any(_is_asked(one) for one in ending[-2:])


def _asks_what_is_open(message: str) -> bool:
    """Tell whether a message says that it has a question, and asks it then."""
    said = sentences(CODE.sub(" … ", message[-LAST_CHARS:]))
    opens = next((at for at, one in enumerate(said) if OPEN_POINT.search(one)), None)
    if opens is None:
        return False
    return any(_is_question(one.rstrip("* ")) for one in said[opens : opens + REACH])


def _is_question(sentence: str) -> bool:
    return bool(QUESTION.search(sentence)) and not RHETORICAL.search(sentence)


def _is_asked(sentence: str) -> bool:
    """Tell whether a question is to the reader by its words, wherever it stands."""
    if not _is_question(sentence):
        return False
    return bool(ASKS.search(sentence) or OTHER_ASKS.search(sentence.rstrip(MARKS)))


def is_blocked(message: str) -> bool:
    """Tell whether a message says that only a person can go on: a login, a code, a captcha."""
    prose = CODE.sub(_short_only, message[-LAST_CHARS:]).replace("`", "")
    if PERSONS_STEP.search(prose):
        return True
    near = sentences(prose)
    pairs = [" ".join(near[at : at + 2]) for at in range(max(1, len(near) - 1))]
    return any(_hands_over(one) for one in pairs) or _asks_for_hands(near)


def _asks_for_hands(near: list[str]) -> bool:
    """Tell whether a sentence asks for what takes hands, with what is in the way."""
    asking = (
        at
        for at, one in enumerate(near)
        if (asked := ASKED_OF.search(one)) and STEP_OF_HANDS.search(one, asked.end())
    )
    return any(STUCK.search(" ".join(near[max(0, at - 2) : at + 1])) for at in asking)


def _hands_over(said: str) -> bool:
    """Tell whether a step is handed over, together with what keeps the agent from it."""
    if TELLS_OF_A_TEXT.search(said) or AT_LEISURE.search(said):
        return False
    needs, lacks, reach = (bool(by.search(said)) for by in (NEEDS_A_PERSON, LACKS, OUT_OF_REACH))
    if ONLY_OTHERS.search(said):
        return needs or lacks or reach
    return (needs or (lacks and reach)) and bool(HANDS_OVER.search(said))


def _short_only(found: re.Match[str]) -> str:
    text = found[0]
    return text if len(text) < SHORT_CODE and not text.startswith((">", "```")) else " … "
