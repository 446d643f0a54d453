"""On what a bench's figures rest: whatever of it changes, they say nothing of what runs now."""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server.benches.sets import fixture_hash
from hitherto_server.benches.trials import TRIALS

if TYPE_CHECKING:
    from hitherto_server.judge.configuration import JudgeConfig
    from hitherto_server.judge.surface import Surface

MOVING = ("latest", "preview", "stable", "beta", "auto")
"""Words in the name of a model that mean another one tomorrow."""
RULES = "rules"


def basis_of(surface: Surface, config: JudgeConfig) -> str:
    """Return what a run of the configured backend rests on, in one line that people can read."""
    asked = config.backend.identity if config.backend else "nobody"
    choice = config.of(surface.name)
    thresholds = {**surface.thresholds, **choice.thresholds}
    said = [f"{name}={value:g}" for name, value in sorted(thresholds.items())]
    return " | ".join([asked, *said, f"{config.timeout_of(surface):g}s", *_of_code(surface)])


def rules_basis_of(surface: Surface) -> str:
    """Return what a run of the rule rests on."""
    from hitherto_contract import VERSION

    return " | ".join([RULES, VERSION, f"fx:{fixture_hash(*TRIALS[surface.name].sets)}"])


def is_pinned(asked: str, answered: str | None) -> bool:
    """Tell whether a model's name means one version: that one answered, under just this name."""
    moves = asked.startswith("~") or any(word in asked.lower() for word in MOVING)
    return not moves and asked == answered


def _of_code(surface: Surface) -> list[str]:
    sets = TRIALS[surface.name].sets
    question = f"q{surface.version}:{surface.question_hash[:12]}"
    return [question, f"fx:{fixture_hash(*sets)}", f"code:{_code_hash(surface.name)}"]


@cache
def _code_hash(surface: str) -> str:
    """Return a hash of what reads the answers, and of what says whether they suffice."""
    from hitherto_server.benches import bars, scoring
    from hitherto_server.judge import band

    trial = TRIALS[surface]
    modules = (
        f"hitherto_server.judge.surfaces.{surface.replace('-', '_')}",
        trial.cases.__module__,
        band.__name__,
        bars.__name__,
        scoring.__name__,
    )
    digest = hashlib.sha256()
    for name in modules:
        digest.update(Path(str(sys.modules[name].__file__)).read_bytes())
    return digest.hexdigest()[:12]
