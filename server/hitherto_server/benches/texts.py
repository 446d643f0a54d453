"""Cases of one text: historical-query, secret-gate, category-check and importance-kind."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.benches.sets import (
    load_categories,
    load_historical,
    load_kinds,
    load_secrets,
    load_worth,
)
from hitherto_server.benches.trial import UNSAID, Aspect, Case, Label, Said, Trial
from hitherto_server.gates.secrets.findings import masked
from hitherto_server.judge.surfaces import (
    category_check,
    historical_query,
    importance_kind,
    secret_gate,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.benches.items import Filed, Kind, Past, Valued, Worth
    from hitherto_server.benches.trial import Ask

AROUND_CHARS = 120
KINDS = ("decision", "issue", "preference", "fact", "note")
"""The kinds that the surface knows; plans and workflows come from elsewhere."""
LOW, HIGH = 4, 6
"""Up to `LOW` little hangs on a memory, above `HIGH` much."""


def past_case(one: Past) -> Case:
    """Return a request that may be about the past."""
    label = Label(one.id, "past", one.hard, "past" if one.about_the_past else "present")
    return Case((label,), partial(_past, item=one))


async def _past(ask: Ask, thresholds: Mapping[str, float], *, item: Past) -> Sequence[Said]:
    answers = await ask(historical_query.state_of(item.request), historical_query.questions_for())
    if answers is None:
        return [UNSAID]
    is_past = historical_query.decide(answers, thresholds["least_probability"])
    chance = answers.noul(historical_query.KEY)
    label = None if is_past is None else "past" if is_past else "present"
    return [Said(label, chance, "past")]


def secret_case(one: Valued) -> Case:
    """Return a value in its text, masked, also where a pattern would decide."""
    label = Label(one.id, "secret", one.hard, "secret" if one.secret else "none")
    return Case((label,), partial(_secret, item=one))


async def _secret(ask: Ask, thresholds: Mapping[str, float], *, item: Valued) -> Sequence[Said]:
    span = span_of(item)
    answers = await ask(secret_gate.state_of([span]), secret_gate.questions_for(1))
    if answers is None:
        return [UNSAID]
    is_secret = secret_gate.decide(answers, 1, thresholds).get(0)
    chance = answers.noul(secret_gate.key_of(0))
    label = None if is_secret is None else "secret" if is_secret else "none"
    return [Said(label, chance, "secret")]


def span_of(item: Valued) -> secret_gate.Span:
    """Return a value as the judge is shown it; what stands around it holds it masked only."""
    from hitherto_server.gates.secrets.look import find_secrets

    start = item.text.index(item.value)
    end = start + len(item.value)
    found = (one for one in find_secrets(item.text) if one.start < end and one.end > start)
    finding = next(found, None)
    text = item.text.replace(item.value, masked(item.value))
    return secret_gate.Span(
        masked=masked(item.value),
        looks_like=finding.kind if finding else "value",
        named=finding.named if finding else False,
        around=text[max(start - AROUND_CHARS, 0) : end + AROUND_CHARS],
    )


def category_case(one: Filed) -> Case:
    """Return a filed memory; what belongs in none of the categories stays where it is."""
    stays = one.right is None or one.right == one.filed_under
    label = Label(one.id, "filing", one.hard, "stays" if stays else "moved")
    return Case((label,), partial(_category, item=one))


async def _category(ask: Ask, thresholds: Mapping[str, float], *, item: Filed) -> Sequence[Said]:
    leaves = [category_check.Leaf(at, (name,)) for at, name in enumerate(item.categories, 1)]
    filed = next(one for one in leaves if one.name == item.filed_under)
    options = category_check.options_of(leaves, filed.id)
    state = category_check.state_of(item.content, "note", filed, options)
    answers = await ask(state, category_check.questions_for(options))
    choice = None if answers is None else answers.choice("category")
    if choice is None:
        return [UNSAID]
    moved = category_check.decide(choice, options, filed.id, thresholds["least_confidence"])
    if moved is None:
        return [Said("stays")]
    return [Said("moved" if moved.name == item.right else "moved wrongly")]


def worth_cases() -> list[Case]:
    """Return memories with their kind and their importance."""
    items: list[Worth | Kind] = [*load_kinds(), *load_worth()]
    return [worth_case(one) for one in items]


def worth_case(one: Worth | Kind) -> Case:
    """Return a memory as it is judged in the background."""
    return Case(worth_labels(one), partial(_worth, item=one))


def worth_labels(item: Worth | Kind) -> tuple[Label, ...]:
    """Return what a person says of a memory's importance, and of its kind where it has one."""
    importance = band_of(item.importance)
    labels = [Label(item.id, "importance", item.hard, importance, item.importance)]
    if item.kind in KINDS:
        labels.append(Label(item.id, "kind", item.hard, item.kind))
    return tuple(labels)


def band_of(importance: float) -> str:
    """Return in which third of the scale an importance is."""
    return "low" if importance <= LOW else "high" if importance > HIGH else "middle"


async def _worth(
    ask: Ask, thresholds: Mapping[str, float], *, item: Worth | Kind
) -> Sequence[Said]:
    statement = importance_kind.Statement(item.content, None, None)
    answers = await ask(importance_kind.state_of(statement), importance_kind.questions_for())
    if answers is None:
        return [UNSAID for _ in worth_labels(item)]
    judged = importance_kind.read(answers)
    applied = importance_kind.decide(
        judged,
        least=thresholds["least_confidence"],
        least_importance=thresholds["least_importance_confidence"],
    )
    choice = answers.choice("kind")
    chance = choice.probabilities[choice.choice] if choice else None
    importance = applied.importance
    said = {
        "importance": UNSAID if importance is None else Said(band_of(importance), grade=importance),
        "kind": Said(applied.kind, chance, choice.choice if choice else None),
    }
    return [said[one.aspect] for one in worth_labels(item)]


HISTORICAL_QUERY = Trial(
    historical_query.SURFACE,
    ("historical",),
    (Aspect("past", ("past", "present"), positive="past"),),
    lambda: [past_case(one) for one in load_historical()],
)
SECRET_GATE = Trial(
    secret_gate.SURFACE,
    ("secrets",),
    (Aspect("secret", ("secret", "none"), positive="secret"),),
    lambda: [secret_case(one) for one in load_secrets()],
)
CATEGORY_CHECK = Trial(
    category_check.SURFACE,
    ("categories",),
    (Aspect("filing", ("moved", "stays"), positive="moved", also_said=("moved wrongly",)),),
    lambda: [category_case(one) for one in load_categories()],
)
IMPORTANCE_KIND = Trial(
    importance_kind.SURFACE,
    ("kinds", "worth"),
    (
        Aspect("kind", KINDS),
        Aspect("importance", ("low", "middle", "high")),
    ),
    worth_cases,
)
