"""Turns downloaded weights into a model's folder; runs as a process of its own.

The float32 weights take some 560 MB here, which must not stay in a server.
"""

from __future__ import annotations

import json
import logging
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic

from hitherto_server.core.errors import HithertoError, ModelRefused
from hitherto_server.models import files
from hitherto_server.models.framing import add_frames
from hitherto_server.models.graph import bert_graph
from hitherto_server.models.pooling import append_pooling

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.models.files import ModelFiles, Pooling

Prefixes = tuple[str, str]

NO_PREFIXES = ("", "")
WEIGHTS = "model.safetensors"
ONNX_PLACES = ("onnx/model.onnx", "model.onnx")


def build(origin: Path, out: Path, *, name: str, source: str) -> ModelFiles:
    """Write the model's folder `out` from the Sentence Transformers model in `origin`."""
    pooling = read_pooling(origin)
    written = write_model(
        _float_graph(origin, pooling), origin / files.TOKENIZER, out, name=name, source=source,
        max_tokens=read_max_tokens(origin), pooling=pooling, prefixes=read_prefixes(origin),
    )  # fmt: skip
    if name != files.DEFAULT_NAME:  # known not to crowd
        add_frames(written)
    return written


def write_model(
    model: onnx.ModelProto,
    tokenizer: Path,
    out: Path,
    *,
    name: str,
    source: str,
    max_tokens: int,
    pooling: str,
    prefixes: Prefixes = NO_PREFIXES,
) -> ModelFiles:
    """Quantise the finished float32 graph and describe it."""
    out.mkdir(parents=True, exist_ok=True)
    dimension = model.graph.output[0].type.tensor_type.shape.dim[1].dim_value
    quantise(model, out / files.GRAPH)
    shutil.copyfile(tokenizer, out / files.TOKENIZER)
    description = files.Description(
        name=name,
        dimension=dimension,
        max_tokens=max_tokens,
        pooling=pooling,
        quantisation=files.QUANTISATION,
        source=source,
        graph_sha256=files.sha256_of(out / files.GRAPH),
        query_prefix=prefixes[0],
        passage_prefix=prefixes[1],
        languages=files.languages_of(name),
    )
    return files.write_description(out, description)


def quantise(model: onnx.ModelProto, target: Path) -> None:
    """Write the graph with 8-bit weights, scaled per output channel."""
    # it advises a shape inference that dynamic quantisation of these graphs does not need
    logging.getLogger().setLevel(logging.ERROR)
    quantize_dynamic(model, target, per_channel=True, weight_type=QuantType.QInt8)


def read_pooling(origin: Path) -> Pooling:
    """Return how the model pools, refusing what the graph builder cannot write."""
    said = _json(origin / "1_Pooling" / "config.json")
    _refuse_further_modules(origin)
    modes = {key for key, value in said.items() if key.startswith("pooling_mode_") and value}
    # newer releases of sentence-transformers write one word instead of a switch per mode
    word = said.get("pooling_mode")
    if modes == {"pooling_mode_mean_tokens"} or word == "mean":
        return "mean"
    if modes == {"pooling_mode_cls_token"} or word == "cls":
        return "cls"
    message = f"{origin} pools by {word or sorted(modes)}"
    raise ModelRefused(message, mend="Use `hitherto models export`, which runs any encoder.")


def read_prefixes(origin: Path) -> Prefixes:
    """Return what the model wants before a question and before a passage."""
    path = origin / "config_sentence_transformers.json"
    return prefixes_of(_json(path).get("prompts") or {}) if path.is_file() else NO_PREFIXES


def prefixes_of(prompts: Mapping[str, str]) -> Prefixes:
    """Choose the two prefixes among the prompts of a Sentence Transformers model."""
    return prompts.get("query", ""), prompts.get("passage", prompts.get("document", ""))


def read_max_tokens(origin: Path) -> int:
    """Return how many tokens of a text the model reads."""
    positions = int(_json(origin / "config.json").get("max_position_embeddings", 512))
    path = origin / "sentence_bert_config.json"
    said = _json(path).get("max_seq_length") if path.is_file() else None
    return min(int(said), positions) if said else positions


def _refuse_further_modules(origin: Path) -> None:
    path = origin / "modules.json"
    kinds = (
        [str(module["type"]).rpartition(".")[2] for module in _json(path)] if path.is_file() else []
    )
    if set(kinds) - {"Transformer", "Pooling", "Normalize"}:
        message = f"{origin} has more steps than an encoder and its pooling: {', '.join(kinds)}"
        raise ModelRefused(message, mend="Use `hitherto models export`, which runs any encoder.")


def _float_graph(origin: Path, pooling: Pooling) -> onnx.ModelProto:
    if (origin / WEIGHTS).is_file():
        return bert_graph(origin, pooling)
    for place in ONNX_PLACES:
        if (origin / place).is_file():
            return _pooled(onnx.load(origin / place), pooling, origin)
    message = f"{origin} has neither {WEIGHTS} nor {ONNX_PLACES[0]}"
    raise ModelRefused(message, mend="Name a folder of a Sentence Transformers model.")


def _pooled(model: onnx.ModelProto, pooling: Pooling, origin: Path) -> onnx.ModelProto:
    hidden = model.graph.output[0].name
    append_pooling(model, hidden, pooling, int(_json(origin / "config.json")["hidden_size"]))
    return model


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        message = f"{path} cannot be read: {error}"
        raise ModelRefused(
            message, mend="Name a folder of a Sentence Transformers model."
        ) from error


def main(arguments: Sequence[str]) -> int:
    """Build from ORIGIN into OUT under NAME, got from SOURCE; the last line tells an error."""
    origin, out, name, source = arguments
    try:
        build(Path(origin), Path(out), name=name, source=source)
    except HithertoError as error:
        sys.stderr.write(json.dumps({"message": error.message, "mend": error.mend}) + "\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
