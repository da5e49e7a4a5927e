"""The tables of the cookbook that hold published numbers beside ours: each of ours, run again."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
import shlex
from pathlib import Path

import pytest

import tailback as tb

PAGES = Path(__file__).resolve().parents[2] / "docs" / "cookbook"


def text_of(page: str) -> str:
    return (PAGES / f"{page}.md").read_text()


def ours(page: str) -> dict[str, str]:
    """Return the last column of the table of published numbers, by the first."""
    rows = re.findall(r"(?m)^\| ([^|]*) \| [^|]* \| ([^|]*) \|$", text_of(page))
    return {name: here for name, here in rows if here != "here"}


def numbers(text: str) -> list[str]:
    return re.findall(r"\d+(?:\.\d+)?", text)


def as_printed(value: float, told: str) -> str:
    """Return a number with as many decimals as are told."""
    return f"{value:.{len(told.partition('.')[2])}f}"


def files_of(page: str, folder: Path) -> Path:
    """Write the files of a page into a folder, and what its programs print."""
    for name, content in re.findall(r"```\w+ ([\w.]+)\n(.*?)```", text_of(page), re.DOTALL):
        (folder / name).write_text(content)
    for program in folder.glob("*.py"):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(program.read_text(), program.name, "exec"), {})
        program.with_suffix(".csv").write_text(printed.getvalue())
    return folder


def accepted(experiment: tb.Experiment) -> float:
    return float(tb.run(experiment)["accepted_load"].value)


#: By row of the table: what differs from the command of the page, for each number in it.
OF_FIGURE_8 = {
    "adversarial, minimal": [["routing.kind=minimal"]],
    "adversarial, Valiant": [["routing.kind=valiant"]],
    "adversarial, UGAL-L": [
        ["routing.kind=ugal_l"],
        ["routing.kind=ugal_l", "switch.input_buffer=512B"],
    ],
    "adversarial, UGAL-G": [["routing.kind=ugal_g"]],
    "uniform, minimal": [["routing.kind=minimal"]],
    "uniform, UGAL": [["routing.kind=ugal_l"]],
}
POINTS = [(row, place) for row, points in OF_FIGURE_8.items() for place in range(len(points))]


def test_every_number_beside_figure_8_is_measured_again() -> None:
    found = {row: len(re.findall(r"0\.\d+", here)) for row, here in ours("dragonfly").items()}
    assert found == {row: len(points) for row, points in OF_FIGURE_8.items()}


@pytest.mark.verify
@pytest.mark.parametrize(("row", "place"), POINTS)
def test_figure_8_is_as_the_page_says(row: str, place: int, tmp_path: Path) -> None:
    [command] = re.findall(r"```sh\n(.*?)```", text_of("dragonfly"), re.DOTALL)
    words = shlex.split(command)
    overrides = [word for option, word in itertools.pairwise(words) if option == "--set"]
    pattern = "uniform" if row.startswith("uniform") else "next_group"
    changes = [f"machine.{change}" for change in OF_FIGURE_8[row][place]]
    file = files_of("dragonfly", tmp_path) / words[2]
    found = accepted(
        tb.Experiment.load(file, [*overrides, f"workload.pattern={pattern}", *changes])
    )
    told = re.findall(r"0\.\d+", ours("dragonfly")[row])[place]
    assert as_printed(found, told) == told


#: What of the page of Slim Fly is measured: the network, its patterns, the routing, and where.
WORST = {"slim_fly": "permutation", "dragonfly": "next_group"}
MINIMAL = {
    "slim_fly": "worst case, minimal routing, p = 4",
    "dragonfly": "worst case, minimal routing, a = 6, p = 3",
}
VALIANT = "any case, Valiant, p = 4"
NETWORKS = {
    "slim_fly": ("Slim Fly, q = 5: switches, links of each", "Slim Fly, diameter"),
    "dragonfly": (None, "dragonfly, diameter"),
}


def of_slim_fly(folder: Path, kind: str, pattern: str, routing: str) -> tb.Experiment:
    file = files_of("slim_fly", folder) / "networks.toml"
    wanted = {"machine.topology.kind": kind, "workload.pattern": pattern, "workload.load": 0.9}
    [found] = [
        point.experiment
        for point in tb.Sweep.load(file, [f"machine.routing.kind={routing}"]).points()
        if wanted.items() <= point.varied.items()
    ]
    return found


@pytest.mark.parametrize("kind", NETWORKS)
def test_networks_are_as_large_as_the_page_says(kind: str, tmp_path: Path) -> None:
    told, diameter = ours("slim_fly"), f"{NETWORKS[kind][1]} between switches, links"
    network = tb.describe(of_slim_fly(tmp_path, kind, "uniform", "minimal")).to_dict()
    assert numbers(told[diameter]) == [str(network["topology"]["switch_diameter"])]
    if NETWORKS[kind][0] is not None:
        sizes = [str(network["switches"]), str(network["topology"]["degree"])]
        assert numbers(told[NETWORKS[kind][0]]) == sizes


@pytest.mark.verify
@pytest.mark.parametrize("kind", WORST)
def test_the_worst_case_of_minimal_routing_is_as_the_page_says(kind: str, tmp_path: Path) -> None:
    [told] = numbers(ours("slim_fly")[MINIMAL[kind]])
    found = accepted(of_slim_fly(tmp_path, kind, WORST[kind], "minimal"))
    assert as_printed(found, told) == told


@pytest.mark.verify
def test_valiant_routing_carries_what_the_page_says(tmp_path: Path) -> None:
    patterns = ("uniform", WORST["slim_fly"])
    found = [accepted(of_slim_fly(tmp_path, "slim_fly", each, "valiant")) for each in patterns]
    told = numbers(ours("slim_fly")[VALIANT])
    assert [as_printed(value, told[0]) for value in sorted(found)] == told


@pytest.mark.verify
def test_the_answer_of_the_page_is_what_is_measured(tmp_path: Path) -> None:
    answer = " ".join(text_of("slim_fly").partition("**Answer.**")[2].split())
    valiant = re.search(r"valiant` carries ([\d.]+) on the Slim Fly and ([\d.]+) on the", answer)
    adaptive = re.search(r"with `ugal_l` ([\d.]+) and ([\d.]+), and still ([\d.]+) of u", answer)
    assert valiant
    assert adaptive
    for told, (kind, worst) in zip(valiant.groups(), WORST.items(), strict=True):
        for pattern in ("uniform", worst):
            found = accepted(of_slim_fly(tmp_path, kind, pattern, "valiant"))
            assert as_printed(found, told) == told
    for told, (kind, worst) in zip(adaptive.groups(), WORST.items(), strict=False):
        assert as_printed(accepted(of_slim_fly(tmp_path, kind, worst, "ugal_l")), told) == told
        least = accepted(of_slim_fly(tmp_path, kind, "uniform", "ugal_l"))
        assert as_printed(least, adaptive[3]) == adaptive[3]
