"""What a run of a bench showed: figures of each aspect and half, and what it took."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from hitherto_server.benches.items import half_of
from hitherto_server.benches.scoring import figures_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.benches.scoring import Figures, Judged
    from hitherto_server.benches.trial import Trial
    from hitherto_server.judge.answers import Answers, Unavailable

Backend = Literal["rules", "configured"]
Sample = Literal["labelled", "own"]


@dataclass
class Meter:
    """Counts what asking takes."""

    requests: int = 0
    latencies_ms: list[float] = field(default_factory=list)
    unavailable: Counter[str] = field(default_factory=Counter)
    models: set[str] = field(default_factory=set)
    is_calibrated: bool = True
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None

    def note(self, found: Answers | Unavailable) -> Answers | None:
        """Count one reply, and return it if it is one."""
        from hitherto_server.judge.answers import Answers

        self.requests += 1
        if not isinstance(found, Answers):
            self.unavailable[found.reason] += 1
            return None
        self.latencies_ms.append(found.latency_ms)
        self.models.add(found.model)
        self.is_calibrated &= found.calibrated
        self.input_tokens = _sum(self.input_tokens, found.input_tokens)
        self.output_tokens = _sum(self.output_tokens, found.output_tokens)
        self.cost_usd = _sum(self.cost_usd, found.cost_usd)
        return found

    def usage(self) -> Usage:
        """Return what it was all together."""
        lost = sum(self.unavailable.values())
        return Usage(
            requests=self.requests,
            unavailable=lost / self.requests if self.requests else 0.0,
            reasons=dict(self.unavailable),
            p50_ms=median(self.latencies_ms) if self.latencies_ms else None,
            p95_ms=_percentile(self.latencies_ms, 0.95),
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cost_usd=self.cost_usd,
        )


@dataclass(frozen=True)
class Usage:
    """What asking took; None: no reply told it."""

    requests: int
    unavailable: float
    """The share of requests to which no judgment came."""
    reasons: dict[str, int]
    p50_ms: float | None
    p95_ms: float | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


@dataclass(frozen=True)
class Report:
    """One run."""

    surface: str
    backend: Backend
    sample: Sample
    model: str | None
    """The version that answered, None if there were several; of rules the embedding model."""
    calibrated: bool | None
    basis: str
    parts: dict[str, dict[str, Figures]]
    """By aspect, then `all`, `development`, `test`, `hard`."""
    usage: Usage | None
    note: str
    passed: tuple[str, ...] = ()
    """The locked switches that this run unlocks, as long as its basis is the running one."""
    missed: tuple[str, ...] = ()
    """What kept a locked switch locked."""

    def as_json(self) -> dict[str, Any]:
        """Return it as it is stored and sent."""
        return asdict(self)


def parts_of(trial: Trial, judged: Judged) -> dict[str, dict[str, Figures]]:
    """Return the figures of each aspect: of all, of each half, and of the hard ones."""
    found = {}
    for aspect in trial.aspects:
        own = [(label, said) for label, said in judged if label.aspect == aspect.name]
        cuts = {
            "all": own,
            "development": [one for one in own if half_of(one[0].id) == "development"],
            "test": [one for one in own if half_of(one[0].id) == "test"],
            "hard": [one for one in own if one[0].hard],
        }
        found[aspect.name] = {name: figures_of(aspect, cut) for name, cut in cuts.items()}
    return found


def _percentile(values: Sequence[float], share: float) -> float | None:
    if not values:
        return None
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def _sum(before: Any, more: Any) -> Any:
    """Add what was told; None stays None as long as nobody told anything."""
    return before if more is None else more + (before or 0)
