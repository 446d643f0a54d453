"""A BERT encoder of a few hundred kilobytes with random weights, for what needs no meaning."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import numpy as np
import pytest
from safetensors.numpy import save_file

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

HIDDEN, WIDE, LAYERS, HEADS, WORDS, PLACES = 32, 64, 2, 4, 30522, 64


@pytest.fixture
def tiny_bert(tmp_path: Path, model_dir: Path) -> Path:
    """Return a Sentence Transformers folder with random weights and the real tokenizer."""
    folder = tmp_path / "tiny"
    (folder / "1_Pooling").mkdir(parents=True)
    config = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "max_position_embeddings": PLACES,
        "layer_norm_eps": 1e-12,
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 48}))
    set_pooling(folder, "mean")
    (folder / "tokenizer.json").write_bytes((model_dir / "tokenizer.json").read_bytes())
    save_file(_random_weights(), folder / "model.safetensors")
    return folder


def set_pooling(folder: Path, mode: str, dimension: int = HIDDEN) -> None:
    """Make the model in `folder` pool by `mode`."""
    said = {"word_embedding_dimension": dimension, "pooling_mode": mode}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(said))


def repack(folder: Path, wheel: Path) -> Path:
    """Pack a model's folder as the wheel does."""
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, f"some_package/model/{path.relative_to(folder)}")
    return wheel


def _random_weights() -> dict[str, NDArray[np.float32]]:
    random = np.random.default_rng(7)

    def some(*shape: int) -> NDArray[np.float32]:
        return random.normal(0, 0.3, shape).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": some(WORDS, HIDDEN),
        "embeddings.position_embeddings.weight": some(PLACES, HIDDEN),
        "embeddings.token_type_embeddings.weight": some(2, HIDDEN),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        norms += [f"{at}.attention.output.LayerNorm", f"{at}.output.LayerNorm"]
        sizes = {
            "attention.self.query": (HIDDEN, HIDDEN),
            "attention.self.key": (HIDDEN, HIDDEN),
            "attention.self.value": (HIDDEN, HIDDEN),
            "attention.output.dense": (HIDDEN, HIDDEN),
            "intermediate.dense": (WIDE, HIDDEN),
            "output.dense": (HIDDEN, WIDE),
        }
        for name, size in sizes.items():
            weights |= {f"{at}.{name}.weight": some(*size), f"{at}.{name}.bias": some(size[0])}
    for norm in norms:
        weights |= {f"{norm}.weight": 1 + some(HIDDEN), f"{norm}.bias": some(HIDDEN)}
    return weights
