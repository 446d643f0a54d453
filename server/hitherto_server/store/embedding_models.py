"""Whose vectors serve, whose are being made, and whose are on their way out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hitherto_server.store.filling import begin_vectors
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from hitherto_server.core.clock import Clock
    from hitherto_server.store.driver import Connection

State = Literal["serving", "coming", "leaving"]

sql = load_queries("embedding_models")


@dataclass(frozen=True)
class EmbeddingModel:
    """A model as the store knows it."""

    name: str
    configured: str
    """The setting that led to it: so it is found again after the setting was changed."""
    dimension: int
    state: State
    since_ms: int


@dataclass(frozen=True)
class Settled:
    """What is to be done for the models, after one of them was asked for."""

    serving: EmbeddingModel
    coming: EmbeddingModel | None = None
    leaving: tuple[EmbeddingModel, ...] = ()


def find_serving(connection: Connection) -> EmbeddingModel | None:
    """Return the model whose vectors are searched, or None before the first."""
    return next((one for one in list_models(connection) if one.state == "serving"), None)


def list_models(connection: Connection) -> list[EmbeddingModel]:
    """Return every model that the store knows of."""
    return [EmbeddingModel(**dict(row)) for row in connection.execute(sql["all"])]


def is_settled(known: list[EmbeddingModel], wanted: str) -> Settled | None:
    """Return what is to be done, if the store has already noted that this model is wanted."""
    serving = next((one for one in known if one.state == "serving"), None)
    coming = [one for one in known if one.state == "coming"]
    if serving is None or [one.name for one in coming] != [wanted] * (serving.name != wanted):
        return None
    leaving = tuple(one for one in known if one.state == "leaving")
    return Settled(serving, coming[0] if coming else None, leaving)


def settle(
    connection: Connection, wanted: str, *, configured: str, dimension: int, clock: Clock
) -> Settled:
    """Note which model is wanted: the first one serves at once, another one has to come first."""
    known = list_models(connection)
    serving = next((one for one in known if one.state == "serving"), None)
    is_first = serving is None or serving.name == wanted
    for one in known:
        if one.state == "coming" and one.name != wanted:
            _put(connection, one, "leaving", clock)
    asked = EmbeddingModel(wanted, configured, dimension, "coming", clock())
    _put(connection, asked, "serving" if is_first else "coming", clock)
    settled = is_settled(list_models(connection), wanted)
    if settled is None:  # unreachable: it was settled just now
        raise AssertionError(wanted)
    return settled


def switch(connection: Connection, model: EmbeddingModel, *, clock: Clock) -> None:
    """Let a model serve whose vectors are complete; the one before leaves."""
    before = find_serving(connection)
    if before is not None:
        _put(connection, before, "leaving", clock)
    _put(connection, model, "serving", clock)
    begin_vectors(connection, model=model.name, dimension=model.dimension, clock=clock)


def last_vector(connection: Connection) -> int:
    """Return the row of the newest vector."""
    return int(connection.execute(sql["last_vector"]).fetchone()[0])


def drop_vectors(connection: Connection, model: str, *, after: int, upto: int) -> int:
    """Remove vectors of a model that leaves among some rows; returns how many."""
    values = {"model": model, "after": after, "upto": upto}
    return int(connection.execute(sql["drop_vectors"], values).rowcount)


def forget(connection: Connection, model: str) -> None:
    """Forget a model that left, unless it was asked for again."""
    connection.execute(sql["forget"], {"name": model})


def count_passages(connection: Connection) -> int:
    """Return how many passages are searched."""
    return int(connection.execute(sql["count_passages"]).fetchone()[0])


def _put(connection: Connection, model: EmbeddingModel, state: State, clock: Clock) -> None:
    values = {
        "name": model.name,
        "configured": model.configured,
        "dimension": model.dimension,
        "state": state,
        "at_ms": clock(),
    }
    connection.execute(sql["put"], values)
