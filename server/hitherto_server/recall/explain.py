"""Why a question was answered so: each candidate with what every arm said and what it counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hitherto_hooks.masking import without_secrets
from hitherto_server.recall.admission import scores_of
from hitherto_server.recall.floors import let_through_by
from hitherto_server.recall.fusion import (
    FILE_WEIGHT,
    NAME_WEIGHT,
    SAID_WEIGHT,
    sides_of,
    weight_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.recall.arms import Evidence
    from hitherto_server.recall.fusion import Sides
    from hitherto_server.recall.hits import Found, Scores
    from hitherto_server.recall.query import PreparedQuery

OPENING_CHARS = 80


def told(name: str) -> str:
    """Return a name of the question, without what is certainly a secret."""
    return without_secrets(name.encode()).decode(errors="replace")


def explained(
    query: PreparedQuery,
    evidence: Evidence,
    found: Sequence[Found],
    outcomes: Mapping[str, str],
    weight: float,
) -> dict[str, Any]:
    """Return the question as it was asked, and every candidate that was looked at, best first."""
    sides = sides_of(evidence)
    return {
        "words": list(query.words),
        "names": {told(name): evidence.known_names.get(name, 0) for name in query.names},
        "people": sorted(query.people),
        "dense_text": query.dense_text,
        "is_about_the_past": query.is_about_the_past,
        "weight_of_meaning": weight,
        "found_by": {
            "words": None if evidence.words is None else len(evidence.words),
            "passages": None if evidence.passages is None else len(evidence.passages),
            "identifiers": len(evidence.names),
            "files": len(evidence.files),
            "id": len(evidence.exact),
        },
        "candidates": [
            {
                "id": one.id,
                "opening": " ".join(one.content[:OPENING_CHARS].split()),
                "outcome": outcomes[one.id],
                "floor": floor_said(one.scores),
                **scores_of(one.scores),
                "judged_relevance": one.relevance,
                "parts": parts_of(one.number, evidence, sides, weight),
            }
            for one in found
        ],
    }


def parts_of(
    number: int, evidence: Evidence, sides: Sides, weight: float
) -> dict[str, dict[str, float | None]]:
    """Return what each kind of evidence says of a memory and adds to its rank's score.

    What is added sums up to `fusion_score`; what was not measured is null.
    """
    near = None if sides.dense is None else sides.dense.get(number)
    dense_share = weight_of(number, evidence, weight)
    if near is None or sides.lexical is None:
        dense_share = 0.0 if near is None else 1.0
    whole = 1.0 + SAID_WEIGHT if evidence.said else 1.0
    worded = (1.0 - dense_share) / sides.best / whole if sides.best > 0 else 0.0
    names = NAME_WEIGHT * sides.shares.get(number, 0.0)
    cosine = None if evidence.passages is None else evidence.passages.get(number)
    return {
        "meaning": _part(cosine and cosine.cosine, near, (near or 0.0) * dense_share / whole),
        "words": _part(
            None if evidence.words is None else evidence.words.get(number, 0.0),
            None if evidence.words is None else sides.words.get(number, 0.0),
            sides.words.get(number, 0.0) * worded,
        ),
        "names": _part(len(evidence.names.get(number, ())), names, names * worded),
        "files": _part(
            int(number in evidence.files),
            FILE_WEIGHT * (number in evidence.files),
            FILE_WEIGHT * (number in evidence.files) * worded,
        ),
        "person": _part(
            int(number in evidence.said),
            float(number in evidence.said),
            SAID_WEIGHT * (number in evidence.said) / whole,
        ),
    }


def floor_said(scores: Scores) -> str:
    """Say what lets a memory through to those who asked, or that nothing does."""
    measured = f"coverage {_shown(scores.coverage)}, cosine {_shown(scores.passage)}"
    return let_through_by(scores) or f"below: {measured}"


def _part(raw: float | None, normalised: float | None, adds: float) -> dict[str, float | None]:
    return {
        "raw": raw,
        "normalised": None if normalised is None else round(normalised, 4),
        "adds": round(adds, 4),
    }


def _shown(value: float | None) -> str:
    return "unmeasured" if value is None else f"{value:.2f}"
