"""What nodes of a configuration of BookSim2 send, and when."""

from __future__ import annotations

import re
from math import isqrt
from typing import Any

from .networks import Network
from .settings import Settings

#: Patterns that are formulas, and those in which coordinates count: on grids only.
_FORMULAS = {
    "bitcomp": "bit_complement",
    "transpose": "transpose",
    "bitrev": "bit_reverse",
    "shuffle": "shuffle",
}
_ON_GRIDS = {"tornado": "tornado", "neighbor": "neighbour"}

#: Rows of a traffic matrix: for every node whom it sends to, by weight.
Matrix = list[dict[int, int]]


def pattern(settings: Settings, network: Network) -> tuple[dict[str, Any], Matrix | None]:
    """Return the keys of a workload that say who sends to whom, and a matrix if they need one."""
    names = ["uniform", *_FORMULAS, "randperm", "hotspot", "diagonal", "asymmetric", "background"]
    names += ["bad_dragon"] if network.topology["kind"] == "dragonfly" else []
    if network.places:
        # Formulas are of BookSim2's numbers.
        names = ["uniform", "badperm_yarc"]
    names += list(_ON_GRIDS) if network.side else []
    words = settings.text("traffic")
    # A hotspot may have its nodes in brackets; so may others their parameters.
    if re.fullmatch(r"\w+\(.*\)", words):
        raise settings.refused("traffic", "must be a word: parameters are keys of their own")
    name = settings.word("traffic", names)
    if name == "randperm":
        return {"pattern": "random_permutation", "pattern_seed": settings.whole("perm_seed")}, None
    if name == "bad_dragon":
        return {"pattern": "next_group", "includes_self": False}, None
    found = {"uniform": "uniform"} | _FORMULAS | _ON_GRIDS
    if name in found:
        return {"pattern": found[name]}, None
    if name == "badperm_yarc":
        return {"pattern": "traffic_matrix"}, _columns(network)
    return {"pattern": "traffic_matrix"}, _matrix(settings, name, network.nodes)


def _columns(network: Network) -> Matrix:
    """Return a matrix in which all nodes of a row of the grid send to a column: its number's."""
    side = isqrt(network.nodes)
    rows: Matrix = [{} for _ in range(network.nodes)]
    for node, place in enumerate(network.places):
        rows[place] = {network.places[row * side + node // side]: 1 for row in range(side)}
    return rows


def _matrix(settings: Settings, name: str, nodes: int) -> Matrix:
    """Return who sends to whom where that is drawn by weights."""
    if nodes > 4096:
        raise settings.refused("traffic", "cannot be done with more than 4096 nodes")
    if name == "hotspot":
        hot = settings.numbers("hotspot_nodes") if settings.text("hotspot_nodes") else [0]
        given = settings.text("hotspot_rates")
        rates = settings.numbers("hotspot_rates") if given else [1] * len(hot)
        if max(hot) >= nodes:
            raise settings.refused("hotspot_nodes", f"must be below {nodes}, the number of nodes")
        if len(rates) != len(hot) or not all(rates):
            raise settings.refused("hotspot_rates", "must be one, above 0, for each of the nodes")
        return [dict(zip(hot, rates, strict=True))] * nodes
    if name == "background":
        given = settings.text("background_excludes")
        excluded = set(settings.numbers("background_excludes")) if given else set()
        row = {node: 1 for node in range(nodes) if node not in excluded}
        if not row:
            raise settings.refused("background_excludes", "must leave a node to send to")
        return [row] * nodes
    if name == "diagonal":
        return [{(node + 1) % nodes: 1, node: 2} for node in range(nodes)]
    half = nodes // 2
    return [{node % half: 1, node % half + half: 1} for node in range(nodes)]


def lengths(settings: Settings) -> tuple[list[int], list[int]]:
    """Return the lengths of packets in flits, and their weights."""
    sizes = settings.numbers("packet_size")
    rates = settings.numbers("packet_size_rate") if "packet_size_rate" in settings.given else []
    if not all(1 <= size <= 65_536 for size in sizes):
        raise settings.refused("packet_size", "must be 1 to 65536 flits")
    if rates and (len(rates) != len(sizes) or not any(rates)):
        raise settings.refused("packet_size_rate", "must be one for each packet_size, not all 0")
    if not rates:
        rates = [1] * len(sizes)
    return sizes, rates


def injection(settings: Settings, mean_flits: float) -> dict[str, Any]:
    """Return the keys of a workload that say when messages are sent; times in cycles of 1 ns."""
    in_flits = settings.flag("injection_rate_uses_flits")
    rate = settings.number("injection_rate", 1.0 if not in_flits else mean_flits)
    per_packet = mean_flits if in_flits else 1.0
    period_ps = round(1000 * per_packet / rate)
    found = {"compute_period": f"{period_ps} ps", "start": "together"}
    if settings.word("injection_process", ("bernoulli", "on_off")) == "bernoulli":
        return found | {"compute_distribution": "geometric", "compute_slot": "1 ns"}
    alpha, beta = settings.number("burst_alpha", 1.0), settings.number("burst_beta", 1.0)
    # On for 1 / beta cycles on average, off for 1 / alpha; on, a packet with probability r1.
    probability = rate / per_packet * (alpha + beta) / alpha
    if probability > 1:
        raise settings.refused("injection_rate", f"must be at most {alpha / (alpha + beta):g} here")
    burst = max(1.0, probability / beta)
    peak = (alpha + beta) / alpha
    return found | {
        "compute_distribution": "on_off",
        "compute_burst": burst,
        "compute_peak": peak,
    }
