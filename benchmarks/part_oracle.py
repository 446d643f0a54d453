"""What a file defines, read without the code under test: the truth that standing is held against.

Python is read by its own `ast`, configuration by its own parsers. Go, Rust and TypeScript are read
by lines: these packages are laid out by gofmt, rustfmt and prettier, so that a definition is the
line that opens it, the deeper lines after it, and those on its own level that close a bracket. A
region is compared without white space and without commas before a closing bracket.
"""

from __future__ import annotations

import ast
import configparser
import json
import re
import tomllib
import warnings
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Any

Regions = dict[str, tuple[str, ...]]
"""Each name with its owner (`Owner.name`), and what its definitions say."""

CLOSERS = (")", "]", "}", "{", "where", ">")
COMMENT = re.compile(r"^\s*(?://|/\*|\*)")
GO = (
    re.compile(r"^()func \(\s*\w*\s*\*?(?P<owner>\w+)(?:\[[^\]]*\])?\s*\) (?P<name>\w+)"),
    re.compile(r"^()func (?P<name>\w+)"),
    re.compile(r"^()type (?P<name>\w+)"),
)
RUST = (
    re.compile(
        r"^(\s*)(?:pub(?:\([^)]*\))? )?(?:default |const |async |unsafe |extern \"[^\"]*\" )*"
        r"fn (?P<name>\w+)"
    ),
    re.compile(r"^(\s*)(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|union) (?P<name>\w+)"),
    re.compile(r"^(\s*)(?:pub(?:\([^)]*\))? )?(?:const|static)(?: mut)? (?P<name>\w+)\s*:"),
)
TYPESCRIPT = (
    re.compile(r"^(\s*)(?:export )?(?:default )?(?:async )?function\*? (?P<name>\w+)"),
    re.compile(r"^(\s*)(?:export )?(?:default )?(?:abstract )?class (?P<name>\w+)"),
    re.compile(r"^(\s*)(?:export )?(?:interface|type|enum|const enum) (?P<name>\w+)"),
    re.compile(r"^()(?:export )?(?:const|let) (?P<name>\w+)\b"),
)
METHOD = re.compile(
    r"^(\s+)(?:(?:public|private|protected|static|async|override|get|set) )*\*?"
    r"(?P<name>#?\w+)(?:<.*?>)?\("
)
OWNERS = {
    "rust": re.compile(
        r"^(\s*)(?:(?:pub(?:\([^)]*\))? |unsafe )*impl(?:<.*?>)? (?:.+? for )?&?(?:'\w+ )?"
        r"(?:dyn )?(?:\w+::)*(?P<owner>\w+)|(?:pub(?:\([^)]*\))? )?trait (?P<trait>\w+))"
    ),
    "typescript": re.compile(r"^(\s*)(?:export )?(?:default )?(?:abstract )?class (?P<owner>\w+)"),
}
NOT_METHODS = frozenset({"if", "for", "while", "switch", "catch", "return", "function", "super"})
LANGUAGES = {
    ".py": "python",
    ".go": "go",
    ".rs": "rust",
    ".ts": "typescript",
    ".tsx": "typescript",
}
CONFIGS = frozenset({".toml", ".json", ".cfg", ".ini"})


@dataclass(frozen=True)
class Line:
    """A line with its depth."""

    depth: int
    text: str


@cache
def regions_of(name: str, text: str) -> Regions | None:
    """Return what a source file defines; None if it cannot be read."""
    language = LANGUAGES.get(PurePosixPath(name).suffix)
    if language is None:
        return None
    if language == "python":
        return _python(text)
    return _by_lines(language, text)


@cache
def keys_of(name: str, text: str) -> Regions | None:
    """Return each key of a configuration file that holds a value, under its sections."""
    suffix = PurePosixPath(name).suffix
    try:
        match suffix:
            case ".toml":
                return dict(_leaves(tomllib.loads(text), ()))
            case ".json":
                return dict(_leaves(json.loads(text), ()))
            case ".cfg" | ".ini":
                parser = configparser.RawConfigParser()
                parser.read_string(text)
                sections = {name: dict(parser[name]) for name in parser.sections()}
                return dict(_leaves(sections, ()))
    except (ValueError, configparser.Error, RecursionError):
        return None
    return None


def flat(text: str) -> str:
    """Return a text on one line, as quoted lines are looked for."""
    return " ".join(text.split())


def likeness(one: str, other: str) -> float:
    """Return which share of the larger text's lines both have."""
    ours, theirs = (Counter(filter(None, map(str.strip, t.splitlines()))) for t in (one, other))
    most = max(ours.total(), theirs.total())
    return (ours & theirs).total() / most if most else 0.0


def _python(text: str) -> Regions | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of old code, which is not ours to mend
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    found: dict[str, list[str]] = {}
    _walk_python(tree, "", found)
    return {name: tuple(said) for name, said in found.items()}


def _walk_python(node: ast.AST, owner: str, found: dict[str, list[str]]) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = child.name
            child.name = "_"
            found.setdefault(owner + name, []).append(ast.dump(child))
            child.name = name
            if isinstance(child, ast.ClassDef):
                _walk_python(child, f"{name}.", found)
        elif isinstance(child, ast.Assign | ast.AnnAssign) and isinstance(node, ast.Module):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            for target in targets:
                if isinstance(target, ast.Name) and child.value is not None:
                    found.setdefault(target.id, []).append(ast.dump(child))
        elif isinstance(child, ast.If | ast.Try | ast.With):
            _walk_python(child, owner, found)


def _by_lines(language: str, text: str) -> Regions:
    lines = [Line(len(row) - len(row.lstrip()), row) for row in text.expandtabs(4).splitlines()]
    openers = {"go": GO, "rust": RUST, "typescript": TYPESCRIPT}[language]
    found: dict[str, list[str]] = {}
    owners: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        if not line.text.strip() or COMMENT.match(line.text):
            continue
        while owners and line.depth <= owners[-1][0] and not _closes(line):
            owners.pop()
        opening = _opening(line, openers, owners, language)
        if opening is not None:
            owner, name = opening
            spelled = f"{owner}.{name}" if owner else name
            found.setdefault(spelled, []).append(_region(lines, number, name))
        held = OWNERS[language].match(line.text) if language in OWNERS else None
        if held:
            owner = held.groupdict().get("owner") or held.groupdict().get("trait") or ""
            owners.append((line.depth, owner))
    return {name: tuple(said) for name, said in found.items()}


def _opening(
    line: Line, openers: tuple[re.Pattern[str], ...], owners: list[tuple[int, str]], language: str
) -> tuple[str, str] | None:
    above = owners[-1][1] if owners and line.depth > owners[-1][0] else ""
    for pattern in openers:
        if match := pattern.match(line.text):
            return match.groupdict().get("owner") or above, match["name"]
    if language == "typescript" and owners and line.depth == owners[-1][0] + 2:
        match = METHOD.match(line.text)
        if match and match["name"] not in NOT_METHODS and line.text.rstrip().endswith(("{", "(")):
            return above, match["name"]
    return None


def _closes(line: Line) -> bool:
    return line.text.strip().startswith(CLOSERS)


def _region(lines: list[Line], start: int, name: str) -> str:
    depth = lines[start].depth
    end = start + 1
    for number in range(start + 1, len(lines)):
        line = lines[number]
        if not line.text.strip():
            continue
        if line.depth < depth or (line.depth == depth and not _closes(line)):
            break
        end = number + 1
    text = "\n".join(line.text for line in lines[start:end])
    text = re.sub(rf"\b{re.escape(name)}\b", "_", text, count=1)
    return re.sub(r",([)\]}>])", r"\1", re.sub(r"\s+", "", text))


def _leaves(value: Any, above: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    if isinstance(value, dict) and value:
        return [leaf for key, one in value.items() for leaf in _leaves(one, (*above, str(key)))]
    return [("\0".join(above), (json.dumps(value, sort_keys=True, default=str),))]
