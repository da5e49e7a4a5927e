"""Files of the Myrinet simulator [Chen & Wyckoff]: read, written, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.importing import read_myrinet
from tailback.importing.myrinet import crossbars_of, routes_of
from tailback.importing.myrinet_files import (
    PARAMETERS,
    parameters_text,
    read_parameters,
    read_routes,
    read_topology,
    routes_text,
    switches_of,
    topology_text,
)
from tailback.machines import machine_of
from tailback.machines.topologies import Graph
from tests.commands import tailback
from tests.myrinet import ROUTES, TOPOLOGY


def _file(folder: Path, text: str, name: str = "file") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def _torus() -> list[tuple[int, int, int]]:
    """Return the links of figure 8: 8 x 4 switches, two cables to each neighbour."""
    links = []
    for switch in range(32):
        x, y = switch % 8, switch // 8
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            links.append((switch, (x + dx) % 8 + 8 * ((y + dy) % 4), 2))
    return links


def test_a_topology_is_read_and_written(tmp_path: Path) -> None:
    crossbars = read_topology(_file(tmp_path, TOPOLOGY))
    assert topology_text(crossbars) == "S0: P0 P1 D S1.0\nS1: S0.3 P2 P3 D\n"
    again = read_topology(_file(tmp_path, topology_text(crossbars)))
    assert again == crossbars
    assert crossbars.hosts == {0: (0, 0), 1: (0, 1), 2: (1, 1), 3: (1, 2)}


def test_routes_are_read_and_written(tmp_path: Path) -> None:
    crossbars = read_topology(_file(tmp_path, TOPOLOGY))
    routes = read_routes(_file(tmp_path, ROUTES), crossbars)
    assert routes_text(routes) == ROUTES
    assert routes[0, 2] == (3, 1)
    assert switches_of(crossbars, 0, routes[0, 2]) == (1,)


def test_parameters_are_those_of_figure_7(tmp_path: Path) -> None:
    text = "propDelay 22 # flits\n\n# topology\nnumOfSwitch 2\n"
    found = read_parameters(_file(tmp_path, text))
    assert found == PARAMETERS | {"numOfSwitch": 2}
    assert read_parameters(_file(tmp_path, parameters_text(found))) == found


def test_a_torus_of_32_crossbars_goes_round(tmp_path: Path) -> None:
    homes = [node // 8 for node in range(256)]
    crossbars = crossbars_of(homes, 32, _torus())
    assert {len(ports) for ports in crossbars.switches} == {16}
    assert read_topology(_file(tmp_path, topology_text(crossbars))) == crossbars
    # By x, then y; each way the number of the destination's switch names the cable.
    ways = [{"source": 14, "destination": 40, "hops": [0, 7, 6, 5]}]
    routes = routes_of(crossbars, ways)
    assert switches_of(crossbars, 14, routes[14, 40]) == (0, 7, 6, 5)
    assert routes[14, 40][-1] == 0


def test_parameters_that_are_not_given_are_those_of_the_topology(tmp_path: Path) -> None:
    topology = _file(tmp_path, TOPOLOGY, "topology")
    found = read_myrinet(topology, None, _file(tmp_path, "propDelay 3\n", "parameters"))
    counted = {"numOfProcessor": 4, "numOfSwitch": 2, "maxNumOfPorts": 4}
    assert found.parameters == PARAMETERS | counted | {"propDelay": 3}


BAD_TOPOLOGIES = [
    ("S0: P0 S1.0\nS1: D P1\n", 'line 1 = "S1.0": is a cable known from one side only: S1.0 is D'),
    ("S0: P0 S1.0\nS1: S0.2 P1\n", 'line 1 = "S1.0": is a cable known from one side only'),
    ("S0: P0 S2.0\nS1: D P1\n", 'line 1 = "S2.0": there is no S2'),
    ("S0: P0 S1.7\nS1: D P1\n", 'line 1 = "S1.7": S1 has ports 0 to 1'),
    ("S0: P0 S0.0\n", 'line 1 = "S0.0": must lead to another switch'),
    ("S0: P0\nS1: P0\n", 'line 2 = "P0": is there already, in line 1'),
    ("S0: P0\nS0: P1\n", 'line 2 = "S0:": is there already, in line 1'),
    ("S0: P0 P2\n", "has 2 processors, but no P1"),
    ("S0: P0\nS2: P1\n", "has 2 switches, but no S1"),
    ("S0: P0 Q1\n", 'line 1 = "Q1": must be P<number>, S<number>.<port> or D'),
    ("   P0\n", 'line 1 = "P0": must come behind a switch, such as S0:'),
    ("X0: P0\n", 'line 1 = "X0:": must be a switch, such as S0:'),
    ("S0: D\n", "has no processors"),
    ("# nothing\n", "has no switches"),
    (f"S0: P0{' D' * 16}\n", 'line 1 = "D": S0 must have at most 16 ports'),
]
BAD_ROUTES = [
    ("p0 p2 21\n", 'line 1 = "p0 p2 21": leads into a dead port, S0.2'),
    ("p0 p2 f1\n", 'line 1 = "p0 p2 f1": leads into a dead port, S0.15'),
    ("p0 p2 11\n", 'line 1 = "p0 p2 11": goes on behind S0.1, which is P1'),
    ("p0 p2 32\n", 'line 1 = "p0 p2 32": ends at P3, not P2'),
    ("p0 p2 3\n", 'line 1 = "p0 p2 3": ends at switch S1, not P2'),
    ("p0 p9 1\n", 'line 1 = "p9": must be p0 to p3'),
    ("p0 p2\n", 'line 1 = "p0 p2": must be like p0 p14 b6'),
    ("p0 p1 1\np0 p1 1\n", 'line 2 = "p0 p1": has a route already, in line 1'),
    ("p0 p1 1\n", "has no route from p0 to p2"),
]
BAD_PARAMETERS = [
    ("propDelya 22\n", 'line 1 = "propDelya": is no parameter'),
    ("propDelay\n", 'line 1 = "propDelay": must be a name and a whole number'),
    ("propDelay 2.5\n", 'line 1 = "2.5": propDelay must be a whole number'),
    ("propDelay 2\npropDelay 2\n", 'line 2 = "propDelay": is there already, in line 1'),
    ("SpeedFactor 2\n", 'line 1 = "2": SpeedFactor must be 1'),
    ("maxNumOfPorts 17\n", 'line 1 = "17": maxNumOfPorts must be 1 to 16'),
]


@pytest.mark.parametrize(("text", "expected"), BAD_TOPOLOGIES, ids=[e for _, e in BAD_TOPOLOGIES])
def test_bad_topologies(tmp_path: Path, text: str, expected: str) -> None:
    _refused(expected, lambda: read_topology(_file(tmp_path, text)))


@pytest.mark.parametrize(("text", "expected"), BAD_ROUTES, ids=[e for _, e in BAD_ROUTES])
def test_bad_routes(tmp_path: Path, text: str, expected: str) -> None:
    crossbars = read_topology(_file(tmp_path, TOPOLOGY))
    _refused(expected, lambda: read_routes(_file(tmp_path, text), crossbars))


@pytest.mark.parametrize(("text", "expected"), BAD_PARAMETERS, ids=[e for _, e in BAD_PARAMETERS])
def test_bad_parameters(tmp_path: Path, text: str, expected: str) -> None:
    _refused(expected, lambda: read_parameters(_file(tmp_path, text)))


def _refused(expected: str, read: Callable[[], object]) -> None:
    with pytest.raises(UserError) as caught:
        read()
    said = str(caught.value)
    assert expected in said
    assert "\n" not in said


def test_parameters_must_agree_with_the_topology(tmp_path: Path) -> None:
    topology = _file(tmp_path, TOPOLOGY, "topology")
    parameters = _file(tmp_path, "numOfProcessor 4\nnumOfSwitch 3\n", "parameters")
    _refused("numOfSwitch = 3: must be 2", lambda: read_myrinet(topology, None, parameters))


def test_a_network_is_a_graph_with_written_routes(tmp_path: Path) -> None:
    topology = _file(tmp_path, TOPOLOGY, "topology")
    found = read_myrinet(topology, _file(tmp_path, ROUTES, "routes"))
    graph = tmp_path / "graph.graphml"
    graph.write_bytes(found.graph())
    ways = tmp_path / "routes.csv"
    ways.write_text(found.routes_csv())
    machine = machine_of(
        {
            "topology": {"kind": "graph", "file": str(graph)},
            "routing": {"kind": "source_routes", "file": str(ways)},
        }
    )
    assert isinstance(machine.topology, Graph)
    read = machine.topology.graph
    assert (read.switches, read.nodes) == (("S0", "S1"), ("P0", "P1", "P2", "P3"))
    assert read.enters == (0, 0, 1, 1)
    routes = machine.spec("packet")["routing"]["algorithm"]["routes"]
    assert routes_of(found.crossbars, routes) == found.routes


@pytest.mark.parametrize("damage", range(40))
def test_damaged_files_are_refused_in_one_line_or_read(tmp_path: Path, damage: int) -> None:
    whole = TOPOLOGY.encode()
    place = 3 * damage % len(whole)
    damaged = whole[:place] + bytes([damage * 7 % 256]) + whole[place + 1 :]
    path = tmp_path / "topology"
    path.write_bytes(damaged if damage % 2 else whole[:place])
    said = ""
    try:
        read_myrinet(path)
    except UserError as error:
        said = str(error)
    assert "\n" not in said


RING = """\
S0: P0 S1.2 S3.1
S1: P1 S2.2 S0.1
S2: P2 S3.2 S1.1
S3: P3 S0.2 S2.1
"""


def _imported(folder: Path, topology: str, routes: str | None) -> Path:
    """Import files by the command line; the experiment."""
    out = folder / "cluster.toml"
    given = ["import", "myrinet", _file(folder, topology, "topology"), "--out", out]
    if routes is not None:
        given += ["--routes", _file(folder, routes, "routes")]
    done = tailback(*given)
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.parametrize("routes", [ROUTES, None], ids=["given", "made"])
def test_an_imported_network_takes_what_the_simulator_says(
    tmp_path: Path, routes: str | None
) -> None:
    experiment = tb.load(_imported(tmp_path, TOPOLOGY, routes), ["workload.kind=token_pass"])
    # Alone a message of L bytes takes 22 (k + 1) + 16 k + L + 1 flits of 6.25 ns over k switches.
    packets = tb.run(experiment, packets=True).packets.to_pydict()
    took = {
        (source, to): delivered - queued
        for source, to, queued, delivered in zip(
            *(packets[name] for name in ("source", "destination", "queued_ps", "delivered_ps")),
            strict=True,
        )
    }
    alone = {k: (22 * (k + 1) + 16 * k + 1024 + 1) * 6250 for k in (1, 2)}
    assert took == {(0, 1): alone[1], (1, 2): alone[2], (2, 3): alone[1], (3, 0): alone[2]}


def test_routes_that_can_deadlock_are_found_before_the_run(tmp_path: Path) -> None:
    ways = {1: "10", 2: "110", 3: "1110"}
    routes = "".join(
        f"p{source} p{(source + step) % 4} {ways[step]}\n" for source in range(4) for step in ways
    )
    experiment = tb.load(_imported(tmp_path, RING, routes))
    with pytest.raises(UserError, match="can deadlock: channel S0->S1 waits for"):
        tb.run(experiment)


#: Two cables from S0 to S1, and P2 and P3 at ports behind and before them.
TWO_CABLES = """\
S0: P0 S1.2 P1 S1.1
S1: P3 S0.3 S0.1 P2
"""
BY_THE_SECOND = """\
p0 p1 2
p0 p2 33
p0 p3 10
p1 p0 0
p1 p2 33
p1 p3 30
p2 p0 10
p2 p1 12
p2 p3 0
p3 p0 10
p3 p1 12
p3 p2 3
"""


def test_routes_take_the_cables_that_they_name(tmp_path: Path) -> None:
    file = _imported(tmp_path, TWO_CABLES, BY_THE_SECOND)
    text = Path(tb.load(file).machine.routing.file).read_text()
    assert "P0,P2,S1@3\n" in text
    assert "P0,P3,S1@1\n" in text
    alone, behind = 22 * 3 + 16 * 2 + 101, 22 * 3 + 16 * 2 + 101 + 16 + 101
    # Each by a cable of its own; and both by the second, though the first is free.
    assert _latencies(file, (0, 3), (1, 2)) == [alone, alone]
    assert _latencies(file, (0, 2), (1, 3)) == [alone, behind]


def _latencies(file: Path, *pairs: tuple[int, int]) -> list[float]:
    """Return what messages of 100 bytes sent at once take, in flits."""
    sent = tb.Messages(messages=[("0 s", source, to, "100 B") for source, to in pairs])
    found = tb.run(tb.load(file).machine, sent, keep_messages=True).messages
    assert found is not None
    return [ps / 6250 for ps in found.sort_by("message")["latency_ps"].to_pylist()]


def test_turns_are_those_of_the_ports_of_the_file(tmp_path: Path) -> None:
    """P1 is at port 0 of S0, P0 at port 1; both send to P2 at once, and P1 is served first."""
    topology = "S0: P1 P0 P2\n"
    routes = "p0 p1 0\np0 p2 2\np1 p0 1\np1 p2 2\np2 p0 1\np2 p1 0\n"
    file = _imported(tmp_path, topology, routes)
    # The second follows the first after 16 flits.
    first = 22 * 2 + 16 + 101
    assert _latencies(file, (0, 2), (1, 2)) == [first + 16 + 101, first]


def test_the_torus_of_the_preset_serves_its_ports_in_turn() -> None:
    """Port by port: processors, then x-, x+, y-, y+ [Chen & Wyckoff, figure 8]."""
    for first, second in ((56, 8), (8, 192), (192, 64), (1, 56)):
        sent = [["0 s", second, 0, "100 B"], ["0 s", first, 0, "100 B"]]
        workload = {"kind": "messages", "messages": sent}
        tables = {"machine": {"preset": "myrinet"}, "workload": workload}
        found = tb.run(tb.Experiment.from_dict(tables | {"run": {"keep_messages": True}})).messages
        assert found is not None
        pairs = zip(found["source"].to_pylist(), found["latency_ps"].to_pylist(), strict=True)
        latencies = {source: ps / 1000 for source, ps in pairs}
        assert latencies[first] < latencies[second]
        if (first, second) == (56, 8):
            assert latencies == {56: 1243.75, 8: 1975.0}


def test_what_is_exported_has_the_same_ports(tmp_path: Path) -> None:
    file = _imported(tmp_path, TWO_CABLES, BY_THE_SECOND)
    done = tailback("export", "myrinet", file, "--out", tmp_path / "again")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "again.topology").read_text() == TWO_CABLES
    assert (tmp_path / "again.routes").read_text() == BY_THE_SECOND


def test_what_is_exported_is_imported_again(tmp_path: Path) -> None:
    file = _imported(tmp_path, TOPOLOGY, ROUTES)
    done = tailback("export", "myrinet", file, "--out", tmp_path / "again")
    assert done.returncode == 0, done.stderr
    again = [tmp_path / f"again.{name}" for name in ("topology", "routes", "parameters")]
    found = read_myrinet(*again)
    assert found.crossbars.hosts.keys() == {0, 1, 2, 3}
    assert (
        found.routes_csv() == read_myrinet(tmp_path / "topology", tmp_path / "routes").routes_csv()
    )
    assert found.parameters["buffer_h"] == 32
