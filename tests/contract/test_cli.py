"""The command line as its users meet it: output, exit codes, one line per mistake."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.commands import tailback

SMALL = """
[machine]
preset = "t9000_c104"
topology.dims = [4, 4]
[workload]
radius = 2
compute_period = "5 us"
sync = "asynchronous_blocking"
[run]
duration = "2 ms"
"""

CIRCLE = """
[machine]
preset = "t9000_c104"
topology.dims = [2, 2]
[workload]
kind = "program"
[[workload.process]]
node = 0
sockets = [1]
steps = [{ receive = 0 }, { send = 1 }]
[[workload.process]]
node = 1
sockets = [0]
steps = [{ receive = 0 }, { send = 0 }]
"""


def answer(*arguments: str | Path) -> dict[str, Any]:
    done = tailback(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert isinstance(result, dict)
    return result


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def test_names_from_files_are_shown_as_they_are(tmp_path: Path) -> None:
    """Square brackets would be colours if names were taken for markup."""
    (tmp_path / "net.edges").write_text("halls[red] library\nlibrary [bold]x[/bold]\n")
    file = tmp_path / "net.toml"
    topology = '[machine.topology]\nkind = "graph"\nfile = "net.edges"\nnodes_per_switch = 1\n'
    file.write_text(topology + '[workload]\ncompute_period = "200 ns"\n[run]\nduration = "9 us"\n')
    for command in ("describe", "cost", "blame"):
        found = tailback(command, file)
        assert found.returncode == 0, found.stderr
        assert "halls[red]" in found.stdout


class TestCost:
    def test_json_has_what_is_promised(self, small: Path) -> None:
        cost = answer("cost", small, "--set", "run.baseline=endpoints")
        for theta in ("theta_t", "theta_r"):
            assert 0 < cost[theta]["low"] <= cost[theta]["value"] <= cost[theta]["high"]
        assert cost["baseline"] == "endpoints"
        assert list(cost["modes"]) == ["full", "endpoints", "free"]
        assert cost["theta_r"] == cost["theta_r_network"] != cost["theta_r_endpoints"]
        assert "theta_c" not in cost
        for mode in cost["modes"].values():
            for metric in (
                "messages_per_node_per_ms",
                "routed_lifetime_us",
                "routed_lifetime_data_us",
                "hops",
                "internal_utilisation",
            ):
                estimate = mode[metric]
                assert estimate["low"] <= estimate["value"] <= estimate["high"]
        assert cost["complete"] is True
        assert cost["seed"] == 1
        assert len(cost["identity"]) == 64
        waiting = cost["channels_waiting_most"]
        assert len(waiting) == 5
        assert waiting[0]["waiting_us"] >= waiting[4]["waiting_us"] > 0
        assert len(waiting[0]["from"]) == 2

    def test_the_same_bytes_twice_and_others_from_another_seed(self, small: Path) -> None:
        first, second = (tailback("cost", small, "--json").stdout for _ in range(2))
        assert first == second
        other = answer("cost", small, "--seed", "2")
        assert other["identity"] != json.loads(first)["identity"]
        assert other["theta_r"] != json.loads(first)["theta_r"]

    def test_modes_are_added_to_those_compared(self, small: Path) -> None:
        cost = answer("cost", small, "--modes", "ideal, free", "--set", "run.baseline=throttled")
        assert list(cost["modes"]) == ["full", "endpoints", "throttled", "free", "ideal"]
        assert cost["theta_r"] != cost["theta_r_network"]
        assert cost["modes"]["ideal"]["routed_lifetime_us"]["value"] is None

    def test_the_table(self, small: Path) -> None:
        done = tailback("cost", small)
        assert done.returncode == 0
        # Nothing but how far it is, on a slow machine.
        assert [line for line in done.stderr.splitlines() if " ms simulated" not in line] == []
        for word in ("theta_r ", "theta_t ", "message latency", "Where packets wait longest"):
            assert word in done.stdout
        whole = tailback("cost", small, "--full")
        for word in ("theta_r = ", "theta_t = ", "routed lifetime", "Where packets wait longest"):
            assert word in whole.stdout


class TestRun:
    def test_mode_and_overrides(self, small: Path) -> None:
        result = answer("run", small, "--set", "run.mode=free", "--set", "workload.radius=1")
        assert result["mode"] == "free"
        assert result["simulated_ms"] == 2
        assert result["parameters"]["workload"]["radius"] == 1
        assert result["internal_contention_us"]["value"] == 0

    def test_a_message_list_is_exact(self, examples: Path) -> None:
        result = answer("run", examples / "messages.toml")
        assert result["stop_reason"] == "finished"
        latency = result["message_latency_us"]
        assert latency["low"] == latency["value"] == latency["high"]

    def test_precision_ends_the_run(self, small: Path) -> None:
        done = answer("run", small, "--set", "run.duration=1 s", "--set", "run.precision=0.05")
        assert done["stop_reason"] == "precision"
        assert done["converged"]
        assert done["simulated_ms"] < 1000

    def test_limits_are_told(self, small: Path) -> None:
        done = answer(
            "run", small, "--set", "run.precision=0.0001", "--set", "run.max_events=20000"
        )
        assert done["stop_reason"] == "max_events"
        assert done["converged"] is False
        assert done["events"] >= 20000


class TestOut:
    def test_tables_and_manifest(self, small: Path, tmp_path: Path) -> None:
        out = tmp_path / "out"
        cost = answer("cost", small, "--out", out, "--packets")
        manifest = json.loads((out / "manifest.json").read_text())
        assert manifest.items() >= cost.items()
        assert manifest["parameters"]["machine"]["topology"]["dims"] == [4, 4]
        for mode in ("full", "endpoints", "free"):
            for path in manifest["files"][mode]:
                pq.read_table(out / path)
        nodes = pq.read_table(out / "full" / "nodes.parquet")
        assert nodes.num_rows == 16
        packets = pq.read_table(out / "full" / "packets.parquet")
        assert packets.num_rows == sum(
            sum(nodes[f"packets_delivered_{kind}"].to_pylist()) for kind in ("data", "ack")
        )

    def test_refused_before_anything_runs(self, small: Path, tmp_path: Path) -> None:
        out = tmp_path / "out"
        assert tailback("run", small, "--out", out).returncode == 0
        done = tailback("run", small, "--seed", "2", "--out", out)
        assert done.returncode == 2
        assert "nothing is overwritten" in done.stderr

    @pytest.mark.parametrize("command", ["run", "look", "sweep"])
    def test_a_folder_is_not_called_like_a_file(
        self, command: str, small: Path, tmp_path: Path
    ) -> None:
        out = tmp_path / "page.html"
        done = tailback(command, small, "--out", out)
        told = f"--out = {out}: is a folder of results, whose name must not end in .html"
        assert (done.returncode, done.stderr) == (2, f"error: {told}\n")
        assert not out.exists()

    def test_packets_need_a_folder(self, small: Path) -> None:
        done = tailback("run", small, "--packets")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)


class TestDescribe:
    def test_known_sizes(self, examples: Path) -> None:
        told = answer("describe", examples / "tweedie.toml")
        assert told["nodes"] == told["switches"] == 256
        assert told["internal_channels"] == 2 * 2 * 15 * 16
        assert told["bisection_channels"] == 2 * 16
        assert told["mean_hops"] == pytest.approx(9.48, abs=0.01)
        assert told["zero_load_ack_us"] == pytest.approx(0.99, abs=0.01)
        assert told["exact"] is True
        assert told["parameters"]["machine"]["switch"]["input_buffer"] == "70 B"

    def test_the_table(self, small: Path) -> None:
        done = tailback("describe", small)
        assert done.returncode == 0
        assert "mean hops" in done.stdout

    @pytest.mark.parametrize(
        "name",
        [
            "bandwidth",
            "boundary",
            "bursts",
            "campus",
            "deadlock",
            "hypercube",
            "hypercube_transports",
            "message_file",
            "patterns",
            "permutation",
            "ring",
            "wormhole_mesh",
        ],
    )
    def test_every_example(self, examples: Path, name: str) -> None:
        assert answer("describe", examples / f"{name}.toml")["nodes"] > 1

    def test_the_network_is_drawn(self, examples: Path, tmp_path: Path) -> None:
        page = tmp_path / "campus.html"
        assert answer("describe", examples / "campus.toml", "--plot", page)["switches"] == 5
        assert "switch 2 (library), 2 nodes" in page.read_text()


class TestMistakes:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["--set", "workload.raduis=3"], ["workload.raduis", "workload.radius"]),
            (["--set", "workload.compute_period=5"], ["workload.compute_period", "unit"]),
            (["--set", "workload.radius=9"], ["workload.radius"]),
            (
                ["--set", "machine.routing.kind=minimal"],
                ["machine.routing.kind", "dimension_order"],
            ),
            (["--set", "nonsense"], ["--set"]),
            (["--seed", "-1"], ["run.seed"]),
            (["--modes", "fulll"], ["did you mean", "full"]),
        ],
    )
    def test_are_one_line_and_exit_code_2(
        self, small: Path, arguments: Sequence[str], words: Sequence[str]
    ) -> None:
        done = tailback("cost", small, *arguments)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1
        for word in words:
            assert word in done.stderr

    def test_no_such_file(self, tmp_path: Path) -> None:
        done = tailback("run", tmp_path / "nowhere.toml")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)

    @pytest.mark.parametrize(
        ("line", "told"),
        [
            ("cost", "FILE: must be given; tailback cost --help says what it is"),
            ("cost --modees=a", "--modees: is no option of tailback cost; did you mean --modes?"),
            (
                "run e.toml --mode free",
                "--mode: is no option of tailback run; did you mean --set run.mode=free?",
            ),
            (
                "run e.toml --topology=mesh",
                "--topology: is no option of tailback run; "
                "did you mean --set machine.topology.kind=mesh?",
            ),
            (
                "blame e.toml --rate",
                "--rate: is no option of tailback blame; did you mean "
                "--set machine.link.rate=VALUE or --set machine.node_link.rate=VALUE?",
            ),
            ("table e --load 1", "--load: is no option of tailback table"),
            ("cots a.toml", "cots: is no command; did you mean cost?"),
            ("cost a.toml b.toml", "b.toml: is more than tailback cost takes"),
            ("cost a.toml --seed", "--seed: needs a value"),
            ("cost a.toml --seed one", '--seed = "one": must be a whole number'),
            ("cost a.toml --jobs=0", "--jobs = 0: must be at least 1"),
            (
                "table a --rows flow",
                '--rows = "flow": must be "runs", "flows" or "messages"; did you mean "flows"?',
            ),
        ],
    )
    def test_of_the_command_line_itself(self, line: str, told: str) -> None:
        done = tailback(*line.split())
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"error: {told}\n"

    def test_of_the_command_line_as_json(self) -> None:
        done = tailback("cost", "--json", "--nonsense")
        assert done.returncode == 2
        assert json.loads(done.stdout)["field"] == "--nonsense"

    def test_without_a_command_the_help_is_printed(self) -> None:
        done = tailback()
        assert (done.returncode, done.stdout) == (2, "")
        assert "Commands:" in done.stderr


class TestDeadlock:
    @pytest.fixture
    def circle(self, tmp_path: Path) -> Path:
        path = tmp_path / "circle.toml"
        path.write_text(CIRCLE)
        return path

    def test_names_who_waits(self, circle: Path) -> None:
        done = tailback("run", circle)
        assert done.returncode == 3
        assert done.stdout == ""
        assert done.stderr.startswith("error: deadlock at 0 ns")
        assert "process 1 on node 1" in done.stderr

    def test_in_json(self, circle: Path) -> None:
        done = tailback("cost", circle, "--json")
        assert done.returncode == 3
        told = json.loads(done.stdout)
        assert told["error"] == "deadlock"
        assert told["at_ns"] == 0
        assert [entry["who"] for entry in told["waiting"]] == [
            "process 0 on node 0",
            "process 1 on node 1",
        ]


@pytest.mark.verify
class TestInterruption:
    @pytest.mark.parametrize(("jobs", "modes"), [(1, ["full"]), (2, ["full", "endpoints"])])
    def test_leaves_what_was_measured(
        self, small: Path, tmp_path: Path, jobs: int, modes: list[str]
    ) -> None:
        out = tmp_path / "out"
        endless = ["--set", "run.duration=1000 s", "--set", "run.precision=0.00001"]
        command = [sys.executable, "-m", "tailback", "cost", str(small), *endless]
        command += ["--json", "--out", str(out), "--jobs", str(jobs)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stderr is not None
            process.stderr.readline()  # the first line of progress: it is running
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate()
        assert process.returncode == 130
        assert b"Traceback" not in errors
        told = json.loads(output)
        assert told["complete"] is False
        assert list(told["modes"]) == modes
        full = told["modes"]["full"]
        assert full["stop_reason"] == "interrupted"
        assert full["messages_per_node_per_ms"]["value"] > 0
        assert json.loads((out / "manifest.json").read_text())["complete"] is False


def test_version() -> None:
    done = tailback("--version")
    assert done.stdout.startswith("tailback 0.")


def test_schema_is_json() -> None:
    schema = json.loads(tailback("schema").stdout)
    assert set(schema["properties"]) == {"machine", "workload", "job", "fault", "run", "sweep"}


def test_help_waits_for_no_library() -> None:
    code = "import sys, tailback.cli.commands; print([m for m in sys.modules if m in HEAVY])"
    heavy = "HEAVY = {'numpy', 'pyarrow', 'pydantic', 'scipy', 'rich'}; "
    done = subprocess.run(
        [sys.executable, "-c", heavy + code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
