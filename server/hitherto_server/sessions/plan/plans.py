"""Plans: an approved one is kept once, and an edited one replaces what it was before."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import hitherto_contract as contract
from hitherto_server.core.errors import HithertoError, StoreError
from hitherto_server.core.text import content_hash, name_of
from hitherto_server.gates.clean import tagged
from hitherto_server.gates.remember import remember
from hitherto_server.gates.secrets import redact
from hitherto_server.sessions.plan.reading import read_plan
from hitherto_server.store import plans as store
from hitherto_server.store.projects import USER_WIDE

if TYPE_CHECKING:
    from hitherto_server.gates.secrets import Redacted
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.moments import Tools

MOST_CHARS = contract.MAX_CONTENT_CHARS
MOST_FILE_CHARS = 200
LEAST_ALIKE = 0.5
"""Where no file tells it, so much of their words must two plans share to be one plan, edited."""

log = logging.getLogger(__name__)


def plan_of(call: HookCall) -> Redacted:
    """Return the plan without its secrets; what of it is kept is cut afterwards."""
    # before it is cut: half a secret would no longer look like one
    return redact(call.text("tool_response", "plan", most=2 * MOST_CHARS))


async def store_plan(tools: Tools, call: HookCall) -> None:
    """Keep an approved plan, once, in the place of what was approved before it was edited."""
    redacted = plan_of(call)
    plan = redacted.text.strip()
    if not plan or call.folder is None:
        return
    try:
        project = await tools.projects.get(call.folder)
        approval = store.Approval(
            project=project.number if project else USER_WIDE,
            session_id=call.session_id,
            file=_file_of(call),
            at_ms=call.at_ms,
        )
        await _keep(tools, call, approval, redacted)
    except StoreError:
        raise  # the hook writes the event down, and it is taken in later
    except HithertoError as error:
        log.warning("a plan was not stored: %s", error.message)


async def _keep(tools: Tools, call: HookCall, approval: store.Approval, redacted: Redacted) -> None:
    plan = redacted.text.strip()
    content = plan[:MOST_CHARS]
    is_noted, before, after = await tools.store.readers.run(
        lambda c: (
            store.is_noted(c, approval, content),
            store.find_before(c, approval),
            store.find_after(c, approval),
        )
    )
    if is_noted:  # a hook that is there twice, or a replay
        return
    replaces = before is not None and after is None and _is_edited(before, content, approval)
    tags = ["plan"] if len(plan) <= MOST_CHARS else ["plan", "cut"]
    request = contract.RememberRequest(
        content=content,
        kind="plan",
        source="plan",
        source_ref=approval.file or None,
        idempotency_key=f"plan:{content_hash(content)}",
        tags=tagged(tags, redacted.kinds),
        supersedes=[before.id] if before is not None and replaces else [],
        project_dir=call.folder,
        session_id=call.session_id,
        actor="hook",
    )
    # a hook has no time for a judgment
    stored = await remember(tools.writes, request, waits=False)
    later = after if after is not None and _is_edited(after, content, approval) else None
    await tools.store.writer.run(
        lambda c: store.note_approval(
            c, stored.id, approval, replaced_by=later.number if later else None
        )
    )


def _is_edited(other: store.Stored, content: str, approval: store.Approval) -> bool:
    """Tell whether two approved texts are one plan that was edited between them."""
    if other.content_hash == content_hash(content):
        return False
    return bool(approval.file) or _alike(other.content, content) >= LEAST_ALIKE


def _alike(one: str, other: str) -> float:
    words, others = read_plan(one).stems, read_plan(other).stems
    return len(words & others) / max(len(words | others), 1)


def _file_of(call: HookCall) -> str:
    path = call.text("tool_response", "filePath", most=4 * MOST_FILE_CHARS)
    return redact(name_of(path)).text[:MOST_FILE_CHARS]
