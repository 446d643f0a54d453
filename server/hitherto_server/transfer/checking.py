"""Reading an export: each line is checked and loses its secrets before any of it is taken in."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, BinaryIO

from pydantic import ValidationError

from hitherto_contract.transfer import FORMAT, LINES, End, Header
from hitherto_server.core.errors import ExportNewer, InvalidInput
from hitherto_server.gates.clean import tagged
from hitherto_server.gates.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hitherto_contract.base import Wire

_AS_THEY_ARE = """
    type id identity project seen_root body_hash file_hash region_hash commit_hash confirmed_commit
    basis_hash session_id parent_session_id admission newer older memory kind change tier source
    said_by polarity trust slot surface tool_name client device
"""
AS_THEY_ARE = frozenset(_AS_THEY_ARE.split())
"""Fields that hold names and numbers of ours, in which a secret cannot stand."""
NO_EXPORT = "the file is no export of Hitherto"
MEND = "Export it again: `hitherto export --out FILE`."
ORDER = {kind: place for place, kind in enumerate(LINES)}


@dataclass
class Checked:
    """What a file holds, as far as it was read."""

    header: Header
    counts: Counter[str] = field(default_factory=Counter)
    redacted: int = 0
    """Lines that lost a secret."""


def check_export(lines: Iterable[bytes], clean: BinaryIO) -> Checked:
    """Write the lines that are well formed, without their secrets; any other refuses the file."""
    numbered = enumerate(lines, start=1)
    checked = Checked(_header(next((line for _, line in numbered), b"")))
    last = 0
    for number, line in numbered:
        value = _value(line, number)
        if value.get("type") == "end":
            _check_end(value, number, checked)
            return checked
        kind = str(value.get("type"))
        if ORDER.get(kind, -1) < last:
            raise _refusal(number, f"a line of the type {kind[:40]!r} cannot stand here")
        last = ORDER[kind]
        read = _validated(LINES[kind], value, number).model_dump(mode="json")
        cleaned, changed = _without_secrets(read)
        checked.counts[kind] += 1
        checked.redacted += changed
        clean.write(json.dumps(cleaned, ensure_ascii=False).encode() + b"\n")
    message = "the file ends before its last line: it was cut off"
    raise InvalidInput(message, mend=MEND)


def _header(line: bytes) -> Header:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(NO_EXPORT, mend=MEND) from error
    if not isinstance(value, dict) or value.get("type") != "hitherto-export":
        raise InvalidInput(NO_EXPORT, mend=MEND)
    written = value.get("format")
    if isinstance(written, int) and written > FORMAT:
        message = f"the export has format {written}, this version knows {FORMAT}"
        raise ExportNewer(message)
    read = _validated(Header, value, 1)
    assert isinstance(read, Header)  # noqa: S101 - for the type checker
    return read


def _value(line: bytes, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _refusal(number, "it is no JSON") from error
    if not isinstance(value, dict):
        raise _refusal(number, "it is no JSON object")
    return value


def _validated(model: type[Wire], value: dict[str, Any], number: int) -> Wire:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in found["loc"])[:100]
        raise _refusal(number, f"{place}: {found['msg']}") from error


def _check_end(value: dict[str, Any], number: int, checked: Checked) -> None:
    end = _validated(End, value, number)
    assert isinstance(end, End)  # noqa: S101 - for the type checker
    if dict(end.counts) != dict(checked.counts):
        message = f"the file lacks lines: it says {end.counts}, but has {dict(checked.counts)}"
        raise InvalidInput(message, mend=MEND)


def _refusal(number: int, said: str) -> InvalidInput:
    return InvalidInput(f"line {number}: {said}", mend=MEND)


@lru_cache(maxsize=4096)
def _redacted(text: str) -> tuple[str, tuple[str, ...]]:
    found = redact(text)
    return found.text, found.kinds


def _without_secrets(line: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    clean = _clean(line, "")
    changed = clean != line
    if changed and clean["type"] == "memory" and clean["content"] != line["content"]:
        kinds = _redacted(line["content"])[1]
        clean["tags"] = tagged(clean["tags"], kinds)
        clean["revisions"][-1]["state"]["tags"] = list(clean["tags"])
    return clean, changed


def _clean(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return {key: _clean(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [_clean(inner, name) for inner in value]
    if isinstance(value, str) and name not in AS_THEY_ARE:
        return _redacted(value)[0]
    return value
