"""`make quick` runs the twins of what changed in the engine."""

from __future__ import annotations

import re
from pathlib import Path

from tests.quick import ENGINE, ROOT, TWINS, cargo_tests, twins

SOURCES = ROOT / ENGINE / "src"
MODULES = ROOT / ENGINE / "tests/twins/main.rs"


def test_every_twin_belongs_to_a_room_and_every_room_is_there() -> None:
    """A twin that no room names would never run; a room that is gone would be a dead line."""
    modules = set(re.findall(r"^mod (\w+);", MODULES.read_text(), re.MULTILINE)) - {"common"}
    assert {module for named in TWINS.values() for module in named} == modules
    files = {str(path.relative_to(SOURCES)) for path in SOURCES.rglob("*.rs")}
    assert [room for room in TWINS if not any(file.startswith(room) for file in files)] == []


def test_every_kernel_has_twins_of_its_own() -> None:
    """A kernel is not left to the twins of its neighbours."""
    rooms = (SOURCES / "fabric/kernels", SOURCES / "fabric/historic")
    kernels = {path.with_suffix("") for room in rooms for path in room.glob("*.rs")}
    named = {room.rstrip("./") for room in TWINS}
    assert {str(path.relative_to(SOURCES)) for path in kernels} <= named


def test_a_changed_kernel_asks_for_its_twins_alone() -> None:
    """The reference need not run when a kernel with a twin of its own changed."""
    assert twins({"src/fabric/kernels/fluid/shares.rs"}) == {"fluid"}
    assert twins({"src/time.rs"}) == {"reference"}
    assert twins({"src/fabric/switch/arbiter/kinds.rs"}) >= {"reference", "cycles", "router"}
    [filters] = [
        words[words.index("--") + 1 :]
        for words in cargo_tests({f"{ENGINE}src/fabric/kernels/frames.rs"})
        if "twins" in words
    ]
    assert filters == ["frames::"]


def test_a_path_that_does_not_exist_is_no_test() -> None:
    """Documents have no twins."""
    assert twins({"README.md"}) == set()
    assert Path(MODULES).exists()
