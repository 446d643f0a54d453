"""What may be wrong with a request, and with whoever sends it."""

from __future__ import annotations

from hitherto_server.core.errors.base import HithertoError


class InvalidInput(HithertoError):
    """The request does not say what it must, or says it wrongly."""

    code = "invalid_input"
    status = 400
    default_mend = "Correct the request: the message names the field."


class TooLarge(InvalidInput):
    """The request is larger than the server reads."""

    code = "too_large"
    status = 413
    default_mend = "Shorten it, or split it into several memories."


class OnlyASecret(InvalidInput):
    """Without its secret the text says hardly anything, so nothing of it is kept."""

    code = "only_a_secret"
    default_mend = "Say in words what it opens and where it is kept; the secret is not stored."


class NotFound(HithertoError):
    """Nothing has that id."""

    code = "not_found"
    status = 404
    default_mend = "Look the id up with `recall` or `memories`."


class GitSlow(HithertoError):
    """Git did not say in time which project a folder is of."""

    code = "git_slow"
    status = 503
    default_mend = "Try again; see whether `git status` answers in that folder."


class NotAllowed(HithertoError):
    """The caller may not do that."""

    status = 403


class Unauthorized(NotAllowed):
    """The token is missing or wrong."""

    code = "unauthorized"
    status = 401
    default_mend = "Open the address that `hitherto status` prints, or send the token of run/token."


class ForeignOrigin(NotAllowed):
    """The request comes from another site or for another host."""

    code = "foreign_origin"
    default_mend = "Call the server by its loopback address, from its own pages."


class ProtocolMismatch(NotAllowed):
    """The caller speaks a protocol that this server does not."""

    code = "protocol_mismatch"
    status = 426
    default_mend = "Upgrade the older side, then run `hitherto stop` and `hitherto install`."
