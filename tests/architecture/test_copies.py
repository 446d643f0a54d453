"""What hooks and MCP say for themselves, since they import nothing of the server, is the same."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import hitherto_hooks.spawn
import hitherto_mcp.spawn
from hitherto_mcp.tools.text import INVISIBLE, visible
from hitherto_server.core.launch import (
    CLIENT_HOME,
    SESSION_ONLY,
    serve_command,
    serve_command_text,
    server_environment,
)
from hitherto_server.core.text import HIDDEN, JOINER
from hitherto_server.gates.suspect import is_suspect
from hitherto_server.recall.block import as_data

EVERY_CHARACTER = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
HIDDEN_CHARACTERS = re.findall(f"[{HIDDEN}]", EVERY_CHARACTER)


def test_what_hides_is_shown_to_no_reader_and_makes_a_memory_suspect() -> None:
    assert {"\u00ad", "\u180e", "\u200b", "\u202e", "\ufeff"} <= set(HIDDEN_CHARACTERS)
    hiding = "".join(HIDDEN_CHARACTERS)
    assert visible(f"a{hiding}b") == "ab"
    assert as_data(f"a{hiding}{JOINER}b") == "ab"
    assert [one for one in HIDDEN_CHARACTERS if not is_suspect(f"a{one}b")] == []


def test_what_mcp_leaves_out_is_hidden_or_a_control_code() -> None:
    left_out = INVISIBLE.findall(EVERY_CHARACTER)
    controls = {chr(code) for code in [*range(0x20), *range(0x7F, 0xA0)]}
    assert set(left_out) - controls == set(HIDDEN_CHARACTERS)


def test_an_emoji_is_shown_whole_and_is_not_suspect() -> None:
    family = f"\U0001f469{JOINER}\U0001f4bb"
    assert visible(family) == family
    assert not is_suspect(family)


def test_all_that_start_the_server_keep_the_same_of_a_session_from_it() -> None:
    assert hitherto_mcp.spawn.SESSION_ONLY == SESSION_ONLY
    assert tuple(name.decode() for name in hitherto_hooks.spawn.SESSION_ONLY) == SESSION_ONLY
    assert hitherto_mcp.spawn.CLIENT_HOME == CLIENT_HOME
    assert hitherto_hooks.spawn.CLIENT_HOME.decode() == CLIENT_HOME


def test_the_server_is_told_where_the_client_has_its_files_and_nothing_of_its_session() -> None:
    session = {"CLAUDE_CONFIG_DIR": "/c", "CLAUDE_CODE_MESSAGING_TOKEN": "secret"}
    told = server_environment(session, Path("/h"))
    assert told == {"CLAUDE_CONFIG_DIR": "/c", "HITHERTO_HOME": "/h"}


def test_all_start_the_server_by_the_same_command(tmp_path: Path) -> None:
    assert hitherto_mcp.spawn.serve_command(tmp_path) == serve_command(sys.executable)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "serve.cmd").write_text(serve_command_text("/a b/python"))
    expected = serve_command("/a b/python")
    assert hitherto_mcp.spawn.serve_command(tmp_path) == expected
    written = hitherto_hooks.spawn.serve_command(bytes(tmp_path))
    assert [argument.decode() for argument in written] == expected
