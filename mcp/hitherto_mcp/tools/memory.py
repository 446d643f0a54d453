"""The memory tools: remember, recall, reflect, forget, restore, memories, categories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hitherto_mcp.tools.base import Caller, Tool, understood

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_mcp.client import Call

# The model reads these in every session, so they are written by hand: the contract's own schema
# is twice as long. A test compares their names, choices and limits with the contract's; limits that
# no call comes near are left out.
KINDS = ["decision", "issue", "preference", "fact", "note", "plan", "workflow", "dossier"]
ID = {"type": "string"}
NAME = {"type": "string"}
KIND = {"enum": KINDS}
TAGS = {"type": "array", "items": NAME, "maxItems": 20}
PATHS = {"type": "array", "items": {"type": "string"}, "maxItems": 10}
CONTENT = {"type": "string", "maxLength": 20000}
IMPORTANCE = {"type": "integer", "minimum": 1, "maximum": 10}
TIME = {"type": "integer"}
REVISION = {"type": "integer"}


def described(schema: Mapping[str, Any], description: str) -> dict[str, Any]:
    """Return the schema with a word to the model."""
    return {**schema, "description": description}


async def remember(arguments: Mapping[str, Any], caller: Caller, call: Call) -> str:
    """Store a statement and say under which id."""
    from hitherto_contract import Remembered, RememberRequest
    from hitherto_mcp.tools.render import acknowledged

    request = RememberRequest.model_validate({**arguments, **caller.placed()})
    reply = await call("remember", request.model_dump(mode="json", exclude_unset=True))
    stored = understood(Remembered, reply)
    return acknowledged(stored.outcome.replace("_", " "), stored)


async def recall(arguments: Mapping[str, Any], caller: Caller, call: Call) -> str:
    """Return the memories that answer a question, each with its standing."""
    from hitherto_contract import RecallReply, RecallRequest
    from hitherto_mcp.tools.render import recalled

    request = RecallRequest.model_validate({**arguments, **caller.placed()})
    reply = await call("recall", request.model_dump(mode="json", exclude_unset=True))
    return recalled(understood(RecallReply, reply))


async def reflect(arguments: Mapping[str, Any], caller: Caller, call: Call) -> str:
    """Change one memory and say what it is now."""
    from hitherto_contract import ReflectRequest, Remembered
    from hitherto_mcp.tools.render import acknowledged

    request = ReflectRequest.model_validate({**arguments, **caller.placed()})
    reply = await call("reflect", request.model_dump(mode="json", exclude_unset=True))
    return acknowledged(request.action, understood(Remembered, reply))


async def forget(arguments: Mapping[str, Any], caller: Caller, call: Call) -> str:
    """Put a memory into the trash."""
    from hitherto_contract import ForgetRequest, Remembered
    from hitherto_mcp.tools.render import acknowledged

    request = ForgetRequest.model_validate({**arguments, **caller.placed()})
    reply = await call("forget", request.model_dump(mode="json", exclude_unset=True))
    return acknowledged("forget", understood(Remembered, reply))


async def restore(arguments: Mapping[str, Any], caller: Caller, call: Call) -> str:
    """Take a memory back out of the trash."""
    from hitherto_contract import Remembered, RestoreRequest
    from hitherto_mcp.tools.render import acknowledged

    request = RestoreRequest.model_validate({**arguments, **caller.placed()})
    reply = await call("restore", request.model_dump(mode="json", exclude_unset=True))
    return acknowledged("restore", understood(Remembered, reply))


async def memories(arguments: Mapping[str, Any], caller: Caller, call: Call) -> str:
    """List memories, a history, counts, or what happened in this session."""
    from hitherto_contract import MemoriesReply, MemoriesRequest
    from hitherto_mcp.tools.render import listed

    request = MemoriesRequest.model_validate({**arguments, **caller.placed()})
    reply = await call("memories", request.model_dump(mode="json", exclude_unset=True))
    return listed(request.view, understood(MemoriesReply, reply))


async def categories(arguments: Mapping[str, Any], caller: Caller, call: Call) -> str:
    """List or change the categories, and say which there are."""
    from hitherto_contract import CategoriesReply, CategoriesRequest
    from hitherto_mcp.tools.render import tree

    request = CategoriesRequest.model_validate({**arguments, **caller.placed()})
    reply = await call("categories", request.model_dump(mode="json", exclude_unset=True))
    return tree(understood(CategoriesReply, reply))


REMEMBER = Tool(
    name="remember",
    description=(
        "Store one statement for later sessions: a decision and its reason, a fix and its cause, "
        "a preference, a fact that was hard to find. Write it to stand alone and name the "
        "functions, files and settings it is about. No secrets."
    ),
    properties={
        "content": CONTENT,
        "kind": described(KIND, "default note"),
        "scope": described(
            {"enum": ["project", "user"]}, "default project; user: holds in every project"
        ),
        "files": described(PATHS, "later edits there decide its standing"),
        "tags": TAGS,
        "importance": described(IMPORTANCE, "default 5"),
        "source": described(
            {"enum": ["user-told", "agent", "external"]},
            "default agent; user-told: the person said so",
        ),
        "source_ref": described(NAME, "a commit, an issue, an address"),
        "category": NAME,
        "state_key": described(
            NAME, "for one current value, like deploy.port: a new one replaces it"
        ),
        "supersedes": described(
            {"type": "array", "items": ID, "maxItems": 20}, "ids that it replaces"
        ),
        "true_from_ms": described(TIME, "UTC epoch ms"),
        "true_until_ms": TIME,
    },
    required=("content",),
    handler=remember,
)

RECALL = Tool(
    name="recall",
    description=(
        "Search what earlier sessions learned. Each hit says whether it still holds; check what is "
        "not current before you rely on it."
    ),
    properties={
        "query": {"type": "string", "maxLength": 10000},
        "files": described(PATHS, "files at hand: theirs rank higher"),
        "kind": KIND,
        "scope": described(
            {"enum": ["project", "user", "all", "sessions"]}, "default all; sessions: past talk"
        ),
        "limit": described({"type": "integer", "minimum": 1, "maximum": 50}, "default 5"),
        "token_budget": described(
            {"type": "integer", "minimum": 50, "maximum": 16000}, "default 1500"
        ),
        "include_superseded": described({"type": "boolean"}, "questions about the past"),
        "rerank": described({"type": "boolean"}, "a judge orders them"),
    },
    required=("query",),
    handler=recall,
    reads_only=True,
)

REFLECT = Tool(
    name="reflect",
    description=(
        "Correct a memory. edit: change the given fields. supersede: content replaces it. "
        "confirm: you have just read the code and it still holds. "
        "undo: take back the last change; needs expected_revision."
    ),
    properties={
        "action": {"enum": ["edit", "supersede", "confirm", "undo"]},
        "id": ID,
        "expected_revision": described(REVISION, "refused if it has moved on"),
        "content": CONTENT,
        "kind": KIND,
        "tags": TAGS,
        "files": PATHS,
        "importance": IMPORTANCE,
        "category": NAME,
        "state_key": NAME,
    },
    required=("action", "id"),
    handler=reflect,
)

FORGET = Tool(
    name="forget",
    description="Move a memory to the trash; restore brings it back.",
    properties={"id": ID, "expected_revision": REVISION},
    required=("id",),
    handler=forget,
)

RESTORE = Tool(
    name="restore",
    description="Take a memory out of the trash.",
    properties={"id": ID, "expected_revision": REVISION},
    required=("id",),
    handler=restore,
)

MEMORIES = Tool(
    name="memories",
    description=(
        "List recent or trashed memories, some by id in full (get), "
        "their revisions (history), counts (stats), this session's events, or expendable "
        "ones (triage)."
    ),
    properties={
        "view": described(
            {"enum": ["recent", "trash", "get", "history", "stats", "events", "triage"]},
            "default recent",
        ),
        "ids": described({"type": "array", "items": ID, "maxItems": 50}, "for get and history"),
        "kind": KIND,
        "scope": described({"enum": ["project", "user", "all"]}, "default all"),
        "limit": described({"type": "integer", "minimum": 1, "maximum": 200}, "default 20"),
        "offset": {"type": "integer"},
    },
    required=(),
    handler=memories,
    reads_only=True,
)

CATEGORIES = Tool(
    name="categories",
    description="List or change the tree of categories; reflect moves a memory.",
    properties={
        "action": {"enum": ["list", "add", "rename", "trash", "restore"]},
        "scope": {"enum": ["project", "user"]},
        "name": described(NAME, "a path: team/habits"),
        "new_name": NAME,
    },
    required=(),
    handler=categories,
)

MEMORY_TOOLS = (REMEMBER, RECALL, REFLECT, FORGET, RESTORE, MEMORIES, CATEGORIES)
