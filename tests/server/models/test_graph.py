"""The graph that is written without torch."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file, save_file
from tests.server.models.conftest import HIDDEN, set_pooling

from hitherto_server.core.errors import ModelRefused
from hitherto_server.models.build import build, read_max_tokens, read_pooling
from hitherto_server.models.files import get_files
from hitherto_server.models.graph import bert_graph
from hitherto_server.models.parity import measure
from hitherto_server.models.pooling import append_pooling
from hitherto_server.models.runtime import embed_text, load_model
from hitherto_server.models.sample_texts import sample_texts

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

TEXTS = (
    "The login token expires while the page is open.",
    "Sessions are dropped when somebody keeps the tab for too long.",
    "The connection pool runs dry under load.",
    "def rotate_logs(path): compress after a day, drop after seven",
    "Bake the bread for forty minutes.",
)
# what sentence-transformers 6.2 with torch 2.13 says in float32
EXPECTED_COSINES = (
    (1.000, 0.467, 0.169, 0.194, 0.135),
    (0.467, 1.000, 0.328, 0.171, 0.155),
    (0.169, 0.328, 1.000, 0.098, 0.070),
    (0.194, 0.171, 0.098, 1.000, 0.198),
    (0.135, 0.155, 0.070, 0.198, 1.000),
)


def run(model: onnx.ModelProto, ids: list[list[int]], mask: list[list[int]]) -> NDArray[np.float32]:
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    given = {"input_ids": np.array(ids), "attention_mask": np.array(mask)}
    return np.asarray(session.run(None, given)[0])


def test_the_quantised_graph_agrees_with_sentence_transformers(model_dir: Path) -> None:
    loaded = load_model(get_files(model_dir))
    vectors = np.stack([embed_text(loaded, text) for text in TEXTS])
    np.testing.assert_allclose(vectors @ vectors.T, EXPECTED_COSINES, atol=0.04)


def test_vectors_stay_comparable_with_those_that_every_fusion_gave(model_dir: Path) -> None:
    loaded = load_model(get_files(model_dir))
    fused = onnxruntime.InferenceSession(
        str(loaded.files.graph), providers=["CPUExecutionProvider"]
    )
    texts = sample_texts(100)
    stored = [embed_text(replace(loaded, session=fused), text) for text in texts]
    asked = [embed_text(loaded, text) for text in texts]
    assert measure(np.stack(stored), np.stack(asked)).mean_cosine >= 0.999


def test_the_graph_is_valid_and_gives_vectors_of_length_one(tiny_bert: Path) -> None:
    model = bert_graph(tiny_bert, "mean")
    onnx.checker.check_model(model, full_check=True)
    vectors = run(model, [[101, 2023, 102]], [[1, 1, 1]])
    assert vectors.shape == (1, HIDDEN)
    assert np.linalg.norm(vectors[0]) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_padding_does_not_change_a_vector(tiny_bert: Path, pooling: str) -> None:
    model = bert_graph(tiny_bert, pooling)  # type: ignore[arg-type]
    alone = run(model, [[101, 2023, 2003, 102]], [[1, 1, 1, 1]])
    padded = run(
        model,
        [[101, 2023, 2003, 102, 0, 0], [101, 5, 6, 7, 8, 102]],
        [[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]],
    )
    np.testing.assert_allclose(padded[0], alone[0], atol=1e-5)


def test_cls_pooling_differs_from_mean_pooling(tiny_bert: Path) -> None:
    ids, mask = [[101, 2023, 2003, 102]], [[1, 1, 1, 1]]
    mean, cls = (run(bert_graph(tiny_bert, kind), ids, mask) for kind in ("mean", "cls"))
    assert float(mean[0] @ cls[0]) < 0.999


@pytest.mark.parametrize("opset", [11, 13, 17])
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_pooling_fits_graphs_of_other_opsets(opset: int, pooling: str) -> None:
    table = np.arange(1, 13, dtype=np.float32).reshape(4, 3) ** 2
    tokens = ["batch", "tokens"]
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "lookup",
        [
            helper.make_tensor_value_info("input_ids", TensorProto.INT64, tokens),
            helper.make_tensor_value_info("attention_mask", TensorProto.INT64, tokens),
        ],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*tokens, 3])],
        [numpy_helper.from_array(table, "table")],
    )
    opsets = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=7)
    append_pooling(model, "last_hidden_state", pooling, 3)  # type: ignore[arg-type]
    given = table[[2, 0]].mean(axis=0) if pooling == "mean" else table[2]
    vector = run(model, [[2, 0, 3]], [[1, 1, 0]])[0]
    np.testing.assert_allclose(vector, given / np.linalg.norm(given), atol=1e-6)


@pytest.mark.parametrize(
    "other", [{"model_type": "roberta"}, {"hidden_act": "relu"}, {"position_embedding_type": "x"}]
)
def test_another_architecture_is_refused(tiny_bert: Path, other: dict[str, str]) -> None:
    path = tiny_bert / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | other))
    with pytest.raises(ModelRefused, match="no plain BERT") as refused:
        bert_graph(tiny_bert, "mean")
    assert "export" in refused.value.mend


def test_a_missing_weight_is_named(tiny_bert: Path) -> None:
    weights = load_file(tiny_bert / "model.safetensors")
    del weights["encoder.layer.1.output.dense.bias"]
    save_file(weights, tiny_bert / "model.safetensors")
    with pytest.raises(ModelRefused, match=r"encoder\.layer\.1\.output\.dense\.bias"):
        bert_graph(tiny_bert, "mean")


def test_weights_that_are_cut_off_are_refused(tiny_bert: Path) -> None:
    path = tiny_bert / "model.safetensors"
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(ModelRefused, match="cannot be read"):
        bert_graph(tiny_bert, "mean")


def test_weights_saved_with_a_prefix_give_the_same_graph(tiny_bert: Path) -> None:
    plain = bert_graph(tiny_bert, "mean")
    path = tiny_bert / "model.safetensors"
    save_file({f"bert.{name}": value for name, value in load_file(path).items()}, path)
    assert bert_graph(tiny_bert, "mean").SerializeToString() == plain.SerializeToString()


@pytest.mark.parametrize(
    ("said", "pooling"),
    [
        ({"pooling_mode": "cls"}, "cls"),
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, "mean"),
        ({"pooling_mode_mean_tokens": False, "pooling_mode_cls_token": True}, "cls"),
    ],
)
def test_old_and_new_words_for_pooling_are_read(
    tiny_bert: Path, said: dict[str, object], pooling: str
) -> None:
    (tiny_bert / "1_Pooling" / "config.json").write_text(json.dumps(said))
    assert read_pooling(tiny_bert) == pooling


def test_a_pooling_that_the_builder_cannot_write_is_refused(tiny_bert: Path) -> None:
    set_pooling(tiny_bert, "lasttoken")
    with pytest.raises(ModelRefused, match="lasttoken"):
        read_pooling(tiny_bert)


def test_a_model_with_a_further_layer_is_refused(tiny_bert: Path) -> None:
    modules = [
        {"type": f"sentence_transformers.models.{kind}"} for kind in ("Transformer", "Dense")
    ]
    (tiny_bert / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ModelRefused, match="Dense"):
        read_pooling(tiny_bert)


def test_the_token_limit_is_the_smaller_of_the_two_that_are_stated(tiny_bert: Path) -> None:
    assert read_max_tokens(tiny_bert) == 48
    (tiny_bert / "sentence_bert_config.json").write_text('{"max_seq_length": 9999}')
    assert read_max_tokens(tiny_bert) == 64


def test_a_built_model_describes_itself(tiny_bert: Path, tmp_path: Path) -> None:
    written = build(tiny_bert, tmp_path / "out", name="tiny", source="a test")
    again = get_files(tmp_path / "out")
    assert again == written
    assert (again.name, again.dimension, again.description.max_tokens) == ("tiny", HIDDEN, 48)
