"""What build files define: the targets and variables of make, the arguments of container files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hitherto_server.standing.definitions import Definition

if TYPE_CHECKING:
    from collections.abc import Iterator

# a line and those that it is continued on
LOGICAL = r"[^\n]*?(?:\\\n[^\n]*?)*"
VARIABLE = re.compile(
    rf"^(?:export[ ]+|override[ ]+)?([\w.-]+)[ ]*(?:[:?+!]|::)?=({LOGICAL})$", re.MULTILINE
)
# a rule goes on as long as lines are led by a tab; empty ones between them belong to it
RULE = re.compile(
    rf"^([\w./%$(){{}}-](?:[^\n:=#]*[^\n:=#\s])?)[ \t]*::?(?!=){LOGICAL}$(?:\n*\n\t[^\n]*)*",
    re.MULTILINE,
)
INSTRUCTION = re.compile(
    rf"^[ \t]*(ARG|ENV|LABEL|FROM)[ \t]+({LOGICAL})$", re.MULTILINE | re.IGNORECASE
)
# only from a word's beginning: else a long one without `=` is tried from each of its letters
SETTING = re.compile(r"(?<![\w.-])([\w.-]+)=(?:\"(?:\\.|[^\"\\])*+\"|'[^']*+'|\S*)")
NAME = re.compile(r"[^\s\\]\S*")
STAGE = re.compile(r"(?<!\S)\S+[ \t]+AS[ \t]+([\w.-]+)", re.IGNORECASE)


def make_keys(text: str) -> Iterator[Definition]:
    """Give each variable and each target, with its recipe."""
    for match in VARIABLE.finditer(text):
        yield Definition((match.group(1),), "key", *match.span())
    for match in RULE.finditer(text):
        for target in match.group(1).split():
            yield Definition((target,), "key", *match.span())


def docker_keys(text: str) -> Iterator[Definition]:
    """Give each argument, variable, label and stage."""
    for match in INSTRUCTION.finditer(text):
        word, rest = match.group(1).upper(), match.group(2)
        if word == "FROM":
            if stage := STAGE.search(rest):
                yield Definition((stage.group(1),), "key", *match.span())
            continue
        settings = list(SETTING.finditer(rest))
        if not settings and (name := NAME.search(rest)):  # `ARG NAME`, the old `ENV NAME value`
            yield Definition((name.group(),), "key", *match.span())
        for setting in settings:
            start, end = setting.span()
            yield Definition(
                (setting.group(1),), "key", match.start(2) + start, match.start(2) + end
            )
