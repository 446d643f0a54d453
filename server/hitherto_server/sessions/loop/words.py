"""What a loop says: to the agent at each iteration, and to the person when it waits or ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from hitherto_server.core.text import opening_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.store.loops import Ended, Entry, Loop, Paused

SHOWN_ENTRIES = 5
SHOWN_CHARS = 300
CAP = 8
"""So many blocks without a tool call between them does the client take; it overrides the next."""
WARNED_FROM = 5

HOW = (
    "Do the next step, then call the tool `loop` with action update and a note of what you did"
    " and what is left; with state done when nothing is left, with state blocked when only the"
    " person can go on."
)


def iteration_text(
    loop: Loop, iteration: int, journal: Sequence[Entry], now_ms: int, *, idle: int
) -> str:
    """Return what the agent is told to begin an iteration."""
    minutes = max(1, round((loop.until_ms - now_ms) / 60_000))
    head = f"Iteration {iteration} of at most {loop.most_iterations}; {minutes} min left."
    notes = [f"{one.iteration}: {opening_of(one.text, SHOWN_CHARS)}" for one in journal]
    lines = [
        f'<hitherto-loop iteration="{iteration}">',
        head,
        f"Task: {loop.task}",
        *(["Journal:", *notes] if notes else []),
        HOW,
        *([_warning(idle)] if idle >= WARNED_FROM else []),
        "</hitherto-loop>",
    ]
    return "\n".join(lines)


def _warning(idle: int) -> str:
    return f"{idle} iterations in a row used no tool; after {CAP} the loop waits for the person."


def pause_line(loop: Loop, reason: Paused) -> str:
    """Tell the person that a loop waits, for what, and how it goes on or ends."""
    match reason:
        case "blocked":
            why = "its agent says that only you can go on"
        case "waiting":
            why = "its last words say that only you can go on"
        case "idle":
            why = f"{CAP} iterations in a row used no tool, and the client takes no more of these"
        case _:
            assert_never(reason)
    goes_on = "it goes on with your next prompt, `hitherto loop stop` ends it"
    return f"Hitherto: the loop waits in iteration {loop.iteration}: {why}; {goes_on}"


END_WORDS: Mapping[Ended, str] = {
    "done": "its agent says that the task is done",
    "goal": "the task was judged to be wholly done",
    "iterations": "that was the last one allowed",
    "time": "its time has run out",
    "stopped": "its agent stopped it",
    "person": "you stopped it",
    "session": "its session ended",
}


def end_line(loop: Loop, reason: Ended) -> str:
    """Tell the person that a loop has ended, and why."""
    count = f"{loop.iteration} iteration{'' if loop.iteration == 1 else 's'}"
    return f"Hitherto: the loop ended after {count}: {END_WORDS[reason]}"
