"""Modules use modules of their own level or lower, as ARCHITECTURE.md says, and in no circle."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "crates" / "engine" / "src"
PYTHON = ROOT / "python" / "tailback"

#: The guides: they show everything and are used by nobody.
ENGINE_GUIDE = "lib"
PYTHON_GUIDES = {"__init__", "__main__"}

Uses = dict[str, set[str]]


def documented_levels(heading: str) -> dict[str, int]:
    """Return the level of each module from the table that follows ``heading``."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    table = text.split(heading, 1)[1].split("\n\n")[1]
    rows = re.findall(r"^\| *(\d+) *\| *([^|]*)\|", table, re.MULTILINE)
    return {name: int(level) for level, names in rows for name in re.findall(r"`(\w+)`", names)}


def rust_without_tests(path: Path) -> str:
    """Return the code of a file up to its tests, without comments."""
    code = path.read_text().split("#[cfg(test)]")[0]
    return re.sub(r"//.*", "", code)


def rust_uses(path: Path, code: str) -> Iterator[str]:
    """Yield the top-level modules of the engine that the code names."""
    yield from re.findall(r"\bcrate::(\w+)", code)
    for group in re.findall(r"\bcrate::\{(.*?)\};", code, re.DOTALL):
        yield from re.findall(r"(?:^|,)\s*(\w+)", re.sub(r"\{[^{}]*\}", "", group))
    if path.parent == ENGINE:
        yield from re.findall(r"\buse super::(\w+)", code)


@cache
def engine_uses() -> Uses:
    """Return what each module of the engine uses, other than its own sub-modules."""
    uses: Uses = {}
    for path in sorted(ENGINE.rglob("*.rs")):
        module = path.relative_to(ENGINE).parts[0].removesuffix(".rs")
        if module != ENGINE_GUIDE:
            used = set(rust_uses(path, rust_without_tests(path)))
            uses.setdefault(module, set()).update(used - {module})
    return uses


def imports(path: Path) -> Iterator[str]:
    """Yield the dotted names that a Python file imports, seen from inside ``tailback``."""
    package = path.relative_to(PYTHON).parent.parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            above = ("tailback", *package)[: len(package) + 2 - node.level] if node.level else ()
            start = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{start}.{alias.name}" for alias in node.names)


@cache
def python_uses() -> Uses:
    """Return what each Python module uses, other than its own sub-modules."""
    uses: Uses = {}
    for path in sorted(PYTHON.rglob("*.py")):
        module = path.relative_to(PYTHON).parts[0].removesuffix(".py")
        if module not in PYTHON_GUIDES:
            inside = [name.split(".") for name in imports(path) if name.startswith("tailback")]
            used = {name[1] if len(name) > 1 else "__init__" for name in inside}
            uses.setdefault(module, set()).update(used - {module})
    return uses


CASES = {
    "engine": ("Engine (`crates/engine/src`)", engine_uses),
    "python": ("Python (`python/tailback`)", python_uses),
}


@pytest.mark.parametrize("language", CASES)
def test_every_module_has_its_level_in_the_architecture(language: str) -> None:
    heading, uses = CASES[language]
    levels = documented_levels(heading)
    assert levels
    assert sorted(uses().keys() - levels) == []


@pytest.mark.parametrize("language", CASES)
def test_modules_use_nothing_above_them(language: str) -> None:
    heading, uses = CASES[language]
    levels = documented_levels(heading)
    if language == "python":
        levels["_engine"] = levels["door"]
    upward = [
        f"{module} uses {used}"
        for module, all_used in uses().items()
        for used in sorted(all_used)
        if levels.get(used, 99) > levels.get(module, 0)
    ]
    assert upward == []


@pytest.mark.parametrize("language", CASES)
def test_modules_form_no_circle(language: str) -> None:
    _, uses = CASES[language]
    TopologicalSorter(uses()).prepare()


def test_one_module_imports_the_compiled_engine() -> None:
    users = {module for module, used in python_uses().items() if "_engine" in used}
    assert users == {"door"}


FORBIDDEN = [
    (r"\bstd::(fs|env|time|io|net|process|thread)\b", "the outside world"),
    (r"\bstd::\{[^;]*\b(fs|env|time|io|net|process|thread)\b", "the outside world"),
    (r"\b(e?print(ln)?|dbg)!", "printing"),
    (r"\bstatic\s+mut\b|\bthread_local!|\bOnceLock\b|\bLazyLock\b", "globals"),
    (r"\bpyo3\b", "Python"),
]


@pytest.mark.parametrize(("pattern", "what"), FORBIDDEN)
def test_the_engine_knows_no_world(pattern: str, what: str) -> None:
    guilty = [
        str(path.relative_to(ROOT))
        for path in sorted(ENGINE.rglob("*.rs"))
        if re.search(pattern, rust_without_tests(path))
    ]
    assert guilty == [], what


SAMPLES = [
    ("from . import engine, tables", "runner.py", {"engine", "tables"}),
    ("from .errors import UserError", "runner.py", {"errors"}),
    ("from .base import Workload", "workloads/program.py", {"workloads"}),
    ("from . import steps", "workloads/program.py", {"workloads"}),
    ("from ..errors import UserError", "workloads/program.py", {"errors"}),
    ("import tailback.units", "cli.py", {"units"}),
    ("from tailback.units import Time", "cli.py", {"units"}),
]


@pytest.mark.parametrize(("line", "name", "expected"), SAMPLES)
def test_imports_are_understood(
    line: str, name: str, expected: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "PYTHON", tmp_path)
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(line)
    assert {found.split(".")[1] for found in imports(path)} == expected


def test_uses_in_rust_are_understood() -> None:
    code = "use crate::{ids::{NodeId, ChannelId}, time::Time, rng};\nlet x = crate::spec::Spec;"
    assert set(rust_uses(ENGINE / "fabric" / "packet.rs", code)) == {"ids", "time", "rng", "spec"}
    assert set(rust_uses(ENGINE / "fabric.rs", "use super::time::Time;")) == {"time"}
