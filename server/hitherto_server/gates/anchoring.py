"""Ties a memory to the files that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.standing.anchors import anchor
from hitherto_server.store.memories import AnchorRow, PartRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.gates.context import Place
    from hitherto_server.standing.files import FileStates


def tie_to_files(
    files: FileStates, content: str, named: Sequence[str], edited: Sequence[str], place: Place
) -> tuple[AnchorRow, ...]:
    """Return the anchors of a content, as the store keeps them; ignored files get none."""
    if place.project is None:
        return ()
    root, commit = place.project.root, place.head.commit
    named = [name for name in named if not files.hides(root / name)]
    return tuple(
        AnchorRow(
            found.path,
            found.file_hash,
            tuple(PartRow(part.kind, part.name, part.region_hash) for part in found.parts),
            found.commit,
        )
        for found in anchor(content, named, root, files.read, edited=edited, commit=commit)
    )
