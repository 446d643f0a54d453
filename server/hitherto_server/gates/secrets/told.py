"""What prose says of a secret: `the password for the server: …`, `put … in config/master.key`."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from hitherto_server.gates.secrets.assignments import (
    EDGE,
    STRONG_SIGNS,
    is_code,
    sureness_of,
    word_before,
)
from hitherto_server.gates.secrets.findings import Finding
from hitherto_server.gates.secrets.placeholders import is_placeholder
from hitherto_server.gates.secrets.values import is_made_of_words, is_weak_default
from hitherto_server.gates.secrets.words import HARMLESS, HASHED, names_a_secret, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

NOUN = re.compile(
    r"(?:pass(?:w(?:or[dt]|d)|phrase|code)|kennwort|wachtwoord"
    r"|mot[ ]de[ ]passe|mdp|contrase[ñn]a|clave|senha|palavra-passe|token|jeton|secreto?"
    r"|segret[oa]|geheimnis|credentials?|key|schl[üu]ssel|sleutel"
    r"|(?:cl[ée]|chave|chiave|clave)[ ](?:d'|d[aei][ ])?\w+)(?!\w)",
    re.IGNORECASE,
)
OTP_SEED = re.compile(
    r"\b(?:2fa|mfa|t?otp|two[- ]factor|authenticator|zwei-faktor|a2f)[\w-]*"
    r"(?:[ ]\w+)?[ ](?:seed|secret|key|geheimnis|schl[üu]ssel|semilla|semente|seme)\b"
    r"|\b(?:seed|secret|key|geheimnis|schl[üu]ssel|cl[ée]|clave|semilla|chave|chiave|graine)"
    r"[ ](?:\w+[ ])?(?:2fa|mfa|t?otp|a2f)\b",
    re.IGNORECASE,
)
RECOVERY_CODES = re.compile(
    r"\b(?:(?:recovery|back-?up|emergency|rescue|scratch|wiederherstellungs|notfall"
    r"|herstel)[- ]?codes?"
    r"|c(?:o|ó)d(?:es?|igos?|ici|ice)[ ](?:d[eai][ ]|d')?(?:(?:la|seu)[ ])?"
    r"(?:r[ée]cup\w+|secours|respaldo|backup|ripristino|emerg\w+))",
    re.IGNORECASE,
)
TWO_FACTORS = ("2fa", "mfa", "otp", "factor", "faktor", "authenticator", "a2f")
CODE_WORDS = ("code", "cód", "codi")
KEY_FILE_NEEDLES = (
    ".key", ".pem", ".env", "netrc", "pgpass", "npmrc", "pypirc", "htpasswd", "keystore", ".secret",
    ".token", "id_", "credential",
)  # fmt: skip
NEEDLES = (
    "pass", "pwd", "kennwort", "wachtwoord", "mdp", "contrase", "clave", "senha", "token", "jeton",
    "secret", "segret", "geheim", "credential", "key", "schl", "sleutel", "clé", "chave", "chiave",
    "seed", "semilla", "graine",
)  # fmt: skip
SPAN = 140
"""Within so many characters behind a secret's noun its value is looked for."""
MOST_BRIDGES = 4
BRIDGE = re.compile(
    r"[ ]?[:=][ \t]+|[ ](?:is|are|ist|sind|lautet|lauten|est|sont|es|son|é|è|são|sono|zijn)[ ]"
    r"(?::[ ])?(?:(?:now|jetzt|maintenant|ahora|agora|ora|nu)[ ])?"
)
VALUE = re.compile(r"(?P<quote>[\"'`]?)(?P<value>[^\s\"'`<>,;{}\[\]()]{6,200})(?P=quote)")
SEED_VALUE = re.compile(
    r"[\"'`]?((?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{2,4}|[A-Z2-7]{16,64})\b", re.IGNORECASE
)
CODE = r"(?=[\w-]*\d)[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{3,12}){0,4}"
ITEM = r"(?:\d\d?[.)]\s+|[-*]\s+)?"
CODES = re.compile(rf"[\"'`\s]*{ITEM}({CODE}(?:[\s,;|/]+{ITEM}{CODE})*)\b")
FEWEST_CHARS, FEWEST_DIGITS = 8, 2
NEAR = 30
OF = re.compile(
    r"[ ](?:for|of|to|on|in|at|from|f[üu]r|zu[mr]?|vo[mn]|auf|de[rsln]?|d[aeiou]|pour|para|per"
    r"|del\w*|dell'|d'|voor|van|\()",
    re.IGNORECASE,
)
FEW_WORDS = 2
FOR_WHOM = frozenset({"user", "username", "role", "url", "service", "store", "param"})
"""Words that say that a name's value is no secret, but not where they say what it opens."""
NO_SECRET = re.compile(r"\A[/~]|/[\w.-]*\.[a-z]\w{1,4}\Z|\A\d{4}-\d\d-\d\d")
"""A path, a file, a day."""
NO_MORE = re.compile(r"[.!?;]\s|\n")
AS_THE = re.compile(
    r"(?P<value>[^\s\"'`<>,;{}\[\]()]{6,200})[\"'`]?[ ]"
    r"(?:is|as|ist|als|est|comme|es|como|é|è|come)[ ]"
    r"(?:(?:the|our|das|der|unser|le|la|el|il|o|a|het)[ ])?(?:\w+[ ])?\Z",
    re.IGNORECASE,
)
PUT = re.compile(
    r"\b(?:put|write|store|save|copy|paste|place|add|echo|printf|schreib\w*|leg\w*|trag\w*|kopier\w*"
    r"|mets|mettre|[ée]cri[st]|colle\w*|copie\w*|pon|poner|escrib\w+|guard\w+|metti|scrivi|copia\w*"
    r"|coloca\w*|zet|plak)[ ](?:-n[ ])?(?:(?:the|this|den|diesen|la|le|el)[ ](?:\w+[ ]){1,2})?"
    rf"{VALUE.pattern}[ ](?:in|into|to|nach|unter|dans|en|em|nel|nella|su|naar|>{{1,2}})[ ]"
    r"(?:the[ ]|die[ ]|le[ ]|el[ ])?[\"'`]?(?P<path>~?[\w./-]*\w)",
    re.IGNORECASE,
)
KEY_FILE = re.compile(
    r"(?:\.(?:key|pem|env|netrc|pgpass|npmrc|pypirc|htpasswd|keystore|secret|token)|\bid_[a-z]+\d*"
    r"|\bcredentials?)\Z"
)


def find_told(text: str) -> Iterator[Finding]:
    """Find the values of which a sentence says that they open something."""
    lowered = text.lower()
    if _has(lowered, NEEDLES):
        for noun in NOUN.finditer(text):
            yield from _of_noun(text, noun)
        for noun in OTP_SEED.finditer(text) if _has(lowered, TWO_FACTORS) else ():
            yield from _listed(text, noun, SEED_VALUE, "otp-seed")
    if _has(lowered, CODE_WORDS):
        for noun in RECOVERY_CODES.finditer(text):
            yield from _listed(text, noun, CODES, "recovery-code")
    if _has(lowered, KEY_FILE_NEEDLES):
        yield from _put_in_files(text)


def _has(lowered: str, needles: tuple[str, ...]) -> bool:
    return any(needle in lowered for needle in needles)


def _of_noun(text: str, noun: re.Match[str]) -> Iterator[Finding]:
    """Find the value that a sentence gives for a secret's noun, behind it or before it."""
    kind = names_a_secret(word_before(text, noun.start()) + noun[0])
    if kind is None or _speaks_of_a_hash(text, noun.start()):
        return
    for start, end in (*_behind(text, noun), *_before(text, noun)):
        if _opens_something(kind, text[start:end]):
            yield Finding(start, end, kind)
            return


def _opens_something(kind: str, value: str) -> bool:
    if is_placeholder(value) or is_weak_default(value) or is_code(value, quoted=False):
        return False
    return not NO_SECRET.search(value) and bool(sureness_of(kind, value, quoted=False))


def _speaks_of_a_hash(text: str, at: int) -> bool:
    return bool(HASHED.intersection(words_of(text[max(at - NEAR, 0) : at])))


def _behind(text: str, noun: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield where values stand behind a noun and what it is said to be for."""
    for between, at in _bridges(text, noun):
        match = VALUE.match(text, at)
        if match is None:
            continue
        value = match["value"].rstrip(EDGE)
        is_near = len(between.split()) <= FEW_WORDS and (
            STRONG_SIGNS.intersection(value) or not is_made_of_words(value)
        )
        if not between.strip() or OF.match(between) or is_near:
            yield match.start("value"), match.start("value") + len(value)


def _bridges(text: str, noun: re.Match[str]) -> Iterator[tuple[str, int]]:
    """Yield what stands between a noun and a value that may be its own, and where that begins."""
    bridges = BRIDGE.finditer(text, noun.end(), noun.end() + SPAN)
    for bridge in islice(bridges, MOST_BRIDGES):
        between = text[noun.end() : bridge.start()]
        if NO_MORE.search(between) or HARMLESS.intersection(words_of(between)) - FOR_WHOM:
            return
        yield between, bridge.end()


def _before(text: str, noun: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield where a value stands that is said to be the noun: `… is the password`."""
    match = AS_THE.search(text[max(noun.start() - SPAN, 0) : noun.start()])
    after = words_of(text[noun.end() : noun.end() + NEAR])[:1]
    if match is None or HARMLESS.intersection(after):
        return
    start = max(noun.start() - SPAN, 0) + match.start("value")
    if STRONG_SIGNS.intersection(match["value"]) or not is_made_of_words(match["value"]):
        yield start, start + len(match["value"])


def _listed(text: str, noun: re.Match[str], shape: re.Pattern[str], kind: str) -> Iterator[Finding]:
    """Find what has its shape behind a noun: a seed, or a list of codes."""
    for between, at in _bridges(text, noun):
        match = shape.match(text, at)
        if match is None or is_placeholder(match[1]):
            continue
        digits = sum(map(str.isdigit, match[1]))
        if len(match[1]) >= FEWEST_CHARS and digits >= FEWEST_DIGITS and not between.isupper():
            yield Finding(*match.span(1), kind)
            return


def _put_in_files(text: str) -> Iterator[Finding]:
    """Find what somebody is told to put into a file that holds a key."""
    for match in PUT.finditer(text):
        name = match["path"].rpartition("/")[2]
        if KEY_FILE.search(name) and _opens_something("secret", match["value"]):
            yield Finding(*match.span("value"), "secret")
