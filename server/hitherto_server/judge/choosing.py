"""Turns what a person asks for into a configuration, or says why that can't be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hitherto_server.core.errors import InvalidInput, NotFound, SwitchLocked
from hitherto_server.judge.addresses import base_url_of
from hitherto_server.judge.configuration import AS_IT_IS, Backend, SurfaceChoice
from hitherto_server.judge.profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hitherto_contract.judge import BackendChoice, JudgeChange, SurfaceChange
    from hitherto_server.judge.configuration import JudgeConfig
    from hitherto_server.judge.surface import Surface

MOST_RELEVANT = 4.0
"""The highest of the levels on which relevance is judged."""


def backend_of(asked: BackendChoice) -> Backend | None:
    """Return the backend that is asked for; None: nobody is."""
    profile = PROFILES[asked.profile]
    if profile.speaks == "nothing":
        return None
    base_url, model = asked.base_url or profile.base_url, asked.model or profile.model
    if base_url is None:
        message = f"{profile.name} is no one address"
        raise InvalidInput(message, mend=f"Name it: `hitherto judge use {profile.name} --url URL`.")
    if model is None:
        message = f"{profile.name} is no one model"
        raise InvalidInput(message, mend="Name it: `--model NAME`.")
    return Backend(profile, base_url_of(base_url), model, asked.timeout_s)


def changed(
    config: JudgeConfig,
    asked: JudgeChange,
    surfaces: Mapping[str, Surface],
    passes: Callable[[Surface, str], bool],
) -> JudgeConfig:
    """Return the configuration with what is asked for; what is left out stays as it is."""
    made = config if asked.on is None else replace(config, on=asked.on)
    if asked.backend is not None:
        made = replace(made, backend=backend_of(asked.backend))
    chosen = dict(made.surfaces)
    for name, change in asked.surfaces.items():
        if name not in surfaces:
            message = f"there is no surface {name!r}"
            raise NotFound(message, mend=f"There are: {', '.join(sorted(surfaces))}.")
        chosen[name] = _choice(chosen.get(name, AS_IT_IS), change, surfaces[name], passes)
    return replace(made, surfaces=chosen)


def _choice(
    before: SurfaceChoice,
    asked: SurfaceChange,
    surface: Surface,
    passes: Callable[[Surface, str], bool],
) -> SurfaceChoice:
    base = AS_IT_IS if asked.reset else before
    return SurfaceChoice(
        on=base.on if asked.on is None else asked.on,
        timeout_s=base.timeout_s if asked.timeout_s is None else asked.timeout_s,
        thresholds=_thresholds(base.thresholds, asked.thresholds, surface),
        allows=_allows(base.allows, asked.allows, surface, passes),
    )


def _thresholds(
    before: Mapping[str, float], asked: Mapping[str, float | None], surface: Surface
) -> dict[str, float]:
    made = dict(before)
    for name, value in asked.items():
        if name not in surface.thresholds:
            message = f"{surface.name} has no threshold {name!r}"
            known = ", ".join(surface.thresholds) or "none"
            raise NotFound(message, mend=f"It has: {known}.")
        if value is None:
            made.pop(name, None)
        else:
            made[name] = _fitting(name, value)
    _refuse_crossed(surface, {**surface.thresholds, **made})
    return made


def _refuse_crossed(surface: Surface, thresholds: Mapping[str, float]) -> None:
    band = surface.band
    if band is None or not band.is_crossed(thresholds):
        return
    low, high = (f"{name} ({thresholds[name]:g})" for name in (band.no_below, band.yes_from))
    message = f"{surface.name}: {low} lies above {high}"
    raise InvalidInput(message, mend="Set both at once, so that an answer is not both yes and no.")


def _fitting(name: str, value: float) -> float:
    """Return a threshold that answers can reach; all but relevances are probabilities."""
    most = MOST_RELEVANT if name == "least_relevance" else 1.0
    if value > most:
        message = f"{name} is at most {most:g}, not {value:g}"
        raise InvalidInput(message, mend="Write a smaller number; `off` turns a surface off.")
    return value


def _allows(
    before: tuple[str, ...],
    asked: Mapping[str, bool],
    surface: Surface,
    passes: Callable[[Surface, str], bool],
) -> tuple[str, ...]:
    made = dict.fromkeys(before)
    for name, on in asked.items():
        if name not in surface.locked:
            message = f"{surface.name} has no locked switch {name!r}"
            raise NotFound(message, mend=f"It has: {', '.join(surface.locked) or 'none'}.")
        if not on:
            made.pop(name, None)  # turning off is always accepted
        elif not passes(surface, name):
            message = f"{surface.name} {name} is locked: no bench of what runs has passed"
            raise SwitchLocked(
                message, mend=f"Run `hitherto bench {surface.name} --backend configured`."
            )
        else:
            made[name] = None
    return tuple(made)
