"""What the model is told of the tools is short, and true of the contract."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from mcp_types import version as sdk

import hitherto_contract as contract
from hitherto_mcp import client, protocol
from hitherto_mcp.tools import INSTRUCTIONS, TOOLS

MAX_LIST_BYTES = 6 * 1024
REQUESTS = {
    "remember": contract.RememberRequest,
    "recall": contract.RecallRequest,
    "reflect": contract.ReflectRequest,
    "forget": contract.ForgetRequest,
    "restore": contract.RestoreRequest,
    "memories": contract.MemoriesRequest,
    "sync": contract.SyncRequest,
    "categories": contract.CategoriesRequest,
    "loop": contract.LoopRequest,
}
PLACED = {"session_id", "project_dir", "actor"}
# What the model has no use for, tool by tool.
LEFT_OUT = {"remember": {"idempotency_key"}, "recall": {"explain"}}
# What an agent may say of a statement; the other sources are written by the server alone.
AGENT_SOURCES = {"user-told", "agent", "external"}
LIMITS = ("maxLength", "maxItems", "minimum", "maximum")
# Names, paths, revisions, offsets and times: no call comes near, and each word costs every session.
NEVER_NEAR = {
    *(("maxLength", most) for most in (200, 4096)),
    *(("maximum", most) for most in (1_000_000, 253_402_300_799_000)),
    *(("minimum", least) for least in (0, 1)),
}


def model_sees() -> list[dict[str, Any]]:
    return [
        {"name": t.name, "description": t.description, "input_schema": t.input_schema}
        for t in TOOLS.values()
    ]


def contract_properties(tool: str) -> dict[str, Any]:
    schema = REQUESTS[tool].model_json_schema()
    return {name: plain(found) for name, found in schema["properties"].items()}


def plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a property's schema without the choice of null."""
    choices = [s for s in schema.get("anyOf", []) if s.get("type") != "null"]
    return choices[0] if choices else schema


def test_the_whole_tool_list_fits_in_six_kilobytes() -> None:
    size = len(json.dumps(model_sees(), ensure_ascii=False).encode())
    assert size <= MAX_LIST_BYTES, size


def test_the_instructions_are_a_few_lines() -> None:
    assert len(INSTRUCTIONS.encode()) <= 400


@pytest.mark.parametrize("tool", REQUESTS)
def test_a_tool_has_the_fields_of_its_request(tool: str) -> None:
    assert set(TOOLS[tool].properties) == (
        set(contract_properties(tool)) - PLACED - LEFT_OUT.get(tool, set())
    )


@pytest.mark.parametrize("tool", REQUESTS)
def test_a_tool_requires_what_its_request_requires(tool: str) -> None:
    assert set(TOOLS[tool].required) == set(REQUESTS[tool].model_json_schema().get("required", []))


@pytest.mark.parametrize("tool", REQUESTS)
def test_a_tool_states_the_choices_and_limits_of_its_request(tool: str) -> None:
    theirs = contract_properties(tool)
    for name, ours in TOOLS[tool].properties.items():
        stated, all_limits = limits_of(ours), limits_of(theirs[name])
        assert stated <= all_limits, name
        assert {limit[-2:] for limit in all_limits - stated} <= NEVER_NEAR, name
        if "enum" in ours and name == "source":
            assert set(ours["enum"]) == AGENT_SOURCES <= set(theirs[name]["enum"])
        else:
            assert ours.get("enum") == theirs[name].get("enum"), name
            assert ours.get("type", "string") == theirs[name].get("type"), name


def limits_of(schema: dict[str, Any]) -> set[tuple[Any, ...]]:
    """Return a schema's limits, and those of its items."""
    found: set[tuple[Any, ...]] = {(limit, schema[limit]) for limit in LIMITS if limit in schema}
    of_items = limits_of(schema["items"]) if "items" in schema else set()
    return found | {("items", *one) for one in of_items}


@pytest.mark.parametrize("tool", REQUESTS)
def test_a_default_that_the_model_is_told_is_the_one_in_force(tool: str) -> None:
    for name, schema in TOOLS[tool].properties.items():
        said, _, rest = schema.get("description", "").partition("default ")
        if rest and not said:
            told = rest.split(";")[0].split(",")[0]
            assert told == str(REQUESTS[tool].model_fields[name].default), name


def test_the_client_speaks_the_contracts_protocol_and_version() -> None:
    assert (client.PROTOCOL, client.PROTOCOL_HEADER) == (
        contract.PROTOCOL,
        contract.PROTOCOL_HEADER,
    )
    assert client.VERSION == contract.VERSION


def test_every_revision_that_the_sdk_knows_is_spoken() -> None:
    assert protocol.HANDSHAKE_VERSIONS == sdk.HANDSHAKE_PROTOCOL_VERSIONS
    assert protocol.ENVELOPE_VERSIONS == sdk.MODERN_PROTOCOL_VERSIONS


def test_the_page_lists_the_tools_and_which_only_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| .* \| (yes|no) \|$", page, re.MULTILINE)
    assert dict(rows) == {t.name: "yes" if t.reads_only else "no" for t in TOOLS.values()}


def test_the_page_names_the_revisions_that_are_spoken() -> None:
    page = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text()
    section = page.partition("## Protocol")[2]
    spoken = {*protocol.HANDSHAKE_VERSIONS, *protocol.ENVELOPE_VERSIONS}
    assert set(re.findall(r"\d{4}-\d\d-\d\d", section)) == spoken
