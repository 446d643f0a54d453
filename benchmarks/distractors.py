"""Memories that no prompt is about, in the words that prompts use."""

# ruff: noqa: E501 - a list of words is one line
from __future__ import annotations

import random
from typing import TYPE_CHECKING

from harness import SEED

if TYPE_CHECKING:
    from collections.abc import Iterator

PARTS = ("loyalty importer", "quota scheduler", "receipt renderer", "ledger mirror", "invite mailer", "avatar service", "coupon engine", "audit trail", "search indexer", "session broker", "thumbnail worker", "tariff planner", "fleet tracker", "badge printer", "consent banner", "lead scorer", "survey form", "seat map", "voucher book", "ticket router", "rota planner", "stock counter", "kiosk screen", "partner portal")  # fmt: skip
THINGS = ("retries", "timeouts", "cache entries", "access tokens", "migrations", "feature flags", "webhooks", "uploads", "log lines", "indexes", "rate limits", "test fixtures", "exports", "release builds", "error codes", "time zones", "page sizes", "locks", "dashboards", "alerts", "snapshots", "secrets", "queues", "headers")  # fmt: skip
DEEDS = ("are checked twice", "are kept for {n} days", "were moved out of the main process", "are sorted by the date of creation", "are limited to {n} a minute", "must not be shared between tenants", "are dropped after {n} seconds", "come from the vendor's file", "are written in one batch of {n}", "are off until the contract is signed", "were renamed in version {m}", "are rebuilt each night", "need the approval of the owner", "go through the staging host first")  # fmt: skip
REASONS = ("because the old device sends them twice", "after the outage in spring", "since the provider bills each call", "to keep the build reproducible", "as an audit asked for it", "because two workers wrote the same row", "so that support can read them", "since the disk of that host is slow", "until the new protocol is everywhere", "because a customer lost a day of data", "as the benchmark showed", "since legal wants it in writing")  # fmt: skip
ENDS = ("`{name}` is the place to change that.", "See `{name}` before touching it.", "Only `{name}` may do it.", "The setting is called `{name}`.", "It was decided in the planning of week {w}.", "Nobody has looked at it since week {w}.", "The tests of that part take {n} seconds.", "Ask the team that owns it first.")  # fmt: skip


def distractors(count: int) -> Iterator[str]:
    """Return as many texts, always the same ones: the first thousand begin the ten thousand."""
    rng = random.Random(SEED)
    for number in range(count):
        part, thing = rng.choice(PARTS), rng.choice(THINGS)
        words = {
            "n": rng.randrange(2, 900),
            "m": f"{rng.randrange(1, 9)}.{rng.randrange(0, 30)}",
            "w": rng.randrange(1, 53),
            "name": f"{part.split()[0]}_{thing.split()[-1]}_{number % 199}",
        }
        deed = rng.choice(DEEDS).format(**words)
        end = rng.choice(ENDS).format(**words)
        yield f"The {thing} of the {part} {number} {deed} {rng.choice(REASONS)}. {end}"
