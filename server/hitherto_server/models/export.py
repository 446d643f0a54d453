"""Turns any Sentence Transformers model into a model's folder; needs the extra `models`."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server.core.errors import ModelMissing, ModelRefused
from hitherto_server.models import files
from hitherto_server.models.build import prefixes_of, write_model
from hitherto_server.models.framing import add_frames
from hitherto_server.models.parity import Parity, measure, require
from hitherto_server.models.pooling import OUTPUT
from hitherto_server.models.runtime import embed_text, load_model
from hitherto_server.models.sample_texts import sample_texts
from hitherto_server.models.sources import exclusive, staging

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import onnx
    import torch
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer

    from hitherto_server.models.build import Prefixes
    from hitherto_server.models.files import ModelFiles

    Vectors = NDArray[np.float32]

# what is assumed of a model that states no bound
DEFAULT_MAX_TOKENS = 512
OPSET = 20
EXAMPLE = "two sentences. of different length"


@dataclass(frozen=True, slots=True)
class Exported:
    """The folder that was written, and how far its vectors agree with the original's."""

    files: ModelFiles
    parity: Parity | None


def export_model(
    origin: str,
    models_dir: Path,
    *,
    name: str | None = None,
    check: bool = True,
    prefixes: Prefixes | None = None,
) -> Exported:
    """Write `models_dir/NAME` from a model's name or path; with `check`, refuse a poor likeness."""
    target = files.model_folder(models_dir, name or Path(origin).name)
    model = _load(origin)
    with exclusive(models_dir), staging(models_dir) as staged:
        chosen = prefixes or prefixes_of(model.prompts)
        written = _write(model, staged, chosen, name=target.name, source=_said(origin))
        parity = measure_parity(model, written, sample_texts()) if check else None
        if parity is not None:
            require(parity)
        if target.name != files.DEFAULT_NAME:  # known not to crowd
            add_frames(written)
        files.put_in_place(staged, target)
    return Exported(files.get_files(target), parity)


def measure_parity(
    model: SentenceTransformer, candidate: ModelFiles, texts: Sequence[str]
) -> Parity:
    """Compare the folder's vectors of the texts with those of the original model."""
    return measure(original_vectors(model, texts), graph_vectors(candidate, texts))


def original_vectors(model: SentenceTransformer, texts: Sequence[str]) -> Vectors:
    """Return the original model's float32 vectors of the texts."""
    # batches are four times as fast and change a float32 vector by 1e-7;
    # no prompt on either side: what is compared are the graphs
    vectors: Vectors = model.encode(list(texts), normalize_embeddings=True, prompt="")
    return vectors


def graph_vectors(candidate: ModelFiles, texts: Sequence[str]) -> Vectors:
    """Return the vectors of the texts that the server would store."""
    import numpy as np

    loaded = load_model(candidate)
    # singly, as the server does: activations of 8 bits are scaled over all that is given at once
    return np.stack([embed_text(loaded, text) for text in texts])


def _load(origin: str) -> SentenceTransformer:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        message = f"exporting a model needs the extra `models`: {error}"
        raise ModelMissing(message, mend="Run `pip install 'hitherto[models]'`.") from error
    # the exporter follows plain attention; the fused kernels have no ONNX operator
    plain = {"attn_implementation": "eager"}
    try:
        return SentenceTransformer(origin, device="cpu", model_kwargs=plain)
    except (OSError, ValueError) as error:
        message = f"{origin} cannot be loaded: {error}"
        raise ModelMissing(
            message, mend="Name a Sentence Transformers model or its folder."
        ) from error


def _write(
    model: SentenceTransformer, staged: Path, prefixes: Prefixes, *, name: str, source: str
) -> ModelFiles:
    with tempfile.TemporaryDirectory(prefix="hitherto-export-") as folder:
        tokenizer = Path(folder) / files.TOKENIZER
        model.tokenizer.save_pretrained(folder)
        if not tokenizer.is_file():
            message = f"{name} has no tokenizer that runs without its own code"
            raise ModelRefused(message, mend="Choose a model with a tokenizer.json.")
        return write_model(
            _float_graph(model, Path(folder)),
            tokenizer,
            staged,
            name=name,
            source=source,
            max_tokens=int(model.max_seq_length or DEFAULT_MAX_TOKENS),
            pooling=_pooling(model),
            prefixes=prefixes,
        )


def _said(origin: str) -> str:
    # a path would tell of this machine, and mean nothing on another
    return f"export of {Path(origin).name if Path(origin).exists() else origin}"


def _pooling(model: SentenceTransformer) -> str:
    modes = [str(module.pooling_mode) for module in model if hasattr(module, "pooling_mode")]
    return modes[0] if modes else "own"


def _float_graph(model: SentenceTransformer, folder: Path) -> onnx.ModelProto:
    import onnx
    import torch

    example = model.tokenizer([EXAMPLE, EXAMPLE[:13]], padding=True, return_tensors="pt")
    batch, tokens = torch.export.Dim.DYNAMIC, torch.export.Dim.DYNAMIC
    given = (example["input_ids"], example["attention_mask"])
    target = folder / "model.onnx"
    with torch.no_grad():
        torch.onnx.export(
            _whole(model),
            given,
            str(target),
            input_names=["input_ids", "attention_mask"],
            output_names=[OUTPUT],
            dynamic_shapes=({0: batch, 1: tokens}, {0: batch, 1: tokens}),
            opset_version=OPSET,
            external_data=False,
            verbose=False,
        )
    graph = onnx.load(target)
    _state_dimension(graph, model)
    return graph


def _whole(model: SentenceTransformer) -> torch.nn.Module:
    """Return every step of the model as one module: tokens in, vectors of length 1 out."""
    import torch

    class Whole(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.steps = model

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            given = {"input_ids": input_ids, "attention_mask": attention_mask}
            vectors = self.steps(given)["sentence_embedding"]
            return torch.nn.functional.normalize(vectors, p=2, dim=-1)

    return Whole().eval()


def _state_dimension(graph: onnx.ModelProto, model: SentenceTransformer) -> None:
    # the exporter may leave it open
    shape = graph.graph.output[0].type.tensor_type.shape
    shape.dim[1].dim_value = int(model.get_embedding_dimension())
