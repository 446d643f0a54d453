"""Compaction: what is chosen of a session before it, and given back after it, once.

A PreCompact starts the choice and is answered at once. Only the compaction's own start or end
makes the choice count; without one it is thrown away.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hitherto_server.judge.answers import Unavailable
from hitherto_server.judge.asking import Asking
from hitherto_server.judge.surfaces import compact_digest as surface
from hitherto_server.recall.excerpt import tokens_of
from hitherto_server.sessions.compaction.memory import store_digests
from hitherto_server.sessions.compaction.rule import labels_by_rule
from hitherto_server.sessions.compaction.text import block_of
from hitherto_server.sessions.compaction.words import messages_of
from hitherto_server.sessions.moments import deliver, is_late, occasion_of, question_of
from hitherto_server.store import digests as store
from hitherto_server.store.obligations import open_obligations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.judge.answers import Answers
    from hitherto_server.judge.surfaces.compact_digest import Label, Message
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.moments import Reply, Tools

WAITED_FOR_S = 0.06
"""How long a start waits for a choice that is being made: the client's own summary takes longer."""
LEFT_FOR_BRIEF = 0.5
"""At most this share of a brief's tokens is the digest's."""
MOST_CAUGHT_UP = 4


async def follow_compaction(tools: Tools, call: HookCall) -> None:
    """Choose before a compaction, keep what was chosen behind it; none of that is answered."""
    match call.event:
        case "PreCompact":
            _begin(tools, call)
        case "PostCompact":
            await _settled(tools, call)
        case _:  # a good moment for what a kill left without its candidate
            tools.choosing.beside(store_digests(tools, (), most_others=MOST_CAUGHT_UP))


def _begin(tools: Tools, call: HookCall) -> None:
    """Have chosen what of a session is to be given back, if its context is compacted now."""
    if tools.settings.digest_tokens:
        tools.choosing.begin(call.session_id, _choose(tools, call))


async def _choose(tools: Tools, call: HookCall) -> None:
    messages = await _messages(tools, call)
    if not messages:
        return
    by_rule = labels_by_rule(messages)
    put = partial(store.put_waiting, items=_items(messages, by_rule))
    is_wanted = await tools.store.writer.run(
        lambda c: put(c, call.session_id, call.at_ms), durable=False
    )
    if is_wanted and not call.spooled and tools.judge.is_on(surface.SURFACE):
        await _judge(tools, call, messages, by_rule)


async def _judge(
    tools: Tools, call: HookCall, messages: Sequence[Message], by_rule: Sequence[Label | None]
) -> None:
    """Put the judged choice in the place of the rule's, unless the compaction is over by then."""
    project = await tools.projects.find(call.folder) if call.folder else None
    asking = Asking("hook", call.session_id, project.number if project else None)
    answers = await asyncio.gather(
        *(_ask(tools, messages[0], batch, asking) for batch in surface.batches(messages))
    )
    if not any(one for one, _ in answers):
        return
    least = tools.judge.threshold(surface.SURFACE, "least_confidence")
    judged = [label for one, size in answers for label in _decided(one, size, least)]
    labels = [rule if said == "" else said for said, rule in zip(judged, by_rule, strict=True)]
    items = _items(messages, labels)
    again = partial(store.choose_again, items=items)
    in_time = await tools.store.writer.run(
        lambda c: again(c, call.session_id, call.at_ms), durable=False
    )
    outcome = {"kept": [one["label"] for one in items], "came_in_time": in_time}
    for one, _ in answers:
        if one is not None:
            await tools.judge.note_outcome(one.log_id, outcome)


async def _ask(
    tools: Tools, first: Message, batch: Sequence[Message], asking: Asking
) -> tuple[Answers | None, int]:
    state = surface.state_of(first.text, batch)
    answers = await tools.judge.ask(surface.SURFACE, state, surface.questions_for(batch), asking)
    return (None if isinstance(answers, Unavailable) else answers), len(batch)


def _decided(answers: Answers | None, size: int, least: float) -> Sequence[Any]:
    return [""] * size if answers is None else surface.decide(answers, size, least)


async def _messages(tools: Tools, call: HookCall) -> list[Message]:
    """Return a sample of what was said in a session until a call, in its speakers' own words."""
    turns, given = await tools.store.readers.run(
        lambda c: (
            store.list_turns(c, call.session_id, call.at_ms),
            store.list_given_texts(c, call.session_id),
        )
    )
    replies: Sequence[tuple[int, str]] = ()
    path = call.text("transcript_path")
    if path.startswith("/"):  # the ledger doesn't know what was asked for
        given = [*given, *await asyncio.to_thread(tools.read_given, Path(path))]
    if path.startswith("/") and any(not one.reply for one in turns):
        replies = await asyncio.to_thread(tools.read_replies, Path(path))
    said = await asyncio.to_thread(messages_of, turns, replies, given)
    return surface.sampled(said)


def _items(messages: Sequence[Message], labels: Sequence[Label | None]) -> store.Items:
    return [
        {
            "role": one.role,
            "label": label,
            "text": surface.shortened(one.text),
            "at_ms": one.at_ms,
            "ref": one.ref,
        }
        for one, label in surface.chosen(messages, labels)
    ]


async def answer_compaction(tools: Tools, call: HookCall) -> Reply:
    """Give a session back what was chosen of it, what it owes, and its brief anew."""
    digest = await _settled(tools, call)
    if call.spooled:
        if digest is not None:
            tools.choosing.undelivered.add(call.session_id)
        return None
    tools.wake_model()
    text = await _given(tools, call, digest)
    question = await question_of(tools, call, "")
    left = tools.settings.brief_tokens - tokens_of(text)
    most = (tools.settings.brief_memories, left)
    occasion = await occasion_of(tools, call, "compaction", question, most)
    reply = await deliver(tools, call, await tools.recaller.brief(question, occasion))
    return await _with_block(tools, call, reply, digest, text)


async def with_digest(tools: Tools, call: HookCall, reply: Reply) -> Reply:
    """Add to a prompt's reply what did not reach the session when its context was compacted."""
    if call.deadline_ms is not None and tools.clock() - call.at_ms > call.deadline_ms / 2:
        return reply  # the next prompt may have more time
    tools.choosing.undelivered.discard(call.session_id)
    digest = await tools.store.readers.run(lambda c: store.last_digest(c, call.session_id))
    if digest is None or digest.is_given:
        return reply
    text = await _given(tools, call, digest)
    return await _with_block(tools, call, reply, digest, text)


async def _with_block(
    tools: Tools, call: HookCall, reply: Reply, digest: store.Digest | None, text: str
) -> Reply:
    """Add the digest's block to a reply; one that is late is for the next prompt."""
    if not is_late(tools, call):
        return _joined(call, reply, text) if text else reply
    if digest is not None:
        number = digest.number
        await tools.store.writer.run(lambda c: store.take_back(c, number))
        tools.choosing.undelivered.add(call.session_id)
    return reply


async def _settled(tools: Tools, call: HookCall) -> store.Digest | None:
    """Return the digest of the compaction that a call tells of; it is a candidate from now on."""
    if not tools.settings.digest_tokens:
        return None
    if not call.spooled:
        await tools.choosing.wait(call.session_id, WAITED_FOR_S)
    digest = await tools.store.readers.run(lambda c: store.last_digest(c, call.session_id))
    if digest is None or digest.done_at_ms < call.at_ms:
        return None  # nothing of this compaction: a late event of an older one
    if digest.items is None:
        digest = await _chosen_now(tools, call, digest)
    tools.choosing.beside(store_digests(tools, (digest,), most_others=MOST_CAUGHT_UP))
    return digest


async def _chosen_now(tools: Tools, call: HookCall, digest: store.Digest) -> store.Digest:
    """Choose by the rule: nobody told of the compaction before it, or the server was killed."""
    messages = await _messages(tools, call)
    items = _items(messages, labels_by_rule(messages))
    await tools.store.writer.run(lambda c: store.fill(c, digest.number, items), durable=False)
    return replace(digest, items=items)


async def _given(tools: Tools, call: HookCall, digest: store.Digest | None) -> str:
    """Return the digest's block with what is owed; the digest is noted as given, once."""
    owed = await tools.store.readers.run(lambda c: open_obligations(c, call.session_id))
    most = int(tools.settings.brief_tokens * LEFT_FOR_BRIEF)
    tokens = min(tools.settings.digest_tokens, most) or most
    if digest is not None and digest.items and not is_late(tools, call):
        number, at_ms = digest.number, tools.clock()
        is_new = await tools.store.writer.run(lambda c: store.give(c, number, at_ms), durable=False)
        digest = digest if is_new else None
    return block_of(digest, owed, tokens)


def _joined(call: HookCall, reply: Reply, text: str) -> Reply:
    said = reply or {}
    context = said.get("hookSpecificOutput", {}).get("additionalContext", "")
    lines = ["Hitherto: the session's digest", said.get("systemMessage", "").partition(": ")[2]]
    return {
        **said,
        "systemMessage": "; ".join(filter(None, lines)),
        "hookSpecificOutput": {
            "hookEventName": call.event,
            "additionalContext": "\n".join(filter(None, (text, context))),
        },
    }
