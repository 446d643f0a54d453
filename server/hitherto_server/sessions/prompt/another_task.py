"""By rule: does a prompt begin another task than the one whose work is not stored?

Its words may say so. Else it has to be a request that stands by itself and shares no word with
the request and the files before: whoever goes on with something names it, or points back to it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from hitherto_server.core.phrases import phrases
from hitherto_server.sessions.prompt import wordings
from hitherto_server.sessions.stems import stems_of

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST_ASKED, FEWEST_TOLD = 2, 6
"""So many words of its own has a request, or a fault that is told of, that stands by itself."""
MOST_EARLIER = 500
IDIOMS = re.compile(
    r"\b(?:what would it take|how (?:hard|long) (?:would|will) it (?:be|take)|by the way)\b",
    re.IGNORECASE,
)
"""Ways of speaking that only seem to point to something."""
PIECES = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}|[^\W\d_]{2,}")
_BEGINNING = """
    add analyse analyze benchmark bump build check configure create debug delete deploy describe
    design document draft explain figure find fix implement improve integrate introduce investigate
    look migrate optimise optimize plan port prepare propose publish refactor release replace
    research review rewrite set sketch speed trace translate update upgrade write
"""
"""With these, work begins."""
_GOING_ON = """
    adjust allow ask change clean convert disable drop enable ensure export extend extract get give
    go handle help import let list lower make move need open provide put raise reduce remove rename
    repair show simplify split start stop support switch tell think try turn use want work
"""
"""With these, it is shaped as often as not."""
DOING = frozenset(stem for word in f"{_BEGINNING} {_GOING_ON}".split() for stem in stems_of(word))
"""What is done, which says nothing of what it is done to."""


@cache
def _asks() -> re.Pattern[str]:
    verbs = "|".join(_BEGINNING.split()).replace("set|", "set up|")
    return phrases(rf"""
        ^\W*(?:(?:ok|okay|great|good|nice|thanks|thank you|perfect|now|next|and now|then|so|alright|all right|please|hi|hey)\W+)*(?:{verbs})
        please (?:\w+ )?(?:{verbs})
        (?:can|could|would|will) you
        (?:we|I) (?:also )?(?:need|want|should|must|have to|would like)|I'd like|let's
        (?:bitte|kannst du|wir brauchen|ich brauche|schreib\w*|erstell\w*|bau\w*|beheb\w*)
        (?:il (?:faut|nous faut)|peux-tu|ajoute|corrige|crée)
        (?:necesitamos|puedes|añade|corrige|crea)
        our (?:\w+ ){1, 3}(?:needs?|lacks?)
        what would it take|which of (?:our|the)
        how (?:many|much|do|does|can)|what does
    """)  # noqa: E501


@cache
def _points_back() -> re.Pattern[str]:
    return phrases(r"""
        it|its|it's|they|them|these|those|this|same|again|also|too|still|instead|else|rest|both
        (?:of|for|with|in|to|do|at|on|like|from) that|that(?:'s| is| was| one| page| file| part)
        the (?:other|others|last|first|second|third|next|new) (?:one|ones|file|test|part|step|point|job|warnings?)?
        (?:other|another|more|further) (?:one|ones)|one more|as well|yet|not (?:yet|quite)|you (?:forgot|missed|broke|left|have|had|did|added)
        commit|push|merge|rebase|squash|(?:a|the|our|this|your) (?:PR|pull request)(?! of)|diff|revert|undo|roll back|amend|stage
        ^\W*(?:re-?)?run|rerun|run (?:it|the|everything|all)|tests?|lint|coverage|typecheck|changelog|docs for
        ^\W*(?:no|nope|wait|but|hmm|actually|why|and)|what (?:about|if|happens)|stack ?trace|traceback
        noch|auch|wieder|das\W*$|dies\w*|damit|davon|dazu|nochmal|stattdessen
        aussi|encore|ça|cela|celui\w*|también|tampoco|eso|esto|otra vez|todavía
    """)  # noqa: E501


def turns(prompt: str) -> bool:
    """Tell whether the words of a prompt turn to something else."""
    return wordings.turns().search(_read(prompt)) is not None


def may_begin(prompt: str) -> bool:
    """Tell whether a prompt may begin another task, whatever was done before."""
    return turns(prompt) or stands_alone(prompt)


def begins(prompt: str, *, has_ended: bool, earlier: str = "", files: Sequence[str] = ()) -> bool:
    """Tell whether a prompt turns away from the work before, if that had come to its end.

    Where it was broken off, the prompt corrects it.
    """
    if not has_ended:
        return False
    if turns(prompt):
        return True
    return bool(earlier) and stands_alone(prompt) and not _shared(prompt, earlier, files)


def stands_alone(prompt: str) -> bool:
    """Tell whether a prompt asks for something, or tells of it, and points to nothing before."""
    text = _read(prompt)
    if text != prompt or _points_back().search(IDIOMS.sub(" ", text)):
        return False
    own = len(stems_of(text) - DOING)
    return own >= (FEWEST_ASKED if _asks().search(text) else FEWEST_TOLD)


def warm() -> None:
    """Compile the patterns, so that no prompt waits for it."""
    for pattern in (wordings.turns, _asks, _points_back):
        pattern()


def _shared(prompt: str, earlier: str, files: Sequence[str]) -> frozenset[str]:
    named = " ".join(piece for path in files for piece in PIECES.findall(path))
    return (stems_of(prompt) - DOING) & stems_of(f"{earlier[:MOST_EARLIER]} {named}")


def _read(prompt: str) -> str:
    return prompt[: wordings.MOST_CHARS]
