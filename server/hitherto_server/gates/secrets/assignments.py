"""`name = value`, `--name value`, `the name is value`: the name says whether it is a secret."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hitherto_server.gates.secrets.findings import Finding, entropy_of
from hitherto_server.gates.secrets.placeholders import is_harmless, is_placeholder
from hitherto_server.gates.secrets.values import is_made_of_words, is_random, is_weak_default
from hitherto_server.gates.secrets.words import PASSWORD, names_a_secret, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

VALUE = r"""
    (?: "(?P<double>[^"\n]{3,400})" | '(?P<single>[^'\n]{3,400})' | `(?P<tick>[^`\n]{3,400})`
      | \\"(?P<escaped>[^"\\\n]{3,400})\\"
      | (?![A-Za-z_][\w.-]*=[^=\s])
        (?P<bare>(?:(?![&?][\w.-]+=|/[A-Za-z]+:)[^\s"'`<>,;{}\[\]()\\]){4,400})
    )"""
"""In quotes, or up to where a bare value ends; `a: b=c` is about `b`."""
ASSIGNED = re.compile(
    rf"""
    (?<![\w.$])
    (?P<name>[A-Za-z_][\w.-]{{1,80}}+(?:[ ](?:key|token|secret|password|phrase|code))?+)
    (?:[ ]\d{{1,2}})?+(?:\\?["'`\]]){{0,2}}+\)?+[ \t]{{0,8}}+
    (?::=|=>|->|!?={{1,3}}|:|\|\|=?|,(?=[ \t]*["']))(?!//)[ \t]{{0,8}}(?:[a-z]{{1,2}}(?=["']))?
    {VALUE}""",
    re.VERBOSE | re.IGNORECASE,
)
FLAG = re.compile(rf"(?<![\w-])--?(?P<name>[A-Za-z][\w-]{{1,60}})[ \t]+(?!-){VALUE}", re.VERBOSE)
SAID = re.compile(
    rf"""
    (?P<name>(?<![A-Za-z])
        (?:pass(?:word|wd|phrase|code|wort)|pwd|secret|token|credentials?|key|pw)\b)
    (?: (?:[ ](?:for|of|to|on|in|at)(?:[ ][\w@./-]+){{1,4}}?)?
        [ ](?:is|was|are|to|as|became|ist)[ ](?:now[ ]|set[ ]to[ ]|still[ ])?
      | [ ](?=[^\s]*\d)(?!\d+\b)
    )
    {VALUE}""",
    re.VERBOSE | re.IGNORECASE,
)
XML = re.compile(r"<(?P<name>[A-Za-z][\w.:-]{2,60})>(?P<bare>[^<>\s]{4,400})</(?P=name)>")
NETRC = re.compile(r"\blogin[ \t]+\S+\s+(?P<name>password)[ \t]+(?P<bare>\S{4,200})")
SHORT_FLAGS = re.compile(
    r"\b(?:sshpass[ \t]+-p[ \t]*|(?:mysql|mysqldump|mariadb|mycli)\b[^\n|;]{0,80}?[ \t]-p"
    r"|redis-cli\b[^\n|;]{0,80}?[ \t]-a[ \t]+"
    r"|curl\b(?:[^\n]|(?<=\\)\n){0,200}?[ \t](?:-u|--user)[ \t=]{0,3}[\"']?"
    r"(?:[^\s:<\"']{1,60}:|(?=[^\s:<\"']{0,99}\d[^\s:<\"']{0,99}:[\"']?(?:\s|\Z)))"
    r"|(?:docker|helm|podman)\b[^\n|;]{0,60}?login\b[^\n|;]{0,60}?[ \t]-p[ \t]+)"
    r"(?P<quote>[\"']?)(?P<bare>(?![$<\[{(])[^\s\"'<>]{5,200})(?P=quote)"
)
SEED = re.compile(
    r"\b(?:mnemonic|(?:seed|recovery)[ _-]?phrase)\b[^a-z\n]{0,12}(?:is[ :\"']{1,4})?"
    r"(?P<bare>(?:[a-z]{3,8}[ ]){11}(?:(?:[a-z]{3,8}[ ]){12})?[a-z]{3,8})\b",
    re.IGNORECASE,
)
WORD_BEFORE = re.compile(r"[\w/.-]+[ _.-]?\Z")
MOST_BEFORE = 40
FALLBACK = re.compile(
    r"\b(?:environ\.get|getenv|env\.get|env)\([ \t]*[\"'](?P<name>\w+)[\"'][ \t]*"
    r"(?:,|\)[ \t]*(?:or|\|\||\?\?))[ \t]*[\"'](?P<double>[^\"'\n]{4,200})[\"']"
)
"""What a program takes where its environment has nothing."""
SQL = re.compile(rf"\b(?P<name>identified)[ ]by[ ]+{VALUE}", re.VERBOSE | re.IGNORECASE)
LOOKS = (
    ("", ASSIGNED),
    ("-", FLAG),
    ("", SAID),
    ("</", XML),
    ("login", NETRC),
    ("env", FALLBACK),
    ("identified", SQL),
)
"""Each by what a text must have for it; nothing is asked of the two that most texts have."""
GROUPS = ("double", "single", "tick", "escaped", "bare")
EDGE = ".:…"
CODE_FOLLOWS = ("(", "[", "{", "<")
LEAST_PASSWORD, LEAST_TOKEN = 6, 8
SURE_CHARS, SURE_ENTROPY = 16, 3.0
WEAK_CHARS, WEAK_ENTROPY = 24, 4.0
STRONG_SIGNS = frozenset("!@#$%^&*~+?|")


def find_assigned(text: str) -> Iterator[Finding]:
    """Find values whose name says that they are secrets, or that look like one without a name."""
    lowered = text.lower()
    for needle, pattern in LOOKS:
        if needle in lowered:
            for match in pattern.finditer(text):
                yield from _judged(text, match)
    for match in SHORT_FLAGS.finditer(text) if " -" in text else ():
        value = match["bare"]
        if not (is_placeholder(value) or is_weak_default(value)):
            yield Finding(*match.span("bare"), "password")
    for match in SEED.finditer(text) if "mnemonic" in lowered or "phrase" in lowered else ():
        yield Finding(*match.span("bare"), "seed-phrase")


def _judged(text: str, match: re.Match[str]) -> Iterator[Finding]:
    name = match["name"]
    if match.re is SAID:
        name = word_before(text, match.start("name")) + name
    group = next(one for one in GROUPS if one in match.re.groupindex and match[one])
    start, end = match.span(group)
    value = match[group]
    if group == "bare":
        value = value.rstrip(EDGE)
        end = start + len(value)
        if text[end : end + 1] in CODE_FOLLOWS and text[end : end + 1]:
            return
    if is_placeholder(value) or is_weak_default(value) or is_code(value, quoted=group != "bare"):
        return
    kind = names_a_secret(name)
    if kind is None:
        if _is_unnamed_secret(name, value):
            yield Finding(start, end, "high-entropy", certain=False, named=False)
    elif (sure := sureness_of(kind, value, quoted=group != "bare")) is not None:
        yield Finding(start, end, kind, certain=sure)


def word_before(text: str, at: int) -> str:
    """Return the word that goes with a bare `key` or `token`: `api key`, `page token`."""
    found = WORD_BEFORE.search(text, max(at - MOST_BEFORE, 0), at)
    return found[0] if found else ""


def is_code(value: str, *, quoted: bool) -> bool:
    """Tell an expression, a path or an address from a value."""
    if re.match(r"\w+://|\$[\w{(]|[A-Za-z]:\\", value):
        return True
    if re.match(r"[@/~]|\.{1,2}/", value) and is_made_of_words(value):
        return True
    if quoted:
        return " " in value and is_made_of_words(value)
    dotted = re.fullmatch(r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+", value)
    return dotted is not None and is_made_of_words(value)


def sureness_of(kind: str, value: str, *, quoted: bool) -> bool | None:
    """Return whether a named value is certainly a secret; None if it is none."""
    if kind == PASSWORD:
        return _sureness_of_password(value, quoted=quoted)
    if len(value) < LEAST_TOKEN or value.isdigit() or " " in value:
        return None
    if not is_random(value):
        letters = value.isalpha() and len(value) >= SURE_CHARS and not is_made_of_words(value)
        return False if letters else None
    return len(value) >= SURE_CHARS and entropy_of(value) >= SURE_ENTROPY


def _sureness_of_password(value: str, *, quoted: bool) -> bool | None:
    if len(value) < LEAST_PASSWORD or " " in value:
        return None
    digits = any(character.isdigit() for character in value)
    letters = any(character.isalpha() for character in value)
    signs = bool(STRONG_SIGNS.intersection(value))
    if value.isdigit():
        return False if quoted or len(value) >= LEAST_TOKEN else None
    if letters and (digits or signs):
        is_identifier = not signs and re.search(r"[_./-]", value) and is_made_of_words(value)
        return None if is_identifier else True
    if not is_made_of_words(value) and letters:
        return len(value) >= LEAST_TOKEN
    return False if quoted and re.fullmatch(r"[a-z]{8,}", value) else None


def _is_unnamed_secret(name: str, value: str) -> bool:
    """Tell whether a value is so random that its name's silence says little."""
    if is_harmless(value) or len(value) < WEAK_CHARS or not is_random(value):
        return False
    return entropy_of(value) >= WEAK_ENTROPY and bool(words_of(name))
