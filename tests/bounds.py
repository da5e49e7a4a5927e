"""Tests with other versions of the libraries than those of the lock: `make bounds`.

    python -m tests.bounds lowest|newest [PYTHON]

An environment of its own gets the wheel with the oldest libraries that `pyproject.toml`
allows, or the newest there are, and runs tests of everything that libraries are used for.
Libraries of the tests themselves are the newest. PYTHON is a version or path of an interpreter.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}
TOOLS = ("hypothesis", "jsonschema", "polars", "pytest", "scipy")
TESTS = (
    *("analysis", "merging", "report", "report_blame", "point_store", "store_rows", "statistics"),
    *("execution", "experiment", "figures", "graphs", "results", "terminal", "workloads"),
)


def main(which: str, python: str = sys.executable) -> int:
    """Run the tests; return their exit status."""
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder) / "environment"
        _uv("venv", "--python", python, str(environment))
        chosen = Path(folder) / "requirements.txt"
        # Not the folder of libraries, `lib/python3.11`.
        interpreter = str(next(environment.glob("[bS]*/python*")))
        _uv(
            *("pip", "compile", "--python", interpreter, "--no-header", "--no-annotate"),
            *("--resolution", RESOLUTIONS[which], "--extra", "notebook"),
            *("pyproject.toml", "--output-file", str(chosen)),
        )
        print(chosen.read_text(), flush=True)
        installed = ("--requirement", str(chosen))
        # Not for its tools: they must not raise what is tested.
        _uv("pip", "install", "--python", interpreter, *installed)
        _uv("pip", "install", "--compile-bytecode", "--python", interpreter, *installed, *TOOLS)
        build = ("build", "--quiet", "--release", "--out", folder)
        subprocess.run([sys.executable, "-m", "maturin", *build], cwd=ROOT, check=True)
        wheel = str(next(Path(folder).glob("*.whl")))
        _uv("pip", "install", "--python", interpreter, "--no-deps", wheel)
        tests = [path for name in TESTS for path in _files(name)]
        command = [interpreter, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
        return subprocess.run(
            command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False
        ).returncode


def _files(name: str) -> list[str]:
    found = sorted(map(str, (ROOT / "tests" / "unit").glob(f"test_{name}.py")))
    if not found:
        raise FileNotFoundError(f"no tests of {name}")
    return found


def _uv(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "uv", "--quiet", *arguments], cwd=ROOT, check=True)


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
