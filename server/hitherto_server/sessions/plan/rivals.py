"""Tools that take each other's place: who settled on one goes against it with another."""

from __future__ import annotations

import re
from functools import cache

from hitherto_server.sessions.plan.words import BECOMES, CLAUSE, LEAVES, RULES_OUT

RIVALS = """
    npm pnpm yarn bun
    pip poetry uv pipenv conda
    postgres postgresql mysql mariadb sqlite mongodb dynamodb
    redis memcached valkey
    kafka rabbitmq nats sqs
    celery dramatiq huey
    jest vitest mocha jasmine
    pytest unittest
    cypress playwright selenium puppeteer
    moment.js momentjs dayjs date-fns luxon
    webpack vite parcel rollup esbuild
    react-query tanstack-query swr apollo
    redux zustand mobx jotai
    sphinx mkdocs docusaurus
    elasticsearch opensearch meilisearch typesense algolia solr
    graphql grpc
    jenkins circleci gitlab-ci github-actions
    flask django fastapi
    prisma drizzle typeorm sequelize knex
    terraform pulumi cloudformation
    docker podman
    k6 locust jmeter gatling
    loguru structlog
    bcrypt argon2 argon2id scrypt
    cookie cookies localstorage sessionstorage indexeddb
    uuid uuids ulid ulids bigint bigints
    react vue svelte angular
    tailwind bootstrap
"""
GROUPS = tuple(frozenset(line.split()) for line in RIVALS.splitlines() if line.strip())
SAME = {
    "postgresql": "postgres", "momentjs": "moment.js", "argon2id": "argon2", "cookies": "cookie",
    "uuids": "uuid", "ulids": "ulid", "bigints": "bigint",
}  # fmt: skip
JOINED = re.compile(r"\b(react|tanstack|gitlab|github|date|next)[ -](query|ci|actions|fns)\b")


def tools_in(text: str) -> frozenset[str]:
    """Return the tools that a text names and that others could stand in for."""
    found = _named().findall(JOINED.sub(r"\1-\2", text.lower()))
    return frozenset(SAME.get(one, one) for one in found)


def rivals_of(tool: str) -> frozenset[str]:
    """Return what could stand in a tool's place, without the tool."""
    others = (group for group in GROUPS if tool in group)
    return frozenset(SAME.get(one, one) for group in others for one in group) - {tool}


def used_in(statement: str) -> frozenset[str]:
    """Return the tools that a statement is for: none that it denies, leaves or takes away."""
    kept = (_kept_of(one) for one in CLAUSE.split(statement) if not RULES_OUT.search(one))
    return tools_in("; ".join(kept))


def _kept_of(clause: str) -> str:
    """Return a clause without what it leaves: `replace A by B` is for B."""
    if not LEAVES.search(clause):
        return clause
    return BECOMES.split(clause, maxsplit=1)[1] if BECOMES.search(clause) else ""


@cache
def _named() -> re.Pattern[str]:
    names = sorted({one for group in GROUPS for one in group}, key=len, reverse=True)
    listed = "|".join(re.escape(one) for one in names)
    return re.compile(rf"(?<![\w./-])(?:{listed})(?![\w/-])")
