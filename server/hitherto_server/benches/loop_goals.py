"""Cases of loop-goal: a loop at the end of an iteration."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.benches.sets import load_loops
from hitherto_server.benches.trial import UNSAID, Aspect, Case, Label, Said, Trial
from hitherto_server.judge.surfaces import loop_goal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.benches.items import LoopState
    from hitherto_server.benches.trial import Ask


def goal_case(one: LoopState) -> Case:
    """Return a loop whose task is done, or not wholly."""
    label = Label(one.id, "goal", one.hard, "done" if one.done else "open")
    return Case((label,), partial(_goal, item=one))


async def _goal(ask: Ask, thresholds: Mapping[str, float], *, item: LoopState) -> Sequence[Said]:
    ran = [loop_goal.Ran(c.line, c.exit_code, c.failed, c.tail) for c in item.commands]
    state = loop_goal.state_of(item.task, item.message, item.journal, ran)
    answers = await ask(state, loop_goal.questions_for())
    if answers is None:
        return [UNSAID]
    is_done = loop_goal.decide(answers, thresholds["least_probability"])
    label = None if is_done is None else "done" if is_done else "open"
    return [Said(label, answers.noul(loop_goal.KEY), "done")]


LOOP_GOAL = Trial(
    loop_goal.SURFACE,
    ("loops",),
    (Aspect("goal", ("done", "open"), positive="done"),),
    lambda: [goal_case(one) for one in load_loops()],
)
