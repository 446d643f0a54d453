"""What import-linter can't say: hooks hold to the standard library, folder names stay free."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOP_FOLDERS = ("server", "hooks", "mcp", "migrations")
HOOKS = ROOT / "hooks" / "hitherto_hooks"


def imported(path: Path) -> set[str]:
    """Return the top-level names that a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=aliases):
                names |= {alias.name.partition(".")[0] for alias in aliases}
            case ast.ImportFrom(module=str() as module, level=0):
                names.add(module.partition(".")[0])
    return names


def test_hooks_import_the_standard_library_and_themselves() -> None:
    own = {path.stem for path in HOOKS.glob("*.py")}
    foreign = {
        f"{path.name}: {name}"
        for path in HOOKS.glob("*.py")
        for name in imported(path)
        if name not in own and name not in sys.stdlib_module_names
    }
    assert foreign == set()


def test_import_mcp_is_the_sdk_also_from_the_root_of_the_repository() -> None:
    code = "import mcp; print(mcp.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "site-packages" in done.stdout


def test_top_folders_and_test_folders_are_no_packages() -> None:
    marks = [folder / "__init__.py" for name in TOP_FOLDERS for folder in [ROOT / name]]
    marks += list((ROOT / "tests").rglob("__init__.py"))
    assert [mark for mark in marks if mark.exists()] == []


def test_starting_the_server_imports_nothing_heavy() -> None:
    code = (
        "import sys, hitherto_server.app, uvicorn;"
        "print([name for name in ('numpy', 'onnxruntime', 'onnx', 'mcp', 'tokenizers', 'jinja2',"
        " 'tree_sitter', 'httpx', 'httpx2', 'torch', 'pydantic', 'fastapi')"
        " if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_agents_first_call_imports_nothing_of_what_a_person_asks_for_seldom() -> None:
    code = (
        "import sys, hitherto_contract, hitherto_server.web.pages_and_api;"
        "hitherto_contract.build_models(hitherto_contract.OFTEN);"
        "print([name for name in ('hitherto_contract.judge', 'hitherto_contract.transfer',"
        " 'hitherto_server.api.cleaning', 'hitherto_server.api.judge',"
        " 'hitherto_server.benches.bench', 'hitherto_server.maintenance.work')"
        " if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
