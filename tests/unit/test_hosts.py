"""Hosts with several interfaces: which one messages take, to the picosecond, names, refusals."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.answers import of_cost
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.machines import Machine, machine_of
from tailback.runner import run_mode
from tailback.survey import cluster_survey, survey
from tests.commands import tailback

Row = list[Any]
SAMPLES = Path(__file__).parents[1] / "networks"


def machine(rule: str | None = "rail", gpus: int = 2, **keys: Any) -> Machine:
    """Return two servers, one leaf for each rail, one spine: 80 Gbit/s, 320 Gbit/s inside.

    A byte takes 100 ps on a cable and 25 ps inside. From a switch of the network on, 50 ns pass
    there; 3 ns in that of a host. Cables to leaves are 5 ns long, links inside 1 ns.
    """
    hosts = {"nodes_per_host": 1, "inner_rate": "320 Gbit/s", "inner_delay": "1 ns"}
    hosts |= {"inner_switch_delay": "3 ns"} | keys
    return Machine(
        topology=tb.RailOptimised(servers=2, gpus=gpus, spines=1),
        hosts=tb.Hosts(rule=rule, **hosts),
        link=tb.Link(rate="80 Gbit/s", flit="1 B", delay="7 ns"),
        node_link=tb.NodeLink(delay="5 ns"),
        switch=tb.Switch(switching="cut_through", delay="50 ns"),
        interface=tb.Interface(header="10 B", packet_size="100 B"),
        routing=tb.Ecmp(),
    )


def delivered(used: Machine, rows: list[Row]) -> tuple[list[int], dict[tuple[str, str], int]]:
    """Return when packets are delivered, and how many cross each channel between switches."""
    result = run_mode(Experiment(used, tb.Messages(messages=rows)), "full", packets=True)
    assert result.packets is not None
    names = used.topology.labels["switch"]
    crossed: dict[tuple[str, str], int] = {}
    for row in result.channels.to_pylist():
        if row["kind"] == "internal" and row["packets"]:
            crossed[names[row["from_node"]], names[row["to_node"]]] = row["packets"]
    return sorted(result.packets["delivered_ps"].to_pylist()), crossed


def test_a_message_inside_a_host_never_touches_the_network() -> None:
    """Ten packets of 110 B at 25 ps: 1 ns + 3 ns + 10 B to the host's switch, 1 ns from it."""
    used = machine(nodes_per_host=2)
    result = tb.run(used, tb.Messages(messages=[["0 s", 0, 1, "1000 B"]]))
    [row] = [one for one in result.channels.to_pylist() if one["kind"] == "injection"][:1]
    assert row["packets"] == 10
    assert all(
        not one["packets"] for one in result.channels.to_pylist() if one["kind"] == "internal"
    )
    last, crossed = delivered(used, [["0 s", 0, 1, "1000 B"]])
    assert last[-1] == 250 + 1_000 + 3_000 + 10 * 2_750 + 1_000
    assert crossed == {}


#: When a packet asks at the switch inside its host, and from when it starts on an interface until
#: it is delivered: header to the leaf and on (1 + 5 + 50 ns), the packet (11 ns), 5 + 3 ns to the
#: switch inside, where its last byte follows (25 ps), and 1 ns.
ASKS, ARRIVES = 250 + 1_000 + 3_000, 56_000 + 11_000 + 8_000 + 25 + 1_000


@pytest.mark.parametrize("rule", ["round_robin", "least_queued"])
def test_packets_take_two_interfaces_in_turn(rule: str) -> None:
    turn = {"rule_turn": "packet"} if rule == "round_robin" else {}
    last, crossed = delivered(machine(rule, **turn), [["0 s", 0, 1, "400 B"]])
    # An interface takes 11 ns for a packet, a node 2.75 ns.
    starts = [ASKS, ASKS + 2_750, ASKS + 11_000, ASKS + 2_750 + 11_000]
    assert last == [start + ARRIVES for start in starts]
    assert crossed == {
        ("server0", "leaf0.0"): 2,
        ("leaf0.0", "server1"): 2,
        ("server0", "leaf0.1"): 2,
        ("leaf0.1", "server1"): 2,
    }


def test_messages_take_interfaces_in_turn() -> None:
    rows: list[Row] = [["0 s", 0, 1, "200 B"], ["1 us", 0, 1, "100 B"], ["2 us", 0, 1, "100 B"]]
    last, crossed = delivered(machine("round_robin", rule_turn="message"), rows)
    assert last == [
        ASKS + ARRIVES,
        ASKS + 11_000 + ARRIVES,
        *(at + ASKS + ARRIVES for at in (1_000_000, 2_000_000)),
    ]
    assert crossed["server0", "leaf0.0"] == 3
    assert crossed["server0", "leaf0.1"] == 1


def test_a_message_leaves_on_the_rail_of_its_destination() -> None:
    """From GPU 0 to GPU 1 of the other server: over rail 1, or over both rails and the spine."""
    last, crossed = delivered(machine("rail", nodes_per_host=2), [["0 s", 0, 3, "100 B"]])
    assert (last, crossed) == (
        [ASKS + ARRIVES],
        {("server0", "leaf0.1"): 1, ("leaf0.1", "server1"): 1},
    )
    last, crossed = delivered(machine("own", nodes_per_host=2), [["0 s", 0, 3, "100 B"]])
    assert list(crossed) == [
        ("leaf0.0", "spine0"),
        ("leaf0.1", "server1"),
        ("spine0", "leaf0.1"),
        ("server0", "leaf0.0"),
    ]
    # Two more hops: headers, cables of 7 ns between switches.
    assert last == [ASKS + ARRIVES + 2 * (1_000 + 7_000 + 50_000)]


def test_flows_keep_their_interface() -> None:
    rows: list[Row] = [[f"{n} us", 0, 1, "100 B"] for n in range(40)]
    _, crossed = delivered(machine("flow_hash"), rows)
    assert len(crossed) == 2
    _, crossed = delivered(machine("flow_hash", rule_flow="message"), rows)
    assert len(crossed) == 4
    assert 10 <= crossed["server0", "leaf0.0"] <= 30


def test_two_jobs_that_share_an_interface_pay_for_it() -> None:
    """Both send 20 packets from one host at the same time, which takes 11 ns for each of 40."""

    def slowdowns(gpus: int) -> dict[str, float]:
        work = {"kind": "messages", "messages": [["0 s", 0, 1, "2000 B"]]}
        jobs = [
            {"name": name, "nodes": [at, at + 2], "workload": work} for at, name in enumerate("ab")
        ]
        used = machine("own", gpus=gpus, nodes_per_host=2).written()
        found = tb.interference(Experiment.from_dict({"machine": used, "job": jobs}))
        return {name: one.value for name, one in found.slowdowns.items()}

    alone = ASKS + 19 * 11_000 + ARRIVES
    shared = slowdowns(gpus=1)
    assert shared["a"] == pytest.approx((alone + 19 * 11_000) / alone, abs=1e-9)
    assert shared["b"] == pytest.approx((alone + 20 * 11_000) / alone, abs=1e-9)
    assert slowdowns(gpus=2) == {"a": 1, "b": 1}


def test_hosts_without_keys_are_written_too() -> None:
    used = machine_of({"topology": {"kind": "islands"}, "hosts": {}})
    assert used.hosts is not None
    assert machine_of(used.written()) == used


def test_cost_says_what_cables_of_interfaces_are() -> None:
    rows = [["0 s", at, at + 2, "2000 B"] for at in (0, 1)]
    work = {"kind": "messages", "messages": rows}
    used = machine("own", gpus=1, nodes_per_host=2).written()
    found = of_cost(tb.cost(Experiment.from_dict({"machine": used, "workload": work})))
    assert "The cables of hosts' interfaces count as the network here." in found.sentences


def test_describe_counts_hosts_interfaces_and_nodes(tmp_path: Path) -> None:
    used = machine(gpus=4, nodes_per_host=8)
    found = cluster_survey(used, survey(used))
    assert found is not None
    assert (found.hosts, found.nodes, found.interfaces, found.rails) == (2, 16, 8, 4)
    assert [(tier.name, tier.switches) for tier in found.tiers] == [("leaf", 4), ("spine", 1)]
    assert found.switches_in_hosts == 2
    assert [(one.joins, one.cables) for one in found.cables][:1] == [("hosts", 8)]
    assert str(found.rate_in_hosts) == "320 Gbit/s"
    assert found.to_dict()["rate_in_hosts_gbit_per_s"] == 320
    path = tmp_path / "hosts.toml"
    path.write_text(
        '[machine.topology]\nkind = "rail_optimised"\nservers = 2\n[machine.hosts]\n'
        'inner_rate = "400 Gbit/s"\n'
    )
    drawn = tmp_path / "hosts.svg"
    told = tailback("describe", str(path), "--full", "--plot", str(drawn)).stdout
    assert drawn.stat().st_size > 1_000
    for words in ("2 hosts with 16 interfaces", "16 of 400 Gbit/s", "[machine.hosts]"):
        assert words in told, told


def test_names_of_hosts_are_those_of_their_interfaces() -> None:
    assert machine().topology.labels["switch"][-2:] == ("server0", "server1")
    assert machine(nodes_per_host=2).topology.labels["node"][:3] == (
        "server0.0",
        "server0.1",
        "server1.0",
    )
    grid = Machine(topology=tb.Mesh(dims=(2, 2)), hosts=tb.Hosts(interfaces=2))
    assert grid.topology.labels["node"] == ("host0.0", "host0.1", "host1.0", "host1.1")
    assert grid.topology.labels["switch"] == ("0", "1", "2", "3", "host0", "host1")


GRAPH = """graph [
  node [ id 0 label "leaf0" kind "switch" ]
  node [ id 1 label "leaf1" kind "switch" ]
  {nodes}
  edge [ source 0 target 1 ]
  {edges}
]
"""


def graph(path: Path, names: dict[str, int]) -> tb.Graph:
    """Return two switches with nodes of these names."""
    nodes = [f'node [ id {2 + n} label "{name}" kind "node" ]' for n, name in enumerate(names)]
    edges = [f"edge [ source {2 + n} target {at} ]" for n, at in enumerate(names.values())]
    path.write_text(GRAPH.format(nodes="\n  ".join(nodes), edges="\n  ".join(edges)))
    return tb.Graph(file=str(path))


NAMES = {"n1 HCA-1": 0, "n1 HCA-2": 1, "n2 HCA-1": 0, "n3 HCA-1": 1, "n3 HCA-2": 0}


def test_hosts_of_any_network_are_grouped_by_names(tmp_path: Path) -> None:
    topology = graph(tmp_path / "net.gml", NAMES)
    used = Machine(topology=topology, hosts=tb.Hosts(separator=" "))
    grouped = used.topology.grouped
    assert grouped is not None
    assert grouped.names == ("n1", "n2 HCA-1", "n3")
    assert grouped.of_interfaces == (0, 0, 1, 2, 2)
    # A host of one interface and one node is on the network, as before.
    assert used.topology.labels["switch"] == ("leaf0", "leaf1", "n1", "n3")
    assert used.homes() == (2, 2, 0, 3, 3)
    listed = tb.Hosts(members=[["n3 HCA-2", "n3 HCA-1"], ["n1 HCA-1", "n1 HCA-2"]])
    other = Machine(topology=topology, hosts=listed).topology.grouped
    assert other is not None
    assert other.of_interfaces == grouped.of_interfaces
    # Where they are listed, places are as listed: the adapters on leaf0 are on one rail.
    rows: list[Row] = [["0 s", 0, 4, "64 B"]]
    _, crossed = delivered(used, rows)
    assert ("leaf1", "leaf0") in crossed
    _, crossed = delivered(Machine(topology=topology, hosts=listed), rows)
    assert crossed == {("n1", "leaf0"): 1, ("leaf0", "n3"): 1}


def test_packets_of_hosts_with_one_adapter_are_as_without_hosts(tmp_path: Path) -> None:
    topology = graph(tmp_path / "net.gml", NAMES)
    rows: list[Row] = [[f"{n} ns", n % 5, (n + 1 + n // 5) % 5, "300 B"] for n in range(20)]
    rows = [row for row in rows if row[1] != row[2]]
    messages = tb.Messages(messages=rows)

    def packets(hosts: tb.Hosts | None) -> Any:
        used = Machine(topology=topology, hosts=hosts)
        return run_mode(Experiment(used, messages), "full", packets=True).packets

    alone = tb.Hosts(members=[[name] for name in NAMES])
    assert packets(alone).equals(packets(None))


def test_adapters_of_one_host_are_grouped_by_their_names(tmp_path: Path) -> None:
    """The 89 adapters of X5, named by twos; what only they sent stays as it was."""
    source = SAMPLES / "X5.topofile"
    guids = re.findall(r'^Ca.*"H-([0-9a-f]+)"', source.read_text(), re.MULTILINE)
    names = [f'0x{guid} "node{n // 2} HCA-{n % 2 + 1}"' for n, guid in enumerate(guids)]
    (tmp_path / "names").write_text("\n".join(names) + "\n")

    def imported(folder: str, *more: str) -> Experiment:
        (tmp_path / folder).mkdir()
        out = tmp_path / folder / "x5.toml"
        tailback("import", "network", str(source), *more, "--out", str(out))
        return Experiment.load(out)

    grouped = imported("grouped", "--names", str(tmp_path / "names"))
    hosts = grouped.machine.hosts
    assert hosts is not None
    assert hosts.members is not None
    assert len(hosts.members) == 44
    assert hosts.members[3] == ("node3 HCA-1", "node3 HCA-2")
    found = cluster_survey(grouped.machine, survey(grouped.machine))
    assert found is not None
    assert (found.hosts, found.interfaces, found.nodes) == (45, 89, 89)
    tiers = [(tier.name, tier.switches) for tier in found.tiers]
    before = imported("before")
    assert before.machine.hosts is None
    was = cluster_survey(before.machine, survey(before.machine))
    assert was is not None
    assert tiers == [(tier.name, tier.switches) for tier in was.tiers]


@pytest.mark.parametrize(
    ("keys", "error"),
    [
        ({"interfaces": 3}, "interfaces = 3: must divide the nodes of the topology, 5"),
        ({"interfaces": 0}, "interfaces = 0: must be"),
        ({}, "interfaces: must be given, or separator or members: the topology has no servers"),
        (
            {"interfaces": 1, "separator": " "},
            'separator = " ": must be left out beside interfaces',
        ),
        ({"separator": "/"}, 'separator = "/": must be in names of nodes that begin alike'),
        (
            {"members": [["n1 HCA-1", "n1 HCA-3"]]},
            'members[0] = "n1 HCA-3": is no node of the topology; did you mean n1 HCA-2?',
        ),
        (
            {"members": [["n1 HCA-1"], ["n2 HCA-1", "n1 HCA-1"]]},
            'members[1] = "n1 HCA-1": is an interface of members[0] already',
        ),
        ({"members": [[]]}, "members[0]: must name an interface"),
        (
            {"interfaces": 5, "nodes_per_host": 1},
            "nodes_per_host = 1: must be at least 2 for one host",
        ),
        ({"interfaces": 5, "rule": "rails"}, 'rule = "rails": must be'),
        (
            {"interfaces": 5, "rule_turn": "packet"},
            'rule_turn = "packet": has no effect; needs machine.hosts.rule',
        ),
        ({"interfaces": 5, "inner_rate": "700.3 Gbit/s"}, 'inner_rate = "700.3 Gbit/s": '),
        ({"interfaces": 5, "adapter": 1}, "adapter: unknown key"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, keys: dict[str, Any], error: str) -> None:
    graph(tmp_path / "net.gml", NAMES)
    tables = {
        "machine": {
            "topology": {"kind": "graph", "file": str(tmp_path / "net.gml")},
            "hosts": keys,
        }
    }
    with pytest.raises(UserError) as caught:
        Experiment.from_dict(tables).machine.topology.facts  # noqa: B018
    told = str(caught.value)
    assert told.startswith(f"machine.hosts.{error}"), told
    assert "\n" not in told


def test_what_hosts_cannot_be_combined_with_is_refused() -> None:
    def run(**parts: Any) -> None:
        used = Machine(topology=tb.Mesh(dims=(2, 2)), hosts=tb.Hosts(interfaces=2), **parts)
        tb.run(used, tb.Messages(messages=[["0 s", 0, 3, "8 B"]]))

    def refusal(**parts: Any) -> str:
        with pytest.raises(UserError) as caught:
            run(**parts)
        return str(caught.value)

    assert refusal(node_link=tb.NodeLink(width=2)).startswith(
        "machine.node_link.width = 2: must be 1 with machine.hosts"
    )
    classes = {"interfaces": tb.LinkClass(delay="1 ns")}
    assert "must be left out: see machine.node_link" in refusal(link_classes=classes)
    assert "machine.hosts: must be left out with switching circuit" in refusal(
        switch=tb.Switch(switching="circuit")
    )
    assert "must be one whose packets wait" in refusal(routing=tb.Chaos())
