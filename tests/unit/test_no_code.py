"""Whether a file of somebody else runs code is said, and can be refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.sweeps import Sweep
from tests.commands import tailback

PROGRAM = """
from pathlib import Path
Path(__file__).with_name("executed").touch()

async def program(node):
    await node.compute("1 us")
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "ring.py").write_text(PROGRAM)
    machine = "[machine]\ntopology.kind = 'mesh'\ntopology.dims = [2, 2]\n"
    own = tmp_path / "own.toml"
    own.write_text(f"{machine}[workload]\nkind = 'python'\nfile = 'ring.py'\n[sweep]\nseeds = 1\n")
    jobs = tmp_path / "jobs.toml"
    job = "[[job]]\nname = 'a'\nworkload = {kind = 'python', file = 'ring.py'}\n"
    jobs.write_text(machine + job)
    return own, jobs


@pytest.mark.parametrize("command", ["cost", "sweep", "timeline"])
def test_a_program_in_python_is_refused_and_not_executed(
    files: tuple[Path, Path], tmp_path: Path, command: str
) -> None:
    out = {"sweep": ["--out", tmp_path / "out"], "timeline": ["--out", tmp_path / "a.json"]}
    for file in files:
        done = tailback(command, file, "--no-code", *out.get(command, []))
        assert done.returncode == 2
        assert done.stderr == (
            f"error: {tmp_path}/ring.py: "
            "is a program in Python, which is not run (--no-code, or code=False)\n"
        )
        assert not (tmp_path / "executed").exists()
        assert not (tmp_path / "out").exists()


def test_files_that_are_compared_may_run_code(files: tuple[Path, Path], tmp_path: Path) -> None:
    assert tailback("diff", files[1], files[1], "--no-code").returncode == 2
    assert not (tmp_path / "executed").exists()
    done = tailback("diff", files[1], files[1])
    assert (done.returncode, done.stderr) == (
        0,
        f"note: {tmp_path}/ring.py is a program in Python and is run; --no-code refuses it\n",
    )


def test_that_a_file_runs_code_is_said_once(files: tuple[Path, Path], tmp_path: Path) -> None:
    note = f"note: {tmp_path}/ring.py is a program in Python and is run; --no-code refuses it\n"
    assert tailback("run", files[0]).stderr == note
    assert tailback("cost", files[1]).stderr == note
    swept = tailback("sweep", files[0], "--out", tmp_path / "out", "--jobs", 1)
    assert swept.returncode == 0
    assert swept.stderr.startswith(note)
    assert swept.stderr.count(note) == 1


def test_python_functions_have_the_switch_too(files: tuple[Path, Path], tmp_path: Path) -> None:
    for file in files:
        with pytest.raises(UserError, match="is a program in Python, which is not run"):
            tb.load(file, code=False)
        assert tb.load(file).programs() == [str(tmp_path / "ring.py")]
    with pytest.raises(UserError, match="is a program in Python, which is not run"):
        list(Sweep.load(files[0], code=False).points())
    assert not (tmp_path / "executed").exists()
