"""What configuration files define: keys under their sections, each with its region."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, assert_never, cast

from hitherto_server.standing.build_files import docker_keys, make_keys
from hitherto_server.standing.deadline import spend
from hitherto_server.standing.definitions import Definition, matching
from hitherto_server.standing.inline_tables import inline_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Style = Literal["json", "yaml", "toml", "ini", "make", "docker"]
Path = tuple[str, ...]

CHECK_EVERY = 512
MAX_LINE_CHARS = 1000
STRING = r"\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+'"
TOKEN = re.compile(rf"{STRING}|[\w.+-]+|[^\s\w]")
JSON_COMMENT = r"//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
JSON_TOKEN = re.compile(rf"{JSON_COMMENT}|{STRING}|[^\s\"'{{}}\[\],:/]+|[{{}}\[\],:/]")
YAML_KEY = re.compile(rf"^(\s*(?:-\s+)*)({STRING}|[^\s#'\"\[\]{{}},][^#:\n]*?)\s*:(?=\s|$)")
TOML_HEADER = re.compile(r"^\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
TOML_KEY = re.compile(rf"^\s*((?:{STRING}|[\w-]+)(?:\s*\.\s*(?:{STRING}|[\w-]+))*)\s*=")
TOML_INLINE = re.compile(r"[^\n=]*=[ \t]*\{")
TOML_SEGMENT = re.compile(rf"{STRING}|[\w-]+")
INI_HEADER = re.compile(r"^\[([^\]]+)\]\s*(?:[#;].*)?$")
INI_KEY = re.compile(r"^([^\s#;=:\[][^=:]*?)\s*[=:]")
COMMENT = re.compile(r"^\s*[#;]")


class KeyLine(NamedTuple):
    """The start of a line that sets a key, and the key under its sections."""

    start: int
    path: Path


class KeySource:
    """A configuration file's keys; positions are in characters."""

    broken = False

    def __init__(self, style: str, text: str, deadline: float | None = None) -> None:
        self._style = cast("Style", style)
        self._text = text
        self._deadline = deadline
        self.definitions = tuple(_keys(self._style, text, deadline))

    def find(self, path: tuple[str, ...]) -> tuple[Definition, ...]:
        """Find the keys whose name, with its sections, ends like this path."""
        return matching(self.definitions, path)

    def tokens(self, definition: Definition, without: Iterable[Definition] = ()) -> Iterator[str]:
        """Spell a key's region as tokens, leaving out some regions inside it."""
        text = self._text[definition.start : definition.end]
        for hole in sorted(without, key=lambda hole: -hole.start):
            start, end = hole.start - definition.start, hole.end - definition.start
            text = text[:start] + " " * (end - start) + text[end:]
        pattern = JSON_TOKEN if self._style == "json" else TOKEN
        lines = leveled(text) if self._style == "yaml" else [text]
        for line in lines:
            for count, match in enumerate(pattern.finditer(line)):
                if count % CHECK_EVERY == 0:
                    spend(self._deadline)
                yield _respelled(match.group())
            yield "\n"


def leveled(text: str) -> Iterator[str]:
    """Give the lines that say something, each led by its level instead of its indentation."""
    levels: list[int] = []
    for line in text.splitlines():
        if not line.strip():
            continue
        depth = len(line) - len(line.lstrip())
        while levels and levels[-1] >= depth:
            levels.pop()
        levels.append(depth)
        yield "> " * len(levels) + line.strip()


def unquote(token: str) -> str:
    """Spell a simple string without its quotes, as formatters may choose them."""
    if len(token) > 1 and token[0] == token[-1] and token[0] in "\"'":
        return token[1:-1]
    return token


def _respelled(token: str) -> str:
    plain = unquote(token)
    # a formatter may choose other quotes; whether there are any makes a difference
    return token if plain == token or "\\" in plain or '"' in plain else f'"{plain}"'


def _keys(style: Style, text: str, deadline: float | None) -> Iterable[Definition]:
    match style:
        case "json":
            return _json_keys(text, deadline)
        case "yaml":
            return _regions(text, _yaml_lines(text, deadline))
        case "toml":
            lines = list(_toml_lines(text, deadline))
            return (*_regions(text, lines), *_inline(text, lines, deadline))
        case "ini":
            return _regions(text, _ini_lines(text, deadline))
        case "make":
            return make_keys(text)
        case "docker":
            return docker_keys(text)
    assert_never(style)


def _segments(key: str) -> Path:
    # `server.port` is one key in some files and two in others: a memory cannot know
    return tuple(part for part in unquote(key).split(".") if part) or (key,)


def _json_keys(text: str, deadline: float | None) -> Iterator[Definition]:
    opened: list[tuple[Path, int | None]] = [((), None)]
    key: tuple[Path, int] | None = None
    before: re.Match[str] | None = None
    for match in _json_pieces(text, deadline):
        piece, path = match.group(), opened[-1][0]
        if piece == ":" and before:
            key = ((*path, *_segments(before.group())), before.start())
        elif piece in "{[":
            opened.append(key or (path, None))
            key = None
        elif piece in "}]":
            path, start = opened.pop() if len(opened) > 1 else opened[0]
            if start is not None:
                yield Definition(path, "key", start, match.end())
        elif key and piece != ",":
            yield Definition(key[0], "key", key[1], match.end())
            key = None
        before = match if piece[0] in "\"'" else None


def _json_pieces(text: str, deadline: float | None) -> Iterator[re.Match[str]]:
    for count, match in enumerate(JSON_TOKEN.finditer(text)):
        if count % CHECK_EVERY == 0:
            spend(deadline)
        if not match.group().startswith(("//", "/*")):
            yield match


def _regions(text: str, lines: Iterable[KeyLine]) -> Iterator[Definition]:
    """Close each key's region where the first line begins that is not below it."""
    opened: list[KeyLine] = []
    for line in lines:
        while opened and not _below(line.path, opened[-1].path):
            yield _closed(text, opened.pop(), line.start)
        opened.append(line)
    while opened:
        yield _closed(text, opened.pop(), len(text))


def _below(path: Path, above: Path) -> bool:
    return len(path) > len(above) and path[: len(above)] == above


def _closed(text: str, key: KeyLine, end: int) -> Definition:
    # what stands before the next key and says nothing belongs to that key
    lines = text[key.start : end].splitlines(keepends=True)
    while len(lines) > 1 and (not lines[-1].strip() or COMMENT.match(lines[-1])):
        lines.pop()
    return Definition(key.path, "key", key.start, key.start + sum(map(len, lines)))


def _lines(text: str, deadline: float | None) -> Iterator[tuple[int, str]]:
    start = 0
    for count, line in enumerate(text.splitlines(keepends=True)):
        if count % CHECK_EVERY == 0:
            spend(deadline)
        if len(line) <= MAX_LINE_CHARS:
            yield start, line
        start += len(line)


def _yaml_lines(text: str, deadline: float | None) -> Iterator[KeyLine]:
    above: list[tuple[int, Path]] = []
    for start, line in _lines(text, deadline):
        if not (match := YAML_KEY.match(line)):
            continue
        column = len(match.group(1))
        while above and above[-1][0] >= column:
            above.pop()
        path = (*(above[-1][1] if above else ()), *_segments(match.group(2).strip()))
        above.append((column, path))
        yield KeyLine(start, path)


def _toml_lines(text: str, deadline: float | None) -> Iterator[KeyLine]:
    section: Path = ()
    for start, line in _lines(text, deadline):
        if header := TOML_HEADER.match(line):
            section = _dotted(header.group(1))
            yield KeyLine(start, section)
        elif key := TOML_KEY.match(line):
            yield KeyLine(start, (*section, *_dotted(key.group(1))))


def _inline(text: str, lines: Iterable[KeyLine], deadline: float | None) -> Iterator[Definition]:
    for line in lines:
        spend(deadline)
        if match := TOML_INLINE.match(text, line.start):
            yield from inline_keys(text, match.end() - 1, line.path)


def _dotted(key: str) -> Path:
    return tuple(part for found in TOML_SEGMENT.findall(key) for part in _segments(found))


def _ini_lines(text: str, deadline: float | None) -> Iterator[KeyLine]:
    section: Path = ()
    for start, line in _lines(text, deadline):
        if header := INI_HEADER.match(line):
            section = _segments(header.group(1))
            yield KeyLine(start, section)
        elif key := INI_KEY.match(line):
            yield KeyLine(start, (*section, *_segments(key.group(1))))
