"""What a person chose: which backend, and each surface's switch, time and thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeGuard

from hitherto_server.judge.profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.judge.profiles import Profile
    from hitherto_server.judge.surface import Surface

LEAST_TIMEOUT_S, MOST_TIMEOUT_S = 0.05, 120.0


@dataclass(frozen=True)
class Backend:
    """Whom to ask, and for which model."""

    profile: Profile
    base_url: str
    model: str
    timeout_s: float | None = None
    """Bounds every request to it."""

    @property
    def wire_model(self) -> str:
        """The model as this backend calls it."""
        return self.profile.models.get(self.model, self.model)

    @property
    def identity(self) -> str:
        """Differs where answers or failures may differ."""
        return f"{self.profile.name} {self.base_url} {self.wire_model}"


@dataclass(frozen=True)
class SurfaceChoice:
    """What a person set of one surface; None and what is left out: as the surface has it."""

    on: bool = True
    timeout_s: float | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)
    allows: tuple[str, ...] = ()
    """The locked switches that are turned on."""


AS_IT_IS = SurfaceChoice()


@dataclass(frozen=True)
class JudgeConfig:
    """All that is set of judgments."""

    on: bool = True
    backend: Backend | None = None
    surfaces: Mapping[str, SurfaceChoice] = field(default_factory=dict)

    def of(self, surface: str) -> SurfaceChoice:
        """Return what was set of a surface."""
        return self.surfaces.get(surface, AS_IT_IS)

    def timeout_of(self, surface: Surface) -> float:
        """Return how long the surface may wait, as the person has it."""
        own = self.of(surface.name).timeout_s
        most = self.backend.timeout_s if self.backend else None
        return min(surface.timeout_s if own is None else own, math.inf if most is None else most)


def read_config(document: Mapping[str, Any]) -> JudgeConfig:
    """Return what a stored document says; what it says wrongly is as if it were left out."""
    surfaces = document.get("surfaces")
    return JudgeConfig(
        on=document.get("on") is not False,
        backend=_backend(document.get("backend")),
        surfaces={
            name: _choice(said)
            for name, said in (surfaces if isinstance(surfaces, dict) else {}).items()
            if isinstance(said, dict)
        },
    )


def as_document(config: JudgeConfig) -> dict[str, Any]:
    """Return what is stored of a configuration."""
    backend = config.backend
    told: dict[str, Any] = {"on": config.on}
    if backend is not None:
        told["backend"] = {
            "profile": backend.profile.name,
            "base_url": backend.base_url,
            "model": backend.model,
            "timeout_s": backend.timeout_s,
        }
    told["surfaces"] = {
        name: {
            "on": one.on,
            "timeout_s": one.timeout_s,
            "thresholds": dict(one.thresholds),
            "allows": list(one.allows),
        }
        for name, one in config.surfaces.items()
        if one != AS_IT_IS
    }
    return told


def _backend(said: Any) -> Backend | None:
    if not isinstance(said, dict):
        return None
    profile = PROFILES.get(str(said.get("profile")))
    base_url, model = said.get("base_url"), said.get("model")
    if profile is None or profile.speaks == "nothing":
        return None
    if not isinstance(base_url, str) or not isinstance(model, str):
        return None
    return Backend(profile, base_url, model, _seconds(said.get("timeout_s")))


def _choice(said: Mapping[str, Any]) -> SurfaceChoice:
    thresholds, allows = said.get("thresholds"), said.get("allows")
    return SurfaceChoice(
        on=said.get("on") is not False,
        timeout_s=_seconds(said.get("timeout_s")),
        thresholds={
            name: float(value)
            for name, value in (thresholds if isinstance(thresholds, dict) else {}).items()
            if is_number(value)
        },
        allows=tuple(str(one) for one in allows) if isinstance(allows, list) else (),
    )


def _seconds(value: Any) -> float | None:
    if not is_number(value):
        return None
    return min(max(float(value), LEAST_TIMEOUT_S), MOST_TIMEOUT_S)


def is_number(value: Any) -> TypeGuard[float]:
    """Tell whether a value of JSON is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
