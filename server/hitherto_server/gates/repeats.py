"""The duplicate gate: a statement that a judgment takes for a known one is not stored again."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from hitherto_server.core.clock import date_of
from hitherto_server.core.errors import ModelError
from hitherto_server.gates.neighbours import MOST_PASSAGES, Subject, cosines_around
from hitherto_server.judge.surfaces.duplicate_gate import (
    MOST_CANDIDATES,
    SURFACE,
    Stated,
    best_of,
    decide,
    is_in_doubt,
    key_of,
    probabilities_of,
    questions_for,
    state_of,
)
from hitherto_server.store.memories import find_by_key, find_same
from hitherto_server.store.neighbours import list_live
from hitherto_server.store.recall import list_anchors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from concurrent.futures import Future

    from hitherto_contract import RememberRequest
    from hitherto_server.gates.context import WriteContext
    from hitherto_server.gates.judging import Patience
    from hitherto_server.gates.neighbours import Neighbourhood
    from hitherto_server.store.driver import Connection, Row
    from hitherto_server.store.memories import NewMemory

EMBED_S = 0.3


@dataclass(frozen=True)
class Known:
    """A memory, at the revision that was looked at, which may say what is being written."""

    number: int
    id: str
    revision: int
    stated: Stated


@dataclass(frozen=True)
class Opinion:
    """What a judgment made of a statement and the likeliest of its candidates."""

    known: Known
    probability: float
    is_repeat: bool
    calibrated: bool
    log_id: int | None

    @property
    def advises(self) -> bool:
        """Whether it says that the statement is a known one and may not refuse it."""
        return self.is_repeat and not self.calibrated

    def outcome(self, memory_id: str, *, stored: bool) -> dict[str, object]:
        """Return what is logged of what was done with it."""
        return {
            "decision": "stored" if stored else "not stored",
            "memory": memory_id,
            "candidate": self.known.id,
            "repeats": self.is_repeat,
        }


@dataclass(frozen=True)
class Begun:
    """The vectors of a text that is not stored yet, while they are being made."""

    model: str | None = None
    vectors: tuple[Future[Any], ...] = ()


def begin_vectors(
    context: WriteContext, new: NewMemory, request: RememberRequest, patience: Patience
) -> Begun | None:
    """Have a statement's vectors made while its files are read; None: nothing is to be asked."""
    if not patience.may_ask(SURFACE) or not _may_repeat(new, request):
        return None
    meaning = context.meaning
    model = meaning.model if meaning is not None and meaning.state == "ready" else None
    if meaning is None or model is None or not model.reads(new.content):
        return Begun()
    texts = [new.content[start:end] for start, end in new.spans[:MOST_PASSAGES]]
    try:
        return Begun(model.name, tuple(meaning.begin(text, "passage") for text in texts))
    except ModelError:
        return Begun()


async def find_opinion(
    context: WriteContext,
    new: NewMemory,
    around: Neighbourhood,
    begun: Begun | None,
    patience: Patience,
) -> Opinion | None:
    """Ask whether a statement is a known one; None where nothing is to be asked or answered."""
    if begun is None:
        return None
    look = partial(_list_known, new=new, around=around, vectors=await _vectors_of(begun))
    known = await context.store.readers.run(look)
    return await _asked(new, known, patience) if known else None


def refuses(connection: Connection, project: int, opinion: Opinion) -> bool:
    """Tell whether a statement is not to be stored: what was judged must still be said."""
    if not (opinion.is_repeat and opinion.calibrated):
        return False
    live = list_live(connection, [opinion.known.number], project)
    return any(row["revision"] == opinion.known.revision for row in live)


def note_on(opinion: Opinion, *, told_by_a_person: bool) -> str:
    """Say why a statement was not stored, and what to do if it should be."""
    memory_id = opinion.known.id
    whose = "your own words were not stored again" if told_by_a_person else "not stored"
    return (
        f"{whose}: {memory_id} was judged to say the same ({opinion.probability:.2f}). To correct "
        f'or complete it: reflect with action "edit" or "supersede", id {memory_id}. If this is '
        "about something else, say what tells them apart"
    )


def advice_on(opinion: Opinion) -> str:
    """Say what an answer that may not refuse anything made of a statement."""
    return f"may say the same as {opinion.known.id}; both are kept: that judgment is not calibrated"


def _may_repeat(new: NewMemory, request: RememberRequest) -> bool:
    """Tell whether a statement could be left out: not what replaces others, nor a long text."""
    return not request.supersedes and new.state_key is None and _is_short(new.content)


def _is_short(content: str) -> bool:
    """Tell whether a text may be sent: the slot check reads it to its end."""
    from hitherto_server.gates.statements.reading import MOST_CHARS

    return len(content) <= MOST_CHARS


async def _vectors_of(begun: Begun) -> tuple[str, list[bytes]] | None:
    """Return the model and the vectors, if all of them come soon."""
    if begun.model is None or not begun.vectors:
        return None
    waited = [asyncio.wrap_future(one) for one in begun.vectors]
    done, late = await asyncio.wait(waited, timeout=EMBED_S)
    for one in late:
        one.cancel()
    # a model that is being stopped cancels what it was asked; that is not our own cancellation
    failed = [one for one in done if one.cancelled() or one.exception() is not None]
    if late or failed:
        return None
    vectors = [one.result().astype("<f4", copy=False).tobytes() for one in waited]
    return begun.model, vectors


def _list_known(
    connection: Connection,
    new: NewMemory,
    around: Neighbourhood,
    vectors: tuple[str, list[bytes]] | None,
) -> list[Known]:
    """Return the likeliest memories that the slot check lets pass, the nearest first."""
    key = new.idempotency_key
    if find_same(connection, new.project, new.content):
        return []
    if key is not None and find_by_key(connection, new.project, key):
        return []
    near = _near(connection, new, vectors) if vectors else _alike(around)
    rows = {row["number"]: row for row in list_live(connection, near, new.project)}
    fit = [rows[number] for number in near if number in rows and _fits(rows[number], new)]
    passed = [row for row in fit if not _is_barred(row, new, near[row["number"]])]
    return _shown(connection, passed[:MOST_CANDIDATES])


def _near(
    connection: Connection, new: NewMemory, vectors: tuple[str, list[bytes]]
) -> Mapping[int, float | None]:
    from hitherto_server.gates.duplicates import NEAR

    model, own = vectors
    cosines = cosines_around(connection, Subject(new.project, new.content), own, model)
    best = sorted(cosines.items(), key=lambda one: -one[1])
    return {number: cosine for number, cosine in best if cosine >= NEAR}


def _alike(around: Neighbourhood) -> Mapping[int, float | None]:
    """Return what rules take for the same by its words alone."""
    return {one.number: None for one in around.near if one.finding.kinship == "duplicate"}


def _fits(row: Row, new: NewMemory) -> bool:
    """Tell whether a memory could stand for the statement: everybody is given it, at its time."""
    times = (row["true_from_ms"], row["true_until_ms"])
    is_given = row["tier"] == "admitted" and not row["suspect"]
    return is_given and _is_short(row["content"]) and times == (new.true_from_ms, new.true_until_ms)


def _is_barred(row: Row, new: NewMemory, cosine: float | None) -> bool:
    """Tell whether a slot differs: no judgment is asked about that."""
    from hitherto_server.gates.duplicates import judge
    from hitherto_server.gates.slots import says_more

    finding = judge(row["content"], new.content, cosine)
    if finding.kinship not in {"duplicate", "similar"}:
        return True
    return says_more(row["content"], new.content)


def _shown(connection: Connection, passed: Sequence[Row]) -> list[Known]:
    files = _files_of(connection, [row["number"] for row in passed])
    return [
        Known(
            row["number"],
            row["id"],
            row["revision"],
            Stated(
                row["content"],
                date_of(row["learned_at_ms"]),
                tuple(files.get(row["number"], ())),
            ),
        )
        for row in passed
    ]


def _files_of(connection: Connection, numbers: Iterable[int]) -> dict[int, list[str]]:
    anchors, _ = list_anchors(connection, numbers)
    files: dict[int, list[str]] = {}
    for anchor in anchors:
        files.setdefault(anchor["number"], []).append(anchor["path"])
    return files


async def _asked(new: NewMemory, known: Sequence[Known], patience: Patience) -> Opinion | None:
    paths = tuple(anchor.path for anchor in new.anchors)
    stated = Stated(new.content, date_of(new.at_ms), paths)
    state = state_of(stated, [one.stated for one in known])
    answers = await patience.ask(SURFACE, state, questions_for(len(known)))
    if answers is None:
        return None
    probabilities = probabilities_of(answers, len(known))
    best = best_of(probabilities)
    if best is None:
        return None
    probability, turned = probabilities[best], None
    least = patience.judge.threshold(SURFACE, "least_probability")
    if is_in_doubt(probability, least):
        turned = await _turned(known[best].stated, stated, patience)
    return Opinion(
        known=known[best],
        probability=probability if turned is None else min(probability, turned),
        is_repeat=decide(probability, turned, least),
        calibrated=answers.calibrated,
        log_id=answers.log_id,
    )


async def _turned(known: Stated, new: Stated, patience: Patience) -> float | None:
    """Return how probable it is with the two in each other's place."""
    state = state_of(known, [new])
    answers = await patience.ask(SURFACE, state, questions_for(1))
    return answers.noul(key_of(0)) if answers is not None else None
