"""One POST to a backend: bounded in size, followed nowhere, its failures told in our words."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hitherto_server.judge.addresses import is_loopback

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx

    from hitherto_server.judge.answers import Reason

MOST_REPLY_BYTES = 4 * 1024 * 1024
KEEP_ALIVE_S = 60.0
OK = 200


class FailedError(Exception):
    """The backend gave no usable reply."""

    def __init__(
        self,
        reason: Reason,
        detail: str,
        *,
        status: int | None = None,
        wait_s: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.reason: Reason = reason
        self.detail = detail
        self.status = status
        self.wait_s = wait_s
        """How long the backend asks to be left alone."""

    @property
    def is_of_the_request(self) -> bool:
        """Tell whether the backend is well and only refused what it was asked."""
        return self.status in {400, 413, 422} or self.reason == "budget"

    @property
    def may_pass(self) -> bool:
        """Tell whether a second try may do."""
        return self.status is None or self.status in {408, 429} or self.status >= 500  # noqa: PLR2004


@dataclass(frozen=True)
class HttpReply:
    """Status, headers (names in lower case) and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Wire:
    """The connections to backends: one pool for this machine, one for others."""

    _pools: dict[bool, httpx.AsyncClient] = field(default_factory=dict)
    _making: threading.Lock = field(default_factory=threading.Lock)

    async def post(self, url: str, body: bytes, key: str | None) -> HttpReply:
        """Post JSON and return the reply, whatever its status."""
        return await self._send("POST", url, body, key)

    async def get(self, url: str, key: str | None) -> HttpReply:
        """Get a URL and return the reply, whatever its status."""
        return await self._send("GET", url, None, key)

    async def warm(self, url: str) -> httpx.AsyncClient:
        """Make the pool for a URL ready; on a thread, since it takes longer than a prompt has."""
        local = is_loopback(url)
        if local in self._pools:
            return self._pools[local]
        try:
            return await asyncio.to_thread(self._pool, local=local)
        except (ImportError, ValueError, OSError) as error:  # its text may hold a proxy's password
            detail = (
                f"the environment's proxy or certificates can't be used: {type(error).__name__}"
            )
            raise FailedError("http", detail) from None

    async def _send(self, method: str, url: str, body: bytes | None, key: str | None) -> HttpReply:
        pool = await self.warm(url)
        import httpx

        headers = {"content-type": "application/json"} if body is not None else {}
        if key is not None:
            headers["authorization"] = f"Bearer {key}"
        try:
            async with pool.stream(method, url, content=body, headers=headers) as reply:
                return HttpReply(reply.status_code, dict(reply.headers), await _bounded(reply))
        except httpx.HTTPError as error:  # its text may hold what was sent
            raise FailedError("http", f"no reply: {type(error).__name__}") from None
        except (OSError, ValueError) as error:
            raise FailedError("http", f"no reply: {type(error).__name__}") from None

    def _pool(self, *, local: bool) -> httpx.AsyncClient:
        import httpx

        with self._making:
            if local not in self._pools:
                self._pools[local] = httpx.AsyncClient(
                    headers={
                        "accept": "application/json",
                        "accept-encoding": "identity",  # what is unpacked has no bound
                        "user-agent": "hitherto",
                    },
                    timeout=None,  # noqa: S113 - the caller bounds all of it together
                    follow_redirects=False,
                    trust_env=not local,  # a proxy of the environment is none for this machine
                    limits=httpx.Limits(keepalive_expiry=KEEP_ALIVE_S),
                )
            return self._pools[local]

    async def close(self) -> None:
        """Close all connections."""
        for pool in self._pools.values():
            await pool.aclose()
        self._pools.clear()


async def _bounded(reply: httpx.Response) -> bytes:
    if reply.headers.get("content-encoding", "identity").lower() != "identity":
        raise FailedError("invalid", "the reply is packed, which nobody asked for")
    chunks: list[bytes] = []
    size = 0
    async for chunk in reply.aiter_raw():
        size += len(chunk)
        if size > MOST_REPLY_BYTES:
            raise FailedError("invalid", f"the reply is larger than {MOST_REPLY_BYTES} bytes")
        chunks.append(chunk)
    return b"".join(chunks)


def refused(reply: HttpReply, wait_s: float | None) -> FailedError:
    """Return what a reply with another status than 200 means."""
    status = reply.status
    match status:
        case 413:
            return FailedError("budget", "the backend takes no request of that size", status=status)
        case 401 | 403:
            return FailedError("http", f"status {status}: the key is refused", status=status)
        case 429 | 529:
            return FailedError("not_before", f"status {status}", status=status, wait_s=wait_s)
        case _ if 300 <= status < 400:  # noqa: PLR2004 - the redirects
            return FailedError("http", f"status {status}: it points elsewhere", status=status)
        case _:
            return FailedError("http", f"status {status}", status=status, wait_s=wait_s)


Body = dict[str, Any]
