"""What users give by mistake, and by malice: one line, exit code 2, nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tailback import errors
from tailback.errors import UserError
from tailback.execution import Display
from tailback.files import write_durably
from tailback.report import of_store
from tests.in_process import invoked
from tests.stores import small_store, swept

MACHINE = """
[machine]
preset = "t9000_c104"
topology.dims = [2, 2]
"""
BUTTERFLY = """
[machine]
topology.kind = "butterfly"
topology.arity = 2
topology.stages = 2
routing.kind = "table"
"""
SHORT = """
[workload]
sync = "asynchronous"
radius = 1
[run]
duration = "20 us"
"""
PROGRAM = """
[workload]
kind = "python"
file = "p.py"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.toml").write_text(MACHINE + SHORT)
    return tmp_path


def mistake(*arguments: str) -> str:
    """Return the one line that a command says."""
    done = invoked(*arguments)
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ")
    assert line.isprintable()
    return line.removeprefix("error: ")


def launched(*arguments: str, stdout: int | None = subprocess.PIPE, **more: str) -> tuple[int, str]:
    """Run a command in a process of its own; return its exit code and standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "tailback", *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=os.environ | more,
        check=False,
    )
    return done.returncode, done.stderr.decode()


PROGRAMS = {
    "BaseException": "async def program(node):\n    raise BaseException('no')",
    "GeneratorExit": "async def program(node):\n    raise GeneratorExit",
    "E": "class E(Exception):\n    def __str__(self): return 1 / 0\n"
    "async def program(node):\n    raise E",
    "must be written": "async def program(node):\n    yield 1",
    "SystemExit": "raise SystemExit\nasync def program(node): pass",
    "MemoryError": "async def program(node):\n    raise MemoryError",
    "has no function program": "async def program(node): pass\ndel program",
    "send.size": "async def program(node):\n    await node.send(1 - node.number, 10**30)",
    "must be 0 to": "async def program(node):\n    node.send(0, '1 B', type=10**30)",
}

NOTE = "note: p.py is a program in Python and is run; --no-code refuses it"


class TestPrograms:
    @pytest.mark.parametrize("told", PROGRAMS)
    @pytest.mark.parametrize("json", [False, True])
    def test_any_exception_is_one_line(self, folder: Path, told: str, json: bool) -> None:
        (folder / "p.toml").write_text(MACHINE + PROGRAM)
        (folder / "p.py").write_text(PROGRAMS[told])
        done = invoked("run", "p.toml", *(["--json"] if json else []))
        assert done.exit_code == 2
        note, line = done.stderr.splitlines()
        assert note == NOTE
        assert told in line

    @pytest.mark.parametrize(
        "text",
        [
            "async def program(node):\n    await node.receive().bytes(10**30)",
            "async def program(node):\n    try:\n        await node.receive()\n"
            "    finally:\n        raise BaseException('late')",
        ],
        ids=["bytes", "finally"],
    )
    def test_a_deadlock_stays_one(self, folder: Path, text: str) -> None:
        (folder / "p.toml").write_text(MACHINE + PROGRAM)
        (folder / "p.py").write_text(text)
        done = invoked("run", "p.toml")
        assert done.exit_code == 3
        deadlock = "error: deadlock at 0 ns: process 0 on node 0"
        assert done.stderr.startswith(f"{NOTE}\n{deadlock}")

    def test_what_it_prints_is_not_the_answer(self, folder: Path) -> None:
        (folder / "p.toml").write_text(MACHINE + PROGRAM)
        (folder / "p.py").write_text("async def program(node):\n    print('aside')")
        for command in ("run", "cost", "blame"):
            done = invoked(command, "p.toml", "--json")
            assert isinstance(json.loads(done.stdout), dict)
            assert "aside" in done.stderr
        assert "aside" in invoked("run", "p.toml").stdout


class TestNames:
    @pytest.mark.parametrize("name", ["x" * 300, "a\x1b[31mb", "\udcff", "", "a\u202eb"])
    def test_of_experiments(self, folder: Path, name: str) -> None:
        mistake("run", name)

    @pytest.mark.parametrize("command", ["table", "report"])
    @pytest.mark.parametrize("name", ["x" * 300, "a\x1b[31mb", "\udcff"])
    def test_of_stores(self, folder: Path, command: str, name: str) -> None:
        mistake(command, name)

    @pytest.mark.parametrize(
        "command",
        [("run", "--out"), ("sweep", "--out"), ("blame", "--html"), ("describe", "--plot")],
    )
    def test_of_what_is_written(self, folder: Path, command: tuple[str, str]) -> None:
        (folder / "e.toml").write_text(MACHINE + SHORT + "[sweep]\nseeds = 1\n")
        name, option = command
        assert mistake(name, "e.toml", option, "x" * 300).startswith(f"{option} = xxx")

    @pytest.mark.parametrize("place", [".", "/", "there", "none/page.html"])
    @pytest.mark.parametrize("command", [("blame", "--html"), ("describe", "--plot")])
    def test_of_pages(self, folder: Path, command: tuple[str, str], place: str) -> None:
        (folder / "there").mkdir()
        name, option = command
        assert mistake(name, "e.toml", option, place).startswith(f"{option} = {place}: ")

    def test_of_the_report_is_looked_at_first(self, folder: Path) -> None:
        assert mistake("report", "none", "--out", ".").startswith("--out = .: is a folder")
        assert mistake("table", "none", "--out", ".").startswith("--out = .: is a folder")

    def test_of_pages_are_looked_at_before_the_run(self, folder: Path) -> None:
        (folder / "e.toml").write_text(MACHINE + SHORT.replace("20 us", "100000 s"))
        mistake("blame", "e.toml", "--html", ".")

    def test_a_key_of_any_length(self, folder: Path) -> None:
        (folder / "e.toml").write_text(f"[run]\n{'9' * 5000} = 1\n")
        assert len(mistake("run", "e.toml")) < 1000

    def test_a_key_without_a_name(self, folder: Path) -> None:
        (folder / "e.toml").write_text(MACHINE + '"" = 1\n')
        assert mistake("run", "e.toml").startswith('machine."": unknown key')
        (folder / "e.toml").write_text('"" = 1\n')
        assert mistake("run", "e.toml").startswith('"": ')


ESCAPES = r"""
[machine]
topology.kind = "graph"
topology.file = "net.edgelist"
topology.nodes_per_switch = 1
routing.kind = "shortest"
routing.allow_deadlock = true
[workload]
sync = "asynchronous"
compute_period = "3 us"
[run]
duration = "20 us"
blame = true
title = "T \u001b]0;pwned\u0007 \u202e \u009b2J"
[sweep]
seeds = 1
run.title = ["\u001b]0;pwned\u0007", "\u202eb"]
"""


class TestEscapeSequences:
    @pytest.mark.parametrize(
        "line",
        [
            "describe e.toml",
            "run e.toml",
            "cost e.toml",
            "blame e.toml",
            "flows e.toml",
            "saturate e.toml --tolerance 0.5",
            "table results",
            "table results --fields title,theta_r",
            "report results",
            "plot results --out plot.svg",
        ],
    )
    def test_do_not_reach_the_terminal(self, folder: Path, line: str) -> None:
        # A name of a switch that would clear the screen.
        (folder / "net.edgelist").write_text("a b {}\nb \x1b[2Jc {}\n\x1b[2Jc a {}\n")
        (folder / "e.toml").write_text(ESCAPES)
        if "results" in line:
            swept(folder / "results", ESCAPES)
        done = invoked(*line.split())
        assert done.exit_code in (0, 2), done.output
        for shown in (done.stdout, done.stderr):
            assert shown.replace("\n", "").isprintable()

    def test_of_a_failed_point_do_not_reach_it_either(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with Display("points", 1, 1) as display:
            display.finished(problem="\x1b[2J: no")
        assert capsys.readouterr().err == "failed: \\x1b[2J: no\n"


class TestPipesAndDevices:
    @pytest.mark.parametrize(
        "words", ["report none --out {}", "table none --out {}", "blame e.toml --html {}"]
    )
    def test_are_not_replaced_by_files(self, folder: Path, words: str) -> None:
        pipe = folder / "pipe"
        os.mkfifo(pipe)
        assert "is a device or a pipe" in mistake(*words.format(pipe).split())
        assert pipe.is_fifo()

    def test_are_not_replaced_by_what_a_store_or_a_run_writes(self, folder: Path) -> None:
        os.mkfifo(folder / "pipe")
        with pytest.raises(OSError, match="is a device or a pipe"):
            write_durably(folder / "pipe", b"")

    def test_a_link_stays_one(self, folder: Path) -> None:
        link = folder / "page.html"
        (folder / "there").mkdir()
        link.symlink_to("there/page.html")
        invoked("blame", "e.toml", "--html", str(link))
        assert link.is_symlink()
        assert "<html" in (folder / "there" / "page.html").read_text()

    @pytest.mark.parametrize("command", ["run", "describe", "import booksim"])
    def test_a_device_is_not_read(self, folder: Path, command: str) -> None:
        assert mistake(*command.split(), "/dev/zero") == "/dev/zero: is a device, not a file"

    def test_a_network_on_a_device_is_not_read(self, folder: Path) -> None:
        (folder / "e.toml").write_text(
            '[machine]\ntopology.kind = "graph"\ntopology.format = "anynet"\n'
        )
        line = mistake("describe", "e.toml", "--set", "machine.topology.file='/dev/zero'")
        assert "/dev/zero: is a device, not a file" in line

    @pytest.mark.parametrize("command", ["table", "report"])
    def test_are_no_results(self, folder: Path, command: str) -> None:
        os.mkfifo(folder / "pipe")
        for path in (str(folder / "pipe"), "/dev/null"):
            told = mistake(*command.split(), path)
            assert told == f"{path}: is neither a folder of results nor a pack"

    def test_of_a_pipe_so_much_is_read(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(errors, "MOST_PIPED", 1 << 20)
        pipe = folder / "pipe"
        os.mkfifo(pipe)
        for size, told in ((1000, ""), (1 << 21, "is a pipe with more than 1 MiB")):
            with subprocess.Popen(["sh", "-c", f"head -c {size} /dev/zero > pipe"]):
                if told:
                    with pytest.raises(UserError, match=told):
                        errors.read_bytes(pipe)
                else:
                    assert errors.read_bytes(pipe) == bytes(size)


class TestNumbers:
    @pytest.mark.parametrize(
        "bound", [("--high", "1e-300"), ("--low", "1e300"), ("--high", "1e-9")]
    )
    def test_loads_that_no_period_has(self, folder: Path, bound: tuple[str, str]) -> None:
        (folder / "e.toml").write_text(MACHINE + SHORT.replace('duration = "20 us"', ""))
        assert bound[0].removeprefix("--") in mistake("saturate", "e.toml", *bound)

    @pytest.mark.parametrize(
        "line",
        [
            "blame e.toml --top {}",
            "explain p.toml --faster links:{}",
            "explain p.toml --faster compute:{}",
            "explain l.toml --faster L:{}",
            "run e.toml --seed {}",
            "schedule 3x3 --group {}",
            "schedule 3x3 --order naive_random --seed {}",
            "sweep e.toml --out s --jobs {}",
            "table results --limit {}",
        ],
    )
    def test_of_any_size_are_taken_or_refused(self, folder: Path, line: str) -> None:
        finite = '[workload]\nkind = "ring_allreduce"\nsize = "1 kB"\n'
        (folder / "p.toml").write_text(MACHINE + finite)
        (folder / "l.toml").write_text('[machine.loggops]\nlatency = "1 us"\n' + finite)
        if "results" in line:
            small_store(folder / "results", {"workload.compute_period": ["1 us"]}, modes=["full"])
        for number in (f"1{'0' * 30}", f"-1{'0' * 30}", "1e-300", "1e300", "nan", str(2**63)):
            assert invoked(*line.format(number).split()).exit_code in (0, 2)

    def test_jobs_are_counted_before_they_are_started(self, folder: Path) -> None:
        (folder / "e.toml").write_text(MACHINE + SHORT + "[sweep]\nseeds = 1\n")
        line = mistake("sweep", "e.toml", "--out", "s", "--jobs", "100000000")
        assert line == "--jobs = 100000000: must be 1 to 4096"


class TestJson:
    def test_a_mistake_is_an_object_too(self, folder: Path) -> None:
        done = invoked("run", "e.toml", "--set", "machine.topology.dimms=[3]", "--json")
        assert done.exit_code == 2
        told = json.loads(done.stdout)
        assert told["error"] == "mistake"
        assert done.stderr == f"error: {told['text']}\n"
        assert {"field", "given", "allowed", "nearest"} <= told.keys()


@pytest.mark.verify
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs Linux")
class TestStreams:
    @pytest.mark.parametrize("json", [[], ["--json"]], ids=["table", "json"])
    def test_a_full_disk_behind_standard_output(self, folder: Path, json: list[str]) -> None:
        with open("/dev/full", "w") as full:
            code, stderr = launched("run", "e.toml", *json, stdout=full.fileno())
        assert code == 2
        assert stderr == "error: standard output: cannot be used: No space left on device\n"

    def test_a_terminal_that_knows_ascii_only(self, folder: Path) -> None:
        more = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
        assert launched("run", "e.toml", **more) == (0, "")
        assert launched("blame", "e.toml", **more) == (0, "")

    @pytest.mark.parametrize("closed", ["2>&-", ">&-", ">&- 2>&-"])
    def test_streams_that_are_closed(self, folder: Path, closed: str) -> None:
        command = f'"{sys.executable}" -m tailback run e.toml --out out {closed}'
        done = subprocess.run(command, shell=True, check=False, capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")
        assert json.loads((folder / "out" / "manifest.json").read_text())
        command = f'"{sys.executable}" -m tailback run none.toml 2>&-'
        done = subprocess.run(command, shell=True, check=False, capture_output=True)
        assert (done.returncode, done.stdout) == (2, b"")


PRESSED = """
import os, runpy, signal, sys

module = sys.argv.pop(1)

class Presses:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Presses())
runpy.run_module("tailback", run_name="__main__")
"""


@pytest.mark.parametrize("module", ["tailback.cli.single", "tailback.runner", "tailback.terminal"])
def test_ctrl_c_while_modules_are_imported_is_quiet(folder: Path, module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRESSED, module, "run", "e.toml"], check=False, capture_output=True
    )
    assert done.returncode == 130
    assert done.stdout == b""
    assert done.stderr in (b"", b"interrupted\n")


PRESSED_AT_LINE = """
import os, signal, sys

# Lines of ours that come first, those that let Ctrl-C end the command among them.
left = int(os.environ["LINES_BEFORE"])

def trace(frame, event, argument):
    global left
    if "tailback" not in frame.f_globals.get("__name__", ""):
        return None
    if event == "line":
        left -= 1
        if left == 0:
            sys.settrace(None)
            os.kill(os.getpid(), signal.SIGINT)
    return trace

sys.settrace(trace)
"""


@pytest.mark.parametrize("lines", [10, 30, 200, 1000])
@pytest.mark.parametrize("command", ["module", "script"])
def test_ctrl_c_is_quiet_from_the_first_lines(
    folder: Path, tmp_path: Path, lines: int, command: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(PRESSED_AT_LINE)
    (tmp_path / "tailback").write_text("from tailback.__main__ import main\nmain()\n")
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    words = {"module": ["-m", "tailback"], "script": [str(tmp_path / "tailback")]}[command]
    done = subprocess.run(
        [sys.executable, *words, "run", "e.toml"],
        env=os.environ | {"PYTHONPATH": paths, "LINES_BEFORE": str(lines)},
        check=False,
        capture_output=True,
    )
    assert (done.returncode, done.stdout) == (130, b"")
    assert done.stderr in (b"", b"interrupted\n")


def test_ctrl_c_stays_that_of_a_program_that_imports_us(tmp_path: Path) -> None:
    """`python -m` is called "-m" while it imports the packages around a module, of others too."""
    package = tmp_path / "program"
    package.mkdir()
    (package / "__init__.py").write_text("import tailback\n")
    asks = "import signal\nprint(signal.getsignal(signal.SIGINT) is signal.default_int_handler)\n"
    (package / "main.py").write_text(asks)
    done = subprocess.run(
        [sys.executable, "-m", "program.main"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        check=False,
        capture_output=True,
    )
    assert done.stdout.strip() == b"True", done.stderr


class TestWords:
    """What Python says to programmers is nothing for users."""

    def test_of_a_key_that_no_value_here_gives_a_meaning(self, folder: Path) -> None:
        (folder / "e.toml").write_text(BUTTERFLY)
        line = mistake("describe", "e.toml", "--set", "machine.routing.root=0")
        assert line.startswith("machine.routing.root")

    @pytest.mark.parametrize("value", ["[]", "{}", "[[]]", "{a = 1}", "[{}]"])
    def test_of_lists_and_tables_where_words_are_needed(self, folder: Path, value: str) -> None:
        line = mistake("describe", "e.toml", "--set", f"machine.switch.switching={value}")
        assert line.startswith("machine.switch.switching = ")


@pytest.mark.parametrize("title", ["", " ", "\x1b[31m"])
def test_a_report_always_has_a_title(tmp_path: Path, title: str) -> None:
    store = small_store(tmp_path / "r", {"workload.compute_period": ["1 us"]}, modes=["full"])
    found = of_store.page_of(store, title).title
    assert found.isprintable()
    assert found.strip() != ""


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('topology.kind = "graph"', "machine.topology.file: must be given"),
        ('routing.kind = "table"', "machine.routing.file: must be given"),
        ("topology.kind = [1]", "machine.topology.kind = [1]: must be"),
        ("topology.kind = {}", "machine.topology.kind = {}: must be"),
        ('switch.integrated = true\nnode_link.rate = "8 Gbit/s"', "machine."),
    ],
)
def test_machines_that_no_class_can_be_made_of(folder: Path, table: str, told: str) -> None:
    for machine in ("", 'preset = "t9000_c104"\n'):
        (folder / "e.toml").write_text(f"[machine]\n{machine}{table}\n")
        assert mistake("describe", "e.toml").startswith(told)
