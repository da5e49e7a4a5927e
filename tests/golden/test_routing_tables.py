"""The tables of accepted load in docs/routing.md: each number, measured again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import tailback as tb

from .test_cookbook_tables import accepted, as_printed, files_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "routing.md"
RUN = {"warmup": "20 us", "duration": "40 us"}
WORMHOLE = {
    "link": {"flit": "8 B", "rate": "64 Gbit/s", "delay": "1 ns"},
    "interface": {"header": "8 B", "packet_size": "24 B"},
    "switch": {"switching": "wormhole", "input_buffer": "256 B"},
}
WHOLE = {"link": {"delay": "10 ns"}, "interface": {"packet_size": "256 B"}}
DRAGONFLY = {
    "kind": "dragonfly",
    "nodes_per_switch": 2,
    "switches_per_group": 4,
    "global_links": 2,
}
HYPERX = {"kind": "hyperx", "dims": [4, 4], "nodes_per_switch": 4}
BY_LOAD = ("ugal_l", "ugal_g", "dal")


def tables() -> list[list[tuple[str, str, str]]]:
    """Return the tables of accepted load: of each number its row, its column and what is told."""
    found = []
    for table in re.findall(r"(?:^\|.*\n)+", PAGE.read_text(), re.MULTILINE):
        head, _, *rows = [line.strip("|").split("|") for line in table.strip().split("\n")]
        if "accepted" in head[0]:
            columns = [re.findall(r"`(\w+)`", name)[0] for name in head[1:]]
            found.append(
                [
                    (row[0].strip(), column, told.strip())
                    for row in rows
                    for column, told in zip(columns, row[1:], strict=True)
                ]
            )
    return found


def open_loop(machine: dict[str, Any], size: str, row: str, folder: Path) -> tb.Experiment:
    """Return an experiment with the traffic of a row: its first words, and its load."""
    load = float(row.rsplit(maxsplit=1)[-1])
    workload = {"preset": "uniform_open_loop", "load": load, "message_size": size}
    if row.startswith("next group"):
        workload["pattern"] = "next_group"
    if row.startswith("next switch"):
        # Switch (x, y) is number 4 y + x.
        node = range(64)
        to = [n // 16 * 16 + (n // 4 + 1) % 4 * 4 + n % 4 for n in node]
        file = folder / "next.csv"
        file.write_text("source,destination\n" + "".join(f"{n},{to[n]}\n" for n in node))
        workload |= {"pattern": "permutation", "file": str(file)}
    return tb.Experiment.from_dict({"machine": machine, "workload": workload, "run": RUN})


def on_dragonfly(row: str, routing: str, folder: Path) -> tb.Experiment:
    chosen = {"kind": routing} | ({"intermediate": "group"} if routing == "valiant" else {})
    return open_loop({"topology": DRAGONFLY, "routing": chosen} | WORMHOLE, "24 B", row, folder)


def on_hyperx_of_worms(row: str, routing: str, folder: Path) -> tb.Experiment:
    chosen = {"kind": routing} | ({"backlog": "behind"} if routing in BY_LOAD else {})
    return open_loop({"topology": HYPERX, "routing": chosen} | WORMHOLE, "24 B", row, folder)


def on_hyperx(row: str, routing: str, folder: Path) -> tb.Experiment:
    machine = {"topology": HYPERX, "routing": {"kind": routing}} | WHOLE
    return open_loop(machine, "256 B", row, folder)


def on_slim_fly(row: str, routing: str, folder: Path) -> tb.Experiment:
    """Return the experiment of the cookbook, with the messages and buffers of this page."""
    changes = {
        "machine.routing.kind": routing,
        "machine.interface.packet_size": "256 B",
        "machine.switch.input_buffer": "16 KiB",
        "workload.message_size": "256 B",
        "sweep.workload.load": f"[{row.rsplit(maxsplit=1)[-1]}]",
        "run.warmup": RUN["warmup"],
        "run.duration": RUN["duration"],
    }
    file = files_of("slim_fly", folder) / "networks.toml"
    sweep = tb.Sweep.load(file, [f"{key}={value}" for key, value in changes.items()])
    pattern = "permutation" if row.startswith("worst case") else "uniform"
    wanted = {"machine.topology.kind": "slim_fly", "workload.pattern": pattern}
    [found] = [
        point.experiment for point in sweep.points() if wanted.items() <= point.varied.items()
    ]
    return found


MEASURED = (on_dragonfly, on_hyperx_of_worms, on_hyperx, on_slim_fly)
NUMBERS = [(place, *told) for place, table in enumerate(tables()) for told in table]


def test_there_is_a_measurement_of_every_table() -> None:
    assert [len(table) for table in tables()] == [10, 10, 10, 6]
    assert len(MEASURED) == len(tables())


@pytest.mark.verify
@pytest.mark.parametrize(("table", "row", "routing", "told"), NUMBERS)
def test_accepted_load_is_as_the_page_says(
    table: int, row: str, routing: str, told: str, tmp_path: Path
) -> None:
    assert as_printed(accepted(MEASURED[table](row, routing, tmp_path)), told) == told
