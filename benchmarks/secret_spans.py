"""The labelled spans of `fixtures/secrets/`: texts with a secret, and texts with a trap."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
import tomllib
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parent / "fixtures" / "secrets"
SEED = 20261130
SETS = {
    "alnum": string.ascii_letters + string.digits,
    "letters": string.ascii_letters,
    "lowernum": string.ascii_lowercase + string.digits,
    "uppernum": string.ascii_uppercase + string.digits,
    "digits": string.digits,
    "hex": "0123456789abcdef",
    "base32": string.ascii_uppercase + "234567",
    "bech": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "b64plain": string.ascii_letters + string.digits + "+/",
    "b64url": string.ascii_letters + string.digits + "-_",
}
WORDS = """river stone maple copper window garden silver planet orange dragon summer castle bridge
monkey guitar pepper winter shadow rocket falcon anchor velvet marble harbor canyon meadow"""
SIGNS = "!#%&*+?"
LINE = 64

Half = Literal["development", "test"]


@dataclass(frozen=True)
class Span:
    """A text; `value` is its secret, or for a trap what only looks like one."""

    family: str
    is_secret: bool
    text: str
    value: str

    @property
    def half(self) -> Half:
        """Families are dealt to two halves by their names, so that none is in both."""
        first = hashlib.sha256(f"{SEED}:{self.family}".encode()).digest()[0]
        return "development" if first % 2 else "test"


def load_spans(seed: int = SEED) -> list[Span]:
    """Return all spans; the same seed draws the same values."""
    return [*_spans("secrets.toml", seed), *_spans("traps.toml", seed)]


def spans_in(path: Path, seed: int = SEED) -> list[Span]:
    """Return the spans of a file of lines: `family`, `secret`, `parts` and `text` with `{v}`."""
    spans = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        draw = random.Random(f"{seed}:{path.parent.name}:{number}")
        value = "".join(_part(draw, part) for part in row["parts"])
        spans.append(Span(row["family"], row["secret"], row["text"].replace("{v}", value), value))
    return spans


def _spans(file: str, seed: int) -> list[Span]:
    families = tomllib.loads((FOLDER / file).read_text(encoding="utf-8"))["family"]
    spans = []
    for family in families:
        for position, text in enumerate(family["texts"]):
            draw = random.Random(f"{seed}:{family['name']}:{position}")
            value = "".join(_part(draw, part) for part in family["value"])
            is_secret = file == "secrets.toml"
            spans.append(Span(family["name"], is_secret, text.replace("{v}", value), value))
    return spans


def _part(draw: random.Random, part: str) -> str:
    name, _, count = part.partition("*")
    if name in SETS and count.isdigit():
        return "".join(draw.choices(SETS[name], k=int(count)))
    if name == "words" and count.isdigit():
        return " ".join(draw.choices(WORDS.split(), k=int(count)))
    kind, _, rest = part.partition(":")
    make = MADE.get(kind)
    return make(draw, rest) if make else part


def _basic(draw: random.Random, pair: str) -> str:
    user, _, password = pair.partition(":")
    return base64.b64encode(f"{user}:{_part(draw, password)}".encode()).decode()


def _block(draw: random.Random, spec: str) -> str:
    label, lines, form = spec.split(":")
    body = [_part(draw, f"b64plain*{LINE}") for _ in range(int(lines))]
    block = [f"-----BEGIN {label}-----", *body]
    if form != "cut":
        block += [_part(draw, "b64plain*22") + "==", f"-----END {label}-----"]
    return "\\n".join([*block, ""]) if form == "json" else "\n".join(block)


MADE: dict[str, Callable[[random.Random, str], str]] = {
    "uuid": lambda draw, _: str(uuid.UUID(int=draw.getrandbits(128), version=4)),
    "word": lambda draw, _: draw.choice(WORDS.split()).capitalize(),
    "sign": lambda draw, _: draw.choice(SIGNS),
    "basic": _basic,
    "pem": _block,
}
"""What a part may name beside a set of characters."""
