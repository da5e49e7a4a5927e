"""Slim Fly, HyperX and a dragonfly with slow global cables, by the routings of their papers.

`python -m studies.adaptive.papers` writes `PAPERS.md`: what each network accepts under uniform
traffic and under the worst traffic for its minimal routes, beside what is published or follows
from counting links.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tailback as tb
from studies import markdown
from studies.adaptive.settings import STUDY
from studies.runs import answers
from studies.study import carry_out

_P = 4  # nodes of a switch
_OFFERED = 0.95
_PATH = STUDY.folder / "PAPERS.md"


@dataclass(frozen=True, slots=True)
class Network:
    """A network, its worst traffic, and what each routing is expected to accept."""

    name: str
    source: str
    topology: Mapping[str, Any]
    worst: tuple[int, ...]
    """By switch, the switch that all its nodes send to; none: from group to group."""
    routings: Mapping[str, tuple[str, str]]
    """By routing, what is known of uniform and of the worst traffic."""
    global_rate: str | None = None
    """Rate of cables between groups, if not that of all links."""


def _beyond(switch: int, q: int = 5) -> int:
    """Return the switch two links further within a row of a Slim Fly of order q."""
    row, y = divmod(switch, q)
    return row * q + (y + 2 * (1 if row < q else 2)) % q


NETWORKS = (
    Network(
        "Slim Fly, q = 5, p = 4",
        "Besta & Hoefler 2014",
        {"kind": "slim_fly", "q": 5, "nodes_per_switch": _P},
        tuple(_beyond(switch) for switch in range(50)),
        {
            "hop_classes": ("", "1/(2p) = 0.125"),
            "valiant": ("at most 7/(4 · 3.66) = 0.478", "at most 0.478"),
            "ugal_l": ("as minimal routes", "as Valiant"),
            "ugal_g": ("as minimal routes", "as Valiant"),
        },
    ),
    Network(
        "HyperX, 4 x 4 switches, 4 nodes each",
        "Ahn et al. 2009",
        {"kind": "hyperx", "dims": [4, 4], "nodes_per_switch": _P},
        tuple(switch - switch % 4 + (switch + 1) % 4 for switch in range(16)),
        {
            "dimension_order": ("", "1/p = 0.25"),
            "valiant": ("at most one half", "at most one half"),
            "ugal_l": ("as minimal routes", "as Valiant"),
            "ugal_g": ("as minimal routes", "as Valiant"),
            "dal": ("as minimal routes", "one half"),
        },
    ),
    Network(
        "Dragonfly, a = 4, h = 2, p = 1, global cables of half the rate",
        "Jiang et al. 2009",
        {"kind": "dragonfly", "nodes_per_switch": 1},
        (),
        {
            "minimal": ("", "1/(2a) = 0.125"),
            "valiant": ("at most one half", "at most 7/16 = 0.4375"),
            "ugal_l": ("as minimal routes", "at most 9/16 = 0.5625"),
            "ugal_g": ("as minimal routes", "at most 0.5625"),
            "par": ("as minimal routes", "at most 0.5625"),
        },
        "50 Gbit/s",
    ),
    Network(
        "The same, global cables of a quarter of the rate",
        "Jiang et al. 2009",
        {"kind": "dragonfly", "nodes_per_switch": 1},
        (),
        {
            "minimal": ("at most 35/64 = 0.547", "1/(4a) = 0.0625"),
            "ugal_l": ("as minimal routes", "at most 9/32 = 0.28125"),
            "ugal_g": ("as minimal routes", "at most 0.28125"),
            "par": ("as minimal routes", "at most 0.28125"),
        },
        "25 Gbit/s",
    ),
)


@dataclass(frozen=True, slots=True)
class Point:
    """One routing under one kind of traffic, and what was accepted."""

    network: Network
    routing: str
    is_worst: bool


def experiment(point: Point, folder: Path) -> tb.Experiment:
    """Return the run of a point: switches with output queues, buffers of 16 packets."""
    workload: dict[str, Any] = {
        "preset": "uniform_open_loop",
        "message_size": "56 B",
        "load": _OFFERED,
    }
    network = point.network
    if point.is_worst and not network.worst:
        workload["pattern"] = "next_group"
    elif point.is_worst:
        file = folder / f"{network.topology['kind']}.csv"
        pairs = (
            f"{switch * _P + place},{to * _P + place}"
            for switch, to in enumerate(network.worst)
            for place in range(_P)
        )
        file.write_text("\n".join(["source,destination", *pairs]) + "\n")
        workload |= {"pattern": "permutation", "file": str(file)}
    by_group = network.topology["kind"] == "dragonfly"
    routing: dict[str, Any] = {"kind": point.routing}
    if point.routing == "valiant" and by_group:
        routing["intermediate"] = "group"
    classes = {"global": {"rate": network.global_rate}} if network.global_rate else {}
    return tb.Experiment.from_dict(
        {
            "machine": {
                "topology": dict(network.topology),
                "routing": routing,
                "link_classes": classes,
                "link": {"flit": "8 B", "delay": "10 ns"},
                "switch": {"queueing": "output", "input_buffer": "1 KiB"},
                "interface": {"packet_size": "56 B"},
            },
            "workload": workload,
            "run": {"warmup": "3 us", "duration": "8 us"},
        }
    )


def accepted(point: Point) -> tb.Estimate:
    """Return the load that is accepted."""
    with TemporaryDirectory() as folder:
        return tb.run(experiment(point, Path(folder)))["accepted_load"]


POINTS = tuple(
    Point(network, routing, is_worst)
    for network in NETWORKS
    for routing in network.routings
    for is_worst in (False, True)
)


_INTRODUCTION = f"""\
Switches with output queues and buffers of 16 packets, packets of 64 B with their header, links of
100 Gbit/s and 10 ns, an offered load of {_OFFERED} of a node's link. *Known* is what the paper
prints as a number, or what follows from counting links: how many nodes' traffic shares a link under
the worst traffic, and at most one half for routes of twice the links. The papers print their curves
as pictures only; no number is read off them here. Minimal routes carry uniform traffic as far as
their most loaded link allows (`describe`) and switches do."""


_WHY = """\
Where global cables are slow, the queue at a link within a group says nothing about the cables
behind it. At the switch with the packet's global cable, PAR would compare the queue there with an
empty one, and nearly every packet that waits would turn away and take two slow cables instead of
one: of uniform traffic 0.69 would be accepted with cables of half the rate, and 0.31 with cables of
a quarter. So UGAL-L and PAR judge the cables behind a fast first link by the others of the switch
([routing](../../docs/routing.md#load-adaptive-non-minimal-routing)). What is still missing is lost
to packets that turn away while other cables of their switch happen to be idle."""


def _table(found: Sequence[tb.Estimate]) -> str:
    lines = []
    # Of each routing the uniform traffic, then the worst.
    for point, uniform, worst in zip(POINTS[::2], found[::2], found[1::2], strict=True):
        known = point.network.routings[point.routing]
        told = [markdown.number(load) for load in (uniform, worst)]
        lines.append([point.network.name, point.routing, known[0], told[0], known[1], told[1]])
    head = ("network", "routing", "uniform, known", "here", "worst, known", "here")
    return markdown.table(head, lines)


def _report(found: Sequence[tb.Estimate], wall_seconds: float) -> None:
    sources = ", ".join(dict.fromkeys(f"[{network.source}]" for network in NETWORKS))
    markdown.write(
        _PATH,
        "# Networks and routings of their papers",
        f"{markdown.written_by('python -m studies.adaptive.papers')}, in {wall_seconds:.0f} s.",
        f"Networks of {sources}.",
        _INTRODUCTION,
        _table(found),
        _WHY,
    )


def _run() -> list[tb.Estimate]:
    return list(answers(accepted, POINTS, "points"))


if __name__ == "__main__":
    sys.exit(carry_out(_run, _report, (_PATH,)))
