"""Runs the tests of what changed: `python -m tests.quick`, or `make quick`.

What changed is what differs from where this branch left `main`, committed or not. A test is
of a changed module if it is in a changed file, or names the module. A room of the engine has the
twins that simulate what it simulates (`TWINS`). The whole is `make test`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENGINE = "crates/engine/"
TRACES = ("crates/traces/", "tests/traces/")

#: The twins (`crates/engine/tests/twins`) of every room of the engine, below `src`: those of the
#: longest path that a changed file begins with.
TWINS: dict[str, tuple[str, ...]] = {
    "": ("reference",),
    "fabric/": ("reference", "cycles", "router"),
    "fabric/historic/cells": ("cells",),
    "fabric/historic/chaos": ("reference",),
    "fabric/historic/stored": ("transports",),
    "fabric/historic/stream": ("stream",),
    "fabric/kernels/baseline": ("reference", "cycles"),
    "fabric/kernels/circuit": ("transports", "reference"),
    "fabric/kernels/clocked": ("router", "blame"),
    "fabric/kernels/flits": ("cycles", "flits", "stop_go"),
    "fabric/kernels/fluid": ("fluid",),
    "fabric/kernels/frames": ("frames",),
    "fabric/kernels/line.": ("line", "private"),
    "fabric/kernels/line/": ("line", "private"),
    "fabric/kernels/lines": ("cycles",),
    "fabric/kernels/packet": ("reference", "line", "blame"),
    "fabric/kernels/private": ("private",),
    "fabric/kernels/slots": ("cycles", "flits", "blame"),
    "fabric/kernels/tokens": ("cycles",),
    "fabric/kernels/worm": ("cycles", "stream"),
    "fabric/switch/": ("reference", "cycles", "router", "frames", "transports"),
    "fabric/switch/allocate": ("router",),
    "measure/blame": ("blame", "router", "frames"),
    "measure/causes": ("causes",),
    "measure/late": ("reference", "frames"),
    "node": ("reference", "cycles", "private"),
    "workload": ("reference", "causes"),
}


def changed() -> set[str]:
    """Return paths that differ from where this branch left `main`, and new ones."""
    base = git("merge-base", "HEAD", "main") or ["HEAD"]
    return {*git("diff", "--name-only", base[0]), *git("ls-files", "-o", "--exclude-standard")}


def git(*words: str) -> list[str]:
    """Return the lines that git prints."""
    return subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()


def python_tests(paths: set[str]) -> list[str]:
    """Return the files of tests in Python that are about changed ones."""
    changed_tests = {path for path in paths if re.fullmatch(r"tests/.*/test_\w+\.py", path)}
    modules = {module for path in paths for module in _modules(path)}
    names = re.compile("|".join(rf"\b{re.escape(module)}\b" for module in modules))
    tests = (path for path in (ROOT / "tests").rglob("test_*.py") if modules)
    about = {str(path.relative_to(ROOT)) for path in tests if names.search(path.read_text())}
    return sorted(path for path in changed_tests | about if (ROOT / path).exists())


def _modules(path: str) -> Iterator[str]:
    """Yield the names by which tests call the module of a file."""
    match = re.fullmatch(r"(?:python/)?((?:tailback|studies|benches|tests)/.*)\.py", path)
    if match and "test_" not in match[1]:
        yield match[1].removesuffix("/__init__").replace("/", ".")
    if path.startswith("docs/") or path.endswith(".md"):
        yield "DOCUMENTS"


def cargo_tests(paths: set[str]) -> Iterator[list[str]]:
    """Yield arguments for cargo: tests beside changed code, and files of tests that changed."""
    inside = {path.removeprefix(ENGINE) for path in paths if path.startswith(ENGINE)}
    for module in sorted({re.split(r"[/.]", path)[1] for path in inside if path[:4] == "src/"}):
        yield ["--package", "tailback-engine", "--lib", "" if module == "lib" else f"{module}::"]
    binaries = {path.parent.name for path in (ROOT / ENGINE / "tests").glob("*/main.rs")}
    touched = {tuple(re.split(r"[/.]", path)[1:3]) for path in inside if path[:6] == "tests/"}
    if any(path.startswith(("src/", "tests/common/")) for path in inside):
        touched |= {("exact", "by_hand"), ("exact", "conservation")}
        touched |= {("twins", module) for module in twins(inside)}
    for binary in sorted(binaries):
        modules = sorted(module for folder, module in touched if folder == binary)
        filters = [] if "main" in modules else [f"{module}::" for module in modules]
        if modules:
            yield ["--package", "tailback-engine", "--test", binary, "--", *filters]
    if any(path.startswith(TRACES) for path in paths):
        yield ["--package", "tailback-traces"]


def twins(inside: set[str]) -> set[str]:
    """Return the twins of files of the engine that changed, given by their paths in it."""
    found: set[str] = set()
    for path in inside:
        if path.startswith("src/"):
            room = max((room for room in TWINS if path[4:].startswith(room)), key=len)
            found |= set(TWINS[room])
        elif path.startswith("tests/common/"):
            found |= set(TWINS[""])
    return found


def main() -> int:
    """Run them; 1 if any failed."""
    paths = changed()
    commands = [["cargo", "test", "--quiet", *words] for words in cargo_tests(paths)]
    if tests := python_tests(paths):
        commands.append([sys.executable, "-m", "pytest", "-q", "-m", "not verify", *tests])
    if not commands:
        print("Nothing that has tests differs from main.")
    codes = []
    for command in commands:
        print("==", *command, flush=True)
        codes.append(subprocess.run(command, cwd=ROOT, check=False).returncode)
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
