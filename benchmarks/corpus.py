"""Memories and questions in any number: sentences from patterns over a wide, uneven vocabulary."""

# ruff: noqa: E501, SIM905 - the vocabulary, at a word a line, would be all of this file
from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

THINGS = (
    "request response handler cache queue session token schema migration index table column row record cursor "
    "transaction lock lease batch job worker scheduler retry timeout deadline budget quota limit counter metric "
    "trace span log event message topic partition offset consumer producer broker gateway proxy router balancer "
    "endpoint webhook signature certificate secret password login account tenant customer invoice payment refund "
    "charge ledger currency discount coupon order basket shipment parcel warehouse stock supplier catalogue price "
    "report export import upload download attachment thumbnail image video caption font layout sidebar toolbar "
    "dialog button form field validator parser lexer grammar compiler linker optimiser allocator buffer stream "
    "socket packet frame header payload checksum digest encoder decoder codec sampler mixer renderer shader texture "
    "mesh camera sensor driver firmware bootloader device battery antenna modem printer scanner keyboard display "
    "locale translation plural calendar timezone holiday reminder alarm notification mail template subject "
    "profile avatar comment thread mention reaction bookmark feed search ranking synonym stemmer tokenizer embedding "
    "vector cluster shard replica primary failover snapshot backup restore archive retention bucket object folder "
    "symlink permission owner group policy role audit review approval release branch tag commit merge rebase "
    "conflict pipeline runner container image registry volume network subnet firewall route dns resolver hostname "
    "feature flag experiment cohort funnel dashboard chart legend axis tooltip filter selector query planner join "
    "aggregate histogram percentile sample forecast model dataset label fixture mock stub snapshot test assertion "
    "coverage linter formatter hook plugin extension manifest dependency lockfile mirror package wheel binary "
    "sandbox emulator simulator debugger profiler heap stack thread process signal semaphore mutex channel future "
    "promise callback coroutine iterator generator decorator macro module interface protocol adapter facade factory"
).split()
DEEDS = (
    "drops retries merges splits delays caches rejects sorts compresses validates batches ignores duplicates rewrites "
    "samples truncates escapes encodes decodes encrypts signs verifies rotates expires renews locks unlocks flushes "
    "drains pauses resumes cancels restarts reloads imports exports copies moves renames deletes archives restores "
    "publishes subscribes polls streams buffers throttles debounces queues schedules prefetches rebuilds reindexes "
    "normalises trims pads rounds converts formats parses tokenises stems ranks filters groups joins aggregates counts "
    "measures traces logs reports warns blocks allows redirects proxies forwards mirrors replicates partitions shards "
    "balances evicts compacts checkpoints commits reverts rebases tags releases deploys provisions installs upgrades"
).split()
TRAITS = (
    "slow stale empty broken missing wrong double late early large small nightly weekly internal external public "
    "private legacy experimental optional required remote local temporary permanent shared exclusive idempotent "
    "ordered random concurrent sequential lazy eager cached compressed encrypted signed anonymous verified archived "
    "read-only writable nested flat sparse dense partial complete malformed truncated orphaned pending cancelled "
    "expired renewed disabled enabled deprecated generated handwritten undocumented flaky deterministic portable "
    "incremental recursive asynchronous blocking buffered unbuffered localised translated rounded signed-off manual"
).split()
PLACES = (
    "staging", "production", "the build machine", "the mobile app", "the desktop client", "the nightly run",
    "the admin page", "the customer portal", "the test suite", "the billing service", "the search service",
    "the mail service", "the old cluster", "the new cluster", "the demo environment", "the load test",
    "the release branch", "the first start", "a clean checkout", "low memory",
)  # fmt: skip
REASONS = (
    "because the vendor's library leaks handles", "since the old device sends them twice", "after the outage in spring",
    "to keep the build reproducible", "as the benchmark showed", "until the new protocol is everywhere",
    "because two threads share the buffer", "so that the log stays readable", "since the disk is slow on that host",
    "to satisfy the type checker", "because auditors asked for it", "as agreed with the operations team",
    "since users complained about the delay", "because a restart lost them once", "to stay below the provider's quota",
    "as the standard demands", "because the clock may jump", "so that a rollback stays possible",
    "since nobody owns that service any more", "because the index would not fit in memory",
)  # fmt: skip
STATEMENTS = (
    "The {trait} {thing} of `{name}` {deed} every {thing2} {reason}.",
    "In {place} the {thing} {deed} the {trait} {thing2}; use `{name}` instead.",
    "We decided that the {thing} {deed} each {thing2} before the {thing3} is touched, {reason}.",
    "Never give a {trait} {thing} to `{name}`: it {deed} the {thing2} and the {thing3} is lost.",
    "The {thing} {deed} at most {count} {thing2}s at a time, {reason}.",
    "A {thing} that is {trait} waits {count} seconds, then `{name}` {deed} its {thing2}.",
    "`{name}` is where the {thing} meets the {thing2}; it {deed} what is {trait}.",
    "Tests of the {thing} need a {trait} {thing2}, otherwise {place} {deed} the {thing3}.",
    "The setting `{name}` is {count} in {place}, {reason}.",
    "Look at the {thing} first when the {thing2} is {trait}: {count} of {count2} cases came from there.",
    "Somebody {deed} the {thing} by hand on {place}; the {thing2} does not notice it.",
    "The {trait} {thing} was replaced by a {trait2} {thing2}, {reason}.",
    "Before `{name}` runs, the {thing} must be {trait}.",
    "For a {thing} we prefer {trait} over {trait2}, {reason}.",
    "`{name}` returns nothing if the {thing} is {trait}, and raises if the {thing2} is.",
    "Rollbacks of the {thing} leave a {trait} {thing2} behind; remove it with `{name}`.",
    "Only {place} has a {trait} {thing}, so that the {thing2} {deed} nothing there.",
    "Customers see a {trait} {thing} while the {thing2} {deed} it.",
    "The documentation says that a {thing} {deed} the {thing2}, which is wrong {reason}.",
    "Upgrading the {thing} to version {count} made every {thing2} {trait}.",
    "Ask the owner of the {thing} before you change how it {deed} the {thing2}.",
    "The {thing2} costs {count} ms, most of it in the {trait} {thing}.",
    "With more than {count} {thing}s the {thing2} becomes {trait}; we shard it then.",
    "Keep the {thing} and the {thing2} in one commit, {reason}.",
    "The {trait} {thing} comes from a generator: edit the {thing2}, never the output.",
    "Memory grew by {count} MB until `{name}` {deed} the {trait} {thing}.",
    "Permissions of the {thing} are those of its {thing2}, except in {place}.",
    "Two {thing}s with the same {thing2} mean that `{name}` {deed} too early.",
    "An empty {thing} is no error here; a {trait} {thing2} is.",
    "Reviewers want each {thing} next to its {thing2}, {reason}.",
)  # fmt: skip
QUESTIONS = (
    "Why is the {thing} {trait} after somebody {deed} it?",
    "How many {thing}s does the {thing2} take at a time in {place}?",
    "What happens to a {trait} {thing} when the {thing2} {deed} it?",
    "Please change the {thing} so that it {deed} the {thing2} {reason}.",
    "Where do we decide that the {trait} {thing} {deed} a {thing2}?",
    "The {thing} fails in {place}: the {thing2} is {trait} and the {thing3} too. What did we find out about it before?",
    "Does `{name}` still need the {trait} {thing}?",
    "Add a test for the {thing} that {deed} the {trait} {thing2}, and say which fixtures it needs.",
    "Rename `{name}` and adapt everything that {deed} a {thing}.",
    "What is the limit of {thing}s, and who set it?",
    "I see a {trait} {thing} in {place} since yesterday, the {thing2} {deed} twice and then the {thing3} times out; did we have that already and how was it mended?",
    "Write the documentation of the {thing} and the {thing2}.",
)  # fmt: skip
FILES = (
    "src/{a}.py",
    "src/{a}/{b}.ts",
    "lib/{a}_{b}.go",
    "tests/test_{a}.py",
    "deploy/{a}.yml",
    "docs/{a}.md",
)


def _uneven(words: Sequence[str]) -> tuple[list[str], list[float]]:
    """Return the words with how often each comes: a few are everywhere, as in any language."""
    once = list(dict.fromkeys(words))
    random.Random(1).shuffle(once)
    return once, list(accumulate(1 / (place + 8) for place in range(len(once))))


_THINGS, _DEEDS, _TRAITS = _uneven(THINGS), _uneven(DEEDS), _uneven(TRAITS)


@dataclass(frozen=True)
class Text:
    """One memory, and the file that it is tied to."""

    content: str
    file: str


def memories(seed: int, count: int) -> Iterator[Text]:
    """Yield texts of two to four sentences; no two are the same."""
    rng = random.Random(seed)
    for number in range(count):
        a, b = _pick(rng, _THINGS), _pick(rng, _THINGS)
        name = (
            f"{a}_{rng.choice(_DEEDS[0])}_{b}"
            if number % 2
            else f"{a.title()}{b.title()}{number % 997}"
        )
        said = [
            _filled(rng, pattern, name) for pattern in rng.sample(STATEMENTS, rng.randint(2, 4))
        ]
        yield Text(f"{' '.join(said)} (note {number})", rng.choice(FILES).format(a=a, b=b))


def questions(seed: int, count: int) -> list[str]:
    """Return different questions, asked in the words of the memories."""
    rng = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        name = f"{_pick(rng, _THINGS)}_{rng.choice(_DEEDS[0])}_{_pick(rng, _THINGS)}"
        found.setdefault(_filled(rng, QUESTIONS[len(found) % len(QUESTIONS)], name))
    return list(found)


def _pick(rng: random.Random, words: tuple[list[str], list[float]]) -> str:
    return rng.choices(words[0], cum_weights=words[1])[0]


def _filled(rng: random.Random, pattern: str, name: str) -> str:
    return pattern.format(
        name=name,
        thing=_pick(rng, _THINGS),
        thing2=_pick(rng, _THINGS),
        thing3=_pick(rng, _THINGS),
        deed=_pick(rng, _DEEDS),
        trait=_pick(rng, _TRAITS),
        trait2=_pick(rng, _TRAITS),
        place=rng.choice(PLACES),
        reason=rng.choice(REASONS),
        count=rng.randrange(2, 900),
        count2=rng.randrange(900, 4000),
    )
