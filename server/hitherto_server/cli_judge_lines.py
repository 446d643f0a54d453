"""How the commands of `hitherto judge` say what they were told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hitherto_server.cli_shared import one_line
from hitherto_server.core.clock import minute_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PREVIEW_CHARS = 70
KEYS = {
    "given": "its key is here",
    "missing": "its key is missing: `hitherto judge key`",
    "not_needed": "no key",
    "for_another_address": "the key that is here was given for another address:"
    " `hitherto judge key`",
}


def status_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is set of judgments, and how they fare."""
    yield from whom_lines(found)
    for surface in found["surfaces"]:
        yield _surface_line(surface)
    yield from _count_lines(found["counts"])


def surface_lines(found: Mapping[str, Any], name: str) -> Iterator[str]:
    """Yield what is set of one surface."""
    for surface in found["surfaces"]:
        if surface["name"] == name:
            yield _surface_line(surface)


def whom_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield whether anybody is asked, and whom."""
    if found["killed"]:
        yield "HITHERTO_JUDGE=off: nothing is asked, whatever is set here"
    if not found["on"]:
        yield "switched off: `hitherto judge on`"
    backend = found["backend"]
    if backend is None:
        yield "nobody is asked; rules answer (`hitherto judge use` chooses whom to ask)"
    else:
        yield f"asked: {backend['profile']} at {backend['base_url']}, model {backend['model']}"
        yield f"  {KEYS[backend['key']]}{_troubles(backend)}"
    if found["lost"]:
        yield f"! {found['lost']} judgments could not be logged"


def _troubles(backend: Mapping[str, Any]) -> str:
    told = [f"asked for {backend['rests_s']:.0f} s of patience"] if backend["rests_s"] else []
    for lane, whom in (("hurried", "hooks and tools"), ("patient", "background work")):
        if backend[lane] != "closed":
            told.append(f"left alone by {whom} since it failed")
    return f"; {', '.join(told)}" if told else ""


def _surface_line(surface: Mapping[str, Any]) -> str:
    numbers = ", ".join(
        f"{name}={value:g}{'*' if name in surface['changed'] else ''}"
        for name, value in surface["thresholds"].items()
    )
    locked = "".join(
        f", {one['name']} {'on' if one['on'] and one['passed'] else 'locked'}"
        for one in surface["locked"]
    )
    timeout = f"{surface['timeout_s']:g} s{'*' if 'timeout_s' in surface['changed'] else ''}"
    switch = "on " if surface["on"] else "OFF"
    return f"  {switch} {surface['name']:<18} {timeout:<7} {numbers}{locked}".rstrip()


def _count_lines(counts: list[dict[str, Any]]) -> Iterator[str]:
    if not counts:
        return
    cost = sum(one["cost_usd"] or 0 for one in counts)
    yield f"last day{f', ${cost:.4f}' if cost else ''}:"
    for one in counts:
        yield (
            f"  {one['surface']:<22} {one['ended']:<14} {one['times']:>6} times,"
            f" {one['latency_ms']:.0f} ms"
        )


def trial_lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield what came of the question that everybody can answer."""
    if not answer["answered"]:
        why = answer["reason"] or "the answer can't be used"
        beside = f" ({answer['detail']})" if answer["detail"] else ""
        yield f"no answer: {why}{beside}"
        return
    words = "" if answer["calibrated"] else "; it tells no probabilities: it may rank and advise"
    yield (
        f"{answer['model']} answered in {answer['latency_ms']:.0f} ms:"
        f" P={answer['probability']:.2f} (of what is certain){words}"
    )


def log_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield what was judged, an entry on two lines."""
    if not found["entries"]:
        yield "Nothing was judged."
    for one in found["entries"]:
        ended = one["unavailable_reason"] or ("answered before" if one["cached"] else "answered")
        riders = f" with {', '.join(one['riders'])}" if one["riders"] else ""
        yield (
            f"{minute_of(one['asked_at_ms'])} {one['surface']}{riders}: {ended}"
            f" in {one['latency_ms'] or 0:.0f} ms ({one['origin']})"
        )
        told = one["preview"] or one["detail"]
        did = f" -> {json.dumps(one['outcome'], ensure_ascii=False)}" if one["outcome"] else ""
        yield f"    {one_line(told, PREVIEW_CHARS) if told else '(not shown)'}{did}"


def session_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the sessions for which something was judged."""
    if not found["sessions"]:
        yield "Nothing was judged for any session."
    for one in found["sessions"]:
        cost = f", ${one['cost_usd']:.4f}" if one["cost_usd"] else ""
        yield (
            f"{minute_of(one['last_at_ms'])} {one['session_id']}: {one['asked']} asked,"
            f" {one['unavailable']} without an answer, {one['cached']} answered before{cost}"
        )
