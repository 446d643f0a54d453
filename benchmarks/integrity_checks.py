"""What must hold of coding sessions when the harm is over: nothing stuck, lost or doubled."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from endurance_checks import Checks

from hitherto_server.store.driver import open_raw

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from integrity_session import CodingSession

BLOCKS_A_SESSION, BLOCKS_A_PROMPT = 3, 1


@dataclass
class IntegrityChecks(Checks):
    """Compares what the sessions sent and heard with what the store says."""

    sessions: Sequence[CodingSession]

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Look into the database from the outside."""
        with closing(open_raw(self.home.database, read_only=True)) as connection:
            return [tuple(row) for row in connection.execute(query)]

    def unknown_texts(self) -> list[str]:
        """Return what agents are said to have stored, and nobody did."""
        held = self.rows("SELECT content FROM memory WHERE source = 'agent'")
        return [text for (text,) in held if text not in self.told.sent_texts]

    def problems(self) -> Iterator[str]:
        """Yield all that must not be, at any time when nothing is in flight."""
        yield from self.of_events()
        yield from self.of_blocks()
        yield from self.of_plans()
        yield from self.of_digests()
        yield from self.of_ledger()
        yield from self.of_loops()
        yield from self.torn_files()
        yield from self.unknown_texts()
        yield from self.lost_memories()

    def of_events(self) -> Iterator[str]:
        """Yield events that are lost or doubled."""
        events = self.events()
        if events.doubled or events.unaccounted:
            yield f"events: {events}"

    def of_blocks(self) -> Iterator[str]:
        """Yield blocks beyond the bounds, and blocks that nothing tells of."""
        query = "SELECT session_id, subject FROM obligation WHERE kind = 'block'"
        noted = set(self.rows(query))
        for session in self.sessions:
            prompts = Counter(prompt for prompt, _ in session.heard.blocks)
            if sum(prompts.values()) > BLOCKS_A_SESSION:
                yield f"{session.name} was blocked {sum(prompts.values())} times"
            yield from (
                f"{session.name} was blocked {count} times in {prompt}"
                for prompt, count in prompts.items()
                if count > BLOCKS_A_PROMPT
            )
            yield from (
                f"the block of {session.name} in {prompt} is not noted"
                for prompt in prompts
                if (session.name, prompt) not in noted
            )

    def stuck_obligations(self) -> list[str]:
        """Return what sessions still owe that have done all that can be asked of them."""
        query = (
            "SELECT session_id, kind, subject FROM obligation"
            " WHERE cleared_at_ms IS NULL ORDER BY id"
        )
        return [f"{session} owes {kind}: {subject}" for session, kind, subject in self.rows(query)]

    def of_plans(self) -> Iterator[str]:
        """Yield plans that are there twice, or not though their hook came to its end."""
        held = Counter(
            text for (text,) in self.rows("SELECT content FROM memory WHERE kind = 'plan'")
        )
        sent = {plan.strip(): done for s in self.sessions for plan, done in s.heard.plans.items()}
        yield from (f"{count} times the plan {text!r}" for text, count in held.items() if count > 1)
        yield from (f"a plan of nobody: {text!r}" for text in held if text not in sent)
        yield from (f"lost plan: {p!r}" for p, done in sent.items() if done and p not in held)

    def of_digests(self) -> Iterator[str]:
        """Yield compactions that count twice, or that a digest of the future tells of."""
        of_session = defaultdict(list)
        query = "SELECT session_id, generation FROM digest WHERE generation IS NOT NULL"
        for session, generation in self.rows(query):
            of_session[session].append(generation)
        now = dict(self.rows("SELECT id, generation FROM session"))
        for session in self.sessions:
            found = of_session[session.name]
            if len(found) != len(set(found)) or len(found) > session.heard.compactions:
                most = session.heard.compactions
                yield f"{session.name} has digests of {found} after {most} compactions"
            if any(one >= now[session.name] for one in found):
                yield f"{session.name} is in {now[session.name]} and has digests of {found}"
        yield from (
            f"{count} digests that differ are the memory {memory}"
            for memory, count in self.rows(
                "SELECT memory_id, count(DISTINCT items) FROM digest WHERE memory_id IS NOT NULL"
                " GROUP BY memory_id HAVING count(DISTINCT items) > 1"
            )
        )

    def of_ledger(self) -> Iterator[str]:
        """Yield what was given and is not entered, and what is entered and was not given."""
        query = (
            "SELECT i.session_id, m.id, i.admission FROM injection AS i"
            " JOIN memory AS m ON m.number = i.memory_number"
            " WHERE i.outcome = 'injected' AND i.agent = ''"
        )
        entered: dict[str, Counter[str]] = defaultdict(Counter)
        admissions: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for session, memory, admission in self.rows(query):
            entered[session][memory] += 1
            admissions[session][admission].add(memory)
        for one in self.sessions:
            heard = Counter(one.heard.given)
            missing = heard - entered[one.name]
            if missing:
                yield f"{one.name} was given what the ledger does not know: {dict(missing)}"
            unheard = [a for a, m in admissions[one.name].items() if not m & heard.keys()]
            maybe = one.heard.maybe["UserPromptSubmit"] + one.heard.maybe["SessionStart"]
            if len(unheard) > maybe:
                yield f"{one.name} heard nothing of {len(unheard)} admissions"

    def of_loops(self) -> Iterator[str]:
        """Yield loops that do not agree with the iterations that were asked for."""
        query = "SELECT session_id, state, iteration, most_iterations FROM loop ORDER BY id"
        loops: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for session, *rest in self.rows(query):
            loops[session].append(tuple(rest))
        for one in self.sessions:
            found = loops[one.name]
            if one.is_over and any(state != "ended" for state, _, _ in found):
                yield f"{one.name} has ended and its loop has not: {found}"
            times = Counter(one.heard.iterations)
            yield from (f"{one.name} was asked twice for {it}" for it, n in times.items() if n > 1)
            asked = sum(iteration - 1 for _, iteration, _ in found)
            heard = len({(task, number) for task, _, number in one.heard.iterations})
            if not heard <= asked <= heard + one.heard.maybe["Stop"]:
                yield f"{one.name} heard of {heard} iterations, and {asked} were asked for"
