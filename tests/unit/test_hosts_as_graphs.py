"""Hosts are what a graph with a switch for each, and routes written down, is: packet by packet."""

from __future__ import annotations

import csv
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.experiment import Experiment
from tailback.machines import Machine
from tailback.runner import run_mode
from tests.random_cases import random_cases

_RATES = ("100 Gbit/s", "200 Gbit/s", "400 Gbit/s")


@dataclass(frozen=True)
class Case:
    """A network, hosts on it, and messages."""

    switches: int
    cables: list[tuple[int, int]]
    homes: list[int]
    """The switch of each interface."""
    hosts: list[list[int]]
    own: list[int]
    """Of each node its interface."""
    rule: str
    nodes: int
    rates: tuple[str, str]
    """Of interfaces, and inside hosts."""
    messages: list[list[Any]]

    @property
    def host_of(self) -> dict[int, int]:
        """The host of each interface."""
        return {one: host for host, own in enumerate(self.hosts) for one in own}

    def ends(self, source: int, destination: int) -> tuple[int, int]:
        """Return the interfaces by which a packet leaves its host and reaches the other."""
        one, other = self.own[source], self.own[destination]
        if self.rule == "own":
            return one, other
        own = self.hosts[self.host_of[one]]
        return own[self.hosts[self.host_of[other]].index(other) % len(own)], other

    def onward(self, target: int) -> dict[int, int]:
        """Return by switch the next on a shortest path to one."""
        beside: dict[int, list[int]] = {number: [] for number in range(self.switches)}
        for a, b in self.cables:
            beside[a].append(b)
            beside[b].append(a)
        found, front = {target: target}, [target]
        for at in front:
            for other in sorted(beside[at], key=lambda one: (one * 7 + target) % 5):
                if other not in found:
                    found[other] = at
                    front.append(other)
        return found


def drawn(number: int) -> Case:
    """Draw a case."""
    rng = random.Random(f"hosts as graphs {number}")
    switches = rng.randrange(2, 6)
    cables = [(rng.randrange(at), at) for at in range(1, switches)]
    for _ in range(rng.randrange(4)):
        a, b = rng.randrange(switches), rng.randrange(switches)
        if a < b and (a, b) not in cables:
            cables.append((a, b))
    nodes = rng.randrange(1, 5)
    hosts: list[list[int]] = []
    homes: list[int] = []
    for _ in range(rng.randrange(2, 5)):
        size = rng.randrange(2, switches + 1)
        hosts.append(list(range(len(homes), len(homes) + size)))
        homes += rng.sample(range(switches), size)
    own = [part[k * len(part) // nodes] for part in hosts for k in range(nodes)]
    messages = []
    for _ in range(rng.randrange(2, 20)):
        one, other = rng.sample(range(len(own)), 2)
        messages.append([f"{rng.randrange(200)} ns", one, other, f"{rng.randrange(3000)} B"])
    return Case(
        switches,
        cables,
        homes,
        hosts,
        own,
        rng.choice(["own", "rail"]),
        nodes,
        (rng.choice(_RATES), rng.choice(_RATES)),
        sorted(messages, key=lambda row: int(row[0].split()[0])),
    )


def _gml(path: Path, names: list[tuple[str, str]], edges: list[tuple[int, int, str]]) -> str:
    """Write a graph of switches and nodes; edges have what is said of them behind their ends."""
    nodes = [
        f'  node [ id {at} label "{name}" kind "{kind}" ]' for at, (name, kind) in enumerate(names)
    ]
    links = [f"  edge [ source {a} target {b} {said} ]" for a, b, said in edges]
    path.write_text("\n".join(["graph [", *nodes, *links, "]"]) + "\n")
    return str(path)


def _csv(path: Path, head: str, rows: list[tuple[Any, ...]]) -> str:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head.split(","))
        writer.writerows(rows)
    return str(path)


_COMMON: dict[str, Any] = {
    "link": tb.Link(rate="100 Gbit/s", delay="20 ns", flit="1 B"),
    "interface": tb.Interface(header="16 B", packet_size="500 B"),
}


def with_hosts(case: Case, folder: Path, switch: tb.Switch) -> Machine:
    """Return the machine with hosts, whose network has a table of routes."""
    first = case.switches
    names = [(f"s{at}", "switch") for at in range(first)]
    names += [(f"h{case.host_of[one]} i{one}", "node") for one in range(len(case.homes))]
    edges = [(a, b, "") for a, b in case.cables]
    edges += [(first + one, home, "") for one, home in enumerate(case.homes)]
    rows = [
        (f"s{at}", names[first + one][0], f"s{to}")
        for one, home in enumerate(case.homes)
        for at, to in case.onward(home).items()
        if at != home
    ]
    routing = _csv(folder / "table.csv", "switch,destination,next_switch", rows)
    return Machine(
        topology=tb.Graph(file=_gml(folder / "net.gml", names, edges)),
        hosts=tb.Hosts(
            separator=" ",
            nodes_per_host=case.nodes,
            rule=case.rule,
            inner_rate=case.rates[1],
            inner_delay="3 ns",
            inner_switch_delay="40 ns",
        ),
        node_link=tb.NodeLink(rate=case.rates[0], delay="9 ns"),
        routing=tb.Table(file=routing),
        switch=switch,
        **_COMMON,
    )


def as_graph(case: Case, folder: Path, switch: tb.Switch) -> Machine:
    """Return the same with a switch for each host in the graph, and the routes of all pairs."""
    first = case.switches
    behind = first + len(case.hosts)
    names = [(f"s{at}", "switch") for at in range(first)]
    names += [(f"h{host}", "switch") for host in range(len(case.hosts))]
    names += [(f"n{node}", "node") for node in range(len(case.own))]
    edges = [(a, b, "") for a, b in case.cables]
    said = f'rate "{case.rates[0]}" delay "9 ns"'
    rows = []
    for host, own in enumerate(case.hosts):
        for one in own:
            edges.append((first + host, case.homes[one], said))
    edges += [
        (behind + node, first + case.host_of[own], f'rate "{case.rates[1]}" delay "3 ns"')
        for node, own in enumerate(case.own)
    ]
    for source in range(len(case.own)):
        for destination in range(len(case.own)):
            one, other = case.ends(source, destination)
            if case.host_of[one] == case.host_of[other]:
                continue
            at, target = case.homes[one], case.homes[other]
            onward, hops = case.onward(target), [f"s{at}"]
            while at != target:
                at = onward[at]
                hops.append(f"s{at}")
            rows.append((f"n{source}", f"n{destination}", *hops, f"h{case.host_of[other]}"))
    routing = _csv(folder / "routes.csv", "source,destination,hops", rows)
    return Machine(
        topology=tb.Graph(file=_gml(folder / "all.gml", names, edges)),
        routing=tb.SourceRoutes(file=routing, allow_deadlock=True),
        switch=switch,
        **_COMMON,
    )


@pytest.mark.parametrize("number", range(random_cases(40)))
def test_hosts_are_as_the_same_graph_with_written_routes(number: int, tmp_path: Path) -> None:
    case, rng = drawn(number), random.Random(number)
    switch = tb.Switch(
        switching=rng.choice(["cut_through", "store_and_forward"]),
        delay="40 ns",
        queueing=rng.choice(["output", "fifo"]),
    )
    messages = tb.Messages(messages=case.messages)
    used = with_hosts(case, tmp_path, switch)
    other = as_graph(case, tmp_path, switch)
    buffer = f"{used.input_flits('packet')} B"
    for mode in ("full", "endpoints", "free"):
        both = []
        for machine in (used, other):
            same = Machine(
                **machine.named()
                | {"switch": tb.Switch(**machine.switch.named() | {"input_buffer": buffer})}
            )
            experiment = Experiment(same, messages)
            both.append(run_mode(experiment, mode, packets=True).packets)
        assert both[0] is not None
        assert both[0].equals(both[1]), (mode, case)
