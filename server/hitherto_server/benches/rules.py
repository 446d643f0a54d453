"""The rule that answers for each surface where no judgment comes, as its caller has it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server.benches.changed import label_of
from hitherto_server.benches.offered import offered
from hitherto_server.benches.pairs import KINSHIP
from hitherto_server.benches.prompts import boundary_label, learning_label, lookup_label
from hitherto_server.benches.sessions import digest_by_rule, plan_by_rule
from hitherto_server.benches.sets import (
    load_boundaries,
    load_categories,
    load_duplicates,
    load_historical,
    load_kinds,
    load_loops,
    load_prompts,
    load_relations,
    load_secrets,
    load_staleness,
    load_worth,
)
from hitherto_server.benches.shelf import ranked_by_recall
from hitherto_server.benches.texts import band_of, worth_labels
from hitherto_server.benches.trial import UNSAID, Said
from hitherto_server.benches.turns import claim_by_rule, waiting_by_rule, worth_by_rule
from hitherto_server.gates.duplicates import judge
from hitherto_server.gates.secrets import redact
from hitherto_server.history.hearing import hear
from hitherto_server.recall.query import prepare
from hitherto_server.sessions.prompt.another_task import begins
from hitherto_server.sessions.prompt.preference_rules import preferences_in
from hitherto_server.sessions.prompt.rules import (
    asks_about_a_session,
    tier_by_rule,
)
from hitherto_server.standing.anchors import anchor
from hitherto_server.standing.decide import MemoryFacts
from hitherto_server.standing.files import FileStates, Remembered, standings

if TYPE_CHECKING:
    from hitherto_server.benches.cosines import Cosines
    from hitherto_server.benches.items import ChangedFile, Kind, Told, Worth
    from hitherto_server.standing.decide import StandingView

UNSTATED_KIND, UNSTATED_IMPORTANCE = "note", 5
"""What a memory has whose writer said nothing."""

Answered = list[Sequence[Said]]


@dataclass(frozen=True)
class Rule:
    """What stands in for a judgment, and how it is measured."""

    told: str
    """Whose rule it is, in a sentence."""
    answer: Callable[[Cosines], Awaitable[Answered]]
    """Returns what it says of each case of the surface's trial, in their order."""


async def _relations(cosines: Cosines) -> Answered:
    said: Answered = []
    for one in load_relations():
        cosine = await cosines.between(one.older.content, one.newer.content)
        said.append([Said(KINSHIP[judge(one.older.content, one.newer.content, cosine).kinship])])
    return said


async def _supersession(_: Cosines) -> Answered:
    pairs = load_relations()
    return [[Said("keeps")] for one in pairs if one.older.recorded_on < one.newer.recorded_on]


async def _duplicates(cosines: Cosines) -> Answered:
    said: Answered = []
    for one in load_duplicates():
        cosine = await cosines.between(one.older, one.newer)
        is_same = judge(one.older, one.newer, cosine).kinship == "duplicate"
        said.append([Said("same" if is_same else "other")])
    return said


async def _secrets(_: Cosines) -> Answered:
    items = load_secrets()
    kept = [one.value in redact(one.text).text for one in items]
    return [[Said("none" if is_kept else "secret")] for is_kept in kept]


async def _categories(_: Cosines) -> Answered:
    return [[Said("stays")] for _ in load_categories()]


async def _kinds(_: Cosines) -> Answered:
    said = {
        "kind": Said(UNSTATED_KIND),
        "importance": Said(band_of(UNSTATED_IMPORTANCE), grade=UNSTATED_IMPORTANCE),
    }
    items: list[Kind | Worth] = [*load_kinds(), *load_worth()]
    return [[said[label.aspect] for label in worth_labels(one)] for one in items]


async def _historical(_: Cosines) -> Answered:
    past = [prepare(one.request).is_about_the_past for one in load_historical()]
    return [[Said("past" if is_past else "present")] for is_past in past]


async def _staleness(_: Cosines) -> Answered:
    return await asyncio.to_thread(_compared)


def _compared() -> Answered:
    said: Answered = []
    with tempfile.TemporaryDirectory() as folder:
        for file in load_staleness():
            root = Path(folder).resolve() / label_of(file, file.memories[0]).id
            said += [[_said_of(view)] for view in _views(root, file, file.memories)]
    return said


def _views(root: Path, file: ChangedFile, memories: Sequence[Told]) -> Sequence[StandingView]:
    """Tie memories to a file as it was, change it, and look at it as recall does."""
    path = root / file.path
    path.parent.mkdir(parents=True)
    path.write_text(file.before, encoding="utf-8")
    facts = MemoryFacts("agent", 0)
    tied = [Remembered(facts, anchor(one.content, [file.path], root)) for one in memories]
    path.write_text(file.after, encoding="utf-8")
    return standings(tied, root, FileStates())


def _said_of(view: StandingView) -> Said:
    """A change in which nothing can be told apart says nothing of a memory."""
    if view.standing == "current":
        return Said("holds")
    return Said("stale") if view.is_certain else UNSAID


async def _urgency(_: Cosines) -> Answered:
    return [[Said(tier_by_rule(one.request))] for one in load_prompts()]


async def _lookups(_: Cosines) -> Answered:
    asks = [asks_about_a_session(one.request) for one in load_prompts()]
    return [[Said(lookup_label(asks=one))] for one in asks]


async def _boundaries(_: Cosines) -> Answered:
    items = load_boundaries()
    said = [
        begins(one.request, has_ended=one.stopped, earlier=one.earlier_request, files=one.files)
        for one in items
    ]
    return [[Said(boundary_label(begins=one))] for one in said]


async def _learning(_: Cosines) -> Answered:
    """Say what would be kept of a prompt by its wording, if it is about the person."""
    kept = [preferences_in(hear(one.request)) for one in load_prompts()]
    return [[Said(learning_label(lasts=any(one.is_user_wide for one in some)))] for some in kept]


async def _triage(_: Cosines) -> Answered:
    return offered(load_worth())


async def _goals(_: Cosines) -> Answered:
    return [[Said("open")] for _ in load_loops()]


SLOT_CHECK = "The slot check of two statements, with their cosine where a model is installed."
PARTS = "The comparison of the parts that the memory names; what it cannot tell apart is undecided."
FLOOR = "The automatic floor over a store that holds the memories of all requests."

RULES: dict[str, Rule] = {
    "agent-message": Rule(
        "Words that hand over or ask, in the message's last sentences.", waiting_by_rule
    ),
    "turn-worth": Rule(
        "What the message tells, what was asked and what was done, weighed by a fit.",
        worth_by_rule,
    ),
    "claim-check": Rule(
        "An outright claim beside a check that failed last or showed less, or where nothing that "
        "might have shown it was run, or nothing since the last change.",
        claim_by_rule,
    ),
    "relations": Rule(SLOT_CHECK, _relations),
    "supersession": Rule("Nothing is replaced.", _supersession),
    "importance-kind": Rule("What no writer stated: `note` and 5.", _kinds),
    "historical-query": Rule("Words that speak of the past.", _historical),
    "rerank": Rule(FLOOR, ranked_by_recall),
    "brief-rank": Rule(FLOOR, ranked_by_recall),
    "duplicate-gate": Rule(f"{SLOT_CHECK} It refuses nothing.", _duplicates),
    "secret-gate": Rule("Patterns, names and placeholders of the secret gate.", _secrets),
    "category-check": Rule("Every memory stays where it is.", _categories),
    "stale-check": Rule(PARTS, _staleness),
    "edit-stale": Rule(PARTS, _staleness),
    "prompt-urgency": Rule(
        "Words that go back to a decision, an agreement, an old problem or an earlier session are "
        "`must`; a short prompt that looks at one thing or changes one is `consider`; what is not "
        "searched is `skip`, any other one gets the size that is set.",
        _urgency,
    ),
    "task-boundary": Rule(
        "After a turn that had come to its end, words that turn to something else, or a request "
        "that stands by itself and shares no word with the one before.",
        _boundaries,
    ),
    "session-lookup": Rule("Phrases that ask for an earlier session.", _lookups),
    "user-learning": Rule(
        "Wordings of what is to be so from now on, about the person and no project.", _learning
    ),
    "trash-triage": Rule(
        "The order of the clean-up's list; as many of its first as are expendable in truth.",
        _triage,
    ),
    "compact-digest": Rule(
        "Of a person all that does not pass by; of an agent causes, facts and what is left.",
        digest_by_rule,
    ),
    "plan-conflict": Rule(
        "Another value, tool, way or order, or the opposite in a step, or what a decision rules "
        "out or wants to stay.",
        plan_by_rule,
    ),
    "loop-goal": Rule(
        "A loop goes on until its bounds; that its agent has said `done` ended it before.", _goals
    ),
}
