"""Gives a model's folder the file that says where its vectors crowd, if they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.models.centre import measure_frame

if TYPE_CHECKING:
    from hitherto_server.models.files import ModelFiles


def add_frames(files: ModelFiles) -> bool:
    """Measure the model's questions and passages; tells whether they crowd."""
    import numpy as np

    loaded = files.load()
    languages = files.description.languages
    frames = [measure_frame(loaded.embed, role, languages) for role in ("query", "passage")]
    if any(frame is None for frame in frames):
        return False
    np.save(files.frames, np.stack([frame for frame in frames if frame is not None]))
    return True
