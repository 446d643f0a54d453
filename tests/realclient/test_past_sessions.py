"""What the real client keeps of a session is what the import reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from realclient_model import ToolCall, Turn, play
from realclient_product import Product
from realclient_session import Options, open_session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from realclient_session import Place

pytestmark = pytest.mark.realclient

RULE = "Never edit the generated files by hand, run `make codegen` instead."
FIX = (
    "`python3 check.py` failed: KeyError: 'level'\n"
    "The cause is that no level is set.\n"
    "It passed after a change of tide.py: `{}['level']` became `{}.get('level')`."
)
CHECK = {"command": "python3 check.py", "description": "Check"}
ALLOWED = Options(attended=True, allow=("Bash", "Edit", "Read"))


@pytest.fixture
def product(place: Place) -> Iterator[Product]:
    """Return an installation that is not connected to the client."""
    product = Product(place)
    try:
        yield product
    finally:
        product.end()


def test_a_rule_and_a_fix_of_a_real_session_are_imported(
    claude: Path, place: Place, product: Product
) -> None:
    (place.project / "tide.py").write_text("TIDE = {}['level']\n")
    (place.project / "check.py").write_text("import tide\n")
    edit = {
        "file_path": str(place.project / "tide.py"),
        "old_string": "{}['level']",
        "new_string": "{}.get('level')",
    }
    script = play(
        Turn("I check.", (ToolCall("Bash", CHECK),)),
        Turn("I read.", (ToolCall("Read", {"file_path": edit["file_path"]}),)),
        Turn("The cause is that no level is set.", (ToolCall("Edit", edit),)),
        Turn("Again.", (ToolCall("Bash", CHECK),)),
    )
    with open_session(claude, place, script, ALLOWED) as session:
        session.say("check.py fails, please mend it")
        session.say(RULE)
        session.say("What did we learn?")
    product.start()
    said = product.run("import-history", "--yes", "--json")
    found = product.post("/v1/memories", {"view": "recent"})["memories"]
    told = {memory["kind"]: (memory["tier"], memory["content"]) for memory in found}
    assert told == {
        "preference": ("admitted", RULE),
        "issue": ("candidate", FIX),
    }, said
    assert {memory["source_ref"].split(":")[1] for memory in found} == {session.id}
