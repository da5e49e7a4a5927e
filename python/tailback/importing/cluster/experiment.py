"""A cluster as an experiment: links, switches, routing, and a workload to begin with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ...units import Rate, Time, is_nearly_whole
from .description import Cable, Cluster
from .graph_text import Drawn

#: What is meant where a file says nothing: choices, told in the head of the experiment.
_RATE = Rate(100 * 10**9)
_DELAY_PS = 15_000
_SWITCH_DELAY = "90 ns"
_PACKET = {"header": "26 B", "packet_size": "2048 B"}
_LOAD = 0.3
_BETWEEN_GROUPS = "global"
_USUAL_FLITS = (8, 16, 32, 64)
_LARGEST_FLIT = 256


def usual(cables: Iterable[Cable]) -> tuple[Rate | None, int | None]:
    """Return the most common rate and delay of links; None where none is said of any."""
    found = list(cables)
    rates = Counter(one.rate for one in found if one.rate is not None)
    delays = Counter(one.delay_ps for one in found if one.delay_ps is not None)
    rate = max(rates, key=lambda rate: (rates[rate], rate.amount)) if rates else None
    delay = max(delays, key=lambda delay: (delays[delay], delay)) if delays else None
    return rate, delay


def of_most(found: Drawn) -> tuple[tuple[Rate, int], tuple[Rate, int]]:
    """Return rate and delay (ps) of most links between switches, and of most links of nodes."""
    of_links, of_nodes = usual(found.between), usual(found.of_nodes)
    rate = of_links[0] or of_nodes[0] or _RATE
    delay_ps = next((one for one in (of_links[1], of_nodes[1]) if one is not None), _DELAY_PS)
    node_delay_ps = delay_ps if of_nodes[1] is None else of_nodes[1]
    return (rate, delay_ps), (of_nodes[0] or rate, node_delay_ps)


def fitting(cluster: Cluster, found: Drawn) -> tuple[int, Drawn]:
    """Return the bytes of a flit that takes a whole number of picoseconds at all rates.

    If there is none, rates are rounded so that one of 64 B does.
    """
    hosts = cluster.machine.get("hosts", {})
    inner = [Rate.parse(hosts["inner_rate"])] if "inner_rate" in hosts else []
    rates = {one.rate for one in found.links if one.rate is not None} | {_RATE, *inner}
    for size in (*_USUAL_FLITS, *range(1, _LARGEST_FLIT + 1)):
        if all(is_nearly_whole(8 * size * rate.bit_ps) for rate in rates):
            return size, found
    bits = 8 * _USUAL_FLITS[-1]
    rounded = {
        rate: Rate(round(Fraction(bits * 10**12, round(bits * rate.bit_ps)))) for rate in rates
    }
    cluster.notes.append("rates are rounded: a flit of 64 B takes whole picoseconds")
    for rate in inner:
        hosts["inner_rate"] = str(rounded[rate])
    links = tuple(
        one if one.rate is None else replace(one, rate=rounded[one.rate]) for one in found.links
    )
    return _USUAL_FLITS[-1], replace(found, links=links)


def tables(
    cluster: Cluster,
    found: Drawn,
    flit: int,
    files: tuple[str, str | None],
) -> dict[str, Any]:
    """Return the tables of an experiment.

    ``files``: its graph, and its routes if there are any.
    """
    graph, routes = files
    (rate, delay_ps), (node_rate, node_delay_ps) = of_most(found)
    delay = str(Time(delay_ps))
    machine: dict[str, Any] = {
        "topology": {"kind": "graph", "file": graph},
        "link": {
            "rate": str(rate),
            "flit": f"{flit} B",
            "delay": delay,
            "credit_delay": delay,
        },
        "node_link": {
            "rate": str(node_rate),
            "delay": str(Time(node_delay_ps)),
        },
        **({"hosts": hosts} if (hosts := cluster.machine.get("hosts")) else {}),
        "switch": {"switching": "cut_through", "delay": _SWITCH_DELAY}
        | cluster.machine.get("switch", {}),
        "routing": {"kind": "table", "file": routes} if routes else {"kind": "ecmp"},
        "interface": _PACKET | cluster.machine.get("interface", {}),
    }
    return {
        "machine": machine,
        "workload": {
            "preset": "uniform_open_loop",
            "message_size": machine["interface"]["packet_size"],
            "load": _load(cluster, node_rate),
        },
    }


def _load(cluster: Cluster, node_rate: Rate) -> float:
    """Return the load at which no cable of a host carries more than 0.3 of its rate.

    Nor do the cables together by which a switch with hosts is joined to others, if all that its
    hosts send leaves it; nor global ones of a dragonfly, if all hosts send to other groups.
    """
    slowest, between = node_rate.amount, 0
    down: Counter[str] = Counter()
    up: Counter[str] = Counter()
    for cable in cluster.cables:
        rate = (cable.rate or node_rate).amount
        between += rate if cable.link_class == _BETWEEN_GROUPS else 0
        of_host = [name in cluster.hosts for name in cable.ends]
        if any(of_host):
            slowest = min(slowest, rate)
        for name, is_host, other_is in zip(cable.ends, of_host, of_host[::-1], strict=True):
            if not is_host:
                (down if other_is else up)[name] += rate
    shares = [up[name] / down[name] for name in down if up[name]]
    if between:
        shares.append(2 * between / down.total())
    return round(slowest / node_rate.amount * min([1.0, *shares]) * _LOAD, 4)
