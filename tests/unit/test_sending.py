"""Results that are sent on: run again from their folder alone, continued, packed, checked."""

from __future__ import annotations

import io
import json
import os
import shutil
import stat
import zipfile
from pathlib import Path

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.sending import asked
from tailback.sending.asked import keep, kept_in
from tailback.sending.packs import is_pack, pack, unpack, unpacked
from tailback.sweeps.running import SweepRun
from tests.commands import tailback
from tests.stores import Here

MESH = "[machine]\ntopology.kind = 'mesh'\ntopology.dims = [2, 2]\n"

PROGRAM = """
import os
from pathlib import Path
import helper

HERE = (Path(__file__).parent / "near.txt").read_text().strip()
with open("far.txt") as file:
    FAR = file.read().strip()

async def program(node):
    if node.number == 0:
        for size in (HERE, FAR, helper.SIZE, LAST):
            await node.send(1, size)
    elif node.number == 1:
        for _ in range(4):
            (await node.receive()).release()

LAST = os.environ["SIZE_OF_ALL"]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with an experiment of each kind of input, some of it outside and by full paths."""
    home = tmp_path / "home"
    for name in ("project", "data", "far/away"):
        (home / name).mkdir(parents=True)
    (home / "data" / "net.edgelist").write_text("0 1\n1 2\n2 3\n3 0\n")
    for rank in range(2):
        other = 1 - rank
        calls = [f"{rank} send {other} 0 500 1", f"{rank} recv {other} 0 500 1"]
        lines = "\n".join(calls if rank == 0 else calls[::-1]) + "\n"
        (home / "far" / "away" / f"rank{rank}.txt").write_text(lines)
    ranks = [home / "far" / "away" / f"rank{rank}.txt" for rank in range(2)]
    (home / "project" / "list.txt").write_text("".join(f"{rank}\n" for rank in ranks))
    graph = "[machine]\ntopology.kind = 'graph'\ntopology.file = '../data/net.edgelist'\n"
    graph += "topology.nodes_per_switch = 1\nrouting.allow_deadlock = true\n"
    trace = "[workload]\nkind = 'trace'\nfile = 'list.txt'\n"
    (home / "project" / "graph.toml").write_text(f"{graph}{trace}[sweep]\nseeds = 2\n")
    (home / "project" / "ring.py").write_text(PROGRAM)
    (home / "project" / "near.txt").write_text("10 B\n")
    (home / "project" / "helper.py").write_text("SIZE = '300 B'\n")
    (home / "elsewhere").mkdir()
    (home / "elsewhere" / "far.txt").write_text("2000 B\n")
    program = "[workload]\nkind = 'python'\nfile = 'ring.py'\n"
    (home / "project" / "ring.toml").write_text(f"{MESH}{program}[sweep]\nseeds = 2\n")
    for size in (10, 5000):
        goal = (
            f"num_ranks 2\nrank 0 {{\nsend {size}b to 1\n}}\nrank 1 {{\nrecv {size}b from 0\n}}\n"
        )
        (home / "project" / f"pair{size}.goal").write_text(goal)
    absolute = home / "project" / "pair5000.goal"
    (home / "project" / "files.toml").write_text(
        f"{MESH}[workload]\nkind = 'trace'\nformat = 'goal'\n"
        f"[sweep]\nworkload.file = ['pair10.goal', '{absolute}']\n"
    )
    job = "[[job]]\nname = '{0}'\nshare = 2\nworkload = {{kind = 'trace', file = 'pair{1}.goal'}}\n"
    (home / "project" / "jobs.toml").write_text(MESH + job.format("a", 10) + job.format("b", 5000))
    return home


CASES = {
    "single run": ("run", "graph.toml"),
    "cost of a program": ("cost", "ring.toml", "--modes", "throttled", "--packets"),
    "jobs": ("run", "jobs.toml", "--set", "job.a.start=1 us"),
    "blame": ("blame", "jobs.toml", "--top", "3"),
}

SWEPT = {
    "graph and list of ranks": ("sweep", "graph.toml"),
    "program": ("sweep", "ring.toml"),
    "files of a sweep": ("sweep", "files.toml"),
}


def swept(file: Path, out: Path) -> None:
    """Run a sweep in this process."""
    SweepRun(tb.Sweep.load(file), out).run(Here())


@pytest.mark.verify
@pytest.mark.parametrize("words", SWEPT.values(), ids=SWEPT)
def test_a_sweep_that_was_moved_gives_the_same_bytes_without_the_originals(
    project: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    is_the_same_elsewhere(project, tmp_path, words)


@pytest.mark.parametrize("words", CASES.values(), ids=CASES)
def test_a_folder_that_was_moved_gives_the_same_bytes_without_the_originals(
    project: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    is_the_same_elsewhere(project, tmp_path, words)


def is_the_same_elsewhere(project: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    """Check that a folder of results can be run again when all it was made from is gone."""
    command, file, *options = words
    given = (command, f"../project/{file}", *options, "--out", "../results")
    made = tailback(*given, cwd=project / "elsewhere", env={"SIZE_OF_ALL": "70 B"})
    assert made.returncode == 0, made.stderr
    moved = tmp_path / "moved"
    (project / "results").rename(moved)
    shutil.rmtree(project)
    again = tailback("rerun", moved, "--check", cwd=tmp_path)
    assert (again.returncode, again.stdout.count("are the same.")) == (0, 1), again
    kept = moved / "asked"
    assert len(list(kept.iterdir())) == 1
    assert str(project) not in "".join(
        path.read_text(errors="replace") for path in kept.rglob("*") if path.is_file()
    ).replace(str(project / "elsewhere"), "")


def test_a_sweep_goes_on_from_its_folder_and_from_a_pack(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    env = {"SIZE_OF_ALL": "70 B"}
    given = ("sweep", "../project/ring.toml", "--out", out, "--jobs", 1)
    made = tailback(*given, cwd=project / "elsewhere", env=env)
    assert made.returncode == 0, made.stderr
    shutil.rmtree(project)
    _, second = sorted((out / "points").iterdir())
    whole = second.read_bytes()
    second.unlink()
    (out / "runs.parquet").unlink()
    assert tailback("pack", out, "--out", tmp_path / "results.zip").returncode == 0
    went_on = tailback("sweep", out, "--jobs", 1)
    assert went_on.stdout.startswith("2 of 2 points finished, 1 of them before.")
    assert second.read_bytes() == whole
    assert len(list((out / "asked").iterdir())) == 1
    assert len(list((out / "sweeps").iterdir())) == 1
    refused = tailback("sweep", tmp_path / "results.zip")
    assert refused.stderr == "error: --out: must be given: a pack is not written to\n"
    other = tmp_path / "other"
    from_pack = tailback("sweep", tmp_path / "results.zip", "--out", other, "--jobs", 1)
    assert from_pack.stdout.startswith("2 of 2 points finished, 1 of them before.")
    assert (other / "points" / second.name).read_bytes() == whole


def test_commands_open_packs(project: Path, tmp_path: Path) -> None:
    out, packed = tmp_path / "results", tmp_path / "results.zip"
    swept(project / "project" / "files.toml", out)
    assert tailback("pack", out).stdout.startswith(f"{packed}: ")
    first = packed.read_bytes()
    assert tailback("pack", out).returncode == 0
    assert packed.read_bytes() == first
    assert tailback("table", packed).stdout == tailback("table", out).stdout
    assert tailback("plot", packed, "--out", tmp_path / "a.svg").returncode == 0
    assert tailback("report", packed).stdout == f"{tmp_path / 'results.html'}\n"
    assert tb.table(packed).equals(tb.table(out))


def test_the_check_says_which_bytes_differ(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    assert tailback("run", project / "project" / "jobs.toml", "--out", out).returncode == 0
    manifest = json.loads((out / "manifest.json").read_text())
    (out / "manifest.json").write_text(json.dumps({**manifest, "events": 1}, indent=2) + "\n")
    (out / "full" / "samples.parquet").unlink()
    shutil.copy(out / "full" / "nodes.parquet", out / "full" / "channels.parquet")
    checked = tailback("rerun", out, "--check")
    assert checked.returncode == 1
    lines = checked.stdout.splitlines()
    assert lines[0].startswith("  full/channels.parquet: differs in ")
    assert lines[1:] == [
        "  manifest.json: differs in events",
        "  full/samples.parquet: was not there",
        f"{out}: 3 of 6 files differ.",
    ]


def test_a_file_too_large_to_be_copied_is_named_by_size_and_hash(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asked, "MOST_BYTES", 100)
    file = project / "project" / "files.toml"
    big = project / "project" / "big.goal"
    text = (project / "project" / "pair10.goal").read_text()
    big.write_text(f"{text}// {'x' * 100}\n")
    file.write_text(file.read_text().replace("pair10", "big"))
    sweep = tb.Sweep.load(file)
    keep(tmp_path, sweep.asked(), ["sweep"], [point.experiment for point in sweep.points()])
    (place,) = (tmp_path / "asked").iterdir()
    with pytest.raises(UserError) as caught:
        kept_in(tmp_path)
    told = f"is missing: put the file of {big.stat().st_size} bytes with SHA-256 "
    assert str(caught.value).startswith(f"{place / 'big.goal'}: {told}")
    # A pack is opened in a folder that is gone when the command ends: nothing can be put there.
    pack(tmp_path, packed := tmp_path.with_name("sent.zip"))
    again = tailback("rerun", packed, "--check")
    assert again.stderr.startswith(f"error: {packed}: asked/{place.name}/big.goal: {told}")
    cure = f" there after `python -m zipfile -e {packed} DIR`, and give DIR\n"
    assert (again.returncode, again.stderr.endswith(cure)) == (2, True)
    shutil.copy(big, place / "big.goal")
    assert kept_in(tmp_path)[0].words == ("sweep",)
    (place / "big.goal").write_text("x" * big.stat().st_size)
    with pytest.raises(UserError, match="is not the file that was used"):
        kept_in(tmp_path)


def test_a_function_given_itself_cannot_be_sent(tmp_path: Path) -> None:
    async def program(node: tb.programs.Node) -> None:
        await node.compute("1 us")

    description = {"workload": {"kind": "python", "function": program}, "sweep": {"seeds": 1}}
    sweep = tb.Sweep.from_dict(description)
    keep(tmp_path, sweep.asked(), ["sweep"], [point.experiment for point in sweep.points()])
    for words in (["rerun", tmp_path, "--check"], ["sweep", tmp_path]):
        again = tailback(*words)
        assert again.returncode == 2
        assert "cannot be run again: workload.function is program, a function" in again.stderr


def test_who_asks_results_for_more_is_told_where_their_experiment_is(tmp_path: Path) -> None:
    (tmp_path / "mesh.toml").write_text(f"{MESH}[workload]\nkind = 'fan_in'\n")
    assert tailback("run", "mesh.toml", "--out", "results", cwd=tmp_path).returncode == 0
    assert tailback("pack", "results", cwd=tmp_path).returncode == 0
    (place,) = (tmp_path / "results" / "asked").iterdir()
    inside = f"asked/{place.name}/mesh.toml"
    for name, where in (
        ("results", f"their experiment is results/{inside}"),
        (
            "results.zip",
            f"`python -m zipfile -e results.zip DIR` gives their experiment, DIR/{inside}",
        ),
    ):
        asked_more = tailback("blame", name, cwd=tmp_path)
        assert (asked_more.returncode, asked_more.stderr) == (
            2,
            f"error: {name}: holds results; {where}\n",
        )
    (tmp_path / "empty").mkdir()
    assert "is a directory" in tailback("blame", "empty", cwd=tmp_path).stderr
    # Ports are counted in what is there.
    counted = [tailback("counters", name, cwd=tmp_path) for name in ("results", "results.zip")]
    assert counted[0].returncode == 0
    assert counted[0].stdout == counted[1].stdout


def test_the_page_of_look_belongs_to_its_folder(tmp_path: Path) -> None:
    (tmp_path / "mesh.toml").write_text(f"{MESH}[workload]\nkind = 'fan_in'\n")
    done = tailback("look", "mesh.toml", "--out", "results", cwd=tmp_path)
    assert "page: results/look.html" in done.stdout
    assert (tmp_path / "results" / "look.html").is_file()
    again = tailback("rerun", "results", "--check", cwd=tmp_path)
    assert (again.returncode, again.stdout.rpartition("results: ")[2][:3]) == (0, "all")
    kept = tailback("rerun", "results", "--out", "again", cwd=tmp_path)
    assert kept.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "mesh.toml", "results"]
    assert (tmp_path / "again" / "look.html").is_file()


def test_a_folder_of_an_older_version_is_read_and_says_that_it_keeps_nothing(
    project: Path, tmp_path: Path
) -> None:
    out = tmp_path / "results"
    swept(project / "project" / "files.toml", out)
    shutil.rmtree(out / "asked")
    assert tailback("table", out).returncode == 0
    again = tailback("rerun", out, "--check")
    assert again.returncode == 2
    assert again.stderr == (
        f"error: {out}: keeps no experiment (no folder asked): an older version made it\n"
    )


# --- What somebody may have made on purpose


def zipped(path: Path, names: dict[str, bytes], kind: int = 0) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in names.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (kind or stat.S_IFREG | 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return path


@pytest.mark.parametrize(
    "name", ["../out", "/tmp/out", "a/../../out", "..\\out", "C:/out", "a/\\..\\out", ".."]
)
def test_names_that_lead_out_of_a_pack_are_refused(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "a.zip", {"store.json": b"{}", name: b"x"})
    with pytest.raises(UserError, match="leads out of its folder"):
        unpacked(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.zip"]


def test_links_bombs_and_rubbish_are_refused(tmp_path: Path) -> None:
    link = zipped(tmp_path / "link.zip", {"points": b"/etc"}, stat.S_IFLNK | 0o777)
    with pytest.raises(UserError, match="is a link or encrypted"):
        unpacked(link)
    bomb = zipped(tmp_path / "bomb.zip", {"a": bytes((1 << 28) + 1)})
    with pytest.raises(UserError, match="would expand to 268435457 bytes"):
        unpacked(bomb)
    content = zipped(tmp_path / "whole.zip", {"a": os.urandom(5000)}).read_bytes()
    for at in (40, 2000):
        damaged = tmp_path / f"damaged{at}.zip"
        damaged.write_bytes(content[:at] + bytes([content[at] ^ 255]) + content[at + 1 :])
        with pytest.raises(UserError, match=r"is damaged|no pack|cannot be opened"):
            unpacked(damaged)
    cut = tmp_path / "cut.zip"
    cut.write_bytes(content[:3000])
    with pytest.raises(UserError, match="is damaged"):
        unpacked(cut)


def test_a_pack_that_says_less_than_it_holds_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a": bytes(100_000)})
    content = bytearray(path.read_bytes())
    size = (100_000).to_bytes(4, "little")
    while (at := content.find(size)) >= 0:
        content[at : at + 4] = (10).to_bytes(4, "little")
    path.write_bytes(content)
    (tmp_path / "out").mkdir()
    with pytest.raises(UserError, match="is damaged"):
        unpack(path, tmp_path / "out")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"experiment": "../../../other.toml"}, "leads out of the folder"),
        ({"files": [{"name": "/etc/passwd", "bytes": 1, "sha256": ""}]}, "leads out of the folder"),
        ({"command": ["sweep", "--out", "/tmp/x"]}, "is no option of sweep that is kept"),
        ({"command": ["run", "--plot", "x.svg"]}, "is no option of run that is kept"),
        ({"command": ["report"]}, "is no command that is run again"),
        ({"command": []}, "is not the question of a folder of results"),
        ({"version": 2}, "is not the question of a folder of results"),
    ],
)
def test_a_question_that_somebody_has_changed_is_refused(
    project: Path, tmp_path: Path, change: dict[str, object], told: str
) -> None:
    sweep = tb.Sweep.load(project / "project" / "files.toml")
    keep(tmp_path, sweep.asked(), ["sweep"], [point.experiment for point in sweep.points()])
    (path,) = (tmp_path / "asked").glob("*/question.json")
    changed = json.loads(path.read_text()) | change
    path.write_text(json.dumps(changed))
    # Whoever changes it on purpose gives the folder the name that belongs to it, too.
    text = (path.parent / "files.toml").read_bytes()
    path.parent.rename(path.parent.with_name(asked._name_of(changed, text)))
    again = tailback("rerun", tmp_path, "--check")
    assert again.returncode == 2
    assert told in again.stderr
    assert again.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["question.json", "files.toml", "pair10.goal"])
def test_a_damaged_question_is_refused_and_kept_again(
    project: Path, tmp_path: Path, name: str
) -> None:
    sweep = tb.Sweep.load(project / "project" / "files.toml")

    def kept() -> Path:
        keep(tmp_path, sweep.asked(), ["sweep"], [point.experiment for point in sweep.points()])
        (path,) = (tmp_path / "asked").glob(f"*/**/{name}")
        return path

    whole = kept().read_bytes()
    kept().write_bytes(whole + b"#")
    with pytest.raises(UserError, match="is not"):
        kept_in(tmp_path)
    assert kept().read_bytes() == whole
    assert len(kept_in(tmp_path)) == 1


def test_versions_that_have_changed_are_noticed_and_kept_again(
    project: Path, tmp_path: Path
) -> None:
    sweep = tb.Sweep.load(project / "project" / "files.toml")

    def kept() -> Path:
        keep(tmp_path, sweep.asked(), ["sweep"], [point.experiment for point in sweep.points()])
        (path,) = (tmp_path / "asked").glob("*/question.json")
        return path

    whole = kept().read_bytes()
    kept().write_bytes(whole.replace(b'"python": "3', b'"python": "2'))
    again = tailback("rerun", tmp_path, "--check")
    assert again.stderr.endswith("is not as it was written\n")
    assert kept().read_bytes() == whole


def test_no_pack_is_taken_for_one(tmp_path: Path) -> None:
    for content in (b"", b"PK", b"PAR1"):
        (tmp_path / "a").write_bytes(content)
        assert not is_pack(tmp_path / "a")
    assert not is_pack(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_text("a")
    assert pack(tmp_path / "folder", tmp_path / "p.zip") == 1
    assert zipfile.ZipFile(io.BytesIO((tmp_path / "p.zip").read_bytes())).namelist() == ["a.txt"]
