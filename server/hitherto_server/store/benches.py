"""Runs of benches as the store keeps them, and what of a person's own memories is sampled."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection, Row

Order = Literal["random", "recent"]

sql = load_queries("benches")


@dataclass(frozen=True)
class BenchRun:
    """What is kept of one run."""

    surface: str
    backend: str
    sample: str
    model: str | None
    basis: str
    passed: tuple[str, ...]
    report: dict[str, Any]
    ran_at_ms: int


def put_run(connection: Connection, run: BenchRun) -> int:
    """Keep a run; it takes the place of none."""
    values = {**vars(run), "passed": json.dumps(run.passed), "report": json.dumps(run.report)}
    return int(connection.execute(sql["put_run"], values).fetchone()[0])


def list_runs(connection: Connection, surface: str | None, *, most: int) -> list[BenchRun]:
    """Return the last runs, the newest first."""
    rows = connection.execute(sql["runs"], {"surface": surface, "most": most})
    return [
        BenchRun(
            row["surface"],
            row["backend"],
            row["sample"],
            row["model"],
            row["basis"],
            tuple(json.loads(row["passed"])),
            json.loads(row["report"]),
            row["ran_at_ms"],
        )
        for row in rows
    ]


def list_passes(connection: Connection) -> dict[tuple[str, str], frozenset[str]]:
    """Return which switches the last run of each surface and basis opened."""
    rows = connection.execute(sql["passes"])
    return {(row["surface"], row["basis"]): frozenset(json.loads(row["passed"])) for row in rows}


def sample_memories(connection: Connection, project: int, *, sample: Order, most: int) -> list[Row]:
    """Return live memories of a project, the newest or any."""
    values = {"project": project, "sample": sample, "most": most}
    return connection.execute(sql["memories"], values).fetchall()


def sample_prompts(connection: Connection, project: int, *, sample: Order, most: int) -> list[Row]:
    """Return prompts that were kept of a project's sessions, the newest or any."""
    values = {"project": project, "sample": sample, "most": most}
    return connection.execute(sql["prompts"], values).fetchall()


def list_leaves(connection: Connection, project: int) -> tuple[str, ...]:
    """Return the categories of a project that can hold memories."""
    return tuple(row["name"] for row in connection.execute(sql["leaves"], {"project": project}))
