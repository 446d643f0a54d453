"""Cases of a memory beside a file that has changed: stale-check and edit-stale."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.benches.sets import load_staleness
from hitherto_server.benches.trial import UNSAID, Aspect, Case, Label, Said, Trial
from hitherto_server.core.text import identifiers_in
from hitherto_server.judge.surfaces import edit_stale, stale_check

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.benches.items import ChangedFile, Told
    from hitherto_server.benches.trial import Ask


def cases() -> list[Case]:
    """Return each memory beside its file as it is now."""
    return [
        Case((label_of(file, told),), partial(_verdict, file=file, told=told))
        for file in load_staleness()
        for told in file.memories
    ]


def label_of(file: ChangedFile, told: Told) -> Label:
    """Return what a person says of a memory; all memories of a file are in one half."""
    return Label(file.id, "verdict", told.hard, "holds" if told.holds else "stale")


async def _verdict(
    ask: Ask, thresholds: Mapping[str, float], *, file: ChangedFile, told: Told
) -> Sequence[Said]:
    names = tuple(identifiers_in(told.content))
    pair = stale_check.Pair(told.content, file.path, file.after, names)
    answers = await ask(stale_check.state_of(pair), stale_check.questions_for())
    probability = None if answers is None else answers.noul(stale_check.KEY)
    if probability is None:
        return [UNSAID]
    verdict = stale_check.decide(
        probability,
        holds_from=thresholds["holds_from"],
        stale_below=thresholds["stale_below"],
    )
    return [Said(None if verdict == "undecided" else verdict, probability, "holds")]


ASPECTS = (Aspect("verdict", ("stale", "holds"), positive="stale"),)
STALE_CHECK = Trial(stale_check.SURFACE, ("staleness",), ASPECTS, cases)
EDIT_STALE = Trial(edit_stale.SURFACE, ("staleness",), ASPECTS, cases)
