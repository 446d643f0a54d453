"""The ONNX graph of a BERT-type sentence encoder, written from its weights without torch."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors import SafetensorError
from safetensors.numpy import load_file

from hitherto_server.core.errors import ModelRefused
from hitherto_server.models.pooling import append_pooling

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray

    from hitherto_server.models.files import Pooling

    Array = NDArray[np.float32]

OPSET = 20
# the oldest file format that carries opset 20: older runtimes refuse newer ones
IR_VERSION = 9
# added to the scores of padding; float32's minimum would overflow when two are added
MASKED = -10_000.0


@dataclass(frozen=True, slots=True)
class BertShape:
    """The sizes that a BERT encoder's config.json states."""

    layers: int
    hidden: int
    heads: int
    epsilon: float

    @property
    def head_size(self) -> int:
        """How many numbers of the hidden state one head reads."""
        return self.hidden // self.heads


class _Encoder:
    """Writes the encoder's nodes and constants one after the other and names what they give."""

    def __init__(self, weights: Mapping[str, Array], shape: BertShape) -> None:
        self.weights = weights
        self.shape = shape
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def write(self) -> str:
        """Write every layer and return the name of the last hidden state."""
        hidden = self._embeddings()
        bias = self._mask_bias()
        for layer in range(self.shape.layers):
            hidden = self._layer(f"encoder.layer.{layer}", hidden, bias)
        return hidden

    def _embeddings(self) -> str:
        words = self._constant("words", self.weights["embeddings.word_embeddings.weight"])
        # one sentence at a time: every token is of type 0, so its vector is part of the position's
        places = (
            self.weights["embeddings.position_embeddings.weight"]
            + self.weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._add("Gather", [words, "input_ids"], "word_vectors")
        self._add("Shape", ["input_ids"], "tokens", start=1, end=2)
        table, zero = self._constant("places", places), self._ints(0)
        self._add("Slice", [table, zero, "tokens", zero], "place_vectors")
        self._add("Add", ["word_vectors", "place_vectors"], "embedded")
        return self._norm("embeddings.LayerNorm", "embedded")

    def _mask_bias(self) -> str:
        self._add("Unsqueeze", ["attention_mask", self._ints(1, 2)], "mask_4d")
        self._add("Cast", ["mask_4d"], "mask_float", to=TensorProto.FLOAT)
        one = self._constant("one", np.array(1, dtype=np.float32))
        far = self._constant("masked", np.array(MASKED, dtype=np.float32))
        self._add("Sub", [one, "mask_float"], "mask_inverted")
        return self._add("Mul", ["mask_inverted", far], "mask_bias")

    def _layer(self, at: str, hidden: str, bias: str) -> str:
        seen = self._attention(at, hidden, bias)
        projected = self._dense(f"{at}.attention.output.dense", seen)
        added = self._add("Add", [projected, hidden], f"{at}.attended")
        middle = self._norm(f"{at}.attention.output.LayerNorm", added)
        wide = self._dense(f"{at}.intermediate.dense", middle)
        active = self._add("Gelu", [wide], f"{at}.gelu")
        narrow = self._dense(f"{at}.output.dense", active)
        fed = self._add("Add", [narrow, middle], f"{at}.fed")
        return self._norm(f"{at}.output.LayerNorm", fed)

    def _attention(self, at: str, hidden: str, bias: str) -> str:
        query, key, value = self._query_key_value(f"{at}.attention.self", hidden)
        self._add("MatMul", [query, key], f"{at}.scores")
        self._add("Add", [f"{at}.scores", bias], f"{at}.masked_scores")
        self._add("Softmax", [f"{at}.masked_scores"], f"{at}.shares", axis=-1)
        self._add("MatMul", [f"{at}.shares", value], f"{at}.by_head")
        self._add("Transpose", [f"{at}.by_head"], f"{at}.by_token", perm=[0, 2, 1, 3])
        return self._add("Reshape", [f"{at}.by_token", self._ints(0, 0, -1)], f"{at}.joined")

    def _query_key_value(self, at: str, hidden: str) -> tuple[str, str, str]:
        # one product instead of three: the hidden state is quantised once; the scores' scale is
        # part of the query's weights, which per-channel quantisation does not notice
        scale, same = np.float32(self.shape.head_size**-0.5), np.float32(1)
        parts = [(f"{at}.query", scale), (f"{at}.key", same), (f"{at}.value", same)]
        matrix = np.concatenate([self.weights[f"{name}.weight"] * by for name, by in parts]).T
        offset = np.concatenate([self.weights[f"{name}.bias"] * by for name, by in parts])
        self._add("MatMul", [hidden, self._constant(f"{at}.weight", matrix)], f"{at}.product")
        self._add("Add", [f"{at}.product", self._constant(f"{at}.bias", offset)], f"{at}.sum")
        thirds = [f"{at}.q", f"{at}.k", f"{at}.v"]
        split = helper.make_node(
            "Split", [f"{at}.sum"], thirds, f"{at}.split", axis=-1, num_outputs=3
        )
        self.nodes.append(split)
        return (
            self._by_head(thirds[0], [0, 2, 1, 3]),
            self._by_head(thirds[1], [0, 2, 3, 1]),
            self._by_head(thirds[2], [0, 2, 1, 3]),
        )

    def _by_head(self, name: str, order: list[int]) -> str:
        heads = self._ints(0, 0, self.shape.heads, self.shape.head_size)
        self._add("Reshape", [name, heads], f"{name}.heads")
        return self._add("Transpose", [f"{name}.heads"], f"{name}.turned", perm=order)

    def _dense(self, at: str, given: str) -> str:
        matrix = self._constant(f"{at}.weight", self.weights[f"{at}.weight"].T)
        offset = self._constant(f"{at}.bias", self.weights[f"{at}.bias"])
        self._add("MatMul", [given, matrix], f"{at}.product")
        return self._add("Add", [f"{at}.product", offset], f"{at}.sum")

    def _norm(self, at: str, given: str) -> str:
        scale = self._constant(f"{at}.weight", self.weights[f"{at}.weight"])
        offset = self._constant(f"{at}.bias", self.weights[f"{at}.bias"])
        inputs, epsilon = [given, scale, offset], self.shape.epsilon
        return self._add("LayerNormalization", inputs, f"{at}.out", axis=-1, epsilon=epsilon)

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def _ints(self, *values: int) -> str:
        name = "ints_" + "_".join(str(value).replace("-", "m") for value in values)
        return self._constant(name, np.array(values, dtype=np.int64))

    def _add(self, op: str, inputs: list[str], name: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(op, inputs, [name], name, **attributes))
        return name


def bert_graph(weights_dir: Path, pooling: Pooling) -> onnx.ModelProto:
    """Return the float32 graph of the encoder in `weights_dir`, pooled and normalised."""
    shape = read_shape(weights_dir / "config.json")
    encoder = _Encoder(_read_weights(weights_dir / "model.safetensors"), shape)
    try:
        hidden = encoder.write()
    except KeyError as error:
        message = f"the weights in {weights_dir} have no {error.args[0]}"
        raise ModelRefused(message) from error
    graph = helper.make_graph(
        encoder.nodes,
        "encoder",
        [_tokens("input_ids"), _tokens("attention_mask")],
        [
            helper.make_tensor_value_info(
                hidden, TensorProto.FLOAT, ["batch", "tokens", shape.hidden]
            )
        ],
        list(encoder.constants.values()),
    )
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
    append_pooling(model, hidden, pooling, shape.hidden)
    return model


def read_shape(config: Path) -> BertShape:
    """Return the encoder's sizes, or refuse an architecture that this module does not write."""
    said = json.loads(config.read_text(encoding="utf-8"))
    plain = (
        said.get("model_type") == "bert"
        and said.get("hidden_act") == "gelu"
        and said.get("position_embedding_type", "absolute") == "absolute"
    )
    if not plain:
        message = f"{config} describes no plain BERT encoder"
        raise ModelRefused(message, mend="Use `hitherto models export`, which runs any encoder.")
    return BertShape(
        layers=said["num_hidden_layers"],
        hidden=said["hidden_size"],
        heads=said["num_attention_heads"],
        epsilon=said.get("layer_norm_eps", 1e-12),
    )


def _read_weights(path: Path) -> dict[str, Array]:
    try:
        weights = load_file(path)
    except (OSError, SafetensorError) as error:
        message = f"{path} cannot be read: {error}"
        raise ModelRefused(message) from error
    return {
        name.removeprefix("bert."): value.astype(np.float32, copy=False)
        for name, value in weights.items()
        if value.dtype.kind == "f"
    }


def _tokens(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
