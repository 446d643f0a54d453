"""What is switched on and what is set, known in memory and never older than three seconds."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from hitherto_server.core.errors import HithertoError, HomeUnusable, InvalidInput
from hitherto_server.judge.configuration import JudgeConfig, as_document, read_config
from hitherto_server.judge.keys import (
    KEY,
    find_key,
    is_killed,
    is_sendable,
    read_env_file,
    write_key,
)
from hitherto_server.store.config import put_section, read_section

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.answers import Reason
    from hitherto_server.judge.keys import Key
    from hitherto_server.judge.surface import Surface
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection

KeyState = Literal["given", "missing", "not_needed", "for_another_address"]

LIFE_S = 3.0


def _never(_: Surface, __: str) -> bool:
    return False


@dataclass
class Switches:
    """Environment over master over surface over key."""

    store: Store
    clock: Clock
    env_file: Path
    now_s: Callable[[], float]
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    passes: Callable[[Surface, str], bool] = _never
    """Tells whether the running configuration passed the bench of a locked switch."""
    config: JudgeConfig = field(default_factory=JudgeConfig)
    key: Key | None = None
    killed: bool = False
    _read_at_s: float | None = None
    _reading: asyncio.Task[None] | None = None

    async def refresh(self) -> None:
        """Read what was changed, unless that was read just now."""
        if self._is_old:
            await self.read()

    async def read(self) -> None:
        """Read all of it now; what can't be read stays as it was."""
        file = await asyncio.to_thread(read_env_file, self.env_file)
        try:
            document = await self.store.readers.run(lambda c: read_section(c, "judge"))
        except HithertoError:  # the store says so itself, wherever it is asked
            document = None
        self.killed = is_killed(self.environment, file)
        self.key = find_key(self.environment, file)
        if document is not None:
            self.config = read_config(document)
        self._read_at_s = self.now_s()

    async def change(self, change: Callable[[JudgeConfig], JudgeConfig]) -> JudgeConfig:
        """Change what is set, on top of whatever is set by then; it is in force at once."""
        at_ms = self.clock()
        made = await self.store.writer.run(
            lambda c: _changed(c, change, at_ms)  # read and written in one transaction
        )
        await self._bind_known(made)
        await self.read()
        return made

    async def give_key(self, key: str | None, *, of_environment: bool = False) -> None:
        """Keep a key for the backend that is configured, or drop the one that is kept."""
        await self.read()
        if key is None and not of_environment:
            await self._write_key(None, None)
            return
        backend = self.config.backend
        if backend is None:
            message = "a key is for one address, and no backend is configured"
            raise InvalidInput(message, mend="Choose one first: `hitherto judge use`.")
        if key is not None and not is_sendable(key):
            raise InvalidInput("the key holds what no header can carry", mend="Copy it again.")
        if of_environment and not self.environment.get(KEY):
            message = f"the server's environment has no {KEY}"
            raise InvalidInput(message, mend="Export it, then run `hitherto stop`.")
        await self._write_key(key, backend.base_url)

    async def _bind_known(self, config: JudgeConfig) -> None:
        """Take a key that was given for nobody yet to be for the known service that was chosen."""
        backend, key = config.backend, find_key(self.environment, read_env_file(self.env_file))
        if backend is None or key is None or key.given_for is not None:
            return
        if backend.profile.needs_key and backend.base_url == backend.profile.base_url:
            is_kept = read_env_file(self.env_file).get(KEY) == key.value
            await self._write_key(key.value if is_kept else None, backend.base_url)

    async def _write_key(self, key: str | None, given_for: str | None) -> None:
        try:
            await asyncio.to_thread(write_key, self.env_file, key, given_for)
        except (OSError, UnicodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
            message = f"{self.env_file} cannot be written: {why}"
            raise HomeUnusable(message) from error
        await self.read()

    def why_not(self, surface: Surface) -> tuple[Reason, str] | None:
        """Return why a surface may not ask; None if it may."""
        config = self.config
        if self.killed:
            return "killed", "HITHERTO_JUDGE=off"
        if not config.on:
            return "off", "judgments are switched off"
        if not config.of(surface.name).on:
            return "surface_off", f"{surface.name} is switched off"
        if config.backend is None:
            return "no_backend", "the rules answer"
        if config.backend.profile.needs_key and self.key_for_backend() is None:
            return "no_backend", f"there is no key for {config.backend.base_url}"
        return None

    def key_for_backend(self) -> str | None:
        """Return the key, if it was given for the address that is in force."""
        backend, key = self.config.backend, self.key
        if backend is None or key is None or key.given_for != backend.base_url:
            return None
        return key.value

    def key_state(self) -> KeyState:
        """Tell whether there is a key for the address that is in force."""
        if self.key_for_backend() is not None:
            return "given"
        if self.key is not None:
            return "for_another_address"
        backend = self.config.backend
        return "missing" if backend is not None and backend.profile.needs_key else "not_needed"

    def is_on(self, surface: Surface, switch: str | None = None) -> bool:
        """Tell whether a surface may ask, and whether one of its locked switches is turned on."""
        self._refresh_soon()
        if self.why_not(surface) is not None:
            return False
        if switch is None:
            return True
        allowed = self.config.of(surface.name).allows
        return switch in surface.locked and switch in allowed and self.passes(surface, switch)

    def threshold(self, surface: Surface, name: str) -> float:
        """Return a threshold as it is set, else the surface's own."""
        self._refresh_soon()
        return self.config.of(surface.name).thresholds.get(name, surface.thresholds[name])

    @property
    def _is_old(self) -> bool:
        return self._read_at_s is None or self.now_s() - self._read_at_s >= LIFE_S

    def _refresh_soon(self) -> None:
        """Have the next look see what was changed; this one can't wait for a reader."""
        if not self._is_old or (self._reading and not self._reading.done()):
            return
        try:
            self._reading = asyncio.get_running_loop().create_task(self.refresh())
        except RuntimeError:  # nobody's loop: whoever asks will read it
            return

    async def close(self) -> None:
        """End what is being read."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)


def _changed(
    connection: Connection, change: Callable[[JudgeConfig], JudgeConfig], at_ms: int
) -> JudgeConfig:
    made = change(read_config(read_section(connection, "judge")))
    put_section(connection, "judge", as_document(made), at_ms)
    return made
