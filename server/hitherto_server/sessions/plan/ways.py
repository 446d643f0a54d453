"""Ways of doing a thing that exclude each other: who settled on one goes against it with another.

Unlike tools, ways are words of everyday. So they count only where a step is about the same thing.
"""

# ruff: noqa: E501 - a group of ways is read as one line
from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from hitherto_server.sessions.plan.words import CLAUSE, LEAVES, RULES_OUT

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_KEPT = 1024
GROUPS = r"""
    floats?|doubles?|floating point = integers?|cents|decimals?|numeric
    in[- ]memory|in the process|in process|memory of (?:the|each) \w+|per (?:node|process)|local disk = redis|postgres|databases?|shared store|across (?:all )?nodes
    localstorage|sharedpreferences|on the device|in the browser = with the account|server-side|in the account
    latest|floating tags?|main branch = digests?|pinned|by commit|exact versions?
    synchronous(?:ly)?|inline|in the request|while the user waits = asynchronous(?:ly)?|background jobs?|in a job|workers?|queued
    callbacks?|(?:after|before)_\w+|signals?|database triggers? = service objects?|explicit calls?|application code
    by hand|manual(?:ly)?|humans?|von hand|à la main|a mano = automatic(?:ally)?|automated|generated|bots?|scripts?|agents?|automatisch|automatiquement
    (?:as|in) code|in git|in the repo(?:sitory)?|terraform|reviewed = in the (?:\w+ )?(?:UI|console|dashboard)|\w+ (?:UI|console)|by click\w*|in der oberfläche
    environment variables?|env vars?|env variables? = config\.ya?ml|config files?|settings files?|hard-?coded
    resource files?|in the catalogue|message files?|translation files? = hard-?coded|in the code|directly in the \w+ file|inline strings?
    words|labels|texts? = icons?|icons? only
    randomly|random|unordered|in any order|as they come = by time|chronological(?:ly)?|in order|sorted|sequential(?:ly)?|deterministic|ordered
    light (?:mode|theme) = dark (?:mode|theme)
    SI|metric|met(?:re|er)s|celsius = feet|in ft|imperial|miles|inches|fahrenheit
    named exports? = default exports?|export default
    soft[- ]delet\w+|flagged|archived|to the trash = hard[- ]delet\w+|deleted|purged|removed for good
    append[- ]only|immutable|never changed|unveränderlich|immuable = overwritten|rewritten|in place|umgeschrieben|edited
    pull requests?|through a PR|PRs?|reviewed = (?:pushes|push|pushed|commits?) (?:straight |direct(?:ly)? )?to (?:main|master)|(?:straight|direct(?:ly)?) to main
    separate(?:ly)?|apart|(?:of|in) (?:their|its) own|one \w+ each = in the same|together|combined|all in one
    one (?:\w+ )?at a time|one by one|one \w+ per|each by itself|step by step|gradually|in steps|in small batches = everything|all at once|in one go|big bang
    self-hosted|on our own servers?|on[- ]prem\w* = hosted|managed|as a service|in the cloud
    in the browser|in JS|client-side|on the client|in javascript = on the server|(?:the )?server (?:computes|decides|checks|is authoritative)|server-side|in the backend
    exponential(?:ly)?|jitter = fixed|constant|linear
    offsets?|page numbers? = cursors?|keyset
    polling|polls?|polled = webhooks?|subscriptions?|push(?:ed)? events?
    UTC = local time|CET|CEST|europe/\w+|america/\w+
    snake[_ ]case = camelcase = kebab[- ]case = pascalcase
    tabs = spaces
    singular = plural
    mocks?|mocked|stubs?|stubbed = real (?:database|server|thing|\w+)|testcontainers
    squash(?:ed)? = merge commits? = rebased?
    private|internal only = public(?:ly)?
    formal|sie-form = informal|du-form
    static(?:ally)? = dynamic(?:ally)?|on the heap|malloc
    strict = lax
    oldest first|first in,? first out|ascending = newest first|last in,? first out|descending
    plain text|text only = markdown = html
    plain files|one file per \w+|files on disk = boltdb|sqlite|database|in a table
    workmanager|jobscheduler = foreground services?|alarmmanager
    outside office hours|at night|nachts|off-peak = (?:0?9|1[0-7]):\d\d|during the day|at noon|office hours
    opt[- ]in|off by default|default off = opt[- ]out|on by default|default on
    required|mandatory|not null = optional|nullable
    allow-?lists?|whitelists? = block-?lists?|deny-?lists?|blacklists?
    encrypted|ciphertext = unencrypted|in plain text|plaintext|in the clear
    stateless = sticky sessions?|session state
    spot (?:instances?|nodes?) = on-demand|reserved
    hourly = daily|nightly = weekly = monthly
    eager(?:ly)? = lazy|lazily
    ORM|query builder = raw SQL|hand-?written (?:SQL|queries)
    inheritance|subclass\w* = composition
    push notifications? = mails?|e-?mails? = SMS
    upper ?case = lower ?case = sentence case = title case
    24[- ]hour = 12[- ]hour|am/pm
    per tenant|per customer = shared|global
    monorepo = own repo(?:sitory)?|separate repo(?:sitory|sitories)?
    vendored = from the registry
    fail(?:s)? fast|raises?|an error = silently|falls? back|swallow\w*
    before|first = last|afterwards|at the end
    english|englisch = german|deutsch = french|français = spanish|español
"""


@dataclass(frozen=True)
class Way:
    """One of the ways of a group."""

    group: int
    side: int


def takes_another(decision: str, step: str) -> str | None:
    """Name the way of a step that excludes the one on which a decision settled; None: there is none.

    A decision that knows both, or a step that does, settles nothing of the two.
    """
    settled, planned = ways_in(decision), ways_in(step)
    for other, taken in planned.items():
        known = [one for one in settled if one.group == other.group]
        if known and other not in settled and not any(one in planned for one in known):
            return f"{settled[known[0]]} -> {taken}"
    return None


@lru_cache(maxsize=MOST_KEPT)
def ways_in(text: str) -> Mapping[Way, str]:
    """Return the ways that a text is for, each with its words; what it denies or leaves is none."""
    found: dict[Way, str] = {}
    for clause in CLAUSE.split(text):
        if RULES_OUT.search(clause) or LEAVES.search(clause):
            continue
        for way, wording in _ways():
            if said := wording.search(clause):
                found.setdefault(way, said[0])
    return MappingProxyType(found)


def without_ways(text: str) -> str:
    """Return a text without the words for its ways: what it is about."""
    for _, wording in _ways():
        text = wording.sub(" ", text)
    return text


@cache
def _ways() -> tuple[tuple[Way, re.Pattern[str]], ...]:
    lines = [line.strip() for line in GROUPS.splitlines() if line.strip()]
    return tuple(
        (Way(group, side), re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE))
        for group, line in enumerate(lines)
        for side, words in enumerate(line.split(" = "))
    )
