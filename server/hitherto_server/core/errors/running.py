"""What may be wrong with the server's process and its model."""

from __future__ import annotations

from hitherto_server.core.errors.base import HithertoError


class ServerError(HithertoError):
    """The server process is not as it should be."""


class ServerAway(ServerError):
    """No server answers in this data home."""

    code = "server_away"
    status = 503
    default_mend = "Start it with `hitherto serve`."


class HomeUnusable(ServerError):
    """The data home cannot be made, or is no folder of ours."""

    code = "home_unusable"
    default_mend = "Point HITHERTO_HOME at a folder that you can write."


class AlreadyRunning(ServerError):
    """A server already owns this data home."""

    code = "already_running"
    status = 409
    default_mend = "Use it, or stop it with `hitherto stop`."


class ModelError(HithertoError):
    """The embedding model cannot serve."""

    status = 503


class ModelMissing(ModelError):
    """No embedding model is installed; recall is lexical."""

    code = "model_missing"
    default_mend = "Run `hitherto models fetch`."


class ModelLoading(ModelError):
    """The embedding model is still being loaded."""

    code = "model_loading"
    default_mend = "Try again in a second; until then recall is lexical."


class ModelRefused(ModelError):
    """The model's files are not what they should be."""

    code = "model_refused"
    status = 422
    default_mend = "Remove the model's folder and run `hitherto models fetch`."


class LanguageNotRead(ModelError):
    """The question is in a language that the model was not made for; recall is lexical."""

    code = "language_not_read"
    status = 422
    default_mend = "Set HITHERTO_MODEL to a multilingual model: docs/models.md."
