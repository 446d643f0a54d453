"""The tree of categories as a person and their agents change it; nothing of it is deleted."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, assert_never

import hitherto_contract as contract
from hitherto_server.core.errors import AlreadyKnown, InvalidInput
from hitherto_server.core.git import Head
from hitherto_server.core.text import normalised
from hitherto_server.gates.context import Place, find_place
from hitherto_server.gates.secrets import redact
from hitherto_server.store.categories import (
    SEPARATOR,
    Category,
    get_category,
    insert_category,
    list_categories,
    list_held,
    rename_category,
    trash_category,
)
from hitherto_server.store.derived import index_text

if TYPE_CHECKING:
    from hitherto_contract import CategoriesRequest
    from hitherto_server.gates.context import WriteContext
    from hitherto_server.store.driver import Connection

BATCH = 200
MOST_LEVELS = 5


async def manage(context: WriteContext, request: CategoriesRequest) -> contract.CategoriesReply:
    """Do what is asked with the categories of a scope, and return them all."""
    place = await _find_place(context, request)
    if place is None:
        return _reply(request, None, [])
    changed: Category | None = None
    if request.action != "list":
        at_ms = context.clock()
        changed = await context.store.writer.run(lambda c: _change(c, request, place.scope, at_ms))
    if changed is not None and request.action == "rename":
        await _index_anew(context, changed.id)
    known = await context.store.readers.run(lambda c: list_categories(c, place.scope))
    return _reply(request, place, known, _notes(request, changed))


async def _find_place(context: WriteContext, request: CategoriesRequest) -> Place | None:
    """Return where the categories belong; to look at those of a folder makes no project of it."""
    looks, folder = request.action == "list", request.project_dir
    if looks and request.scope == "project" and folder is not None:
        project = await context.projects.find(folder)
        return Place(project, Head(None, None)) if project else None
    return await find_place(context, request, user_wide=request.scope == "user")


def _change(
    connection: Connection, request: CategoriesRequest, scope: int, at_ms: int
) -> Category | None:
    name = request.name or ""
    match request.action:
        case "add":
            return _add(connection, scope, name, at_ms)
        case "rename":
            return _rename(connection, scope, name, request.new_name or "")
        case "trash":
            return _trash(connection, scope, name, at_ms)
        case "restore":
            return _restore(connection, scope, name)
        case "list":
            return None
        case _:
            assert_never(request.action)


def _add(connection: Connection, scope: int, name: str, at_ms: int) -> Category:
    """Add a category to the tree; its container must be there and hold no memory."""
    *above, last = [_checked(part) for part in name.split(SEPARATOR)]
    if len(above) >= MOST_LEVELS:
        message = f"a category lies at most {MOST_LEVELS} levels deep"
        raise InvalidInput(message)
    parent = get_category(connection, scope, SEPARATOR.join(above)) if above else None
    if parent is not None:
        _refuse_as_container(parent)
    known = _child(connection, scope, parent, last)
    if known is None:
        insert_category(connection, scope, parent.id if parent else None, last, at_ms=at_ms)
    elif known.trashed_at_ms is None:
        message = f"there is a category {known.name!r} already"
        raise AlreadyKnown(message, mend="Nothing is to be done.")
    else:
        trash_category(connection, known.id, None)
    return _child(connection, scope, parent, last) or _lost(name)


def _rename(connection: Connection, scope: int, name: str, new_name: str) -> Category:
    """Give a category another name, where it is."""
    old, last = get_category(connection, scope, name), _checked(new_name)
    known = list_categories(connection, scope)
    parent = next((one for one in known if one.id == old.parent), None)
    rival = _child(connection, scope, parent, last)
    if rival is not None and rival.id != old.id:
        message = f"there is a category {rival.name!r} already"
        raise AlreadyKnown(message, mend="Take another name; it may be in the trash.")
    rename_category(connection, old.id, last)
    return _child(connection, scope, parent, last) or _lost(new_name)


def _trash(connection: Connection, scope: int, name: str, at_ms: int) -> Category:
    """Put an empty container or a category into the trash; its memories stay what they are."""
    found = get_category(connection, scope, name)
    if found.has_children:
        message = f"{found.name!r} holds other categories"
        raise InvalidInput(message, mend="Put those into the trash first.")
    if found.trashed_at_ms is None:
        trash_category(connection, found.id, at_ms)
    return found


def _restore(connection: Connection, scope: int, name: str) -> Category:
    """Take a category out of the trash, as long as what held it holds no memory."""
    found = get_category(connection, scope, name)
    parent = next((o for o in list_categories(connection, scope) if o.id == found.parent), None)
    if parent is not None:
        _refuse_as_container(parent)
    trash_category(connection, found.id, None)
    return found


def _refuse_as_container(parent: Category) -> None:
    if not parent.is_live:
        message = f"{parent.name!r} is in the trash"
        raise InvalidInput(message, mend="Restore it first.")
    if parent.memories:
        message = f"{parent.name!r} holds memories ({parent.memories}), and a container holds none"
        raise InvalidInput(message, mend="File them elsewhere first, or add it beside that one.")


def _child(
    connection: Connection, scope: int, parent: Category | None, name: str
) -> Category | None:
    above = parent.id if parent else None
    known = list_categories(connection, scope)
    return next((one for one in known if (one.parent, one.path[-1]) == (above, name)), None)


def _lost(name: str) -> Category:
    message = f"the category {name!r} was just written and is not there"
    raise LookupError(message)


def _checked(name: str) -> str:
    """Return a category's own name as it is kept; it holds no path and no secret."""
    kept = normalised(redact(name).text)
    if not kept or SEPARATOR in kept:
        message = f"a category's own name is not empty and has no {SEPARATOR!r}"
        raise InvalidInput(message)
    return kept


async def _index_anew(context: WriteContext, number: int) -> None:
    """Bring the new name into the index rows of a category's memories, a batch at a time."""
    after: int | None = 0
    while after is not None:
        job = partial(_index, number=number, after=after)
        after = await context.store.writer.run(job, durable=False)


def _index(connection: Connection, number: int, after: int) -> int | None:
    """Index some memories of a category and return how far that came; None: that was all."""
    held = list_held(connection, number, after=after, most=BATCH)
    for one in held:
        index_text(connection, one)
    return held[-1] if held else None


def _notes(request: CategoriesRequest, changed: Category | None) -> list[str]:
    if request.action != "trash" or changed is None or not changed.memories:
        return []
    stays = f"still filed in {changed.name}: {changed.memories}; nothing new can be"
    return [stays, "File them elsewhere with reflect (edit, category)"]


def _reply(
    request: CategoriesRequest,
    place: Place | None,
    known: list[Category],
    notes: list[str] | None = None,
) -> contract.CategoriesReply:
    from hitherto_contract import CategoryView

    return contract.CategoriesReply(
        scope=request.scope,
        project=place.project.name if place and place.project else None,
        categories=[
            CategoryView(
                name=one.name,
                memories=one.memories,
                is_container=one.has_children,
                trashed_at_ms=one.trashed_at_ms,
            )
            for one in known
        ],
        notes=notes or [],
    )
