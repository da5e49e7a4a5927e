"""What a program in Python reads is part of the identity of its results, or refused."""

from __future__ import annotations

import hashlib
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.execution import Outcome
from tailback.sweeps.running import SweepRun

MACHINE = tb.Machine(topology=tb.Mesh(dims=(2, 2)))

#: Node 0 sends what SIZE says to node 1.
BODY = """
async def program(node):
    if node.number == 0:
        await node.send(1, SIZE)
    elif node.number == 1:
        (await node.receive()).release()
"""


def experiment(file: Path, **keys: Any) -> tb.Experiment:
    return tb.Experiment(MACHINE, tb.PythonProgram(file=str(file), **keys))


def outcome(file: Path, **keys: Any) -> tuple[str, float]:
    """Return the identity of an experiment and its completion."""
    made = experiment(file, **keys)
    return made.identity(1), tb.run(made)["completion_us"].value


def program(folder: Path, head: str, body: str = BODY) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / "ring.py"
    file.write_text(f"{textwrap.dedent(head)}\n{body}")
    return file


def differs(write: Callable[[str], object], file: Path, **keys: Any) -> None:
    """Check that both identity and result follow what is written."""
    found = []
    for size in ("10 B", "99000 B", "10 B"):
        write(size)
        found.append(outcome(file, **keys))
    assert found[0] == found[2]
    assert found[0][0] != found[1][0]
    assert found[1][1] > 10 * found[0][1]


HEADS = {
    "text": "from pathlib import Path\nSIZE = (Path(__file__).parent / 'sizes.txt').read_text()",
    "open": "with open(__file__.replace('ring.py', 'sizes.txt')) as file:\n    SIZE = file.read()",
}


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_data_that_a_program_reads_is_part_of_its_identity(tmp_path: Path, head: str) -> None:
    file = program(tmp_path, head)
    differs((tmp_path / "sizes.txt").write_text, file)


def test_modules_beside_a_program_are_found_and_part_of_its_identity(tmp_path: Path) -> None:
    file = program(tmp_path, "from sizes import SIZE")
    # Written within one second and of one length: a cache of compiled modules would not notice.
    differs(lambda size: (tmp_path / "sizes.py").write_text(f"SIZE = '{size:8}'"), file)


def test_modules_that_modules_import_are_part_of_the_identity(tmp_path: Path) -> None:
    file = program(tmp_path, "import first\nSIZE = first.SIZE")
    (tmp_path / "first.py").write_text("from package.second import SIZE")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    second = tmp_path / "package" / "second.py"
    differs(lambda size: second.write_text(f"SIZE = '{size}'"), file)


def test_modules_imported_before_are_part_of_the_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    name = f"known_{abs(hash(tmp_path))}"
    module = tmp_path / f"{name}.py"
    module.write_text("SIZE = '10 B'")
    __import__(name)
    file = program(tmp_path, f"from {name} import SIZE")
    first = experiment(file).identity(1)
    module.write_text("SIZE = '10 B'  # edited")
    second = experiment(file).identity(1)
    module.write_text("SIZE = '10 B'")
    assert first == experiment(file).identity(1)
    assert first != second
    sys.modules.pop(name)


def test_variables_of_the_environment_are_part_of_the_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = program(tmp_path, "import os\nSIZE = os.environ.get('MY_SIZE', '1 B')")
    differs(lambda size: monkeypatch.setenv("MY_SIZE", size), file)
    monkeypatch.setenv("OTHER", "1")
    one = outcome(file)
    monkeypatch.setenv("OTHER", "2")
    assert outcome(file) == one
    # A given value is what the program sees, whatever the environment has.
    monkeypatch.setenv("MY_SIZE", "99000 B")
    assert outcome(file, environment={"MY_SIZE": "10 B"}) == one


def test_a_program_that_reads_nothing_else_keeps_its_identity(tmp_path: Path) -> None:
    file = program(tmp_path, "import json, random\nimport numpy as np\nSIZE = '10 B'")
    text = file.read_text()
    expected = hashlib.sha256(f"{text}\0program".encode()).hexdigest()
    assert experiment(file).workload.digest() == expected


LATE = """
import os
from pathlib import Path

def read(name):
    with open(name) as file:
        return file.read()

async def program(node):
    if node.number == 0:
        size = {}
        await node.send(1, size)
    elif node.number == 1:
        (await node.receive()).release()
"""


@pytest.mark.parametrize(
    ("read", "told"),
    [
        ("read(FILE)", 'declare it: workload.reads = ["{folder}/sizes.txt"]'),
        ("Path(FILE).read_text()", 'declare it: workload.reads = ["{folder}/sizes.txt"]'),
        ("os.environ['MY_SIZE']", 'declare it: workload.environment = {MY_SIZE = "10 B"}'),
        ("__import__('late').SIZE", 'declare it: workload.reads = ["{folder}/late.py"]'),
    ],
)
def test_what_is_read_while_processes_run_must_be_declared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: str, told: str
) -> None:
    monkeypatch.setenv("MY_SIZE", "10 B")
    (tmp_path / "sizes.txt").write_text("10 B")
    (tmp_path / "late.py").write_text("SIZE = '10 B'")
    head = f"FILE = {str(tmp_path / 'sizes.txt')!r}"
    file = program(tmp_path, head, LATE.format(read))
    with pytest.raises(UserError) as caught:
        tb.run(experiment(file))
    assert str(caught.value).startswith(
        f"{file}:{7 if read == 'read(FILE)' else 12}: process on node 0: "
    )
    assert told.replace("{folder}", str(tmp_path)) in str(caught.value)
    kept = {"environment": {"MY_SIZE": "10 B"}} if "environ" in read else {}
    kept = kept or {"reads": [str(tmp_path / ("late.py" if "late" in read else "sizes.txt"))]}
    assert outcome(file, **kept)[1] < 0.01


def test_declared_files_are_part_of_the_identity_and_may_stand_for_others(tmp_path: Path) -> None:
    file = program(tmp_path, "", LATE.format("read('/nowhere/sizes.txt')"))
    real = tmp_path / "real.txt"
    differs(real.write_text, file, reads={"/nowhere/sizes.txt": str(real)})


def test_a_program_that_catches_the_refusal_is_refused_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "sizes.txt").write_text("10 B")
    body = """
async def program(node):
    try:
        open(FILE)
    except Exception:
        pass
    await node.compute("1 us")
"""
    file = program(tmp_path, f"FILE = {str(tmp_path / 'sizes.txt')!r}", body)
    with pytest.raises(UserError, match="is read as processes run"):
        tb.run(experiment(file))


def test_a_program_may_write_files_and_read_them_again(tmp_path: Path) -> None:
    body = LATE.format("Path(LOG).write_text('10 B') and read(LOG)")
    file = program(tmp_path, f"LOG = {str(tmp_path / 'log.txt')!r}", body)
    assert outcome(file)[1] < 0.01


# --- Functions given themselves

SIZE = "10 B"


class Sizes:
    def __init__(self, size: str) -> None:
        self.size = size


async def of_global(node: Any) -> None:
    if node.number == 0:
        await node.send(1, SIZE)
    elif node.number == 1:
        (await node.receive()).release()


def sending(size: Any, read: Callable[[Any], str] = str) -> Callable[..., Any]:
    async def sends(node: Any) -> None:
        if node.number == 0:
            await node.send(1, read(size))
        elif node.number == 1:
            (await node.receive()).release()

    return sends


def by_default(size: str) -> Callable[..., Any]:
    async def sends(node: Any, size: str = size) -> None:
        if node.number == 0:
            await node.send(1, size)
        elif node.number == 1:
            (await node.receive()).release()

    return sends


def identity_of(function: Any) -> str:
    return tb.Experiment(MACHINE, tb.PythonProgram(function=function)).identity(1)


MADE = {
    "closure": sending,
    "default": by_default,
    "in a list": lambda size: sending([size], lambda sizes: sizes[0]),
    "in a dictionary": lambda size: sending({"size": size}, lambda sizes: sizes["size"]),
    "in an object": lambda size: sending(Sizes(size), lambda sizes: sizes.size),
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_values_that_a_function_encloses_are_part_of_its_identity(make: Any) -> None:
    small, large, again = (identity_of(make(size)) for size in ("10 B", "10000 B", "10 B"))
    assert small == again
    assert small != large


def test_globals_of_a_function_are_part_of_its_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    small = identity_of(of_global)
    monkeypatch.setattr(sys.modules[__name__], "SIZE", "10000 B")
    assert identity_of(of_global) != small


def test_a_value_that_cannot_be_told_from_others_is_refused_in_one_line() -> None:
    with pytest.raises(UserError) as caught:
        identity_of(sending(iter([1])))
    assert str(caught.value) == (
        "sends: reads size, a list_iterator, whose value cannot be told from others: "
        "give numbers, texts, lists, dictionaries or NumPy arrays"
    )
    # It is not needed to run once.
    experiment = tb.Experiment(
        MACHINE, tb.PythonProgram(function=sending(object(), lambda _: "1 B"))
    )
    assert tb.run(experiment).complete


# --- Files that are edited while a sweep runs


class Editing:
    """Works on one item after the other in this process, and edits a file before one of them."""

    capacity = 1

    def __init__(self, file: Path, text: str, before: int) -> None:
        self.file, self.text, self.before = file, text, before

    def run(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Outcome[Any]]:
        for index, item in enumerate(items):
            if index == self.before:
                self.file.write_text(self.text)
            yield Outcome(index, function(item))


def sweep_of(file: Path, kind: str) -> tb.Sweep:
    workload = {"kind": kind, "file": str(file)}
    machine = {"topology": {"kind": "mesh", "dims": [2, 2]}}
    return tb.Sweep.from_dict({"machine": machine, "workload": workload, "sweep": {"seeds": 3}})


GOAL = "num_ranks 2\nrank 0 {{\nsend {0}b to 1\n}}\nrank 1 {{\nrecv {0}b from 0\n}}\n"


@pytest.mark.parametrize("what", ["program", "module", "trace"])
def test_a_file_edited_while_its_sweep_runs_ends_it_in_one_line(tmp_path: Path, what: str) -> None:
    if what == "trace":
        given = edited = tmp_path / "pair.goal"
        texts, kind = [GOAL.format(size) for size in (10, 9000)], "trace"
    else:
        given, kind = program(tmp_path, "from sizes import SIZE"), "python"
        edited = tmp_path / "sizes.py"
        texts = ["SIZE = '10 B'", "SIZE = '9000 B'"]
        if what == "program":
            edited.write_text(texts[0])
            texts = [given.read_text(), given.read_text().replace("SIZE)", "'9000 B')")]
            edited = given
    edited.write_text(texts[0])
    out = tmp_path / "out"
    run = SweepRun(sweep_of(given, kind), out)
    with pytest.raises(UserError) as caught:
        run.run(Editing(edited, texts[1], before=1))
    assert str(caught.value) == (
        f"{edited}: was changed while the sweep ran; 1 of 3 points are finished and valid, "
        "the same command runs those of what is there then"
    )
    assert len(list((out / "points").iterdir())) == 1
    assert not list((out / "failures").iterdir())
    # The same command runs all points of the new content; those of the old one stay.
    again = SweepRun(sweep_of(given, kind), out)
    assert (again.count, again.finished_before) == (3, 0)
    again.run(Editing(edited, texts[1], before=-1))
    times = again.store.runs()["completion_us"].to_pylist()
    assert len(times) == 8
    assert len(set(times)) == 2
    edited.write_text(texts[0])
    assert SweepRun(sweep_of(given, kind), out).finished_before == 1


def test_a_variable_that_differs_where_points_run_is_told_with_its_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = program(tmp_path, "import os\nSIZE = os.environ['SIZE']")
    monkeypatch.setenv("SIZE", "10 B")
    run = SweepRun(sweep_of(file, "python"), tmp_path / "out")
    monkeypatch.setenv("SIZE", "9000 B")
    with pytest.raises(UserError) as caught:
        run.run(Editing(tmp_path / "other", "", before=-1))
    assert str(caught.value) == (
        'environment variable SIZE: was "10 B", is "9000 B"; workload.environment = '
        '{SIZE = "10 B"} gives it to all processes; 0 of 3 points are finished and valid, '
        "the same command runs those of what is there then"
    )


SIZES = ["10 B"]


async def sends_the_first_size(node: Any) -> None:
    if node.number == 0:
        await node.send(1, SIZES[0])
    elif node.number == 1:
        (await node.receive()).release()


def test_a_global_that_differs_where_points_run_is_not_told_as_a_change_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = {"topology": {"kind": "mesh", "dims": [2, 2]}}
    workload = {"kind": "python", "function": sends_the_first_size}
    sweep = tb.Sweep.from_dict({"machine": machine, "workload": workload, "sweep": {"seeds": 1}})
    run = SweepRun(sweep, tmp_path / "out")
    monkeypatch.setitem(globals(), "SIZES", ["9000 B"])
    with pytest.raises(UserError, match=r"^workload\.function: reads other values in the process"):
        run.run(Editing(tmp_path / "other", "", before=-1))
