"""The backends that are known by name, as data: where each is, what it speaks, what it takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Speaks = Literal["systemone", "openai", "nothing"]


@dataclass(frozen=True)
class Profile:
    """What a kind of backend is like."""

    name: str
    speaks: Speaks
    base_url: str | None = None
    """Where it is unless the person says otherwise."""
    model: str | None = None
    """Which one is asked for unless the person says otherwise; None: they must."""
    models: Mapping[str, str] = field(default_factory=dict)
    """What the backend calls a model that others call so."""
    needs_key: bool = False
    most_options: int = 255
    most_levels: int = 10
    most_body_bytes: int = 200_000
    """About 64,000 tokens, of which state and longest question may be half."""
    usd_per_million: float | None = None
    """Of what is sent; what comes back is free. None: the reply says, or nobody does."""
    nouls_as_choices: bool = False
    """True: its yes and no follow their labels, so it chooses between A and B, in both orders."""


PROFILES: Mapping[str, Profile] = {
    one.name: one
    for one in (
        Profile("rules", "nothing"),
        Profile(
            "typesafe",
            "systemone",
            base_url="https://api.typesafe.ai",
            model="jev-1.13.0",
            needs_key=True,
            usd_per_million=0.042,
        ),
        Profile(
            "openrouter",
            "systemone",
            base_url="https://openrouter.ai/api",
            model="jev-1.13",
            models={
                "jev-1.13": "typesafe/jev-1.13",
                "jev-1.13.0": "typesafe/jev-1.13",
                "jev-latest": "~typesafe/jev-latest",
            },
            needs_key=True,
            most_body_bytes=100_000,
        ),
        Profile(
            "laya",
            "systemone",
            base_url="http://127.0.0.1:8000",
            model="jev-latest",
            most_options=100,
            usd_per_million=0.0,
            nouls_as_choices=True,
        ),
        Profile(
            "llama.cpp",
            "systemone",
            base_url="http://127.0.0.1:8080",
            model="jev-latest",
            usd_per_million=0.0,
        ),
        Profile("custom", "systemone", model="jev-latest"),
        Profile("openai", "openai", most_body_bytes=100_000),
    )
}
"""`rules` asks nobody, and is what holds as long as nothing else was chosen."""
