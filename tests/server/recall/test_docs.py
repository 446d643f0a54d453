"""docs/recall.md says what the code does."""

from __future__ import annotations

from pathlib import Path

import pytest

from hitherto_server.core.settings import Settings
from hitherto_server.judge.surfaces import historical_query, rerank
from hitherto_server.recall import arms, block, floors, fusion, looking, pipeline, query, standings
from hitherto_server.sessions.prompt import patience as judged_prompts
from hitherto_server.sessions.prompt import sought

PAGE = (Path(__file__).parents[3] / "docs" / "recall.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "promise",
    [
        f"`HITHERTO_FUSION_WEIGHT` ({Settings.fusion_weight})",
        f"`HITHERTO_INJECTION_FLOOR` ({Settings.injection_floor:.2f})",
        f"up to {floors.BESIDE:.2f} less",
        f"an identifier that at most {floors.FEW_HOLDERS} candidates hold",
        f"at most {sought.MOST_CHARS} characters",
        f"coverage ≥ {floors.LEAST_COVERAGE:.2f}, or cosine ≥ {floors.LEAST_COSINE}",
        f"w is at most {fusion.WEIGHT_BESIDE_NAMES:.1f}",
        f"At most {query.MOST_TERMS} words and names",
        f"at most {query.DENSE_CHARS} characters",
        f"{arms.WORDS_A_HIT} for each hit that is wanted, at least {arms.LEAST_DEEP}",
        f"{arms.PASSAGES_A_HIT} for each hit, at least {arms.LEAST_DEEP}",
        arms.NO_INDEX,
        f"more than {looking.EXAMINED_BEYOND} below the limit",
        f"most {standings.LOOKING_S} s",
        f"up to {rerank.MOST_CANDIDATES} hits judged",
        f"judged from 0 (irrelevant) to {len(rerank.LEVELS) - 1} (decisive)",
        f"judged below\n  {rerank.SURFACE.thresholds['least_relevance']} is `dropped`",
        f"From {historical_query.SURFACE.thresholds['least_probability']} on, replaced",
        f"{judged_prompts.JUDGED_PROMPT_MS / 1000} s in all",
        f"{pipeline.LEAST_JUDGE_S} s left nobody is asked",
        block.OPENING,
        block.CLOSING,
    ],
)
def test_the_page_says_what_the_code_does(promise: str) -> None:
    assert promise in PAGE
