"""One model on one thread, loaded in the background."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hitherto_server.core.errors import ModelLoading, ModelMissing, ModelRefused
from hitherto_server.models.files import DEFAULT_NAME, GRAPH
from hitherto_server.models.runtime import CHARACTERS_PER_TOKEN, readable
from hitherto_server.recall import embedder as embedder_module
from hitherto_server.recall.embedder import Embedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_PEAK_MB = 200

PEAK = """
import asyncio, json, statistics, sys, time
from pathlib import Path
from hitherto_server.recall.embedder import Embedder

NOTE = "Fixed in db/pool.go: the pool runs dry under load; close cursors in a finally block. "

async def main():
    embedder = Embedder(Path(sys.argv[1]))
    start = time.perf_counter()
    embedder.start_loading()
    await embedder.wait_loaded()
    loaded = time.perf_counter()
    for number in range(50):
        await embedder.embed(f"{number} " + NOTE * (16 if number % 10 == 0 else 2))
    times = []
    for number in range(100):
        before = time.perf_counter()
        await embedder.embed(f"why is pool {number} dry")
        times.append((time.perf_counter() - before) * 1000)
    embedder.close()
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(json.dumps({
        "peak_mb": int(peak.split()[1]) / 1024,
        "load_s": loaded - start,
        "query_p50_ms": statistics.median(times),
    }))

asyncio.run(main())
"""


@pytest.fixture
def embedder(models_dir: Path) -> Iterator[Embedder]:
    """Lend an embedder whose model has not been asked for."""
    embedder = Embedder(models_dir)
    yield embedder
    embedder.close()


@pytest.fixture(scope="module")
def ready(models_dir: Path) -> Iterator[Embedder]:
    """Lend an embedder whose model is loaded."""
    embedder = Embedder(models_dir)
    embedder.start_loading()
    status = asyncio.run(embedder.wait_loaded())
    assert status.state == "ready", status.reason
    yield embedder
    embedder.close()


def test_importing_the_embedder_imports_nothing_heavy() -> None:
    program = (
        "import sys, hitherto_server.recall.embedder as _\n"
        "heavy = {'numpy', 'onnx', 'onnxruntime', 'tokenizers', 'safetensors', 'huggingface_hub'}\n"
        "print(heavy & set(sys.modules))"
    )
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == "set()"


async def test_before_anything_asks_there_is_no_model(embedder: Embedder) -> None:
    assert embedder.state == "absent"
    with pytest.raises(ModelMissing, match="nothing has asked"):
        await embedder.embed("text")


async def test_loading_goes_on_in_the_background(embedder: Embedder) -> None:
    embedder.start_loading()
    assert embedder.state == "loading"
    with pytest.raises(ModelLoading):
        await embedder.embed("text")
    assert (await embedder.wait_loaded()).state == "ready"
    assert embedder.model is not None
    assert embedder.model.name == DEFAULT_NAME
    assert (await embedder.embed("text")).shape == (384,)


async def test_asking_twice_loads_once(ready: Embedder) -> None:
    model = ready.model
    ready.start_loading()
    assert ready.state == "ready"
    assert ready.model is model


async def test_a_model_that_arrives_later_is_found_on_the_next_start(
    models_dir: Path, tmp_path: Path
) -> None:
    embedder = Embedder(tmp_path / "models")
    embedder.start_loading()
    assert (await embedder.wait_loaded()).state == "absent"
    assert str(tmp_path / "models") in embedder.reason
    shutil.copytree(models_dir / DEFAULT_NAME, tmp_path / "models" / DEFAULT_NAME)
    embedder.start_loading()
    assert (await embedder.wait_loaded()).state == "ready"
    embedder.close()


async def test_a_configured_model_that_is_missing_is_named(models_dir: Path) -> None:
    embedder = Embedder(models_dir, "e5-small")
    embedder.start_loading()
    assert (await embedder.wait_loaded()).state == "absent"
    assert "e5-small" in embedder.reason
    embedder.close()


@pytest.mark.parametrize("damage", [b"", b"not a graph"])
async def test_a_damaged_graph_fails_with_its_reason(
    models_dir: Path, tmp_path: Path, damage: bytes
) -> None:
    shutil.copytree(models_dir / DEFAULT_NAME, tmp_path / DEFAULT_NAME)
    (tmp_path / DEFAULT_NAME / GRAPH).write_bytes(damage)
    embedder = Embedder(tmp_path)
    embedder.start_loading()
    assert (await embedder.wait_loaded()).state == "failed"
    with pytest.raises(ModelRefused, match="not the graph"):
        await embedder.embed("text")
    embedder.close()


async def test_a_model_that_failed_is_let_be_for_a_while(
    models_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(models_dir / DEFAULT_NAME, tmp_path / DEFAULT_NAME)
    (tmp_path / DEFAULT_NAME / GRAPH).write_bytes(b"not a graph")
    embedder = Embedder(tmp_path)
    embedder.start_loading()
    await embedder.wait_loaded()
    shutil.copytree(models_dir / DEFAULT_NAME, tmp_path / DEFAULT_NAME, dirs_exist_ok=True)
    embedder.start_loading()
    assert (await embedder.wait_loaded()).state == "failed"
    monkeypatch.setattr(embedder_module, "RETRY_S", 0.0)
    embedder.start_loading()
    assert (await embedder.wait_loaded()).state == "ready"
    embedder.close()


async def test_a_damaged_tokenizer_fails_with_its_reason(models_dir: Path, tmp_path: Path) -> None:
    shutil.copytree(models_dir / DEFAULT_NAME, tmp_path / DEFAULT_NAME)
    (tmp_path / DEFAULT_NAME / "tokenizer.json").write_text("{}")
    embedder = Embedder(tmp_path)
    embedder.start_loading()
    assert (await embedder.wait_loaded()).state == "failed"
    assert embedder.reason
    embedder.close()


@pytest.mark.parametrize(
    ("text", "paraphrase", "unrelated"),
    [
        (
            "The login token expires while the page is open.",
            "People are logged out when a tab stays open too long.",
            "The image resizer turns portraits sideways.",
        ),
        (
            "Keep amounts as integers of cents, never as floats.",
            "Money is stored in whole cents.",
            "Use a startup probe of a minute for slow pods.",
        ),
        (
            "The nightly backup copied an empty folder.",
            "Our backup job saved nothing last night.",
            "The date picker shows Monday as Sunday.",
        ),
    ],
)
async def test_a_paraphrase_is_nearer_than_something_else(
    ready: Embedder, text: str, paraphrase: str, unrelated: str
) -> None:
    vector, near, far = [await ready.embed(one) for one in (text, paraphrase, unrelated)]
    assert float(vector @ near) > float(vector @ far) + 0.2


@pytest.mark.parametrize("text", ["", "word", "\ud800 lone", "a\0b", "日本語 ✓ 🙂", "word " * 5000])
async def test_any_text_has_a_vector_of_length_one(ready: Embedder, text: str) -> None:
    vector = await ready.embed(text)
    assert vector.dtype == np.float32
    assert vector.shape == (384,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-4)


async def test_nothing_past_the_models_limit_is_read(ready: Embedder) -> None:
    start = "the connection pool runs dry under load " * 40
    left, right = await ready.embed(start + "cats"), await ready.embed(start + "dogs")
    np.testing.assert_array_equal(left, right)


async def test_ten_megabytes_cost_no_more_than_the_models_limit(ready: Embedder) -> None:
    text = "pool " * 2_000_000
    assert len(readable(text, 256)) == 256 * CHARACTERS_PER_TOKEN
    np.testing.assert_allclose(await ready.embed(text), await ready.embed(text[:1500]), atol=1e-6)


async def test_texts_asked_for_together_keep_their_own_vectors(ready: Embedder) -> None:
    texts = [f"note number {number} about {'pools' * (number % 3)}" for number in range(20)]
    together = await asyncio.gather(*(ready.embed(text) for text in texts))
    singly = [await ready.embed(text) for text in texts]
    np.testing.assert_array_equal(together, singly)


async def test_a_caller_that_gives_up_leaves_the_others_unharmed(ready: Embedder) -> None:
    asked = [asyncio.create_task(ready.embed("word " * 250)) for _ in range(5)]
    await asyncio.sleep(0)
    for task in asked[:4]:
        task.cancel()
    assert (await asked[4]).shape == (384,)
    assert all(task.cancelled() for task in asked[:4])


async def test_closing_stops_the_thread(models_dir: Path) -> None:
    before = set(threading.enumerate())
    embedder = Embedder(models_dir)
    embedder.start_loading()
    assert set(threading.enumerate()) - before
    embedder.close()
    assert set(threading.enumerate()) <= before
    with pytest.raises(ModelMissing, match="stopping"):
        await embedder.embed("text")


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
def test_the_peak_of_memory_with_the_model_stays_small(models_dir: Path) -> None:
    out = subprocess.run(
        [sys.executable, "-c", PEAK, str(models_dir)], capture_output=True, text=True, check=True
    )
    figures = json.loads(out.stdout)
    print(figures)
    assert figures["peak_mb"] <= MAX_PEAK_MB
