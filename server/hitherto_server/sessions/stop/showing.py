"""By rule: does what was run show what a message claims?

Quiet as well: what may have shown a claim has shown it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hitherto_server.core.commands import (
    ANYTHING,
    CHECKS,
    Check,
    Shown,
    checks_nothing,
    checks_of,
    ends_with_check,
    may_show,
    only_rehearses,
)
from hitherto_server.core.outputs import FAILURE, TAKES_BACK, tells_failure
from hitherto_server.sessions.stop.claim_words import (
    CLAIMED_COUNT,
    NAMED,
    NONE_LEFT,
    OF_ALL,
    OF_WHOLE,
    REPEATED,
)
from hitherto_server.sessions.stop.claims import claims_in, is_told_of
from hitherto_server.sessions.stop.doubt_words import HAS_PASSED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.sessions.stop.claims import Claim
    from hitherto_server.store.evidence import Command, Evidence

Against = Literal["failed", "nothing ran", "changed since", "showed less"]

NEAR_END = 300
DOCUMENT = re.compile(r"\.(?:md|mdx|rst|txt|adoc|org|tex)$|(?:^|/)(?:LICENSE|CHANGELOG|README)$")
"""Whoever only wrote about a program may well write that its tests pass."""
BESIDE = re.compile(
    r"(?:^|/)(?:docs?/|\.github/|\.gitlab|\.circleci/|\.git\w+$|\.editorconfig$)"
    r"|(?:^|/)(?:package(?:-lock)?\.json|composer\.json|pyproject\.toml|Cargo\.toml|go\.sum"
    r"|[\w.-]+\.lock|pnpm-lock\.yaml)$",
    re.IGNORECASE,
)
"""A change of these after a check leaves what it showed as it was."""
STOPPED = frozenset({124, 130, 137, 143})
"""The exit codes of what was ended from outside, as a server or a watcher is."""
HIDES_CODE = re.compile(r"[|;\n]")
"""A line whose exit code may be another command's: then what it printed counts."""
NOTHING_TESTED = re.compile(
    r"no test files|\bno tests? (?:were )?(?:ran|run|found|collected|executed|matched)"
    r"|collected 0 items|\b0 (?:tests?|examples?|specs?)\b|\b0 passed\b|Tests: +0\b|No tests found",
    re.IGNORECASE,
)
COUNT = re.compile(
    r"(?<![\d.])(\d+) (?:tests? |examples? |specs? )?(?:passed|passing)\b"
    r"|\+(\d+):? All tests passed|OK \((\d+) tests?|Tests run: (\d+)"
    r"|(?<![\d.])(\d+) (?:tests?|examples?|specs?)\b"
)
NARROW = re.compile(
    r"::\w|\s-(?:k|run|t|m|only|-filter|-grep|-tests|-testNamePattern|-test)\b"
    r"|\S*(?:test_\w+|\w+[._-](?:test|spec))s?\.\w+\b"
)
"""One part of the tests is asked for."""
SKIPPED = re.compile(r"\bskip(?:ped|ping)?\b", re.IGNORECASE)
OF_A_CHECK = re.compile(r"\b(?:errors?|warnings?|messages?)\b", re.IGNORECASE)
"""What a build or a linter tells of as well."""
RUNS_ELSEWHERE = re.compile(
    r"in_progress|in progress|queued|pending|running|waiting", re.IGNORECASE
)


@dataclass(frozen=True)
class Unshown:
    """A claim that the evidence speaks against."""

    claim: Claim
    against: Against
    command: Command | None = None
    """What failed, or showed less."""


def unshown(
    message: str, said: str, own: Evidence, everything: Evidence, *, is_whole: bool
) -> Unshown | None:
    """Return the claim of a message that the evidence speaks against, if there is one.

    `own` is what whoever speaks has done in this session, `everything` what anybody has;
    `is_whole` says that nothing of it was left out; `said` is what the person asked for.
    """
    claims = claims_in(message)
    for claim in claims:
        if (failed := _failed_last(claim, own)) is not None:
            return Unshown(claim, "failed", failed)
        if (less := _shows_less(claim, own)) is not None:
            return Unshown(claim, "showed less", less)
    if not is_whole or is_told_of(said):
        return None
    found = ((claim, _lacks(claim, own, everything)) for claim in claims)
    return next((Unshown(claim, against) for claim, against in found if against), None)


def _lacks(claim: Claim, own: Evidence, everything: Evidence) -> Against | None:
    """Tell what is missing where nothing that ran could have shown a claim, as it is now."""
    if claim.about == "command" or _had_nothing_to_check(claim, everything):
        return None
    changed_ms = _changed_ms(own)
    if any(one.at_ms > changed_ms for one in everything.results):
        return None
    showing = [one for one in everything.commands if _may_show(claim, one)]
    if not showing:
        return None if everything.results else "nothing ran"
    if claim.about in {"deed", "pipeline"}:
        return None
    return None if any(one.at_ms > changed_ms for one in showing) else "changed since"


def _may_show(claim: Claim, command: Command) -> bool:
    """Tell whether a command could have shown what is claimed."""
    if claim.about == "deed":
        return not only_rehearses(command.line)
    if claim.about == "pipeline":
        return "run" in may_show(command.line)
    shown = may_show(command.line)
    if HAS_PASSED.search(command.tail) and "run" in shown:
        shown = ANYTHING  # as a hook of the repository does at a commit
    return bool(shown & _wanted(claim))


def _wanted(claim: Claim) -> frozenset[Shown]:
    match claim.about:
        case "check":
            return frozenset(CHECKS) if claim.check is None else frozenset({claim.check})
        case "gone" if NONE_LEFT.search(claim.sentence) or OF_A_CHECK.search(claim.sentence):
            return ANYTHING
        case _:
            return frozenset({"run"})


def _changed_ms(own: Evidence) -> int:
    """Return when a file was changed last on which a check depends."""
    edited = (
        one.at_ms
        for one in own.edits
        if not DOCUMENT.search(one.path) and not BESIDE.search(one.path)
    )
    return max(edited, default=-1)


def _shows_less(claim: Claim, own: Evidence) -> Command | None:
    """Return the last run that could show a claim, if what it printed is less than is claimed."""
    changed_ms = _changed_ms(own)
    ran = [one for one in own.commands if one.at_ms > changed_ms and _may_show(claim, one)]
    if not ran or not ran[-1].tail:
        return None
    is_less = _is_seldom(claim, ran) or _is_left(claim, ran[-1])
    if claim.about == "check" and claim.check in {"tests", None}:
        is_less |= _tested_less(claim, ran)
    return ran[-1] if is_less else None


def _tested_less(claim: Claim, ran: Sequence[Command]) -> bool:
    """Tell whether every run is one of tests, and none tested what is claimed."""
    if any("tests" not in checks_of(one.line) for one in ran):
        return False
    return (
        all(NOTHING_TESTED.search(one.tail) and not _counts(one) for one in ran)
        or _is_part(claim, ran)
        or _is_skipped(claim, ran[-1])
        or _is_other_count(claim, ran)
    )


def _is_seldom(claim: Claim, ran: Sequence[Command]) -> bool:
    """Tell whether a message says how often something was tried, and no run knows the number."""
    times = REPEATED.search(claim.sentence)
    if claim.about != "trial" or times is None:
        return False
    number = re.compile(rf"(?<!\d){times[1]}(?!\d)")
    return not any(number.search(one.line) or number.search(one.tail) for one in ran)


def _is_left(claim: Claim, last: Command) -> bool:
    """Tell whether a message says that there are none of what the last run counts."""
    none = NONE_LEFT.search(claim.sentence)
    if claim.about != "check" or none is None:
        return False
    left = rf"(?<![\d.])[1-9]\d* {none[1].rstrip('s')}(?:s|\(s\))?\b"
    return re.search(left, last.tail, re.IGNORECASE) is not None


def _is_part(claim: Claim, ran: Sequence[Command]) -> bool:
    return bool(OF_WHOLE.search(claim.sentence)) and all(NARROW.search(one.line) for one in ran)


def _is_skipped(claim: Claim, last: Command) -> bool:
    """Tell whether a kind of test that a message names was skipped."""
    named = {one.lower() for one in NAMED.findall(claim.sentence)}
    skips = (one.lower() for one in last.tail.splitlines() if SKIPPED.search(one))
    return any(name in line for line in skips for name in named)


def _is_other_count(claim: Claim, ran: Sequence[Command]) -> bool:
    """Tell whether a message gives another number of tests than each run printed."""
    claimed = {int(re.sub(r"\D", "", one)) for one in CLAIMED_COUNT.findall(claim.sentence)}
    counts = [_counts(one) for one in ran]
    if len(claimed) != 1 or not all(len(one) == 1 for one in counts):
        return False
    numbers = {number for one in counts for number in one}
    return not claimed & {*numbers, sum(numbers)}


def _counts(command: Command) -> set[int]:
    """Return how many tests passed, by an output; several: nobody knows which is the sum."""
    found = COUNT.findall(command.tail)
    return {int(next(filter(None, one))) for one in found} - {0}


def _failed_last(claim: Claim, done: Evidence) -> Command | None:
    """Return the command that failed last of a kind, if the claim can only be about it."""
    match claim.about:
        case "check":
            wanted = CHECKS if claim.check is None else (claim.check,)
            failed = (_failed_of(kind, claim, done) for kind in wanted)
            return next((one for one in failed if one is not None), None)
        case "pipeline":
            return _goes_on(done)
        case "trial":
            return None
        case "command":
            return _failed_at_last(done)
        case _:
            return _failed_alone(done)


def _goes_on(done: Evidence) -> Command | None:
    """Return the last look at what runs elsewhere, if that was still running."""
    asked = [one for one in done.commands if "run" in may_show(one.line)]
    return asked[-1] if asked and RUNS_ELSEWHERE.search(asked[-1].tail) else None


def _failed_at_last(done: Evidence) -> Command | None:
    """Return the last command that did more than look, if it failed and nothing came after it."""
    ran = [one for one in done.commands if not checks_nothing(one.line)]
    if not ran or ran[-1].failed is not True or ran[-1].exit_code in STOPPED:
        return None
    times = [one.at_ms for one in done.results] + [one.at_ms for one in done.edits]
    return None if max(times, default=0) > ran[-1].at_ms else ran[-1]


def _failed_alone(done: Evidence) -> Command | None:
    """Return the last command, if it failed and nothing since the last change went well."""
    last = _failed_at_last(done)
    changed_ms = _changed_ms(done)
    went_well = (
        one.failed is not True and one.at_ms > changed_ms and not checks_nothing(one.line)
        for one in done.commands
    )
    return None if any(went_well) else last


def _failed_of(kind: Check, claim: Claim, done: Evidence) -> Command | None:
    ran = [one for one in done.commands if _is_run_of(kind, one)]
    if not ran or not _has_failed(ran[-1], kind):
        return None
    if _is_about_another(claim.sentence, ran[-1].line) or _is_in_doubt(ran, done):
        return None
    edited_ms = max((one.at_ms for one in done.edits), default=0)
    passed = any(one.failed is False and one.at_ms >= edited_ms for one in ran)
    return None if passed and not OF_ALL.search(claim.sentence) else ran[-1]


def _is_run_of(kind: Check, command: Command) -> bool:
    """Tell whether a command is a check by its name, or by a failure that only such a one tells."""
    if kind in checks_of(command.line):
        return True
    is_unknown = may_show(command.line) == ANYTHING and command.failed is True
    return is_unknown and tells_failure(kind, command.tail[-NEAR_END:])


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
        one.at_ms > failed_ms and one.failed is False and may_show(one.line) == ANYTHING
        for one in done.commands
    )


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


def _had_nothing_to_check(claim: Claim, everything: Evidence) -> bool:
    """Tell whether no file of a program was changed, and nothing else was done."""
    if everything.edits:
        return all(DOCUMENT.search(one.path) for one in everything.edits)
    if claim.about == "trial":
        return False  # who has tried something has run something
    return all(checks_nothing(one.line) for one in everything.commands)
