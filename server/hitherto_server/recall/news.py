"""News: what a session was given and no longer holds as it was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.clock import date_of
from hitherto_server.recall.block import CLOSING, as_data
from hitherto_server.store import notices
from hitherto_server.store import recall as rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hitherto_server.recall.standings import Lookout
    from hitherto_server.store.driver import Connection

MOST_IN_A_SESSION = 12
"""Beyond that a session whose files all change is no longer told one by one."""
MOST_CHARS = 120
OPENING = "<hitherto-memories>\n"
OF_GIVEN = (
    "Given earlier in this session; its files have changed since. Check before relying on it.\n"
)
OF_JUDGED = (
    "About a file that this session edited; judged to describe it no longer. Correct or confirm it"
    " with reflect.\n"
)
WORSE = {"current": 0, "unverified": 0, "changed": 1, "stale": 2}


@dataclass(frozen=True)
class News:
    """A memory that a session has, and what has become of it."""

    id: str
    standing: str
    reason: str
    text: str
    learned_at_ms: int
    was_given: bool = True
    """False: the session edited its file, and a judge said that it no longer describes that."""
    was_judged: bool = False

    @property
    def line(self) -> str:
        """The line for the model: which memory, what became of it, how it began."""
        opening = " ".join(self.text.split())
        if len(opening) > MOST_CHARS:
            opening = f"{opening[:MOST_CHARS]}…"
        head = f"{self.id} · {self.standing} ({self.reason}) · {date_of(self.learned_at_ms)}"
        return f"- {as_data(head)}\n  {as_data(opening)}\n"


def find_news(
    connection: Connection, session: str, lookout: Lookout, project: int, root: Path, *, most: int
) -> tuple[News, ...]:
    """Find what certainly changed of what a session was given; nothing that it was told already.

    Of what was judged stale after its own edits it is told in any case. What belongs to another
    project than the root's is not missing here.
    """
    judged = {row["number"]: row for row in notices.list_judged(connection, session)}
    had = {row["number"]: row for row in notices.list_given(connection, session)}
    given = judged | had
    texts = rows.list_texts(connection, given)
    given = {n: row for n, row in given.items() if texts[n]["project"] == project}
    if not given:
        return ()
    room = MOST_IN_A_SESSION - notices.count_told(connection, session)
    states = rows.list_states(connection, given, (project,))
    newer = {number: state["superseded_by"] for number, state in states.items()}
    asked = [texts[number] for number in given]
    views = lookout.views(connection, asked, newer, root)
    news = [
        News(row["id"], view.standing, view.reason, texts[number]["content"],
             texts[number]["learned_at_ms"], number in had, number in judged)
        for number, row in given.items()
        if (view := views[number]).is_certain or (number in judged and view.standing == "stale")
        if WORSE.get(view.standing, 0) > WORSE.get(row["standing"], 0)
    ]  # fmt: skip
    return tuple(news[: max(min(room, most), 0)])


def notice_of(news: Sequence[News]) -> str:
    """Return the block for the model."""
    given = "".join(one.line for one in news if one.was_given)
    judged = "".join(one.line for one in news if not one.was_given)
    said = (OF_GIVEN + given if given else "") + (OF_JUDGED + judged if judged else "")
    return OPENING + said + CLOSING


def line_of(news: Sequence[News]) -> str:
    """Return what the person sees: `1 memory given earlier: changed`."""
    noun = "memory" if len(news) == 1 else "memories"
    kinds = sorted({one.standing for one in news})
    origin = "given earlier" if any(one.was_given for one in news) else "of edited files"
    return f"{len(news)} {noun} {origin}: {', '.join(kinds)}"
