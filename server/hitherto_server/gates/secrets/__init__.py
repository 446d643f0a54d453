"""The secret gate: what opens something is taken out of a text before anything keeps it."""

from __future__ import annotations

from hitherto_server.gates.secrets.redact import Doubt, Redacted, redact

__all__ = ["Doubt", "Redacted", "redact"]
