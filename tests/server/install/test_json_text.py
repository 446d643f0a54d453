"""Edits of a JSON text leave everything else as it was, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hitherto_server.install import json_text
from hitherto_server.install.changes import HookChange, ServerChange
from hitherto_server.install.registration import LISTENERS, server_entry, shell_entry

SHIM = Path("/data/bin/hook")
WANTED = tuple((li, shell_entry(li, "/data/bin/hook")) for li in LISTENERS)
SERVER = server_entry("/x/hitherto-mcp", {})
STYLES = [
    {"indent": 2},
    {"indent": 4},
    {"indent": "\t"},
    {"indent": 1, "ensure_ascii": False},
    {"indent": None},
    {"indent": None, "separators": (",", ":")},
]
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
commands = st.sampled_from(["theirs", "lint 'a b'", "/data/bin/hook", "x /data/bin/hook Stop", "'"])
entries = st.builds(lambda c: {"type": "command", "command": c}, commands) | values
groups = st.builds(
    lambda m, e: {"matcher": m, "hooks": e}, st.text(), st.lists(entries, max_size=3)
)
events = st.sampled_from(["Stop", "PostToolUse", "SessionStart", "Notification", "Grüße"])
hooks = st.dictionaries(events, st.lists(groups | values, max_size=3), max_size=3)
servers = st.dictionaries(st.sampled_from(["notes", "other"]), values, max_size=2)


@st.composite
def configs(draw):
    """A text of a configuration, and what it says."""
    value = draw(st.dictionaries(st.text().filter(lambda k: k != "hooks"), values, max_size=3))
    value.pop("mcpServers", None)
    if draw(st.booleans()):
        value["hooks"] = draw(hooks)
    if draw(st.booleans()):
        value["mcpServers"] = draw(servers)
    items = draw(st.permutations(list(value.items())))
    text = json.dumps(dict(items), **draw(st.sampled_from(STYLES)))
    text += draw(st.sampled_from(["", "\n"]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def wanted(original):
    return HookChange(SHIM, WANTED, original), ServerChange(SHIM, ("mcpServers",), SERVER, original)


def unwanted(original):
    return HookChange(SHIM, (), original), ServerChange(SHIM, ("mcpServers",), None, original)


@given(configs())
def test_what_is_put_in_and_taken_out_leaves_the_same_bytes(text):
    original = json_text.parse(text)
    hook, server = wanted(original)
    installed = server(hook(text))
    assert server(hook(installed)) == installed
    no_hook, no_server = unwanted(original)
    assert no_server(no_hook(installed)) == text


@given(configs())
def test_everything_foreign_is_still_said_and_in_its_order(text):
    original = json_text.parse(text)
    hook, server = wanted(original)
    after = json_text.parse(server(hook(text)))
    assert [key for key in after if key in original] == list(original)
    for key in set(original) - {"hooks", "mcpServers"}:
        assert after[key] == original[key]
    for event, foreign in original.get("hooks", {}).items():
        assert after["hooks"][event][: len(foreign)] == foreign
    for name, entry in original.get("mcpServers", {}).items():
        assert after["mcpServers"][name] == entry
    assert after["mcpServers"]["hitherto"] == SERVER


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "a": {\n    "b": 1\n  }\n}'),
        ("{ }\n", '{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ('{"x":1}', '{"x":1,"a":{"b":1}}'),
        ('{"x": 1}', '{"x": 1, "a": {"b": 1}}'),
        ('{\n\t"x": 1\n}', '{\n\t"x": 1,\n\t"a": {\n\t\t"b": 1\n\t}\n}'),
        ('{\r\n    "x": 1\r\n}', '{\r\n    "x": 1,\r\n    "a": {\r\n        "b": 1\r\n    }\r\n}'),
        ('{\n  "a": {"c": [1,  2]}\n}', '{\n  "a": {"c": [1,  2], "b": 1}\n}'),
        ('{"a": 1, "a": {"b": 2}}', '{"a": 1, "a": {"b": 1}}'),
        ('{\n  "n": 1.00,\n  "u": "\\u00e9\\ud800"\n}', None),
    ],
)
def test_a_member_is_written_in_the_style_of_the_file(before, after):
    changed = json_text.set_member(before, ("a", "b"), 1)
    if after is None:
        assert changed.startswith(before[:-2])
    else:
        assert changed == after


@pytest.mark.parametrize(
    "text", ["", "{", '{"a": NaN}', "{}x", "// c\n{}", "[" * 100_000, '{"a":1,}']
)
def test_what_is_not_strict_json_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011 - the words are the parser's own
        json_text.parse(text)


def test_a_member_cannot_be_put_into_a_list_or_a_number():
    for text in ('{"a": []}', '{"a": 1}', '{"a": null}'):
        with pytest.raises(TypeError):
            json_text.set_member(text, ("a", "b"), 1)
