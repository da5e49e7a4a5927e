"""Modules use modules of their own level or lower, in no cycle: the tables of ARCHITECTURE.md hold.

Every folder of modules is a *room*. Its modules, and the file that is its door (``room.rs``, or
``__init__.py``), form a graph: an arrow for each import, wherever inside a module it stands. No
room with a row in the tables has a cycle, and its modules keep the levels written there. A room
without a row is small: it and its door are one thing in several files, and only the others form no
cycle.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "crates" / "engine" / "src"
TRACES = ROOT / "crates" / "traces" / "src"
PYTHON = ROOT / "python" / "tailback"

#: A module by the names that lead to it from the root of its language; ``()`` is the root.
Module = tuple[str, ...]
#: What each module imports.
Imports = dict[Module, set[Module]]

#: Rooms of so many modules have a row in the tables.
LARGE = 13

#: Stands in the levels of a room for modules that its row does not name.
OTHERS = "*"

#: What imports a module whose name is only known later.
BY_NAME = {"importlib", "importlib.import_module", "importlib.util", "importlib.machinery", "runpy"}

#: The doors of the roots: they show everything, and nothing imports them.
DOORS = {"lib", "__init__", "__main__"}


# --- What is documented


def documented_levels(heading: str) -> dict[Module, dict[str, int]]:
    """Return, by room, the level of each module: from the tables that follow ``heading``."""
    text = (ROOT / "ARCHITECTURE.md").read_text().split(heading, 1)[1]
    # Up to the tables of the next language: rooms of two may have the same name.
    section = re.split(r"\n## |\n\w+ \(`[\w/]+`\)", text)[0]
    rows = re.findall(r"^\| *(\d+) *\| *([^|]*)\|", section.split("\n\n")[1], re.MULTILINE)
    top = {name: int(level) for level, names in rows for name in names_in(names)}
    levels: dict[Module, dict[str, int]] = {(): top}
    for room, text in re.findall(r"^\| *`([\w/]+)` *\| *(`[^|]*)\|", section, re.MULTILINE):
        floors = text.split("<")
        inside = {name: floor for floor, names in enumerate(floors) for name in names_in(names)}
        # One module per kind: they need no line here each.
        for floor, names in enumerate(floors):
            if "others" in names:
                inside[OTHERS] = floor
        levels[tuple(room.split("/"))] = inside
    return levels


def names_in(text: str) -> list[str]:
    """Return the names of modules in a cell of a table."""
    return re.findall(r"`(\w+)`", text)


def documented_later_imports() -> list[tuple[str, str]]:
    """Return what may be imported when it is needed, and by which module or room."""
    section = (ROOT / "ARCHITECTURE.md").read_text().split("| imported when needed |", 1)[1]
    table = section.split("\n\n")[0]
    rows = re.findall(r"^\| *(`[^|\n]*) *\|[^|\n]*\| *(`[^|\n]*) *\|$", table, re.MULTILINE)
    return [
        (name, place)
        for names, places in rows
        for name in re.findall(r"`([\w.]+)`", names)
        for place in re.findall(r"`([\w/]+)`", places)
    ]


# --- Rust


@cache
def rust_without_tests(path: Path) -> str:
    """Return the code of a file without its tests and what it declares for tests, nor comments."""
    code = re.split(r"#\[cfg\(test\)\]\s*mod \w+ \{", path.read_text())[0]
    code = re.sub(r"#\[cfg\(test\)\]\s*[^;{]*;", "", code)
    return re.sub(r"//.*", "", code)


def rust_module(path: Path, root: Path) -> Module:
    """Return the module that a file is."""
    parts = path.relative_to(root).with_suffix("").parts
    return () if parts in {("lib",)} else parts


def use_tree(text: str) -> Iterator[Module]:
    """Yield the paths of a tree of uses: ``a::{b, c::{d, e}}``."""
    text = text.strip()
    if "{" not in text:
        yield tuple(part.strip() for part in text.split(" as ")[0].split("::"))
        return
    head, inner = text.split("{", 1)
    start = tuple(part.strip() for part in head.split("::") if part.strip())
    depth, begin = 0, 0
    inner = inner.rsplit("}", 1)[0]
    for at, letter in enumerate(inner + ","):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            if inner[begin:at].strip():
                yield from ((*start, *rest) for rest in use_tree(inner[begin:at]))
            begin = at + 1


def rust_paths(code: str) -> Iterator[Module]:
    """Yield every path that code names from the root, from its room or from itself."""
    for text in re.findall(r"\buse\s+([^;]*);", code):
        yield from use_tree(text)
    rest = re.sub(r"\buse\s+[^;]*;", "", code)
    rest = re.sub(r"\bpub\s*\([^)]*\)", "", rest)
    for path in re.findall(r"\b(?:\$?crate|super|self)(?:::\w+)+", rest):
        yield tuple(path.lstrip("$").split("::"))


def rust_imports(root: Path) -> Imports:
    """Return what each module of a crate imports from modules of the same crate."""
    files = {rust_module(path, root): path for path in sorted(root.rglob("*.rs"))}
    imports: Imports = {}
    for module, path in files.items():
        if module[-1:] == ("tests",):
            continue
        uses = imports.setdefault(module, set())
        for name in rust_paths(rust_without_tests(path)):
            start, rest = list(module), list(name)
            if rest[0] == "crate":
                start, rest = [], rest[1:]
            elif rest[0] == "self":
                rest = rest[1:]
            elif rest[0] != "super" and (*module, rest[0]) not in files:
                continue
            while rest[:1] == ["super"]:
                start, rest = start[:-1], rest[1:]
            while rest and (*start, rest[0]) in files:
                start.append(rest.pop(0))
            # What a file declares of a module and then uses by its own name is that module's.
            if tuple(start) != module:
                uses.add(tuple(start))
    return imports


# --- Python


def python_module(path: Path) -> Module:
    """Return the module that a file is."""
    parts = path.relative_to(PYTHON).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def statements(node: ast.AST, *, inside: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """Yield the statements below a node, and whether each is in a function."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    for field in ("body", "handlers", "orelse", "finalbody", "cases"):
        for child in getattr(node, field, ()):
            if isinstance(child, ast.stmt):
                yield child, inside
            yield from statements(child, inside=inside or isinstance(child, functions))


def imported_names(path: Path) -> Iterator[Module]:
    """Yield the dotted names that a Python file imports, seen from inside ``tailback``."""
    package = path.relative_to(PYTHON).parent.parts
    for node, _ in statements(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = ("tailback", *package)[: len(package) + 2 - node.level] if node.level else ()
            start = (*above, *(node.module.split(".") if node.module else ()))
            names = [(*start, alias.name) for alias in node.names]
        else:
            continue
        yield from (name[1:] for name in names if name[0] == "tailback")


def later_imports(path: Path) -> Iterator[tuple[str, int]]:
    """Yield what a Python file imports inside functions, lazily or by name, and in which line."""
    package = path.relative_to(PYTHON).parent.parts
    text = path.read_text()
    tree = ast.parse(text)
    for node in ast.walk(tree) if "lazy_module" in text else ():
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if is_call and node.func.id == "lazy_module" and node.args:
            yield ast.literal_eval(node.args[0]), node.lineno
    for node, inside in statements(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            above = ("tailback", *package)[: len(package) + 2 - node.level] if node.level else ()
            start = (*above, *(node.module.split(".") if node.module else ()))
            names = [".".join((*start, alias.name)) for alias in node.names]
        # Importing by name would be a way round.
        by_name = [name for name in names if name in BY_NAME]
        yield from ((name, node.lineno) for name in (names if inside else by_name))


def python_imports(root: Path) -> Imports:
    """Return what each Python module imports from modules of ``tailback``."""
    files = {python_module(path): path for path in sorted(root.rglob("*.py"))}
    known = {*files, ("_engine",)}
    imports: Imports = {}
    for module, path in files.items():
        uses = imports.setdefault(module, set())
        for name in imported_names(path):
            end = len(name)
            while end and name[:end] not in known:
                end -= 1
            if name[:end] != module:
                uses.add(name[:end])
    return imports


# --- Rooms


CASES = {
    "engine": ("Engine (`crates/engine/src`)", lambda: rust_imports(ENGINE)),
    "traces": ("Traces (`crates/traces/src`)", lambda: rust_imports(TRACES)),
    "python": ("Python (`python/tailback`)", lambda: python_imports(PYTHON)),
}


@cache
def imports_of(language: str) -> Imports:
    """Return what each module of a language imports."""
    return CASES[language][1]()


def rooms(imports: Imports) -> dict[Module, dict[str, set[str]]]:
    """Return, by room, which of its modules (the door by the room's name) imports which."""
    inside: dict[Module, dict[str, set[str]]] = {}
    folders = {module[:end] for module in imports for end in range(len(module))}
    for room in folders:
        inside[room] = {
            module[len(room)]: set()
            for module in imports
            if len(module) > len(room) and module[: len(room)] == room
        }
        if room and room in imports:
            inside[room][room[-1]] = set()
    for module, used in imports.items():
        for other in used:
            for room in folders:
                ends = [one_of(room, module), one_of(room, other)]
                if None not in ends and ends[0] != ends[1] and ends[0] in inside[room]:
                    inside[room][ends[0]].add(ends[1])
    return inside


def one_of(room: Module, module: Module) -> str | None:
    """Return which of a room's modules a module is, or lies in; none if it lies elsewhere."""
    if module[: len(room)] != room:
        return None
    if module == room:
        return room[-1] if room else None
    return module[len(room)]


def name_of(room: Module) -> str:
    """Return how a room is called in the tables."""
    return "/".join(room) or "the root"


@pytest.mark.parametrize("language", CASES)
def test_large_rooms_have_a_row_that_names_their_modules(language: str) -> None:
    levels = documented_levels(CASES[language][0])
    faults = []
    for room, inside in rooms(imports_of(language)).items():
        modules = set(inside) - (DOORS if not room else set())
        if room in levels:
            named = levels[room].keys()
            lacking = set() if OTHERS in named else modules - named
            faults += [f"{name_of(room)} lacks {name}" for name in lacking]
            extra = named - modules - {"_engine", OTHERS}
            faults += [f"{name_of(room)} has no {name}" for name in extra]
        elif len(modules) >= LARGE:
            faults.append(f"{name_of(room)} has {len(modules)} modules and no row")
    assert sorted(faults) == []


def level(levels: dict[str, int], module: str, unknown: int) -> int:
    """Return the level of a module, which may be one of those that its room's row does not name."""
    return levels.get(module, levels.get(OTHERS, unknown))


@pytest.mark.parametrize("language", CASES)
def test_modules_import_nothing_above_them(language: str) -> None:
    documented = documented_levels(CASES[language][0])
    upward = [
        f"{name_of(room)}: {module} imports {used}"
        for room, inside in rooms(imports_of(language)).items()
        if (levels := documented.get(room))
        for module, all_used in inside.items()
        for used in sorted(all_used)
        if module not in DOORS and level(levels, used, 0) > level(levels, module, 99)
    ]
    assert sorted(upward) == []


@pytest.mark.parametrize("language", CASES)
def test_modules_of_a_room_form_no_cycle(language: str) -> None:
    documented = documented_levels(CASES[language][0])
    cycles = []
    for room, inside in rooms(imports_of(language)).items():
        door = None if room in documented else name_of(room[-1:])
        graph = {name: used - {door} for name, used in inside.items() if name != door}
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            cycles.append(f"{name_of(room)}: {' <- '.join(error.args[1])}")
    assert sorted(cycles) == []


def test_one_module_imports_the_compiled_engine() -> None:
    users = {module[0] for module, used in imports_of("python").items() if ("_engine",) in used}
    assert users == {"door"}


def lies_in(inner: str, outer: str, between: str) -> bool:
    """Return whether a dotted or slashed name is another one, or lies below it."""
    return f"{inner}{between}".startswith(f"{outer}{between}")


@cache
def later_uses() -> list[tuple[str, str, int]]:
    """Return what is imported inside functions or by name, by which module, in which line."""
    return list(_later_uses())


def _later_uses() -> Iterator[tuple[str, str, int]]:
    for path in sorted(PYTHON.rglob("*.py")):
        place = path.relative_to(PYTHON).with_suffix("").as_posix()
        yield from ((name, place, line) for name, line in later_imports(path))


def allows(row: tuple[str, str], name: str, place: str) -> bool:
    """Return whether a row of the table is about an import."""
    return lies_in(name, row[0], ".") and lies_in(place, row[1], "/")


def test_imports_inside_functions_are_those_that_start_up_is_measured_to_need() -> None:
    rows = documented_later_imports()
    others = [
        f"{place}.py:{line} imports {name} inside a function, or by name: import it at the top, or "
        "measure what that costs and name it in ARCHITECTURE.md (imported when needed)"
        for name, place, line in later_uses()
        if not any(allows(row, name, place) for row in rows)
    ]
    assert others == []


def test_what_may_be_imported_when_needed_is_imported_so() -> None:
    uses = later_uses()
    unused = [
        row
        for row in documented_later_imports()
        if not any(allows(row, name, place) for name, place, _ in uses)
    ]
    assert unused == []


# --- What the engine must not know


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


# --- The reading of imports itself


PYTHON_SAMPLES = [
    ("from . import engine, tables", "runner.py", {("engine",), ("tables",)}),
    ("from .errors import UserError", "runner.py", {("errors",)}),
    ("from .base import Workload", "workloads/program.py", {("workloads", "base")}),
    ("from . import steps", "workloads/program.py", {("workloads", "steps")}),
    ("from ..errors import UserError", "workloads/program.py", {("errors",)}),
    ("from ..workloads import Pattern", "cli/single.py", {("workloads",)}),
    ("import tailback.units", "cli.py", {("units",)}),
    ("def f():\n    from tailback.units import Time", "cli.py", {("units",)}),
]


@pytest.mark.parametrize(("code", "name", "expected"), PYTHON_SAMPLES)
def test_imports_in_python_are_understood(
    code: str, name: str, expected: set[Module], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "PYTHON", tmp_path)
    others = ["engine", "tables", "errors", "units", "runner", "workloads/__init__"]
    for module in [*others, "workloads/base", "workloads/steps"]:
        (tmp_path / module).with_suffix(".py").parent.mkdir(exist_ok=True)
        (tmp_path / module).with_suffix(".py").touch()
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(code)
    assert python_imports(tmp_path)[python_module(path)] == expected


LATER_SAMPLES = [
    ("def f():\n    import rich.live", "runner.py", [("rich.live", 2)]),
    ("def f():\n    from . import tables", "store/rows.py", [("tailback.store.tables", 2)]),
    ("class A:\n    def f(self):\n        from ..a import b", "c/d.py", [("tailback.a.b", 3)]),
    ("from importlib import import_module", "a.py", [("importlib.import_module", 1)]),
    ('np = lazy_module("numpy")', "a.py", [("numpy", 1)]),
    ("from importlib.resources import files", "a.py", []),
    ("import rich.live", "a.py", []),
]


@pytest.mark.parametrize(("code", "name", "expected"), LATER_SAMPLES)
def test_imports_inside_functions_are_seen(
    code: str,
    name: str,
    expected: list[tuple[str, int]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(globals(), "PYTHON", tmp_path)
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(code)
    assert list(later_imports(path)) == expected


RUST_SAMPLES = [
    ("use crate::{ids::{NodeId, ChannelId}, time::Time};", {("ids",), ("time",)}),
    ("let x = crate::ids::NodeId(0);", {("ids",)}),
    ("use super::sibling::Thing;", {("room", "sibling")}),
    ("use super::{Door, sibling};", {("room",), ("room", "sibling")}),
    ("use super::super::time::Time;", {("time",)}),
    ("mod inside;\nuse inside::Part;", {("room", "module", "inside")}),
    ("pub(in crate::room) fn f() {}", set()),
    ("// use crate::ids::NodeId;", set()),
    ("#[cfg(test)]\nmod tests;\nuse crate::time::Time;", {("time",)}),
    ("#[cfg(test)]\nmod tests {\n    use crate::time::Time;\n}", set()),
]


@pytest.mark.parametrize(("code", "expected"), RUST_SAMPLES)
def test_imports_in_rust_are_understood(code: str, expected: set[Module], tmp_path: Path) -> None:
    others = ["ids", "time", "room", "room/sibling", "room/module/inside"]
    for module in others:
        (tmp_path / module).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / module).with_suffix(".rs").touch()
    (tmp_path / "room" / "module.rs").write_text(code)
    assert rust_imports(tmp_path)["room", "module"] == expected
