"""What hooks told the model in a day: how much, what twice, and what on every prompt."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hitherto_server.recall.excerpt import tokens_of

PLAIN_TEXT = frozenset({"SessionStart", "UserPromptSubmit"})
"""Where the client takes plain output as words for the model."""
MEMORY = re.compile(r"^- ([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}) · ")
NEWS = ("Given earlier in this session", "About a file that this session edited")
"""A notice names a memory again, to say what became of it; once each."""
MOST_A_SESSION = 3


def words_of(event: str, out: bytes) -> str:
    """Return what of a hook's output reaches the model."""
    text = out.decode(errors="replace").strip()
    try:
        said = json.loads(text) if text else {}
    except ValueError:
        return text if event in PLAIN_TEXT else ""
    if not isinstance(said, dict):
        return text if event in PLAIN_TEXT else ""
    specific = said.get("hookSpecificOutput") or {}
    context = specific.get("additionalContext") or ""
    return "\n".join(filter(None, (context, said.get("reason") or "")))


def is_block(out: bytes) -> bool:
    """Tell whether a hook held the client up."""
    try:
        said = json.loads(out or b"{}")
    except ValueError:
        return False
    return isinstance(said, dict) and said.get("decision") == "block"


@dataclass
class Told:
    """What one side's hooks said, and what they took, event by event."""

    took_ms: dict[str, list[float]] = field(default_factory=dict)
    turns_ms: list[float] = field(default_factory=list)
    """All hooks from a prompt to its stop."""
    answers: dict[str, list[str]] = field(default_factory=dict)
    """What each prompt was answered, by its kind: about, elsewhere, short."""
    tokens: Counter[str] = field(default_factory=Counter)
    """By event."""
    blocks: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By session and prompt."""
    repeats: list[str] = field(default_factory=list)
    _had: set[tuple[str, int, str, str]] = field(default_factory=set)
    _generation: Counter[str] = field(default_factory=Counter)

    def take(self, event: dict[str, Any], out: bytes, took_ms: float) -> str:
        """Note what a hook said and return what of it reaches the model."""
        name, session = event["hook_event_name"], event["session_id"]
        self.took_ms.setdefault(name, []).append(took_ms)
        if name == "SessionStart" and event.get("source") != "resume":
            self._generation[session] += 1
        text = words_of(name, out)
        self.tokens[name] += tokens_of(text)
        if name in {"Stop", "SubagentStop"} and is_block(out):
            self.blocks[session, event.get("prompt_id", "")] += 1
        self._look_for_repeats(event, text)
        return text

    def _look_for_repeats(self, event: dict[str, Any], text: str) -> None:
        session, agent = event["session_id"], event.get("agent_id", "")
        sort = "given"
        for line in text.splitlines():
            if line.startswith(NEWS):
                sort = "news"
            elif line.startswith("<hitherto-"):
                sort = "given"
            if found := MEMORY.match(line):
                key = (session, self._generation[session], agent, f"{sort} {found[1]}")
                if key in self._had:
                    self.repeats.append(f"{event['hook_event_name']} {line[:80]}")
                self._had.add(key)

    @property
    def fixed_characters(self) -> int:
        """Return how much text every prompt can have got: no more than the least of them."""
        return min((len(text) for texts in self.answers.values() for text in texts), default=0)

    @property
    def blocks_too_many(self) -> int:
        """Return the blocks beyond one a prompt and three a session."""
        a_session: Counter[str] = Counter()
        for (session, _), count in self.blocks.items():
            a_session[session] += count
        twice = sum(count - 1 for count in self.blocks.values())
        return twice + sum(max(count - MOST_A_SESSION, 0) for count in a_session.values())

    def answered(self, kind: str) -> int:
        """Return how many prompts of a kind got any text."""
        return sum(map(bool, self.answers.get(kind, [])))

    def characters(self, kind: str) -> float:
        """Return how much text a prompt of a kind got, on average."""
        texts = self.answers.get(kind, [])
        return sum(map(len, texts)) / len(texts) if texts else 0.0
