"""Networks of clusters as machines: routes as installed, rates of nodes, rows that are missing."""

from __future__ import annotations

from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import tailback as tb
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.importing import Imported, import_network
from tailback.importing.toml import to_toml
from tailback.machines import machine_of
from tailback.survey import survey, table_routes
from tailback.terminal.flows import flows_report

SAMPLES = Path(__file__).parents[1] / "networks"


def written(found: Imported, folder: Path, **changes: Any) -> Experiment:
    """Write an experiment and its files as the command does, and load it."""
    (folder / "n.graphml").write_bytes(found.graph())
    if found.routes is not None:
        (folder / "n.routes.csv").write_bytes(found.routes)
    tables = {**found.experiment("n.graphml", "n.routes.csv"), **changes.pop("tables", {})}
    tables["machine"] = {**tables["machine"], **changes}
    (folder / "n.toml").write_text(to_toml(tables))
    return Experiment.load(folder / "n.toml")


def shortest_tables(found: Imported) -> str:
    """Return forwarding tables by shortest paths, each by the lowest port that leads nearer."""
    cluster = found.cluster
    around: dict[str, dict[int, str]] = {name: {} for name in cluster.switches}
    for cable in cluster.cables:
        for one, other in ((0, 1), (1, 0)):
            if cable.ends[one] in around:
                port = cable.ports[one]
                assert port is not None
                around[cable.ends[one]][port] = cable.ends[other]
    guids = {name: guid for guid, name in cluster.guids.items()}
    lines: dict[str, list[str]] = {name: [] for name in cluster.switches}
    for lid, host in cluster.lids.items():
        if host in cluster.hosts:
            distance, front = {host: 0}, [host]
            while front:
                at = front.pop(0)
                for name in (n for n, ports in around.items() if at in ports.values()):
                    if name not in distance:
                        distance[name] = distance[at] + 1
                        front.append(name)
            for name, ports in around.items():
                port = min(p for p, to in ports.items() if distance.get(to) == distance[name] - 1)
                lines[name].append(f"0x{lid:04x} {port:03d}")
    blocks = [
        "\n".join(
            [f"Unicast lids [0x0-0x65] of switch Lid 1 guid 0x{guids[name]:016x} (s):", *rows]
        )
        for name, rows in lines.items()
    ]
    return "\n".join(blocks) + "\n"


def test_tables_by_shortest_paths_are_shortest(tmp_path: Path) -> None:
    source = SAMPLES / "X5.topofile"
    tables = tmp_path / "lfts"
    tables.write_text(shortest_tables(import_network(source)))
    found = import_network(source, routes=tables)
    run = {"tables": {"run": {"duration": "40 us", "warmup": "0 us", "keep_messages": True}}}
    (tmp_path / "other").mkdir()
    free = {"allow_deadlock": True}
    routing = {"kind": "table", "file": "n.routes.csv", **free}
    installed = written(found, tmp_path, routing=routing, **run)
    other = {"kind": "shortest", **free}
    shortest = written(found, tmp_path / "other", routing=other, **run)
    ours, theirs = tb.run(installed), tb.run(shortest)
    assert ours.messages is not None
    assert ours.messages.num_rows > 200
    assert ours.messages.equals(theirs.messages)
    assert ours.channels.equals(theirs.channels)
    compared = table_routes(installed.machine, survey(installed.machine).graph)
    assert compared is not None
    assert (compared.longer, compared.missing, compared.most_extra_links) == (0, 0, 0)
    assert compared.mean_links == compared.shortest_mean_links
    assert compared.shifts == 88


RING = """ports,a,b,c,d
A,1,2,2,3
B,3,1,2,2
C,3,3,1,2
D,2,2,3,1
"""


def ring(folder: Path, table: str) -> dict[str, Any]:
    """Write a ring of four switches with ports, and a table; return a machine."""
    found = _ring_file(folder)
    (folder / "g.graphml").write_bytes(found.graph())
    (folder / "r.csv").write_text(table)
    return {
        "topology": {"kind": "graph", "file": str(folder / "g.graphml")},
        "switch": {"switching": "cut_through"},
        "routing": {"kind": "table", "file": str(folder / "r.csv")},
    }


def _ring_file(folder: Path) -> Imported:
    text = ""
    for n, name in enumerate("ABCD"):
        after, before = "ABCD"[(n + 1) % 4], "ABCD"[n - 1]
        host = name.lower()
        text += f'Switch 3 "{name}" # "{name}" base port 0 lid {n + 1} lmc 0\n'
        text += f'[1] "{host}"[1] # "{host}" lid {n + 11} 4xEDR\n'
        text += f'[2] "{after}"[3] # "s" 4xEDR\n[3] "{before}"[2] # "s" 4xEDR\n'
        text += f'Ca 1 "{host}" # "{host}"\n[1](a{n}) "{name}"[1] # lid {n + 11} lmc 0 "s" 4xEDR\n'
    (folder / "net").write_text(text)
    return import_network(folder / "net")


def test_credit_loops_are_refused_with_their_cycle(tmp_path: Path) -> None:
    def experiment(table: str) -> Experiment:
        tables = {"machine": ring(tmp_path, table), "workload": {"kind": "fan_in"}}
        return Experiment.from_dict(tables)

    with pytest.raises(UserError) as caught:
        tb.describe(experiment(RING.replace("C,3,3,1,2", "C,2,3,1,2")))
    line = str(caught.value)
    assert "can deadlock: channel" in line
    assert all(f"{one}->{other}" in line for one, other in ("AB", "BC", "CD", "DA")), line
    assert tb.describe(experiment(RING)).routing.free_by == "search"


def test_routes_of_a_table_beside_shortest_paths(tmp_path: Path) -> None:
    detour = RING.replace("A,1,2,2,3", "A,1,3,2,3").replace("D,2,2,3,1", "D,2,3,3,1")
    machine = machine_of(ring(tmp_path, detour))
    found = table_routes(machine, survey(machine).graph)
    assert found is not None
    # From A and D to b it is two links longer, over D and C: D has one and a half more than usual.
    assert (found.pairs, found.missing, found.longer, found.most_extra_links) == (12, 0, 1, 2)
    assert found.shortest_mean_links == pytest.approx(16 / 12)
    assert found.mean_links == pytest.approx(18 / 12)
    assert found.shifts == 3


@pytest.mark.parametrize(
    "row", ['"A", 1 , 2,02 ,3', "A,0,2,2,3", "A,00,2,2,3", "A,,2,2,3", "A,1,2,2,3,9,x"]
)
def test_ports_may_have_spaces_and_zeros_and_be_empty_at_home(tmp_path: Path, row: str) -> None:
    plain, other = (
        machine_of(ring(tmp_path, table)).spec("packet")["routing"]
        for table in (RING, RING.replace("A,1,2,2,3", row))
    )
    assert other == plain


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("A,1,2,2,3", "A,1,2,2,x", 'r.csv: d in line 2 = "x": must be a port with a cable to'),
        ("A,1,2,2,3", "A,1,2,2,9", 'r.csv: d in line 2 = "9": must be a port with a cable to'),
        ("A,1,2,2,3", "A,1,2,2,1", 'r.csv: d in line 2 = "1": must be a port with a cable to'),
        ("B,3", "A,3", 'r.csv: ports in line 3 = "A": has a row already, line 2'),
        ("ports,a,b", "ports,a,a", "r.csv: has two columns of one node"),
        ("ports,a", "ports,x", 'r.csv: ports in line 1 = "x": must be a node, 0 to 3, or its name'),
    ],
)
def test_mistakes_of_tables_of_ports(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        machine_of(ring(tmp_path, RING.replace(old, new, 1)))
    assert said in str(caught.value)


def _partial(folder: Path, *pairs: tuple[str, str]) -> Experiment:
    machine = ring(folder, "switch,destination,next_switch\nA,c,B@2\nB,c,C\n")
    rows = [["0 ns", "abcd".index(one), "abcd".index(other), "1 kB"] for one, other in pairs]
    return Experiment.from_dict(
        {"machine": machine, "workload": {"kind": "messages", "messages": rows}}
    )


def test_rows_that_no_message_needs_may_be_missing(tmp_path: Path) -> None:
    experiment = _partial(tmp_path, ("a", "c"), ("b", "c"))
    assert tb.describe(experiment).mean_hops == 3.5
    assert tb.run(experiment).complete
    found = table_routes(experiment.machine, survey(experiment.machine).graph)
    assert found is not None
    assert (found.pairs, found.missing) == (2, 10)


def test_a_message_that_needs_a_missing_row_is_one_line(tmp_path: Path) -> None:
    experiment = _partial(tmp_path, ("a", "c"), ("a", "d"))
    said = (
        "machine.routing.kind = routing table: node a to node d: switch A has no hop for it, and a "
        "message needs it"
    )
    for asked in (tb.describe, tb.run, tb.cost):
        with pytest.raises(UserError) as caught:
            asked(experiment)
        assert str(caught.value) == said


# Rates and classes in graph files.

NET = """<graphml><key id="k" for="node" attr.name="kind"/><key id="r" for="edge" attr.name="rate"/>
<key id="d" for="edge" attr.name="delay"/><key id="c" for="edge" attr.name="class"/>
<graph edgedefault="undirected">
<node id="s"/><node id="t"/><node id="a"><data key="k">node</data></node>
<node id="b"><data key="k">node</data></node><node id="e"><data key="k">node</data></node>
<edge source="a" target="s"/>
<edge source="b" target="t"><data key="r">50 Gbit/s</data><data key="d">30 ns</data></edge>
<edge source="e" target="t"/>
<edge source="s" target="t"><data key="c">trunk</data></edge></graph></graphml>
"""


def _graph(folder: Path, to: int, **machine: Any) -> Experiment:
    (folder / "n.graphml").write_text(NET)
    tables = {
        "topology": {"kind": "graph", "file": str(folder / "n.graphml")},
        "link": {"rate": "100 Gbit/s", "flit": "8 B", "delay": "10 ns"},
        "switch": {"switching": "store_and_forward", "delay": "0 ns"},
        "interface": {"header": "8 B", "packet_size": "992 B"},
        **machine,
    }
    workload = {"kind": "messages", "messages": [["0 ns", 0, to, "992 B"]]}
    return Experiment.from_dict({"machine": tables, "workload": workload})


def _latency_ns(experiment: Experiment) -> float:
    return 1000 * tb.run(experiment)["completion_us"].value


def test_a_node_may_have_a_link_of_its_own(tmp_path: Path) -> None:
    # 1000 B take 80 ns at 100 Gbit/s and 160 ns at 50; a, s, t and the node, a packet at a time.
    assert _latency_ns(_graph(tmp_path, 2)) == 3 * (80 + 10)
    assert _latency_ns(_graph(tmp_path, 1)) == 2 * (80 + 10) + 160 + 30
    usual = {"node_link": {"rate": "200 Gbit/s", "delay": "1 ns"}}
    assert _latency_ns(_graph(tmp_path, 1, **usual)) == 40 + 1 + 80 + 10 + 160 + 30


def test_links_of_a_graph_have_classes(tmp_path: Path) -> None:
    slow = {"link_classes": {"trunk": {"rate": "10 Gbit/s"}}}
    assert _graph(tmp_path, 2).machine.topology.link_classes == ("trunk",)
    assert _latency_ns(_graph(tmp_path, 2, **slow)) == 2 * (80 + 10) + 800 + 10


@pytest.mark.parametrize(
    "name", ["fat_tree_128_1os", "fat_tree_1024_4os", "leaf_spine_1024_oversub"]
)
def test_topo_equals_the_family_channel_by_channel(name: str, tmp_path: Path) -> None:
    families = {
        "fat_tree_128_1os": ([4, 4, 8], [4, 4]),
        "fat_tree_1024_4os": ([8, 8, 16], [2, 8]),
        "leaf_spine_1024_oversub": ([32, 32], [8]),
    }
    children, parents = families[name]
    ours = written(import_network(SAMPLES / f"{name}.topo"), tmp_path).machine
    family = machine_of({"topology": {"kind": "xgft", "children": children, "parents": parents}})

    def channels(machine: Any) -> Counter[tuple[int, int, int]]:
        graph = survey(machine).graph
        columns = (graph[name].tolist() for name in ("link_from", "link_to", "link_width"))
        return Counter(zip(*columns, strict=True))

    assert channels(ours) == channels(family)
    assert ours.homes() == family.homes()
    assert set(ours.rates) == {ours.link.rate}


def test_flows_name_nodes(tmp_path: Path) -> None:
    tables = {
        "machine": ring(tmp_path, RING),
        "workload": {"kind": "messages", "messages": [["0 ns", 0, 2, "1 kB"]]},
        "run": {"blame": True, "keep_messages": True},
    }
    console = Console(width=100, file=StringIO())
    console.print(flows_report(tb.run(Experiment.from_dict(tables)), ("source", "destination"), 5))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert [line.split()[:3] for line in lines if "kB" in line] == [["a", "c", "1"]]


def test_faster_links_are_faster_that_have_a_rate_of_their_own(tmp_path: Path) -> None:
    found = tb.explain(_graph(tmp_path, 1), faster=["nodes:2"]).what_if["faster nodes:2"]
    assert 1000 * found["completion_us"].value == 40 + 10 + 80 + 10 + 80 + 30
