"""`hitherto remember`, `recall`, `memories` and what a person does to one memory."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hitherto_contract.words import Kind  # noqa: TC001 - typer reads it
from hitherto_server.cli_shared import (
    Json,
    ask,
    echo_lines,
    folder,
    one_line,
    own_session,
    print_json,
    standard_input,
)
from hitherto_server.core.clock import date_of, minute_of
from hitherto_server.core.text import counted

Id = Annotated[str, typer.Argument(metavar="ID", help="A memory, by its whole id.")]
Files = Annotated[list[str] | None, typer.Option("--file", help="A file it is about; repeat.")]
Category = Annotated[
    str | None, typer.Option(metavar="NAME", help="Where it is filed: a category, by its path.")
]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="A tag; repeat.")]
OPENING_CHARS = 90
MEANT, UNINDEXED = "ok", "no vector index: numpy scan"
"""What the arm of meaning says where it was asked."""


def remember(
    content: Annotated[
        str, typer.Argument(metavar="TEXT", help="The statement; `-` reads standard input.")
    ],
    *,
    kind: Annotated[
        Kind | None,
        typer.Option(help="What kind of statement it is; unstated, `note` or as judged."),
    ] = None,
    file: Files = None,
    tag: Tags = None,
    category: Category = None,
    user_wide: Annotated[bool, typer.Option("--user-wide", help="Holds everywhere.")] = False,
    importance: Annotated[
        int | None, typer.Option(min=1, max=10, help="From 1 to 10; unstated, 5.")
    ] = None,
    supersedes: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="A memory it replaces; repeat.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Store a statement for this folder's project; what is answered with an id is on the disk."""
    # what is not stated is not sent: a judgment may fill it in
    stated = {"kind": kind, "importance": importance}
    payload = {
        "content": _text(content),
        **{name: value for name, value in stated.items() if value is not None},
        "files": file or [],
        "tags": tag or [],
        "category": category,
        "scope": "user" if user_wide else "project",
        "supersedes": [_whole_id(one) for one in supersedes or ()],
        "source": "user-told",
        "session_id": own_session(),
    }
    _change("/v1/remember", payload, None, as_json=as_json)


def recall(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="A question, names, files or an id.")
    ],
    *,
    limit: Annotated[int, typer.Option(min=1, max=50, help="Most that are shown.")] = 5,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show each candidate, and why it was left out.")
    ] = False,
    rerank: Annotated[
        bool, typer.Option("--rerank", help="Have a judge order what matters, if one is there.")
    ] = False,
    sessions: Annotated[
        bool, typer.Option("--sessions", help="Find what was said and done in earlier sessions.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Find memories of this folder's project and user-wide ones, each with its standing."""
    asked: dict[str, Any] = {"query": query, "limit": limit, "explain": explain, "rerank": rerank}
    asked["scope"] = "sessions" if sessions else "all"
    answer = ask("/v1/recall", {**asked, "actor": "cli", "project_dir": folder()})
    if as_json:
        print_json(answer)
    elif explain:
        from hitherto_server.cli_explain import explanation

        echo_lines(explanation(answer))
    else:
        echo_lines(_found(answer))


def _found(answer: dict[str, Any]) -> list[str]:
    lines = []
    for hit in answer["hits"]:
        lines.append(f"{hit['id']}  {hit['standing']}  {hit['kind']}  {', '.join(hit['files'])}")
        lines += [f"  {hit['excerpt']}", f"  {hit['standing_reason']}"]
        if hit["judged_relevance"] is not None:
            lines.append(f"  judged {hit['judged_relevance']:.1f} of 4")
    for one in answer["sessions"]:
        began, branch = minute_of(one["began_at_ms"]), one["branch"] or ""
        lines.append("  ".join(filter(None, (f"session {one['session_id']}", began, branch))))
        if one.get("plan"):
            lines.append(f"  under the plan: {one['plan']}")
        lines += [f"  {line}" for text in one["excerpts"] for line in text.splitlines()]
    return [*lines, *answer["notes"], _foot(answer)]


def _foot(answer: dict[str, Any]) -> str:
    """Say how much was found, and if not by meaning, why not."""
    sessions = len(answer["sessions"])
    found = counted(len(answer["hits"]), "memory")
    also = f" and {counted(sessions, 'earlier session')}" if sessions else ""
    by_meaning = answer["arms"].get("passages", MEANT)
    unless = "" if by_meaning in {MEANT, UNINDEXED} else f", not by meaning: {by_meaning}"
    return f"{found}{also} found{unless}"


def memories(
    *,
    trash: Annotated[bool, typer.Option("--trash", help="Those in the trash.")] = False,
    everywhere: Annotated[bool, typer.Option("--everywhere", help="Of every project.")] = False,
    kind: Annotated[Kind | None, typer.Option(help="Of this kind only.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Most that are shown.")] = 20,
    offset: Annotated[int, typer.Option(min=0, help="How many to pass over.")] = 0,
    as_json: Json = False,
) -> None:
    """List what this folder's project and you know, the newest first."""
    asked: dict[str, Any] = {"view": "trash" if trash else "recent", "kind": kind}
    place = {} if everywhere else {"project_dir": folder()}
    answer = ask("/v1/memories", {**asked, "limit": limit, "offset": offset, **place})
    if as_json:
        print_json(answer)
        return
    for one in answer["memories"]:
        echo_lines(_listed(one))
    typer.echo(f"{len(answer['memories'])} of {answer['total']}")


def _listed(one: dict[str, Any]) -> list[str]:
    files = f"  {', '.join(one['files'])}" if one["files"] else ""
    standing = one["standing"] or "in the trash"
    day = date_of(one["learned_at_ms"])
    return [
        f"{one['id']}  {standing}  {one['kind']}  {day}{files}",
        f"  {one_line(one['content'], OPENING_CHARS)}",
    ]


def show(
    ids: Annotated[list[str], typer.Argument(metavar="ID", help="Memories, by their ids.")],
    *,
    history: Annotated[
        bool, typer.Option("--history", help="Each state that it had, the oldest first.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show memories whole, or what became of them."""
    view = "history" if history else "get"
    payload = {"view": view, "ids": [_whole_id(one) for one in ids], "project_dir": folder()}
    answer = ask("/v1/memories", payload)
    if as_json:
        print_json(answer)
        return
    for one in answer["memories"]:
        echo_lines(_whole(one))
    for one in answer["revisions"]:
        day = date_of(one["changed_at_ms"])
        echo_lines([f"r{one['revision']}  {one['change']}  {day}  {one['actor']}", one["content"]])


def _whole(one: dict[str, Any]) -> list[str]:
    said = {
        "standing": f"{one['standing'] or 'in the trash'}: {one['standing_reason'] or '-'}",
        "kind": f"{one['kind']}, importance {one['importance']}, {one['scope']}",
        "files": ", ".join(one["files"]),
        "category": one["category"],
        "tags": ", ".join(one["tags"]),
        "learned": f"{date_of(one['learned_at_ms'])}, from {one['actor']} ({one['source']})",
        "replaced by": one["superseded_by"],
    }
    head = f"{one['id']}  revision {one['revision']}"
    return [head, *(f"  {name}: {what}" for name, what in said.items() if what), one["content"]]


def edit(
    memory: Id,
    content: Annotated[
        str | None,
        typer.Argument(
            metavar="[TEXT]", help="What it says from now on; `-` reads standard input."
        ),
    ] = None,
    *,
    kind: Annotated[Kind | None, typer.Option(help="Another kind.")] = None,
    file: Files = None,
    tag: Tags = None,
    category: Category = None,
    importance: Annotated[int | None, typer.Option(min=1, max=10, help="From 1 to 10.")] = None,
    as_json: Json = False,
) -> None:
    """Change a memory; what it said before stays in its history."""
    changes = {
        "content": None if content is None else _text(content),
        "kind": kind,
        "files": file,
        "tags": tag,
        "category": category,
        "importance": importance,
    }
    _reflect("edit", memory, changes, "edited", as_json=as_json)


def confirm(memory: Id, *, as_json: Json = False) -> None:
    """Say that a memory holds as its files are now."""
    _reflect("confirm", memory, {}, "confirmed", as_json=as_json)


def undo(memory: Id, *, as_json: Json = False) -> None:
    """Take back the last change of a memory: an edit, a supersession."""
    here = {"view": "get", "ids": [_whole_id(memory)]}
    now = ask("/v1/memories", here)["memories"][0]["revision"]
    _reflect("undo", memory, {"expected_revision": now}, "undone", as_json=as_json)


def forget(
    memory: Id,
    *,
    back: Annotated[bool, typer.Option("--undo", help="Take it out of the trash.")] = False,
    as_json: Json = False,
) -> None:
    """Put a memory into the trash."""
    path, done = ("/v1/restore", "out of the trash") if back else ("/v1/forget", "in the trash")
    _change(path, {"id": _whole_id(memory)}, done, as_json=as_json)


def _reflect(
    action: str, memory: str, changes: dict[str, Any], done: str, *, as_json: bool
) -> None:
    payload = {"action": action, "id": _whole_id(memory), "session_id": own_session(), **changes}
    _change("/v1/reflect", payload, done, as_json=as_json)


def _change(path: str, payload: dict[str, Any], done: str | None, *, as_json: bool) -> None:
    answer = ask(path, {**payload, "actor": "cli", "project_dir": folder()})
    if as_json:
        print_json(answer)
        return
    said = answer["outcome"].replace("_", " ") if done is None else done
    echo_lines([f"{said}: {answer['id']}", *(f"  {note}" for note in answer["notes"])])


def _text(given: str) -> str:
    return standard_input() if given == "-" else given


def _whole_id(text: str) -> str:
    return text.strip().lower().removeprefix("m:")
