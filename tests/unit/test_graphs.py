"""Networks from files: every format, what it becomes, and what is refused in one line."""

from __future__ import annotations

import importlib.util
import json
import warnings
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tailback as tb
from tailback.errors import CircleError, UserError
from tailback.experiment import Experiment
from tailback.graphs import Conventions, Link, NetworkGraph, read_graph
from tailback.machines import Machine, machine_of
from tailback.survey import survey
from tailback.sweeps import Sweep
from tailback.units import Rate
from tests.machines import t9000
from tests.random_cases import random_cases

SQUARE = "router 0 node 0 router 1 router 2\nrouter 3 node 1 node 2 router 1 router 2\n"


def read(folder: Path, name: str, text: str, **conventions: object) -> NetworkGraph:
    path = folder / name
    path.write_text(text)
    return read_graph(path, Conventions(**conventions))  # type: ignore[arg-type]


def network(file: Path, **keys: Any) -> Machine:
    """Return a T9000 machine on the network of a file."""
    return t9000("graph", file=str(file), **keys)


#: No choice of ways: what fidelity token can do.
ONE_WAY = {"adaptive": False}


def graphml(vertices: str, edges: str, default: str = "undirected", keys: str = "") -> str:
    return (
        '<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="k" for="node" attr.name="kind" attr.type="string"/>'
        '<key id="n" for="node" attr.name="nodes" attr.type="int"/>'
        '<key id="w" for="edge" attr.name="width" attr.type="int"/>'
        '<key id="l" for="edge" attr.name="latency" attr.type="double"/>'
        '<key id="d" for="edge" attr.name="delay" attr.type="string"/>'
        '<key id="r" for="edge" attr.name="rate" attr.type="string"/>'
        f'{keys}<graph edgedefault="{default}">{vertices}{edges}</graph></graphml>'
    )


def vertex(name: str, **attributes: object) -> str:
    short = {"kind": "k", "nodes": "n", "x": "x", "y": "y"}
    inner = "".join(f'<data key="{short[a]}">{v}</data>' for a, v in attributes.items())
    return f'<node id="{name}">{inner}</node>'


def edge(source: str, target: str, **attributes: object) -> str:
    short = {"width": "w", "latency": "l", "delay": "d", "rate": "r"}
    inner = "".join(f'<data key="{short[a]}">{v}</data>' for a, v in attributes.items())
    return f'<edge source="{source}" target="{target}">{inner}</edge>'


A, B, C = vertex("a"), vertex("b"), vertex("c")


class TestAnynet:
    def test_lines_lead_back(self, tmp_path: Path) -> None:
        graph = read(tmp_path, "square.anynet", SQUARE)
        assert graph.switches == ("0", "1", "2", "3")
        assert graph.nodes == ("n0", "n1", "n2")
        assert graph.enters == graph.leaves == (0, 3, 3)
        assert {(link.source, link.destination) for link in graph.links} == {
            *[(0, 1), (1, 0), (0, 2), (2, 0), (3, 1), (1, 3), (3, 2), (2, 3)]
        }
        assert {(link.width, link.delay_ps) for link in graph.links} == {(1, None)}

    def test_latencies_are_of_one_direction(self, tmp_path: Path) -> None:
        """BookSim: the way back is of one cycle, unless the other line says otherwise."""
        text = "router 0 node 0 router 1 15 router 2 4\nrouter 2 node 1 router 0 6\nrouter 1 node 2"
        graph = read(tmp_path, "net", text, format="anynet", cycle_ps=2000)
        delays = {(link.source, link.destination): link.delay_ps for link in graph.links}
        assert delays == {(0, 1): 30_000, (1, 0): 2000, (0, 2): 8000, (2, 0): 12_000}

    def test_parallel_links_become_wires(self, tmp_path: Path) -> None:
        text = "router 0 node 0 router 1 router 1 router 1 5\nrouter 1 node 1 router 0"
        graph = read(tmp_path, "net.anynet", text, cycle_ps=1000)
        assert graph.links == (Link(0, 1, 2, 1000), Link(0, 1, 1, 5000), Link(1, 0, 1, 1000))

    def test_a_line_may_begin_with_a_node(self, tmp_path: Path) -> None:
        graph = read(tmp_path, "net.anynet", "node 0 router 5\nnode 1 router 7\nrouter 5 router 7")
        assert (graph.switches, graph.enters) == (("5", "7"), (0, 1))


class TestGraphml:
    def test_what_says_nothing_here_is_read_silently(self, tmp_path: Path) -> None:
        ports = A.replace("</node>", '<port name="p"/></node>')
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            keys = '<key id="c" attr.name="colour"/>'
            read(tmp_path, "net.graphml", graphml(ports + B, edge("a", "b"), keys=keys))

    def test_an_edge_without_direction_is_two_links(self, tmp_path: Path) -> None:
        text = graphml(A + B, edge("a", "b", width=3, delay="5 ns"))
        graph = read(tmp_path, "net.graphml", text)
        assert graph.links == (Link(0, 1, 3, 5000), Link(1, 0, 3, 5000))
        assert (graph.nodes, graph.enters) == (("a", "b"), (0, 1))

    def test_a_directed_edge_is_one_link(self, tmp_path: Path) -> None:
        edges = edge("a", "b") + edge("b", "c") + edge("c", "a")
        graph = read(tmp_path, "net.graphml", graphml(A + B + C, edges, "directed"))
        assert len(graph.links) == 3

    def test_parallel_edges_become_wires(self, tmp_path: Path) -> None:
        edges = edge("a", "b", width=2) + edge("b", "a") + edge("a", "b", latency=1.5)
        graph = read(tmp_path, "net.graphml", graphml(A + B, edges), cycle_ps=1000)
        assert graph.links[:2] == (Link(0, 1, 3, None), Link(0, 1, 1, 1500))

    def test_defaults_are_of_all_that_say_nothing_else(self, tmp_path: Path) -> None:
        keys = "".join(
            f'<key id="{name}" for="{of}" attr.name="{name}" attr.type="string">'
            f"<default>{value}</default></key>"
            for of, name, value in [
                ("node", "nodes", "2"),
                ("node", "vendor", "none"),
                ("edge", "rate", "200 Gbit/s"),
                ("edge", "delay", "7 ns"),
            ]
        )
        edges = edge("a", "b") + edge("b", "c", latency=3, rate="1 Gbit/s")
        text = graphml(A + B + vertex("c", nodes=1), edges, keys=keys)
        graph = read(tmp_path, "net.graphml", text, cycle_ps=1000)
        assert graph.nodes == ("a.0", "a.1", "b.0", "b.1", "c")
        found = sorted((link.delay_ps or 0, str(link.rate)) for link in graph.links)
        assert found == 2 * [(3000, "1 Gbit/s")] + 2 * [(7000, "200 Gbit/s")]

    def test_defaults_are_not_of_the_links_of_nodes(self, tmp_path: Path) -> None:
        key = '<key id="u" for="edge" attr.name="width" attr.type="int"><default>4</default></key>'
        vertices = A + B + vertex("p", kind="node") + vertex("q", kind="node")
        text = graphml(vertices, edge("a", "b") + edge("p", "a") + edge("q", "b"), keys=key)
        assert {link.width for link in read(tmp_path, "net.graphml", text).links} == {4}

    def test_nodes_are_counted_on_switches(self, tmp_path: Path) -> None:
        vertices = vertex("a", nodes=2) + vertex("b", nodes=1) + vertex("c")
        graph = read(tmp_path, "net.graphml", graphml(vertices, edge("a", "c") + edge("c", "b")))
        assert (graph.nodes, graph.enters) == (("a.0", "a.1", "b"), (0, 0, 1))

    def test_nodes_are_vertices(self, tmp_path: Path) -> None:
        vertices = A + vertex("p", kind="node") + B + vertex("q", kind="node")
        edges = edge("a", "b") + edge("p", "b") + edge("q", "a")
        graph = read(tmp_path, "net.graphml", graphml(vertices, edges))
        assert (graph.switches, graph.nodes) == (("a", "b"), ("p", "q"))
        assert graph.enters == graph.leaves == (1, 0)

    def test_nodes_may_leave_elsewhere(self, tmp_path: Path) -> None:
        vertices = A + B + vertex("p", kind="node") + vertex("q", kind="node")
        ends = [("p", "a"), ("q", "a"), ("a", "b"), ("b", "p"), ("b", "q")]
        text = graphml(vertices, "".join(edge(*end) for end in ends), "directed")
        graph = read(tmp_path, "net.graphml", text)
        assert (graph.enters, graph.leaves) == ((0, 0), (1, 1))

    def test_positions_are_kept(self, tmp_path: Path) -> None:
        keys = "".join(
            f'<key id="{axis}" for="node" attr.name="{axis}" attr.type="double"/>' for axis in "xy"
        )
        vertices = vertex("a", x=1, y=2) + vertex("b", x=3.5, y=4)
        graph = read(tmp_path, "net.graphml", graphml(vertices, edge("a", "b"), keys=keys))
        assert graph.positions == ((1.0, 2.0), (3.5, 4.0))

    def test_what_networkx_writes_is_read(self, tmp_path: Path) -> None:
        nx.write_graphml(nx.petersen_graph(), tmp_path / "net.graphml")
        graph = read_graph(tmp_path / "net.graphml", Conventions(nodes_per_switch=2))
        assert (len(graph.switches), len(graph.links), len(graph.nodes)) == (10, 30, 20)


class TestRatesAndDelays:
    def test_every_link_may_have_its_own(self, tmp_path: Path) -> None:
        edges = edge("a", "b", rate="400 Gbit/s", delay="300 ns", width=2) + edge("b", "c")
        graph = read(tmp_path, "net.graphml", graphml(A + B + C, edges))
        fast = Rate.parse("400 Gbit/s")
        assert graph.links == (
            Link(0, 1, 2, 300_000, fast),
            Link(1, 0, 2, 300_000, fast),
            Link(1, 2, 1),
            Link(2, 1, 1),
        )

    def test_they_reach_the_engine(self, tmp_path: Path) -> None:
        (tmp_path / "net.edges").write_text(
            "a b {'rate': '400 Gbps', 'delay': '7 ns'}\nb c {'width': 3}\n"
            "c a {'rate': '100 Gbit/s', 'delay': '2 ns'}"
        )
        graph = {"kind": "graph", "file": str(tmp_path / "net.edges"), "directed": True}
        machine = machine_of({"topology": graph, "link": {"delay": "2 ns"}})
        assert [str(rate) for rate in machine.internal_rates] == ["100 Gbit/s", "400 Gbit/s"]
        # What is as on other links is not said again.
        assert machine.spec("packet")["topology"]["links"] == [
            {"from": 0, "to": 1, "width": 1, "flit_ps": 20, "control_ps": 1, "delay_ps": 7000},
            {"from": 1, "to": 2, "width": 3},
            {"from": 2, "to": 0, "width": 1},
        ]

    def test_delays_may_be_in_cycles_of_the_clock(self, tmp_path: Path) -> None:
        (tmp_path / "net.edges").write_text("a b {'delay': '3 cycles'}\nb c {'latency': 2}")
        graph = {"kind": "graph", "file": str(tmp_path / "net.edges")}
        for keys in (
            {"clock": "2 GHz", "topology": graph},
            {"topology": graph | {"cycle": "500 ps"}},
        ):
            links = machine_of(keys).spec("packet")["topology"]["links"]
            assert [link["delay_ps"] for link in links] == [1500, 1500, 1000, 1000]
        with pytest.raises(
            UserError, match=r'a to b: delay is "3 cycles"; is in cycles; give mach'
        ):
            machine_of({"topology": graph}).check("packet")

    def test_a_cycle_of_the_network_is_not_the_clocks(self, tmp_path: Path) -> None:
        (tmp_path / "net.edges").write_text("a b {'latency': 2}")
        graph = {"kind": "graph", "file": str(tmp_path / "net.edges"), "cycle": "1 ns"}
        machine = machine_of({"clock": "2 GHz", "topology": graph, "link": {"delay": "2 cycles"}})
        assert machine.spec("packet")["link"]["delay_ps"] == 1000
        assert machine.spec("packet")["topology"]["links"][0]["delay_ps"] == 2000

    def test_rates_are_part_of_what_the_network_is(self, tmp_path: Path) -> None:
        found = set()
        for attributes in ("", "{'rate': '1 Gbit/s'}", "{'delay': '1 ns'}", "{'width': 2}"):
            (tmp_path / "net.edges").write_text(f"a b {attributes}")
            graph = {"kind": "graph", "file": str(tmp_path / "net.edges")}
            found.add(machine_of({"topology": graph}).topology.resolved()["network_sha256"])
        assert len(found) == 4

    def test_a_rate_without_whole_picoseconds_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "net.edges").write_text("a b {'rate': '1.1 Tbit/s'}")
        graph = {"kind": "graph", "file": str(tmp_path / "net.edges")}
        with pytest.raises(UserError) as caught:
            machine_of({"topology": graph}).check("packet")
        assert "link from a" in str(caught.value)
        assert "takes 7.27273 ps" in str(caught.value)
        assert "\n" not in str(caught.value)


class TestEdgeLists:
    def test_each_line_is_an_edge(self, tmp_path: Path) -> None:
        text = "# a ring\n10 9\n9 2 {'width': 2}\n\n2 10  # the last\n"
        graph = read(tmp_path, "net.edgelist", text)
        assert graph.switches == ("2", "9", "10")
        assert len(graph.links) == 6
        assert Link(1, 0, 2, None) in graph.links

    def test_edges_may_have_a_direction(self, tmp_path: Path) -> None:
        graph = read(tmp_path, "net.edges", "a b\nb c\nc a {'delay': '1 ns'}", directed=True)
        assert graph.links == (Link(0, 1, 1), Link(1, 2, 1), Link(2, 0, 1, 1000))


BAD = [
    ("net.anynet", "", "net.anynet: has no switch"),
    ("net.anynet", "router 0 node 0", "has 1 nodes; must have at least 2"),
    ("net.anynet", "ruter 0 node 0", 'line 1: "ruter" where "router" or "node" is expected; did'),
    ("net.anynet", "router 0 node 0 5x", 'line 1: "5x" where "router", "node" or a latency is'),
    ("net.anynet", "router 0 node", "line 1: node without a number"),
    ("net.anynet", "router", "line 1: router without a number"),
    ("net.anynet", "router x node 1", 'line 1: "x" is no number of a router'),
    ("net.anynet", "router 0 router 1 -3", "line 1: latency -3 must not be negative"),
    ("net.anynet", "router 0 router 1 3", "line 1: latency 3 is in cycles; machine.clock or"),
    ("net.anynet", "router 0 node 1 3", "line 1: latency 3 is in cycles; machine.clock or "),
    ("net.anynet", "router 0 router 0", "link from 0 to 0: must not lead back to where it comes"),
    ("net.anynet", "router 0 node 1\nrouter 2 node 1", "node n1 is on two switches, 0 and 2"),
    ("net.anynet", "node 0 node 1\nrouter 0", "nodes n0 and n1 are joined without a switch"),
    (
        "net.anynet",
        "router 0 node 0 node 1\nrouter 1 node 2 router 2",
        "is not connected: there is no way from node n0 to node n2",
    ),
    ("net.edges", "a b\nc\n", "line 2: must name two switches"),
    ("net.edges", "a b c", "line 1: what follows the two names must be like {'width': 2}"),
    ("net.edges", "a b {'width': 0}", "link from a to b: has 0 wires; must be 1 to 255"),
    ("net.edges", "a b {'width': 256}", "has 256 wires; must be 1 to 255"),
    ("net.edges", "a b {'width': 200}\n" * 2, "has 400 wires; must be 1 to 255"),
    ("net.edges", "a b {'width': 1.5}", "link from a to b: width is 1.5; must be a whole number"),
    ("net.edges", "a b {'delay': 3}", 'delay is 3; needs a unit: write "3 us" if that is meant'),
    ("net.edges", "a b {'delay': '-3 ns'}", 'delay is "-3 ns"; must not be negative'),
    ("net.edges", "a b {'delay': '2 s'}", "link from a to b: must take at most 1 s"),
    ("net.edges", "a b {'latency': -1}", "latency is -1; must not be negative"),
    (
        "net.edges",
        "a b {'latency': 2}",
        "latency is in cycles; machine.clock or machine",
    ),
    ("net.edges", "a b {'latency': 'x'}", 'latency is "x"; must be a number of cycles'),
    ("net.edges", "a b {'latency': 1, 'delay': 0}", "has both a delay and a latency; must have"),
    ("net.edges", "a b {'rate': 3}", 'rate is 3; needs a unit: write "3 Gbit/s"'),
    ("net.edges", "a b {'rate': '3 GB'}", 'rate is "3 GB"; is a number of bytes; a rate is'),
    ("net.edges", "a b {'rate': '200 Tbit/s'}", "must be at most 100 Tbit/s"),
    (
        "net.edges",
        "a b {'bandwidth': 1}",
        "attribute bandwidth is not understood; did you mean ra",
    ),
    (
        "net.edges",
        "a b {'capacity': 1}",
        "attribute capacity is not understood; did you mean ra",
    ),
    ("net.edges", "a b {'dely': '1 ns'}", "attribute dely is not understood; did you mean delay?"),
    ("net.edges", "a b {'widht': 2}", "attribute widht is not understood; did you mean width?"),
    (
        "net.graphml",
        graphml(A + vertex("p", kind="node"), edge("p", "a", width=2)),
        "the link of node p has a width; those of nodes all have the same: machine.node_link.width",
    ),
    ("net.edges", "a b\nc d", "is not connected: there is no way from node a to node c"),
    ("net.edges", "a a", "link from a to a: must not lead back to where it comes from"),
    ("net.graphml", "not xml", "net.graphml: is not XML: syntax error"),
    ("net.graphml", "<html/>", "is not GraphML: begins with <html>"),
    ("net.graphml", graphml(A + A, ""), "a is there twice; names must differ"),
    ("net.graphml", graphml(A + B, edge("a", "bb")), "link from a to bb: there is no bb; did you"),
    ("net.graphml", graphml(A + B, edge("a", "a")), "must not lead back to where it comes from"),
    ("net.graphml", graphml(A + B, edge("a", "b", latency=-1)), "must not be negative"),
    ("net.graphml", graphml(A + B, edge("a", "b", width="x")), "is not GraphML that can be read"),
    ("net.graphml", graphml(A + B, ""), "there is no way from node a to node b"),
    (
        "net.graphml",
        graphml(A + B + vertex("p", kind="node"), edge("a", "b")),
        "node p is on no switch",
    ),
    (
        "net.graphml",
        graphml(A + vertex("p", kind="node"), edge("p", "a"), "directed"),
        "node p sends to switch a but receives from none",
    ),
    (
        "net.graphml",
        graphml(A + vertex("p", kind="node"), edge("a", "p"), "directed"),
        "node p receives from switch a but sends to none",
    ),
    ("net.graphml", graphml(vertex("a", kind="nod"), ""), 'a: kind is "nod"; must be "switch" or'),
    ("net.graphml", graphml(vertex("a", nodes=-1), ""), "switch a has -1 nodes; must be 0 to"),
    (
        "net.graphml",
        graphml(A + B + C, edge("a", "b") + edge("b", "a") + edge("b", "c"), "directed"),
        "there is no way from node c to node a",
    ),
    (
        "net.txt",
        "a b",
        "must end in .graphml, .edgelist, .edges, .anynet, .gml, .dot or .gv, or machine.topolog",
    ),
]


@pytest.mark.parametrize(("name", "text", "expected"), BAD)
def test_refused_in_one_line(name: str, text: str, expected: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        read(tmp_path, name, text)
    line = str(caught.value)
    assert expected in line
    assert line.startswith(str(tmp_path))
    assert "\n" not in line


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none.graphml: no such file"):
        read_graph(tmp_path / "none.graphml", Conventions())
    with pytest.raises(UserError, match=r"is a directory, not a file"):
        read_graph(tmp_path, Conventions(format="anynet"))


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "net.anynet").write_bytes(b"router \xff")
    with pytest.raises(UserError, match=r"is not UTF-8 text \(byte 7\)"):
        read_graph(tmp_path / "net.anynet", Conventions())


class TestMachine:
    def experiment(self, folder: Path, text: str, name: str = "net.anynet") -> Experiment:
        (folder / name).write_text(text)
        workload = 'kind = "messages"\nmessages = [["0 ns", 0, 1, "1 B"]]'
        keys = f'kind = "graph"\nfile = "{name}"\nformat = "anynet"'
        (folder / "e.toml").write_text(f"[machine.topology]\n{keys}\n[workload]\n{workload}\n")
        return Experiment.load(folder / "e.toml")

    def test_the_name_is_relative_to_the_experiment_file(self, tmp_path: Path) -> None:
        experiment = self.experiment(tmp_path, SQUARE)
        assert experiment.machine.nodes == 3
        topology = experiment.machine.spec("packet")["topology"]
        assert (topology["kind"], topology["switches"], topology["nodes"]) == (
            "graph",
            4,
            [0, 3, 3],
        )
        assert topology["links"][0] == {"from": 0, "to": 1, "width": 1}
        assert topology["leaves"] == []

    def test_the_content_is_the_identity_not_the_name(self, tmp_path: Path) -> None:
        first = self.experiment(tmp_path, SQUARE).identity(1)
        assert self.experiment(tmp_path, SQUARE, "other.net").identity(1) == first
        assert self.experiment(tmp_path, f"{SQUARE}router 1 router 2").identity(1) != first

    def test_sweeps_may_vary_the_file(self, tmp_path: Path) -> None:
        self.experiment(tmp_path, SQUARE)
        (tmp_path / "other.anynet").write_text(f"{SQUARE}router 1 router 2")
        text = (tmp_path / "e.toml").read_text()
        files = '["net.anynet", "other.anynet"]'
        (tmp_path / "s.toml").write_text(f"{text}[sweep]\nmachine.topology.file = {files}\n")
        sweep = Sweep.load(tmp_path / "s.toml")
        points = list(sweep.points())
        names = ["net.anynet", "other.anynet"]
        assert [point.varied["machine.topology.file"] for point in points] == names
        assert len({point.experiment.identity(1) for point in points}) == 2
        assert str(tmp_path) not in json.dumps(sweep.description())

    def test_parameters_name_the_content(self, tmp_path: Path) -> None:
        resolved = self.experiment(tmp_path, SQUARE).resolved()["machine"]["topology"]
        assert (resolved["nodes"], resolved["switches"], resolved["links"]) == (3, 4, 8)
        assert len(resolved["network_sha256"]) == 64

    def test_tokens_need_a_way_back(self, tmp_path: Path) -> None:
        (tmp_path / "ring.edges").write_text("a b\nb c\nc a")
        ring = network(tmp_path / "ring.edges", directed=True)
        ring.check("packet")
        with pytest.raises(
            UserError, match=r"link from switch a to switch b: needs one of as many wires back"
        ):
            ring.check("token")
        (tmp_path / "wide.anynet").write_text("router 0 node 0 router 1 router 1\nrouter 1 node 1")
        network(tmp_path / "wide.anynet", routing=ONE_WAY).check("token")
        (tmp_path / "odd.anynet").write_text(
            "router 0 node 0 router 1 router 1\nrouter 1 node 1 router 0"
        )
        with pytest.raises(UserError, match=r"needs one of as many wires back"):
            network(tmp_path / "odd.anynet", routing=ONE_WAY).check("token")
        network(tmp_path / "ring.edges", routing=ONE_WAY).check("token")

    @pytest.mark.parametrize(
        ("keys", "expected"),
        [
            ({}, 'machine.topology.file: must be given with machine.topology.kind = "graph"'),
            ({"file": 3}, "machine.topology.file = 3: must be a text in quotes"),
            (
                {"file": "x", "format": "xml"},
                'must be "graphml", "edge_list", "anynet", "gml" or "dot"',
            ),
            ({"file": "x", "cycle": 0}, 'machine.topology.cycle = "0 s": must be above zero'),
            ({"file": "x", "cycle": "2 cycles"}, 'cycle = "2 cycles": must be a time, such as'),
            ({"file": "x", "nodes_per_switch": 0}, "nodes_per_switch = 0: must be at"),
            (
                {"file": "x", "routing": {"kind": "dimension_order"}},
                'must be "up_down", "spanning_tree", "shortest"',
            ),
        ],
    )
    def test_keys_are_refused_in_one_line(self, keys: dict[str, object], expected: str) -> None:
        with pytest.raises(UserError) as caught:
            t9000("graph", **keys)
        assert expected in str(caught.value)


class TestNames:
    """Switches and nodes are called in tables what the file calls them."""

    def machine(self, tmp_path: Path) -> Machine:
        names = ("library", "halls [red]", "7")
        links = edge(names[0], names[1]) + edge(names[1], names[2])
        path = tmp_path / "named.graphml"
        path.write_text(graphml("".join(vertex(name) for name in names), links))
        return t9000("graph", file=str(path), nodes_per_switch=1)

    def test_in_descriptions_and_costs(self, tmp_path: Path) -> None:
        machine = self.machine(tmp_path)
        loaded = tb.describe(machine, tb.Synthetic()).most_loaded(20)
        ends = {end for channel in loaded for end in (channel.source, channel.destination)}
        assert ends == {"library", "halls [red]", "switch 7", "node 7"}
        cost = tb.cost(machine, tb.Synthetic(compute_period="3 us"), duration="200 us")
        waiting = cost.channels_waiting_most(20)
        assert {c.source for c in waiting} <= ends

    def test_in_blame(self, tmp_path: Path) -> None:
        workload = tb.Synthetic(compute_period="3 us")
        found = tb.blame(self.machine(tmp_path), workload, duration="200 us")
        waits = {str(row["channel"]) for row in found.roots(20)}
        assert "library->halls [red]" in waits or "halls [red]->library" in waits
        assert {row["culprit"] for row in found.culprits(20)} <= {"library", "halls [red]", "7"}


def test_encodings_are_those_of_the_file(tmp_path: Path) -> None:
    text = graphml(vertex("Zürich") + B, edge("Zürich", "b"))
    for encoding in ("latin-1", "utf-8-sig"):
        named = text.replace("?>", ' encoding="latin-1"?>', 1) if encoding == "latin-1" else text
        (tmp_path / "net.graphml").write_bytes(named.encode(encoding))
        graph = read_graph(tmp_path / "net.graphml", Conventions())
        assert graph.switches == ("Zürich", "b")


WORDS = st.sampled_from(
    ["router", "node", "0", "1", "2", "-1", "a", "b", "{", "{'width': 2}", "{'x': [}", "#", "\n"]
)
PIECES = st.sampled_from(
    [
        *(A, B, edge("a", "b"), edge("b", "a", width=2), vertex("c", kind="node"), "<edge/>"),
        *("<data/>", '<data key="z">1</data>', "<key/>", "<hyperedge/>", "text"),
        '<node id="d"><graph edgedefault="directed"/></node>',
    ]
)


@settings(max_examples=random_cases(150))
@given(words=st.lists(WORDS, max_size=14), pieces=st.lists(PIECES, max_size=6))
def test_whatever_is_written_is_read_or_refused(
    words: list[str], pieces: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("graphs")
    texts = {
        "net.anynet": " ".join(words),
        "net.edges": " ".join(words),
        "net.graphml": graphml("".join(pieces), ""),
    }
    for name, text in texts.items():
        try:
            graph = read(folder, name, text)
        except UserError as error:
            assert "\n" not in str(error)  # noqa: PT017  # what it says, if there is one
        else:
            assert graph.first_unreachable() is None


@st.composite
def connected_graphs(draw: st.DrawFn) -> nx.Graph:
    """A tree and a few more edges, with wires."""
    count = draw(st.integers(2, 12))
    graph = nx.Graph()
    graph.add_nodes_from(range(count))
    for vertex in range(1, count):
        graph.add_edge(vertex, draw(st.integers(0, vertex - 1)))
    for _ in range(draw(st.integers(0, 8))):
        a, b = draw(st.integers(0, count - 1)), draw(st.integers(0, count - 1))
        if a != b:
            graph.add_edge(a, b)
    for _, _, data in graph.edges(data=True):
        data["width"] = draw(st.integers(1, 3))
    return graph


@settings(max_examples=random_cases(40))
@given(graph=connected_graphs())
def test_all_formats_say_the_same_and_are_counted_alike(
    graph: nx.Graph, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("graphs")
    nx.write_graphml(graph, folder / "g.graphml")
    nx.write_edgelist(graph, folder / "g.edgelist")
    lines = [f"router {vertex} node {vertex}" for vertex in graph]
    for a, b, width in graph.edges(data="width"):
        lines += [f"router {a}{f' router {b}' * width}"]
    (folder / "g.anynet").write_text("\n".join(lines))
    machines = [network(folder / f"g.{end}") for end in ("graphml", "edgelist", "anynet")]
    specs = [machine.spec("packet")["topology"] for machine in machines]
    for spec in specs:
        spec["links"].sort(key=json.dumps)
    assert specs[0] == specs[1] == specs[2]
    counted = survey(machines[0])
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    pairs = [(a, b) for a in graph for b in graph if a != b]
    hops = [lengths[a][b] + 2 for a, b in pairs]
    paths = [len(list(nx.all_shortest_paths(graph, a, b))) for a, b in pairs]
    assert counted.diameter == max(hops)
    assert counted.mean_hops == pytest.approx(sum(hops) / len(hops), rel=1e-12)
    assert (counted.paths_min, counted.paths_max) == (min(paths), max(paths))
    assert counted.paths_mean == pytest.approx(sum(paths) / len(paths), rel=1e-12)
    assert counted.bisection is not None
    assert sum(counted.bisection.halves or ()) == len(graph)


PORTS = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="k" for="node" attr.name="kind" attr.type="string"/>
<key id="s" for="edge" attr.name="source_port" attr.type="int"/>
<key id="t" for="edge" attr.name="target_port" attr.type="int"/>
<graph edgedefault="undirected"><node id="A"/><node id="B"/>
<node id="p"><data key="k">node</data></node><node id="q"><data key="k">node</data></node>
<edge source="p" target="A"><data key="t">4</data></edge>
<edge source="B" target="q"><data key="s">0</data></edge>
<edge source="B" target="A"><data key="s">2</data><data key="t">1</data></edge>
<edge source="A" target="B"><data key="s">3</data><data key="t">1</data></edge>
</graph></graphml>
"""


def test_a_graph_may_say_at_which_ports_its_links_are(tmp_path: Path) -> None:
    path = tmp_path / "a.graphml"
    path.write_text(PORTS)
    graph = read_graph(path, Conventions(None, None, 1, False))
    links = [(link.source, link.port, link.destination, link.at) for link in graph.links]
    assert links == [(0, 1, 1, 2), (0, 3, 1, 1), (1, 1, 0, 3), (1, 2, 0, 1)]
    assert graph.node_ports == (4, 0)
    assert graph.ports[1, 2] == (1, 0)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('<data key="t">4</data>', "", "has ports, but none of the link of node p"),
        ('<data key="t">4</data>', '<data key="s">4</data>', "node p has a port at the node"),
        ('<data key="t">4</data>', '<data key="t">3</data>', "port 3 of switch A has 2 links"),
        ('<data key="t">4</data>', '<data key="t">-1</data>', "target_port is -1; must be 0 to"),
        (
            '<data key="s">2</data><data key="t">1</data>',
            "",
            "has ports, but none of the link from B to A",
        ),
        (
            '<data key="s">2</data>',
            "",
            "link from B to A: must have a port at both switches, or at none",
        ),
    ],
)
def test_ports_that_are_not_known_or_not_apart_are_refused(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    path = tmp_path / "a.graphml"
    path.write_text(PORTS.replace(old, new))
    with pytest.raises(UserError) as told:
        read_graph(path, Conventions(None, None, 1, False))
    assert expected in str(told.value)
    assert "\n" not in str(told.value)


ZOO = """graph [
  label "a"
  node [ id 0 label "Here" Country "X" graphics [ x 1.5 y 2.0 ] ]
  node [ id 1 label "There" Latitude 40.7 ]
  node [ id 2 label "None" ]
  edge [ source 0 target 1 LinkLabel "OC-192" ]
  edge [ source 1 target 2 rate "10 Gbit/s" ]
  edge [ source 1 target 2 rate "10 Gbit/s" ]
]
"""


def test_gml_of_the_topology_zoo_is_read(tmp_path: Path) -> None:
    """Parallel edges need no word; what nobody asked for has no effect, and is told."""
    (tmp_path / "zoo.gml").write_text(ZOO)
    found = read_graph(tmp_path / "zoo.gml", Conventions())
    assert found.switches == ("Here", "There", "None")
    assert found.ignored == ("Country", "graphics", "Latitude", "LinkLabel")
    assert sorted((link.source, link.destination, link.width) for link in found.links) == [
        (0, 1, 1),
        (1, 0, 1),
        (1, 2, 2),
        (2, 1, 2),
    ]
    # Labels that are the same are no names.
    (tmp_path / "same.gml").write_text(ZOO.replace('"There"', '"None"'))
    assert read_graph(tmp_path / "same.gml", Conventions()).switches == ("0", "1", "2")


@pytest.mark.parametrize("text", ["", "graph [", "graph [ node [ id 0 ] edge [ source 0 ] ]", "x"])
def test_damaged_gml_is_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.gml").write_text(text)
    with pytest.raises(UserError, match=r"wrong\.gml: ") as caught:
        read_graph(tmp_path / "wrong.gml", Conventions())
    assert "\n" not in str(caught.value)


def test_dot_is_read_by_pydot(tmp_path: Path) -> None:
    """Without it one line says so."""
    text = 'graph g { a [shape=box]; a -- b [rate="10 Gbit/s"]; b -- "c d" [colour=red]; }'
    (tmp_path / "net.dot").write_text(text)
    if importlib.util.find_spec("pydot") is None:
        with pytest.raises(UserError, match="needs pydot: pip install"):
            read_graph(tmp_path / "net.dot", Conventions())
        return
    found = read_graph(tmp_path / "net.dot", Conventions())
    assert (found.switches, found.ignored) == (("a", "b", "c d"), ("colour",))
    assert [str(link.rate) for link in found.links] == ["10 Gbit/s", "10 Gbit/s", "None", "None"]
    (tmp_path / "wrong.dot").write_text("graph {")
    with pytest.raises(UserError, match=r"wrong\.dot: is not DOT that can be read"):
        read_graph(tmp_path / "wrong.dot", Conventions())


def test_graphml_of_the_topology_zoo_is_read(tmp_path: Path) -> None:
    text = (
        '<graphml><key attr.name="Latitude" attr.type="double" for="node" id="d2"/>'
        '<key attr.name="LinkLabel" attr.type="string" for="edge" id="d1"/>'
        '<key attr.name="Network" attr.type="string" for="graph" id="d4"/>'
        '<key attr.name="type" attr.type="string" for="node" id="d5"/>'
        '<graph edgedefault="undirected"><data key="d4">Abilene</data>'
        '<node id="0"><data key="d2">40.7</data><data key="d5">Exit</data></node><node id="1"/>'
        '<edge source="0" target="1"><data key="d1">OC-192</data></edge></graph></graphml>'
    )
    (tmp_path / "zoo.graphml").write_text(text)
    found = read_graph(tmp_path / "zoo.graphml", Conventions())
    assert (found.switches, found.ignored) == (("0", "1"), ("Latitude", "type", "LinkLabel"))


def test_a_deadlock_names_switches_and_nodes_of_the_file(tmp_path: Path) -> None:
    ring = ["spineA leafX", "leafX spineB", "spineB leafY", "leafY leafZ", "leafZ spineA"]
    (tmp_path / "ring.edgelist").write_text("\n".join(ring))
    topology = {"kind": "graph", "file": str(tmp_path / "ring.edgelist")}
    described = {
        "machine": {"topology": topology, "routing": {"kind": "shortest"}},
        "workload": {"kind": "synthetic", "preset": "uniform_open_loop"},
    }
    with pytest.raises(CircleError) as caught:
        tb.run(tb.Experiment.from_dict(described))
    assert "channel spineA->leafX waits for channel leafX->spineB" in str(caught.value)
    assert "routes spineA->spineB" in str(caught.value)
    assert caught.value.circle[0]["channel"] == "spineA to leafX"


def test_a_fat_tree_from_a_file_uses_all_its_cores(tmp_path: Path) -> None:
    """Up*/down* with one root would carry 14 to 25 % of what nodes can send: here it is half."""
    half = 2
    pods, cores = range(2 * half), [f"c{number}" for number in range(half * half)]
    lines = []
    for pod in pods:
        for up in range(half):
            lines += [f"e{pod}_{low} a{pod}_{up}" for low in range(half)]
            lines += [f"a{pod}_{up} {core}" for core in cores[up * half : (up + 1) * half]]
    names = dict.fromkeys(name for line in lines for name in line.split())
    nodes = "".join(
        f'<node id="{name}"><data key="n">{half if name[0] == "e" else 0}</data></node>'
        for name in names
    )
    edges = "".join('<edge source="{}" target="{}"/>'.format(*line.split()) for line in lines)
    key = '<key id="n" for="node" attr.name="nodes" attr.type="int"/>'
    body = f'{key}<graph edgedefault="undirected">{nodes}{edges}</graph>'
    (tmp_path / "tree.graphml").write_text(f"<graphml>{body}</graphml>")
    described = {
        "machine": {"topology": {"kind": "graph", "file": str(tmp_path / "tree.graphml")}},
        "workload": {
            "kind": "synthetic",
            "preset": "uniform_open_loop",
            "message_size": "1000 B",
            "compute_period": "160 ns",
        },
        "run": {"duration": "60 us", "seed": 1},
    }
    result = tb.run(tb.Experiment.from_dict(described), mode="full")
    assert 0.44 <= result["accepted_load"].value <= 0.53
    # Where one core is the root, all packets between pods meet there.
    described["machine"]["routing"] = {"kind": "up_down", "root": list(names).index("c0")}
    assert tb.run(tb.Experiment.from_dict(described), mode="full")["accepted_load"].value < 0.4
