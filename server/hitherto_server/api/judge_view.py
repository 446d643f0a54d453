"""What is shown of judgments: what is set, and how they fare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_contract.judge import BackendView, CountView, JudgeReply, LockedView, SurfaceView
from hitherto_server.core.clock import DAY_MS
from hitherto_server.judge.register import surfaces
from hitherto_server.store.judgments import count_by_surface, count_cached

if TYPE_CHECKING:
    from hitherto_server.judge.client import Judge
    from hitherto_server.judge.surface import Surface
    from hitherto_server.services import Services


async def view_of(services: Services) -> JudgeReply:
    """Return all that is set of judgments, and how they fare."""
    judge, since_ms = services.judge, services.clock() - DAY_MS
    counts = await services.store.readers.run(lambda c: count_by_surface(c, since_ms))
    cached = await services.store.readers.run(count_cached)
    return JudgeReply(
        killed=judge.switches.killed,
        on=judge.switches.config.on,
        backend=_backend(judge),
        surfaces=[_surface(judge, one) for one in surfaces().values()],
        counts=[CountView(**dict(row)) for row in counts],
        cached=cached,
        unlogged=len(judge.log.waiting),
        lost=judge.log.lost,
    )


def _backend(judge: Judge) -> BackendView | None:
    backend = judge.switches.config.backend
    if backend is None:
        return None
    health = judge.backends.health(backend)
    return BackendView(
        profile=backend.profile.name,
        base_url=backend.base_url,
        model=backend.model,
        timeout_s=backend.timeout_s,
        key=judge.switches.key_state(),
        rests_s=health.rests_s,
        hurried=health.breaker("hurried").state,
        patient=health.breaker("patient").state,
    )


def _surface(judge: Judge, surface: Surface) -> SurfaceView:
    switches = judge.switches
    choice = switches.config.of(surface.name)
    changed = [
        *([] if choice.on else ["on"]),
        *([] if choice.timeout_s is None else ["timeout_s"]),
        *choice.thresholds,
    ]
    return SurfaceView(
        name=surface.name,
        asks=surface.asks,
        effect=surface.effect,
        on=choice.on,
        timeout_s=switches.config.timeout_of(surface),
        thresholds={name: switches.threshold(surface, name) for name in surface.thresholds},
        changed=changed,
        locked=[
            LockedView(name=name, on=name in choice.allows, passed=switches.passes(surface, name))
            for name in surface.locked
        ],
    )
