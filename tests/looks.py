"""Runs for the page of `tailback look`, and slices of time made up for one of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from tailback import Experiment
from tailback.look.lines import Lines
from tailback.look.sliced import Sliced, of_tables
from tailback.results import Result
from tailback.results.names import Names
from tailback.runner import run_mode

#: Six switches in a row with a node each; all send to node 5 at once.
INCAST: Mapping[str, Any] = {
    "machine": {"topology": {"kind": "mesh", "dims": [6, 1]}},
    "workload": {"kind": "fan_in", "destination": 5, "message_size": "1 kB"},
    "run": {"blame": True, "packet_waits": True},
}

#: Five switches in a row: nodes 0 to 3 send 20 packets each to node 4. Buffers have room for two.
#: The queue grows backwards from the link to switch 4.
BACKWARDS: Mapping[str, Any] = {
    "machine": {
        "topology": {"kind": "mesh", "dims": [5]},
        "link": {"rate": "8 Gbit/s"},
        "switch": {"queueing": "fifo", "input_buffer": "2100 B"},
        "interface": {"packet_size": "1 kB", "header": "1 B"},
    },
    "workload": {
        "kind": "messages",
        "messages": [["0 us", source, 4, "1 kB"] for source in range(4) for _ in range(20)],
    },
    "run": {"blame": True, "packet_waits": True, "slices": 64},
}

#: Names that a page must not take for HTML, in a file of a network.
HOSTILE = "</script><img src=x onerror=alert(1)><b>&\"'"


def ran(tables: Mapping[str, Any]) -> Result:
    """Return one run."""
    experiment = Experiment.from_dict({name: dict(table) for name, table in tables.items()})
    return run_mode(experiment, experiment.run.mode)


def lines_of(result: Result) -> Lines:
    """Return the lines of a run."""
    return Lines.of(result.channels, Names.of(result))


def channels(result: Result) -> dict[str, int]:
    """Return the number of each channel by its name."""
    names = Names.of(result)
    return {names.channel(number): number for number in range(result.channels.num_rows)}


def made_up(result: Result) -> Sliced:
    """Return three slices in which a queue grows backwards from `to node (5, 0)`, and goes.

    One picosecond of waiting in each slice for each channel of the tailback, two at the root: at
    first at the root only, then one switch further back, then at the root again.
    """
    at = channels(result)
    root = at["to node (5, 0)"]
    behind = [at[f"({x}, 0)->({x + 1}, 0)"] for x in (4, 3)]
    aside = at["(4, 0)->(3, 0)"]
    rows = [
        (0, root, root, 2),
        *((1, channel, root, 1) for channel in (*behind, aside)),
        (1, root, root, 2),
        (2, root, root, 2),
        (2, behind[1], behind[0], 5),
    ]
    waits = {
        "slice": [row[0] for row in rows],
        "begin_ps": [1000 * row[0] for row in rows],
        "end_ps": [1000 * (row[0] + 1) for row in rows],
        "channel": [row[1] for row in rows],
        "root": [row[2] for row in rows],
        "victim": [0] * len(rows),
        "culprit": [1] * len(rows),
        "waited_ps": [row[3] for row in rows],
    }
    used = {
        "slice": [0, 1, 2],
        "channel": [root] * 3,
        "busy_ps": [500, 1000, 250],
        "queue_ps": [2000, 4000, 1000],
    }
    return of_tables(pa.table(waits), pa.table(used), lines_of(result))


def hostile_graph(folder: Path) -> Path:
    """Write a network of two switches whose names are HTML; return its file."""
    name = HOSTILE.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    path = folder / "hostile.graphml"
    path.write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
        f'<node id="{name}"/><node id="b"/><edge source="{name}" target="b"/></graph></graphml>'
    )
    return path
