"""A model's folder: the graph, its tokenizer, and model.json, which says what they are."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Literal

from hitherto_server.core.errors import InvalidInput, ModelMissing, ModelRefused
from hitherto_server.models.traits import ENGLISH, Traits

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.models.runtime import LoadedModel

Pooling = Literal["mean", "cls"]

DEFAULT_NAME = "all-MiniLM-L6-v2"
GRAPH = "model_i8pc.onnx"
TOKENIZER = "tokenizer.json"
DESCRIPTION = "model.json"
FRAMES = "frames.npy"
"""Optional: where the model's vectors crowd, for a question and for a passage."""
QUANTISATION = "int8 per channel"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Description:
    """What model.json states."""

    name: str
    dimension: int
    max_tokens: int
    pooling: str
    quantisation: str
    source: str
    graph_sha256: str
    query_prefix: str = ""
    passage_prefix: str = ""
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model that is ready to be loaded."""

    folder: Path
    description: Description

    @property
    def name(self) -> str:
        """What the model is called."""
        return self.description.name

    @property
    def traits(self) -> Traits:
        """The model as recall and the store see it."""
        said = self.description
        return Traits(
            name=self._stored_as(),
            dimension=said.dimension,
            languages=said.languages,
            query_prefix=said.query_prefix,
            passage_prefix=said.passage_prefix,
        )

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self.description.dimension

    @property
    def graph(self) -> Path:
        """The quantised ONNX graph."""
        return self.folder / GRAPH

    @property
    def tokenizer(self) -> Path:
        """The tokenizer in the form of the package `tokenizers`."""
        return self.folder / TOKENIZER

    @property
    def frames(self) -> Path:
        """Where the vectors crowd; most models have no such file."""
        return self.folder / FRAMES

    def load(self) -> LoadedModel:
        """Load it, refusing a graph that is not the one it was written with."""
        from hitherto_server.models.runtime import load_model

        return load_model(self)

    def _stored_as(self) -> str:
        said = self.description
        if said.name == DEFAULT_NAME:  # its weights are known, and so are its vectors
            return said.name
        frames = self.frames.read_bytes() if self.frames.is_file() else b""
        parts = (said.graph_sha256, said.query_prefix, said.passage_prefix)
        made = hashlib.sha256("\n".join(parts).encode() + frames).hexdigest()
        return f"{said.name}-{made[:8]}"


def find_files(folder: Path) -> ModelFiles | None:
    """Return the model in `folder`, or None where it is not complete."""
    if not all((folder / name).is_file() for name in (GRAPH, TOKENIZER, DESCRIPTION)):
        return None
    path = folder / DESCRIPTION
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        description = Description(
            name=str(said["name"]),
            dimension=int(said["dimension"]),
            max_tokens=int(said["max_tokens"]),
            pooling=str(said["pooling"]),
            quantisation=str(said["quantisation"]),
            source=str(said["source"]),
            graph_sha256=str(said["graph_sha256"]),
            query_prefix=str(said.get("query_prefix", "")),
            passage_prefix=str(said.get("passage_prefix", "")),
            languages=tuple(map(str, said.get("languages", languages_of(str(said["name"]))))),
        )
    except (ValueError, KeyError, TypeError) as error:
        message = f"{path} cannot be read: {error!r}"
        raise ModelRefused(message) from error
    return ModelFiles(folder, description)


def languages_of(name: str) -> tuple[str, ...]:
    """Return the languages of the model that everybody calls so, as far as we know."""
    return ENGLISH if name == DEFAULT_NAME else ()


def get_files(folder: Path) -> ModelFiles:
    """Return the model in `folder`, or raise."""
    found = find_files(folder)
    if found is None:
        message = f"there is no model in {folder}"
        raise ModelMissing(message)
    return found


def write_description(folder: Path, description: Description) -> ModelFiles:
    """Complete the folder with its model.json."""
    optional = {field.name: field.default for field in fields(description)}
    said = {n: v for n, v in asdict(description).items() if optional[n] != v}
    text = json.dumps(said, indent=2) + "\n"
    (folder / DESCRIPTION).write_text(text, encoding="utf-8")
    return ModelFiles(folder, description)


def is_intact(files: ModelFiles) -> bool:
    """Say whether the graph is the one that model.json was written for."""
    return sha256_of(files.graph) == files.description.graph_sha256


def sha256_of(path: Path) -> str:
    """Return the file's SHA-256 in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def model_folder(models_dir: Path, name: str) -> Path:
    """Return where the model of that name lies, refusing a name that is a path."""
    if not _NAME.fullmatch(name):
        message = f"{name!r} is no name of a model"
        raise InvalidInput(message, mend="Use letters, digits, dots, dashes and underscores.")
    return models_dir / name


def put_in_place(staged: Path, target: Path) -> None:
    """Make the finished folder `staged` appear as `target`, whole, whatever stood there."""
    staged.chmod(0o700)
    for path in staged.iterdir():
        path.chmod(0o600)
        _sync(path)
    replaced = target.with_name(f".replaced-{target.name}")
    shutil.rmtree(replaced, ignore_errors=True)
    if target.exists():
        target.rename(replaced)
    staged.rename(target)
    shutil.rmtree(replaced, ignore_errors=True)


def _sync(path: Path) -> None:
    # a name must not outlive a power failure without its content
    with path.open("rb") as file:
        os.fsync(file.fileno())
