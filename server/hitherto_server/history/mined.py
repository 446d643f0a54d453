"""What is kept of a session: its pieces, their vectors, and the candidates that it yields."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server.core.clock import DAY_MS
from hitherto_server.core.errors import ModelError
from hitherto_server.history.keeping import MINED, keep, made_ready
from hitherto_server.history.pieces import MOST_PART_CHARS
from hitherto_server.history.sources import standing_folder
from hitherto_server.sessions.past.planned import title_of, with_plan
from hitherto_server.store import pieces
from hitherto_server.store.plans import find_in_force

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.gates.context import WriteContext
    from hitherto_server.history.findings import Finding
    from hitherto_server.history.keeping import Ready
    from hitherto_server.history.pieces import Piece
    from hitherto_server.history.tail import Read
    from hitherto_server.recall.succession import Succession
    from hitherto_server.sessions.control.quiet import Quiet
    from hitherto_server.store.driver import Connection, Row
    from hitherto_server.store.projects import Project

MOST_OF_SESSION, MOST_OF_PROJECT = 1000, 5000
KEPT_AT_ONCE, PRUNED_AT_ONCE = 16, 64
"""In one transaction: hooks wait for the writer too."""
EMBEDDED_AT_ONCE = 8
MOST_EMBEDDED = 2000
"""In one go; the rest has its turn at the next."""


@dataclass(frozen=True)
class Mine:
    """Keeps what was read of sessions, where nothing says that it is to be left alone."""

    writes: WriteContext
    quiet: Quiet
    embedder: Succession

    async def keep(self, transcript_id: int, read: Read) -> None:
        """Keep pieces, a few at a time, each few together with how far their file is read."""
        if read.is_anew:
            job = partial(pieces.begin_anew, transcript_id=transcript_id)
            await self.writes.store.writer.run(job, durable=False)
        for start in range(0, max(len(read.pieces), 1), KEPT_AT_ONCE):
            some = read.pieces[start : start + KEPT_AT_ONCE]
            rest = read.pieces[start + KEPT_AT_ONCE :]
            offset = rest[0].from_offset if rest else read.offset
            new = [one for piece in some if (one := await self._placed(piece, transcript_id))]
            await self._put(transcript_id, new, offset, read.head)

    async def _put(
        self, transcript_id: int, new: Sequence[pieces.NewPiece], offset: int, head: str
    ) -> None:
        at_ms = self.writes.clock()

        def job(connection: Connection) -> None:
            for one in new:
                pieces.put_piece(connection, one)
            pieces.note_read(connection, transcript_id, offset=offset, head=head, at_ms=at_ms)

        # what a power cut takes is read once more
        await self.writes.store.writer.run(job, durable=False)

    async def propose(self, known: Row, findings: Sequence[Finding]) -> None:
        """Keep what the rules found as candidates, and until where they have looked."""
        ready: list[Ready] = []
        for finding in findings:
            project = await self._project(finding.folder or "")
            if project is not None:
                ready.append(await made_ready(self.writes, finding, project, MINED))
        at_ms = self.writes.clock()

        def job(connection: Connection) -> None:
            keep(connection, None, ready, at_ms)
            pieces.note_found(connection, known["id"], known["read_offset"])

        await self.writes.store.writer.run(job)
        if ready:
            self.writes.on_written()

    async def prune(self, days: int) -> int:
        """Forget what is too old, or too much of a session or a project; returns how much."""
        before_ms = self.writes.clock() - days * DAY_MS
        bounds = pieces.Bounds(before_ms, MOST_OF_SESSION, MOST_OF_PROJECT)
        job, count = partial(pieces.prune, bounds=bounds, most=PRUNED_AT_ONCE), 0
        while dropped := await self.writes.store.writer.run(job, durable=False):
            count += dropped
        return count

    async def embed(self) -> None:
        """Give pieces their vectors, one by one: whoever waits for the model comes first."""
        model = self.embedder.model
        if model is None:
            return
        for _ in range(MOST_EMBEDDED // EMBEDDED_AT_ONCE):
            list_some = partial(pieces.list_waiting, model=model.name, most=EMBEDDED_AT_ONCE)
            some = await self.writes.store.readers.run(list_some)
            if not some:
                return
            try:
                for one in some:
                    await self._embed_one(one, model.name)
            except ModelError:  # it is being changed: the next piece asks again
                return

    async def _embed_one(self, waiting: Row, model: str) -> None:
        vector = await self.embedder.embed(waiting["text"], "passage", patient=True)
        job = partial(pieces.put_vector, waiting=waiting, model=model, vector=vector.tobytes())
        await self.writes.store.writer.run(job, durable=False)

    async def _placed(self, piece: Piece, transcript_id: int) -> pieces.NewPiece | None:
        project = await self._project(piece.folder)
        if project is None:
            return None
        return pieces.NewPiece(
            transcript_id=transcript_id,
            session_id=piece.session_id,
            project_id=project.number,
            message_id=piece.message_id,
            sequence=piece.sequence,
            from_offset=piece.from_offset,
            to_offset=piece.to_offset,
            started_at_ms=piece.started_at_ms,
            ended_at_ms=piece.ended_at_ms,
            working_dir=piece.folder,
            branch=piece.branch or None,
            text=await self._under_its_plan(piece),
            files=json.dumps(piece.files, ensure_ascii=False),
        )

    async def _under_its_plan(self, piece: Piece) -> str:
        """Return a piece's text, with the approved plan that was in force when it ended."""
        look = partial(find_in_force, session_id=piece.session_id, at_ms=piece.ended_at_ms)
        plan = await self.writes.store.readers.run(look)
        if plan is None or not (title := title_of(plan[1])):
            return piece.text
        return with_plan(piece.text, plan[0], title)[:MOST_PART_CHARS]

    async def _project(self, folder: str) -> Project | None:
        """Return whose a folder is; None where it is ignored, or no folder at all."""
        if not folder.startswith("/") or await asyncio.to_thread(self.quiet.hides, Path(folder)):
            return None
        standing = await asyncio.to_thread(standing_folder, folder)
        return await self.writes.projects.get(standing)
