"""What is asked for on purpose: done in a paused session, refused where a folder is ignored."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from hitherto_contract import (
    CategoriesRequest,
    LoopRequest,
    QuietView,
    RecallReply,
    ReflectRequest,
    Remembered,
    RememberRequest,
)
from hitherto_contract.memories import Placed
from hitherto_server.core.errors import FolderIgnored
from hitherto_server.sessions.control.left_alone import line_for, until

if TYPE_CHECKING:
    from pydantic import BaseModel

    from hitherto_server.services import Services
    from hitherto_server.store.quiet import QuietRule


async def find_rule(services: Services, asked: BaseModel) -> QuietRule | None:
    """Return the rule over whoever asks, if any; keeping is refused in an ignored folder."""
    if not isinstance(asked, Placed):
        return None
    folders = [] if asked.project_dir is None else [asked.project_dir]
    rule = await services.quiet.rule_for(asked.session_id, folders)
    if rule is not None and rule.kind == "ignore" and _keeps_text(asked):
        message = f"{rule.path} is ignored: nothing is kept of it"
        named = shlex.quote(rule.path or "")
        raise FolderIgnored(message, mend=f"Run `hitherto ignore --remove {named}`.")
    return rule


def _keeps_text(asked: Placed) -> bool:
    if isinstance(asked, ReflectRequest):
        return asked.action != "undo"
    if isinstance(asked, LoopRequest):
        return asked.action in {"start", "update"}
    if isinstance(asked, CategoriesRequest):
        return asked.action in {"add", "rename"}
    return isinstance(asked, RememberRequest)


def with_note(reply: BaseModel, rule: QuietRule) -> BaseModel:
    """Return a reply that says what is left alone besides."""
    if not isinstance(reply, RecallReply | Remembered):
        return reply
    note = f"{line_for(rule)} unless it is asked to"
    return reply.model_copy(update={"notes": [*reply.notes, note]})


def quiet_views(services: Services) -> list[QuietView]:
    """Return what is left alone now, as the outside sees it."""
    return [
        QuietView(
            kind=rule.kind,
            session_id=rule.session_id,
            path=rule.path,
            since_ms=rule.began_at_ms,
            until_ms=rule.until_ms,
        )
        for rule in services.quiet.in_force()
    ]


def pause_notices(services: Services) -> list[str]:
    """Return what a person may have forgotten: each pause, with what ends it."""
    return [
        f"paused: {_named(rule)} {until(rule)}; `hitherto resume {_option(rule)}` ends it"
        for rule in services.quiet.in_force("pause")
    ]


def _named(rule: QuietRule) -> str:
    return rule.path or f"session {rule.session_id}"


def _option(rule: QuietRule) -> str:
    named = shlex.quote(rule.path or rule.session_id or "")
    return f"--path {named}" if rule.path else f"--session {named}"
