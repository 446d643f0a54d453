"""What commands and their outputs say: did it fail, with what, and is it worth a lesson?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hitherto_server.core.commands import Check

MOST_ERROR = 240
LONGEST_COMMAND = 2000
"""A longer one is a script, and not run a second time as it is."""
FAILURE = re.compile(
    r"\b[1-9]\d* (?:failed|failures?|errors?)\b|^FAILED\b|^FAIL\b|--- FAIL|Traceback \(most recent"
    r"|npm ERR!|error\[E\d+\]|panicked at|error during build|BUILD FAILED",
    re.MULTILINE,
)
TESTS_FAILED = re.compile(
    r"\b[1-9]\d* (?:tests? )?(?:failed|failing|failures?)\b|^FAILED\b|^FAIL\b|--- FAIL"
    r"|\b(?i:failed|failing|failures)\b[ :=]+[1-9]"
    r"|\b[1-9]\d* errors? in \d+\.\d|panicked at|test result: FAILED",
    re.MULTILINE,
)
TESTS_PASSED = re.compile(
    r"\b[1-9]\d* (?:tests? )?(?:passed|passing)\b|\b(?:0|no) fail(?:ed|ures)\b"
    r"|^OK\b|^ok\s|test result: ok",
    re.MULTILINE,
)
OTHERS_FAILED: dict[Check, re.Pattern[str]] = {
    "build": re.compile(
        r"error during build|BUILD FAILED|error\[E\d+\]|error TS\d+|could not compile"
        r"|\bbuild failed\b|\*\*\* .*\bError \d",
        re.IGNORECASE,
    ),
    "lint": re.compile(
        r"\b[1-9]\d* (?:problems?|offenses?|lint errors?)\b|\bFound [1-9]\d* errors?\b(?! in \d)"
    ),
    "types": re.compile(r"\bFound [1-9]\d* errors?\b|error TS\d+|\b[1-9]\d* errors?, \d+ warn"),
}
"""What each kind of check says of itself: `npm ERR!` may be said by whatever npm ran."""
TELLING = (
    (re.compile(r"\b\w*(?:Error|Exception|ImproperlyConfigured|Fault)\b: ?\S"), True),
    (
        re.compile(
            r"panicked at|attempt to|DATA RACE|assertion|undefined reference|not found",
            re.IGNORECASE,
        ),
        False,
    ),
    (
        re.compile(
            r"\b(?:error|fatal|failed to|cannot|can't|could not|unable to)\b", re.IGNORECASE
        ),
        True,
    ),
    (re.compile(r"\bFAILED\b"), False),
)
"""What says most, and whether the last such line counts: a traceback ends with its error."""
SUMMARY = re.compile(
    r"^\s*(?:FAILED\b|FAIL\b|=+|-+ |test result:|\d+ (?:failed|passed)|exit code"
    r"|error during build|npm ERR! (?:code|errno|A complete))",
    re.IGNORECASE,
)
TIDY = re.compile(
    r"\b(?:eslint|ruff|black|prettier|gofmt|isort|flake8|pylint|stylelint|rustfmt|clang-format"
    r"|biome|pre-commit|cargo fmt|git|ls|cat|grep|rg|find|curl|sed)\b"
)
"""Style is no lesson, and these commands find or move things rather than test them."""
WRITES = re.compile(r"(?<![0-9&=-])>{1,2}\s*(?!/dev/|&)[\w~./-]+|\btee\b|\bsed\s+-i|<<")
"""A command that makes or changes a file, as far as its text shows it."""
INLINE = re.compile(r"\b(?:python3?|node|ruby|perl|sh|bash)\s+-[ce]\b|<<")
"""A program that stands in the command itself is run once."""
AROUND = re.compile(
    r"^\s*cd\s+\S+\s*&&\s*|\s*2>&1|\s*\|\s*(?:tail|head)\b[^|]*$|\s*\|\|\s*true\s*$"
)
NOT_RUN = re.compile(
    r"The user doesn't want|Request interrupted|hook error|requires approval|permission|was blocked"
    r"|timed out|command not found",
    re.IGNORECASE,
)
TAKES_BACK = re.compile(
    r"\bgit\s+(?:checkout\b.*(?:--|\.)|restore\b|reset\s+--hard|revert\b"
    r"|stash(?!\s+(?:pop|apply|list|show)))"
)


def tells_failure(kind: Check, output: str) -> bool:
    """Tell whether an output says that a check of this kind failed; its last word counts."""
    if kind != "tests":
        return OTHERS_FAILED[kind].search(output) is not None
    summary = [line for line in output.splitlines() if TESTS_FAILED.search(line)]
    if not summary:
        return False
    passed = [line for line in output.splitlines() if TESTS_PASSED.search(line)]
    behind = output.rfind(summary[-1])
    return not passed or output.rfind(passed[-1]) <= behind


def plain_command(raw: str) -> str:
    """Return a command without what only shapes its output; empty if it tests nothing."""
    before, command = "", " ".join(raw.split())
    while before != command:
        before, command = command, AROUND.sub("", command)
    return "" if TIDY.search(command) or INLINE.search(command) else command


def telling_line(output: str) -> str | None:
    """Return the line of an output that says what went wrong, the most telling wording first."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    lines = [line.removeprefix("E  ").strip() for line in lines if not SUMMARY.match(line)]
    for wording, takes_last in TELLING:
        at = [number for number, line in enumerate(lines) if wording.search(line)]
        if at:
            number = at[-1 if takes_last else 0]
            line = lines[number]
            # a panic says where, and what on the next line
            more = f" {lines[number + 1]}" if line.endswith(":") and number + 1 < len(lines) else ""
            return (line + more)[:MOST_ERROR]
    return None
