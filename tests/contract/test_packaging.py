"""What is installed and imported: ranges, the lock, and how little a first answer needs."""

from __future__ import annotations

import ast
import gzip
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement

from tailback.distribution import DISTRIBUTION, installing
from tailback.since311 import tomllib

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]

#: Libraries that take long to import, and that simulating needs not.
HEAVY = ("jinja2", "networkx", "plotly", "polars", "pyarrow.compute", "pyarrow.dataset", "scipy")
#: Extras that developers need not have: tests are left out where they are missing, and the site of
#: the documents has a lock of its own.
UNLOCKED = {"docs", "otf2"}


def needed() -> list[Requirement]:
    extras = [texts for name, texts in EXTRAS.items() if name not in UNLOCKED]
    texts = [*PROJECT["dependencies"], *(text for extra in extras for text in extra)]
    return [Requirement(text) for text in texts]


def locked() -> dict[str, list[Requirement]]:
    """Return the lines of the lock by name: one for each platform or Python that differs."""
    found: dict[str, list[Requirement]] = {}
    for line in (ROOT / "requirements-dev.lock").read_text().splitlines():
        if line and not line.startswith((" ", "#")):
            requirement = Requirement(line)
            found.setdefault(requirement.name, []).append(requirement)
    return found


@pytest.mark.parametrize("wanted", needed(), ids=str)
def test_the_lock_has_what_is_needed(wanted: Requirement) -> None:
    found = locked()[wanted.name]
    for line in found:
        [version] = line.specifier
        assert version.operator == "=="
        assert wanted.specifier.contains(version.version)


@pytest.mark.parametrize("python", ["3.10", "3.11", "3.12", "3.13", "3.14"])
def test_the_lock_has_one_version_for_every_python(python: str) -> None:
    environment = {**default_environment(), "python_version": python, "extra": ""}
    environment["python_full_version"] = f"{python}.0"
    for name, lines in locked().items():
        fitting = [line for line in lines if not line.marker or line.marker.evaluate(environment)]
        assert len(fitting) <= 1, name
    assert f"Programming Language :: Python :: {python}" in PROJECT["classifiers"]


def test_what_is_installed_has_one_name_and_these_extras() -> None:
    assert PROJECT["name"] == DISTRIBUTION
    texts = {
        path: path.read_text(encoding="utf-8")
        for folder, ending in (("python/tailback", "*.py"), ("docs", "*.md"), (".", "*.md"))
        for path in (ROOT / folder).glob(f"**/{ending}" if folder != "." else ending)
    }
    named = {extra for text in texts.values() for extra in re.findall(r"installing\('(\w+)'", text)}
    assert named == EXTRAS.keys() - {"dev", "docs"}
    command = r"pip install .*?\[.*?\]\""
    written = [found for text in texts.values() for found in re.findall(command, text)]
    commands = {installing(extra) for extra in EXTRAS}
    assert written
    assert [found for found in written if "{" not in found and found not in commands] == []


def test_users_are_given_ranges() -> None:
    for text in PROJECT["dependencies"]:
        assert {part.operator for part in Requirement(text).specifier} == {">="}


def test_the_wheel_is_for_the_oldest_python() -> None:
    [oldest] = re.findall(r">=(3\.\d+)", PROJECT["requires-python"])
    manifest = (ROOT / "crates" / "python" / "Cargo.toml").read_text()
    assert f'"abi3-py{oldest.replace(".", "")}"' in manifest


NO_PANDAS = """
class NoPandas:
    def find_spec(self, name, path=None, target=None):
        if name == "pandas":
            raise ImportError(name)
sys.meta_path.insert(0, NoPandas())
"""


def test_a_first_cost_imports_nothing_it_does_not_need() -> None:
    code = (
        "import sys, tailback as tb\n"
        # Where pandas is installed, making the first Arrow array imports it and much else.
        f"{NO_PANDAS}\n"
        f"assert not [m for m in {(*HEAVY, 'numpy', 'pyarrow', 'pydantic')} if m in sys.modules]\n"
        f"tb.cost({str(ROOT / 'examples' / 'ring.toml')!r})\n"
        f"print([m for m in {(*HEAVY, 'rich')} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


#: Runs a command line, and says at its first event which of these modules are imported.
AT_THE_FIRST_EVENT = """
import os, sys, tailback._engine as compiled
from tailback.cli import main

class Simulation:
    def __init__(self, *values):
        self.made = made(*values)
    def __getattr__(self, name):
        return getattr(self.made, name)
    def advance(self, *values):
        print([name for name in HEAVY if name in sys.modules], flush=True)
        os._exit(0)

made, compiled.Simulation = compiled.Simulation, Simulation
main()
"""


#: Imports nothing of distributions that are installed beside the package and what it depends on.
ALONE = """
import sys
from importlib import metadata
from packaging.requirements import Requirement

def closure(names):
    found = set()
    while names:
        name = names.pop().lower().replace("_", "-")
        if name in found:
            continue
        found.add(name)
        try:
            wanted = map(Requirement, metadata.requires(name) or ())
        except metadata.PackageNotFoundError:
            continue  # On this platform or Python it is not needed.
        names += [r.name for r in wanted if not r.marker or r.marker.evaluate({"extra": ""})]
    return found

allowed = closure([Requirement(text).name for text in sys.argv.pop(1).split(";;")])
homes = metadata.packages_distributions()

class Alone:
    def find_spec(self, name, path=None, target=None):
        homes_of = {home.lower().replace("_", "-") for home in homes.get(name, ())}
        if homes_of and name != "tailback" and not homes_of & allowed:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Alone())
import typer.main, typer.testing
from tailback.cli.commands import app

# Made once: that takes longer than most commands.
commands = typer.main.get_command(app)
typer.testing._get_command = lambda app: commands

for line in sys.stdin.read().splitlines():
    code, *words = line.split()
    done = typer.testing.CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == int(code), (line, done.output)
    print(done.output)
"""

JELLYFISH = """
[machine]
topology.kind = "jellyfish"
topology.switches = 20
topology.links_per_switch = 3
topology.nodes_per_switch = 1
[run]
duration = "20 us"
[sweep]
workload.compute_period = ["10 us", "20 us"]
seeds = 1
"""
GRAPH = """
[machine]
topology.kind = "graph"
topology.file = "ring.edgelist"
topology.nodes_per_switch = 1
switch.input_buffer = "8 B"
switch.switching = "wormhole"
routing.kind = "shortest"
routing.allow_deadlock = true
[workload]
radius = "all"
sync = "asynchronous"
compute_period = "10 ns"
message_size = "4 kB"
[run]
duration = "1 ms"
"""
ON_WHAT_IS_INSTALLED = """
0 describe net.toml --plot net.svg
0 describe net.toml --plot net.html
0 cost net.toml
0 sweep net.toml --out out --jobs 1
0 table out
0 plot out --out plot.svg
0 report out
0 describe graph.toml --plot graph.svg
3 run graph.toml --plot deadlock.svg
"""


def test_the_package_alone_is_enough(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(JELLYFISH)
    (tmp_path / "graph.toml").write_text(GRAPH)
    (tmp_path / "ring.edgelist").write_text("0 1\n1 2\n2 3\n3 4\n4 0\n")
    done = subprocess.run(
        [sys.executable, "-c", ALONE, ";;".join(PROJECT["dependencies"])],
        input=ON_WHAT_IS_INSTALLED.strip(),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "deadlock.svg").exists()


#: Runs a command line, and says when it has ended which of these modules are imported.
AT_THE_END = """
import sys
from importlib import metadata
from tailback.cli import main

try:
    main()
finally:
    print([name for name in HEAVY if name in sys.modules])
"""


def imported_by(heavy: tuple[str, ...], code: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"HEAVY = {heavy}\n{code}", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("example", ["ring.toml", "adaptive_mesh.toml"])
def test_a_run_begins_without_libraries_of_arrays(example: str) -> None:
    heavy = (*HEAVY, "numpy", "pyarrow", "rich", "tailback.results")
    command = ("run", str(ROOT / "examples" / example))
    assert imported_by(heavy, AT_THE_FIRST_EVENT, *command).stdout == "[]\n"


#: Commands about a file, each with what else it needs, and with a file that is not there.
ABOUT_A_FILE = [
    "run FILE",
    "explain FILE",
    "sweep FILE --out results",
    "schedule 4x4 --file FILE",
    "convert FILE out.goal",
    "import booksim FILE",
]
#: Those that go the way of one of them.
ALIKE = [
    "cost FILE",
    "describe FILE",
    "blame FILE",
    "flows FILE",
    "interference FILE",
    "resilience FILE",
    "saturate FILE",
    "timeline FILE --out run.json",
    "export myrinet FILE --out network",
    "import myrinet FILE --out cluster.toml",
]


@pytest.mark.parametrize(
    "command",
    [*ABOUT_A_FILE, *(pytest.param(words, marks=pytest.mark.verify) for words in ALIKE)],
)
def test_a_missing_file_is_told_before_anything_heavy_is_imported(command: str) -> None:
    heavy = (*HEAVY, "numpy", "pyarrow", "rich", "tailback.machines", "tailback._engine")
    done = imported_by(heavy, AT_THE_END, *command.replace("FILE", "nothing.toml").split())
    assert (done.returncode, done.stdout.strip()) == (2, "[]")
    assert done.stderr.strip() == "error: nothing.toml: no such file"


SINCE_311 = {
    "enum": {"StrEnum", "ReprEnum", "verify", "member", "nonmember"},
    "typing": {
        "Self",
        "LiteralString",
        "Never",
        "assert_never",
        "assert_type",
        "dataclass_transform",
    },
    "datetime": {"UTC"},
    "contextlib": {"chdir"},
}


@pytest.mark.verify
@pytest.mark.parametrize("folder", ["python", "studies", "benches", "tests"])
def test_what_python_310_lacks_comes_from_one_module(folder: str) -> None:
    for path in sorted((ROOT / folder).rglob("*.py")):
        if path.name == "since311.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = {alias.name for alias in getattr(node, "names", []) if hasattr(alias, "name")}
            if isinstance(node, ast.Import):
                assert "tomllib" not in names, path
            elif isinstance(node, ast.ImportFrom):
                assert not names & SINCE_311.get(node.module or "", set()), path


def test_the_script_of_pages_is_that_of_the_locked_plotly() -> None:
    [locked_plotly] = locked()["plotly"]
    if locked_plotly.specifier.contains(metadata.version("plotly")):
        theirs = metadata.distribution("plotly").locate_file("plotly/package_data/plotly.min.js")
        ours = ROOT / "python" / "tailback" / "plotly_js" / "plotly.min.js.gz"
        content = gzip.decompress(ours.read_bytes())
        assert content == Path(str(theirs)).read_bytes(), "make lock copies it"
    assert "MIT License" in (ROOT / "python/tailback/plotly_js/LICENSE.txt").read_text()
