"""The judge: whether the one that is configured can be asked, as far as the server knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hitherto_server.doctor.finding import fault, well

if TYPE_CHECKING:
    from hitherto_server.doctor.finding import Finding

TRY = "Run `hitherto judge test`."


def judge(found: dict[str, Any]) -> Finding:
    """Look at what `/v1/judge` says; nobody is asked for it."""
    backend = found["backend"]
    if found["lost"]:
        said = f"{found['lost']} judgments could not be logged"
        return fault("judge", said, "See logs/server.log for the reason.")
    if found["killed"] or not found["on"]:
        return well("judge", "switched off: rules answer")
    if backend is None:
        return well("judge", "nobody is asked: rules answer")
    return _backend(backend)


def _backend(backend: dict[str, Any]) -> Finding:
    whom = f"{backend['profile']} at {backend['base_url']}"
    if backend["key"] in {"missing", "for_another_address"}:
        which = "no key" if backend["key"] == "missing" else "only another address's key"
        return fault("judge", f"{whom}: there is {which}", "Give it with `hitherto judge key`.")
    if backend["hurried"] != "closed" or backend["patient"] != "closed":
        return fault("judge", f"{whom} failed and is left alone for a while", TRY)
    if backend["rests_s"]:
        return well("judge", f"{whom} asked for {backend['rests_s']:.0f} s of patience")
    return well("judge", f"{whom}, model {backend['model']}")
