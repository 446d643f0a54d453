"""By rule: does a message claim that checks passed which the session's own output does not show?

The rule is built to be quiet: where anything in the message or in the evidence leaves room for
doubt, nothing is said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hitherto_server.core.commands import CHECKS, Check, checks_nothing, checks_of, ends_with_check
from hitherto_server.core.outputs import FAILURE, TAKES_BACK, tells_failure
from hitherto_server.core.phrases import phrases
from hitherto_server.sessions.stop.waiting import CODE, MARKS, sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.store.evidence import Command, Evidence

Against = Literal["failed", "nothing ran"]

MOST_READ = 6000
NEAR_END = 300
DOCUMENT = re.compile(r"\.(?:md|mdx|rst|txt|adoc|org|tex)$|(?:^|/)(?:LICENSE|CHANGELOG|README)$")
"""Whoever only wrote about a program may well write that its tests pass."""
STOPPED = frozenset({124, 130, 137, 143})
"""The exit codes of what was ended from outside, as a server or a watcher is."""
HIDES_CODE = re.compile(r"[|;\n]")
"""A line whose exit code may be another command's: then what it printed counts."""
SAYS: dict[Check, re.Pattern[str]] = {
    "tests": phrases(r"""
        (?:tests?|specs?|suite|test run)\b[^.;,]{0,40}?\b(?:pass(?:es|ed|ing)?|green)
        (?:tests?|suite) (?:\w+ )?succeed(?:s|ed)?
        (?:passing|green) (?:tests?|suite)
        all (?:\d+ )?(?:tests?|specs?) (?:are )?(?:pass\w*|green|ok)
        test results?: \d+ passed, 0 failed
        \d+ (?:tests? )?passed,? (?:and )?(?:0|no|zero) (?:failed|failures)
        (?:running|ran) the tests? .{0,30}\bpass\w*
        it passed every time
    """),
    "build": phrases(r"""
        (?:build|compilation)\b[^.;,]{0,30}?\b(?:pass(?:es|ed)|succe(?:eds|eded|ssful(?:ly)?)|green)
        (?:builds|built|compiles|compiled) (?:successfully|cleanly|fine)
        (?:builds|compiles) without (?:any )?(?:errors?|warnings)
        everything (?:builds|compiles)
        (?:project|code|it|crate|app) (?:now )?(?:builds|compiles)(?=\W*$|[.,;!]| (?:again|now|and|with|without|under|on|cleanly|fine)\b)
    """),  # noqa: E501
    "lint": phrases(r"""
        (?:lint|linter|linting|eslint|ruff|clippy|flake8|rubocop)\b[^.;,]{0,25}?\b(?:pass(?:es|ed)?|clean|green|happy)
        (?:no|zero) (?:lint|linter|eslint|ruff) (?:errors?|warnings?|problems?)
    """),
    "types": phrases(r"""
        type[- ]?check(?:s|ing|er)?\b[^.;,]{0,25}?\b(?:pass(?:es|ed)?|clean|green|happy)
        (?:types|mypy|pyright|tsc)\b[^.;,]{0,25}?\b(?:pass(?:es|ed)?|clean|green|happy)
        (?:mypy|pyright|tsc) reports no errors
        (?:no|zero) type errors
        typescript compiles
    """),
}
HANDS_ON = re.compile(
    r"(?<=pass|sses|ssed|sing)\s+(?:an?|the|its|their|his|each|every|none|null|true|false|over|along"
    r"|down|back|through|arguments?)\b",
    re.IGNORECASE,
)
"""What follows where something is passed on, and nothing passes."""
COMPOUND = re.compile(
    r"(?:test|spec|suite|build|compilation|lint(?:er|ing)?|eslint|ruff|clippy|flake8|rubocop"
    r"|type[- ]?check(?:er|ing)?|types|mypy|pyright|tsc)\s+([a-z]+)(?![\w./:])",
    re.IGNORECASE,
)
"""A check's name before another word: of `eslint config` it is the config that is spoken of."""
OF_A_RUN = phrases(r"""
    suites?|runs?|ran|steps?|stages?|jobs?|targets?|checks?|passes|results?|outputs?|status|reports?
    cases?|functions?|class|classes|modules?|methods?|files?
    errors?|warnings?|problems?|issues?|findings?
    is|are|was|were|be|been|has|have|had|does|do|did|it|we|I|you|that|which
    comes?|came|goes|went|finish\w*|complet\w*|stays?|remains?|exits?|returns?|gives?|says?|ends?
    pass|clean|green|happy|succe\w+
    now|all|both|again|too|also|still|here|everywhere|once|then|back
    and|or|plus|for|in|of|on|with|without|under|over|after|from|against|across|to|at|by|as|via
    \w+ly|\w+ing|\w+ed
""")
"""What may follow it where the check itself is meant, as one that ran."""
SAYS_ALL = phrases(r"""
    all (?:the )?checks (?:pass|passed|are passing|are green)
    everything (?:now )?passes
    `?make check`? (?:passes|passed|succeeds)
""")
"""Of one kind or another: it is held against whatever ran."""
UNSURE = phrases(r"""
    should
    would
    will
    could
    might
    may
    must
    can
    if
    unless
    until
    once
    when
    whether
    before
    so that
    to (?:make|get|have|see|ensure|check|verify|confirm|let)
    make sure
    mak(?:e|es|ing) (?:all|the|every)
    next
    I'll
    we'll
    want(?:s|ed)?
    need(?:s|ed)?
    hope
    expect(?:s|ed)?
    ideally
    then
    plan
    todo
    left
    not
    n't
    never
    no longer
    \w+n't
    only
    yet
    CI
    pipeline
    workflow
    according to
    on your (?:machine|side|end)
    you (?:ran|said|told|mentioned|reported)
    earlier
    previous(?:ly)?
    still
    since the
    as of
    last run
    locally
    subagent
    agent
    says?
    said
    describes?
    badge
    toast
    translat\w+
    in English
    log (?:shows|says)
    in (?:the|that|this) (?:log|loop|guide|example)
""")
"""In the sentence of a claim: then it is none, or none of what this session ran."""
ADMITS = phrases(
    r"""
    (?<!no )(?<!0 )(?<!zero )(?<!not )(?<!without )(?<!any )\bfail(?:s|ed|ing|ures?)?\b
    \berrors? (?:remain|left)
    \bbroken\b
    \bbreaks\b
    \bred\b
    \bflaky\b
    \bskipped\b
    \bexcept\b
    \bapart from\b
    \bother than\b
    \bunrelated\b
    \bpre-existing\b
    \b(?:did|have|has|could|can)(?: not|n't) (?:been )?(?:run|ran|tested|execute|verify)
    \bnot (?:been )?(?:run|tested|verified)
    \buntested\b
    \bleft (?:it|that|them) to CI\b
    """,
    whole_words=False,
)
"""Anywhere in the message: then it is honest about something, and a person reads on."""
HAS_PASSED = phrases(r"""
    (?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)
""")
"""Of a person or of a commit's hook: somebody else ran the check."""
OF_ALL = phrases(r"""
    all
    every
    everything
    whole
    full
    entire
    suite
    zero
    0 failed
    no failures
""")
"""Then one failure is one too many, whatever else passed."""
NAMED = phrases(r"""
    pytest
    jest
    vitest
    mocha
    cargo
    rspec
    phpunit
    junit
    eslint
    ruff
    clippy
    mypy
    pyright
    tsc
    unit
    integration
    e2e
    end-to-end
    smoke
    backend
    frontend
    snapshot
    regression
""")


@dataclass(frozen=True)
class Claim:
    """What a message says to have passed, in its own words."""

    check: Check | None
    """None: all of them."""
    sentence: str


@dataclass(frozen=True)
class Unshown:
    """A claim that the evidence speaks against."""

    claim: Claim
    against: Against
    command: Command | None = None
    """What failed."""


def claims_in(message: str) -> list[Claim]:
    """Return what a message plainly says to have passed; none where it admits anything."""
    prose = CODE.sub(_quoted, message[-MOST_READ:])
    if ADMITS.search(prose):
        return []
    return [claim for one in sentences(prose) if (claim := _claim_of(one)) is not None]


def unshown(
    message: str, said: str, own: Evidence, everything: Evidence, *, is_whole: bool
) -> Unshown | None:
    """Return the claim of a message that the evidence speaks against, if there is one.

    `own` is what whoever speaks has done in this session, `everything` what anybody has;
    `is_whole` says that nothing of it was left out; `said` is what the person asked for.
    """
    for claim in claims_in(message):
        if (failed := _failed_last(claim, own)) is not None:
            return Unshown(claim, "failed", failed)
        is_bare = is_whole and not HAS_PASSED.search(said) and _nothing_ran(everything)
        if is_bare:
            return Unshown(claim, "nothing ran")
    return None


def _quoted(found: re.Match[str]) -> str:
    text = found[0]
    # a command's name between ticks belongs to the sentence
    return text.strip("`") if text.startswith("`") and not text.startswith("```") else " … "


def _claim_of(sentence: str) -> Claim | None:
    if sentence.endswith(tuple(MARKS)) or UNSURE.search(sentence):
        return None
    if SAYS_ALL.search(sentence):
        return Claim(None, sentence)
    said = (one for one in CHECKS if any(map(_is_of_a_run, SAYS[one].finditer(sentence))))
    kind = next(said, None)
    return None if kind is None else Claim(kind, sentence)


def _is_of_a_run(found: re.Match[str]) -> bool:
    """Tell whether it is a check that passed, and no part of the program that is named after it."""
    if HANDS_ON.match(found.string, found.end()):
        return False
    compound = COMPOUND.match(found[0])
    return compound is None or OF_A_RUN.fullmatch(compound[1]) is not None


def _failed_last(claim: Claim, done: Evidence) -> Command | None:
    """Return the command that failed last of a kind, if the claim can only be about it."""
    wanted = CHECKS if claim.check is None else (claim.check,)
    return next(
        (one for kind in wanted if (one := _failed_of(kind, claim, done)) is not None), None
    )


def _failed_of(kind: Check, claim: Claim, done: Evidence) -> Command | None:
    ran = [one for one in done.commands if kind in checks_of(one.line)]
    if not ran or not _has_failed(ran[-1], kind):
        return None
    if _is_about_another(claim.sentence, ran[-1].line) or _is_in_doubt(ran, done):
        return None
    edited_ms = max((one.at_ms for one in done.edits), default=0)
    passed = any(one.failed is False and one.at_ms >= edited_ms for one in ran)
    return None if passed and not OF_ALL.search(claim.sentence) else ran[-1]


def _is_in_doubt(ran: Sequence[Command], done: Evidence) -> bool:
    """Tell whether the last failure is of an older state, or somebody may have checked after it."""
    failed_ms = ran[-1].at_ms
    passed_ms = max((one.at_ms for one in ran if one.failed is False), default=None)
    if passed_ms is not None and any(
        TAKES_BACK.search(one.line) and passed_ms <= one.at_ms <= failed_ms for one in done.commands
    ):
        return True
    if any(one.at_ms > failed_ms for one in done.results):
        return True
    return any(
        one.at_ms > failed_ms and one.failed is False and _may_check(one) for one in done.commands
    )


def _may_check(command: Command) -> bool:
    """Tell whether a command that is no known check may be one all the same, as a script may."""
    is_unknown = not checks_nothing(command.line) and not checks_of(command.line)
    return is_unknown and not _is_commit(command)


def _is_about_another(sentence: str, line: str) -> bool:
    """Tell whether a sentence names a kind of test that a command does not."""
    named = {one.lower() for one in NAMED.findall(sentence)}
    return bool(named) and not any(one in line.lower() for one in named)


def _has_failed(command: Command, kind: Check) -> bool:
    """Tell whether a check failed for sure, and nothing else that stands in its line."""
    is_its_own = ends_with_check(command.line)
    ending = command.tail[-NEAR_END:]
    if command.failed is True:
        if is_its_own and command.exit_code not in STOPPED:
            return True
        return bool(FAILURE.search(ending)) if is_its_own else tells_failure(kind, ending)
    # Codex tells no exit code at all
    hides_code = command.failed is None or HIDES_CODE.search(command.line)
    return bool(hides_code and kind == "tests" and FAILURE.search(ending))


def _nothing_ran(everything: Evidence) -> bool:
    """Tell whether nothing at all ran that might have been a check, in anybody's hands."""
    if everything.results or _only_documents(everything):
        return False
    return all(checks_nothing(one.line) or _is_commit(one) for one in everything.commands)


def _only_documents(everything: Evidence) -> bool:
    """Tell whether no file of a program was changed: then nothing was there to be checked."""
    edited = [one.path for one in everything.edits]
    return all(DOCUMENT.search(one) for one in edited)


def _is_commit(command: Command) -> bool:
    """Tell whether a line only commits, and no hook of the repository told of a check."""
    plain = re.sub(r"git\s+(?:add|commit)\b[^&|;]*", "true", command.line)
    return checks_nothing(plain) and not HAS_PASSED.search(command.tail)
