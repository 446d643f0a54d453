"""By rule: does a message claim that checks passed which the session's own output does not show?

The rule is built to be quiet: where anything in the message or in the evidence leaves room for
doubt, nothing is said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

from hitherto_server.core.commands import CHECKS, Check, checks_nothing, checks_of, ends_with_check
from hitherto_server.core.outputs import FAILURE, TAKES_BACK, tells_failure
from hitherto_server.sessions.stop.claim_words import (
    ADMITS,
    COMPOUND,
    HANDS_ON,
    HAS_PASSED,
    NAMED,
    OF_A_RUN,
    OF_ALL,
    PASSES,
    SAYS,
    SAYS_ALL,
    STANDS,
    TOLD_OF,
    TRIED,
    UNSURE,
    WENT_WELL,
    clauses_of,
)
from hitherto_server.sessions.stop.waiting import CODE, MARKS, sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.store.evidence import Command, Evidence

Against = Literal["failed", "nothing ran"]
About = Literal["check", "trial", "command"]
"""A known check; something tried out in whatever way; a command that did its work."""

MOST_READ = 6000
NEAR_END = 300
DOCUMENT = re.compile(r"\.(?:md|mdx|rst|txt|adoc|org|tex)$|(?:^|/)(?:LICENSE|CHANGELOG|README)$")
"""Whoever only wrote about a program may well write that its tests pass."""
STOPPED = frozenset({124, 130, 137, 143})
"""The exit codes of what was ended from outside, as a server or a watcher is."""
HIDES_CODE = re.compile(r"[|;\n]")
"""A line whose exit code may be another command's: then what it printed counts."""


@dataclass(frozen=True)
class Claim:
    """What a message says to have passed, in its own words."""

    check: Check | None
    """None: all of them."""
    sentence: str
    about: About = "check"


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
    said = sentences(prose)
    if any(_admits(one) for one in said):
        return []
    stated = (one for one in said if not one.endswith(tuple(MARKS)))
    clauses = (clause for one in stated for clause in clauses_of(one))
    return [claim for one in clauses if (claim := _claim_of(one)) is not None]


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
        is_bare = (
            is_whole
            and claim.about != "command"
            and not HAS_PASSED.search(said)
            and _nothing_ran(everything)
        )
        if is_bare:
            return Unshown(claim, "nothing ran")
    return None


def _quoted(found: re.Match[str]) -> str:
    text = found[0]
    # a command's name between ticks belongs to the sentence
    return text.strip("`") if text.startswith("`") and not text.startswith("```") else " … "


def _admits(sentence: str) -> bool:
    """Tell whether a sentence is honest about something that is amiss, and tells no old story."""
    if not ADMITS.search(sentence):
        return False
    return STANDS.search(sentence) is not None or TOLD_OF.search(sentence) is None


def _claim_of(sentence: str) -> Claim | None:
    if UNSURE.search(sentence):
        return None
    if SAYS_ALL.search(sentence):
        return Claim(None, sentence)
    said = (one for one in CHECKS if any(map(_is_of_a_run, SAYS[one].finditer(sentence))))
    kind = next(said, "tests" if PASSES.search(sentence) else None)
    if kind is not None:
        return Claim(kind, sentence)
    if WENT_WELL.search(sentence):
        return Claim(None, sentence, "command")
    return Claim(None, sentence, "trial") if TRIED.search(sentence) else None


def _is_of_a_run(found: re.Match[str]) -> bool:
    """Tell whether it is a check that passed, and no part of the program that is named after it."""
    if HANDS_ON.match(found.string, found.end()):
        return False
    compound = COMPOUND.match(found[0])
    return compound is None or OF_A_RUN.fullmatch(compound[1]) is not None


def _failed_last(claim: Claim, done: Evidence) -> Command | None:
    """Return the command that failed last of a kind, if the claim can only be about it."""
    match claim.about:
        case "trial":
            return None
        case "command":
            return _failed_at_last(done)
        case "check":
            wanted = CHECKS if claim.check is None else (claim.check,)
            failed = (_failed_of(kind, claim, done) for kind in wanted)
            return next((one for one in failed if one is not None), None)
        case _:
            assert_never(claim.about)


def _failed_at_last(done: Evidence) -> Command | None:
    """Return the last command that did more than look, if it failed and nothing came after it."""
    ran = [one for one in done.commands if not checks_nothing(one.line)]
    if not ran or ran[-1].failed is not True or ran[-1].exit_code in STOPPED:
        return None
    times = [one.at_ms for one in done.results] + [one.at_ms for one in done.edits]
    return None if max(times, default=0) > ran[-1].at_ms else ran[-1]


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
