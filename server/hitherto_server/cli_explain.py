"""How an explained recall reads on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

RETURNED = "returned"


def explanation(answer: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that tell how a question was answered, best candidate first."""
    told = answer["explain"]
    yield f"words: {', '.join(told['words']) or '-'}"
    for name, holders in told["names"].items():
        yield f"name: {name} (in {holders} memories)"
    if told["people"]:
        yield f"people: {', '.join(told['people'])}"
    yield f"embedded: {told['dense_text'] or '-'}"
    yield f"arms: {', '.join(f'{arm} {said}' for arm, said in answer['arms'].items())}"
    for place, one in enumerate(told["candidates"], start=1):
        yield from _candidate(place, one)


def _candidate(place: int, one: dict[str, Any]) -> Iterator[str]:
    mark = "+" if one["outcome"] == RETURNED else "-"
    yield f"{mark} {place}. {one['id']}  {_shown(one['fusion_score'])}  {one['outcome']}"
    yield f"     {one['opening']}"
    parts = ", ".join(
        f"{name} {_raw(part['raw'])} -> {part['adds']:.2f}"
        for name, part in one["parts"].items()
        if part["adds"]
    )
    yield f"     {parts or 'nothing measured'}"
    yield f"     floor: {one['floor']}"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _raw(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"  # BM25 is tiny in a small store
