"""The last step of an encoder's graph: from token vectors to one normalised vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import numpy as np
from onnx import TensorProto, helper, numpy_helper

if TYPE_CHECKING:
    import onnx

    from hitherto_server.models.files import Pooling

OUTPUT = "sentence_embedding"

# Only operators whose meaning is the same in every opset from 11 on are used here: the graph
# may come from elsewhere.


def append_pooling(model: onnx.ModelProto, hidden: str, pooling: Pooling, dimension: int) -> None:
    """Make the graph give one vector of length 1 per text instead of one vector per token."""
    graph = model.graph
    match pooling:
        case "mean":
            _append_sum(graph, hidden)
        case "cls":
            _append_first(graph, hidden)
        case _:
            assert_never(pooling)
    graph.node.append(helper.make_node("LpNormalization", ["pooled"], [OUTPUT], axis=-1, p=2))
    del graph.output[:]
    graph.output.append(
        helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["batch", dimension])
    )


def _append_sum(graph: onnx.GraphProto, hidden: str) -> None:
    # the sum instead of the mean: the length is lost in the normalisation anyway
    _constant(graph, "as_row", [0, 1, -1])
    _constant(graph, "as_vector", [0, -1])
    graph.node.extend(
        [
            helper.make_node("Cast", ["attention_mask"], ["pool_mask"], to=TensorProto.FLOAT),
            helper.make_node("Reshape", ["pool_mask", "as_row"], ["pool_row"]),
            helper.make_node("MatMul", ["pool_row", hidden], ["pool_sum"]),
            helper.make_node("Reshape", ["pool_sum", "as_vector"], ["pooled"]),
        ]
    )


def _append_first(graph: onnx.GraphProto, hidden: str) -> None:
    graph.initializer.append(numpy_helper.from_array(np.array(0, dtype=np.int64), "first"))
    graph.node.append(helper.make_node("Gather", [hidden, "first"], ["pooled"], axis=1))


def _constant(graph: onnx.GraphProto, name: str, values: list[int]) -> None:
    graph.initializer.append(numpy_helper.from_array(np.array(values, dtype=np.int64), name))
