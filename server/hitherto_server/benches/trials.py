"""How each surface is measured: one trial a surface, a test holds that none is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.benches import (
    changed,
    loop_goals,
    pairs,
    prompts,
    ranked,
    sessions,
    texts,
    turns,
)

if TYPE_CHECKING:
    from hitherto_server.benches.trial import Trial

TRIALS: dict[str, Trial] = {
    one.surface.name: one
    for one in (
        pairs.RELATIONS,
        pairs.SUPERSESSION,
        texts.IMPORTANCE_KIND,
        texts.HISTORICAL_QUERY,
        ranked.RERANK,
        ranked.BRIEF_RANK,
        pairs.DUPLICATE_GATE,
        texts.SECRET_GATE,
        texts.CATEGORY_CHECK,
        changed.STALE_CHECK,
        changed.EDIT_STALE,
        ranked.TRASH_TRIAGE,
        turns.AGENT_MESSAGE,
        turns.TURN_WORTH,
        turns.CLAIM_CHECK,
        prompts.PROMPT_URGENCY,
        prompts.TASK_BOUNDARY,
        prompts.SESSION_LOOKUP,
        prompts.USER_LEARNING,
        loop_goals.LOOP_GOAL,
        sessions.COMPACT_DIGEST,
        sessions.PLAN_CONFLICT,
    )
}
