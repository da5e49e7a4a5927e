"""Links that have failed: how they are named, what is made of them, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.experiment.outages import begun
from tailback.failing.cables import cables_of
from tailback.importing import import_network
from tailback.machines.reading import machine_of

DOWN = {"time": "1 us", "duration": "1 us"}


def mesh(**keys: Any) -> tb.Mesh:
    return tb.Mesh(dims=(4, 3), **keys)


@pytest.mark.parametrize(
    "link", ["(1, 1) to (2, 1)", "5 to 6", "switch 6 to switch 5", (5, 6), ((2, 1), "(1,1)"), "5:1"]
)
def test_a_link_has_several_names(link: Any) -> None:
    topology = mesh(failed_links=[link])
    assert topology.facts.failed_links == ((5, 6),)
    assert topology.facts.links == mesh().facts.links - 2
    assert topology.facts.degree == 4


def test_a_share_is_drawn_and_the_seed_says_which() -> None:
    failed = [mesh(failed_share=0.2, failed_seed=seed).facts.failed_links for seed in (1, 2)]
    assert [len(links) for links in failed] == [3, 3]
    assert failed[0] != failed[1]
    assert mesh(failed_share=0.2).facts.failed_links == failed[0]


def test_nothing_is_said_of_links_where_none_has_failed() -> None:
    assert mesh(failed_share=0.0).spec_left() == mesh().spec()
    assert mesh(failed_links=[]).spec_left() == mesh().spec()
    assert not [key for key in mesh().resolved() if key.startswith("failed")]
    shared = mesh(failed_share=0.1).resolved()
    assert (shared["failed_share"], shared["failed_seed"]) == (0.1, 1)


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"failed_links": ["5:9"]}, "failed_links = (1, 1), port 9: must be a port with a link: 0"),
        ({"failed_links": ["0 to 2"]}, "(0, 0) to (2, 0): must be a link that is there"),
        ({"failed_links": ["(0,0) to (9,0)"]}, "must be coordinates from 0 to (3, 2)"),
        ({"failed_links": ["left to right"]}, "must be a switch: a number, coordinates such as"),
        ({"failed_links": ["left"]}, "must be two switches, such as"),
        ({"failed_links": [[0, 99]]}, "failed_links = 99: must be a switch from 0 to 11"),
        ({"failed_links": ["switch 12 to 0"]}, '"switch 12": must be a switch from 0 to 11'),
        (
            {"failed_links": [[0, 1], [0, 4]]},
            "2 failed links: cuts the network: no way is left from node (0, 0) to node (1, 0)",
        ),
        ({"failed_share": 0.9}, "cuts the network"),
        ({"failed_share": 1.5}, "failed_share = 1.5: must be at most 1"),
        ({"failed_seed": 2}, "failed_seed = 2: has no effect; needs machine.topology.failed_share"),
    ],
)
def test_impossible_failures_are_refused_in_one_line(keys: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError) as refused:
        mesh(**keys)
    assert str(refused.value).startswith("machine.topology.failed_")
    assert problem in str(refused.value)


@pytest.fixture
def numbered(tmp_path: Path) -> dict[str, Any]:
    """A triangle of switches that a file calls 3, 4 and 5."""
    (tmp_path / "n.edgelist").write_text("3 4\n4 5\n5 3\n")
    return {"kind": "graph", "file": str(tmp_path / "n.edgelist")}


@pytest.mark.parametrize("link", ["3 to 4", "switch 3 to switch 4", [0, 1], "switch 0 to switch 1"])
def test_names_of_a_file_may_be_numbers(numbered: dict[str, Any], link: object) -> None:
    """A name goes before a number: switch 3 is the one that is called 3."""
    for machine, fault in (({"failed_links": [link]}, ()), ({}, ({"link": link} | DOWN,))):
        tables = {"machine": {"topology": numbered | machine}, "fault": fault}
        found = tb.Experiment.from_dict(tables)
        failed = found.machine.topology.facts.failed_links
        assert failed == (() if fault else ((0, 1),))
        assert [one.spec(found.machine.topology)["at"] for one in found.faults] == (
            [{"link": {"between": [0, 1]}}] if fault else []
        )


@pytest.mark.parametrize("end", [3, "44", "switch 99"])
def test_what_a_file_does_not_name_is_refused_at_once(numbered: dict[str, Any], end: Any) -> None:
    told = 'must be "3", "4" or "5", or a number from 0 to 2'
    for machine, fault in (
        ({"failed_links": [[0, end]]}, ()),
        ({}, ({"link": [0, end]} | DOWN,)),
        ({}, ({"switch": end} | DOWN,)),
    ):
        tables = {"machine": {"topology": numbered | machine}, "fault": fault}
        with pytest.raises(UserError, match=told):
            tb.Experiment.from_dict(tables)


def test_of_many_names_the_nearest_is_told(tmp_path: Path) -> None:
    names = [f"leaf{number}" for number in range(40)]
    lines = [f"{a} {b}" for a, b in zip(names, names[1:] + names[:1], strict=True)]
    (tmp_path / "n.edgelist").write_text("\n".join(lines))
    graph = {"kind": "graph", "file": str(tmp_path / "n.edgelist")}
    machine = {"topology": graph | {"failed_links": ["leaf3 to laef11"]}}
    with pytest.raises(UserError) as refused:
        tb.Experiment.from_dict({"machine": machine})
    told = '"laef11": must be the name of a switch in the file; did you mean "leaf11"?'
    assert told in str(refused.value)


def test_a_network_without_links_has_none_to_lose() -> None:
    with pytest.raises(UserError, match="must be empty: no link joins two switches"):
        tb.Star(nodes=4, failed_links=[[0, 1]])


@pytest.mark.parametrize("key", ["failed_share", "failed_links"])
def test_what_has_failed_is_not_dropped_with_the_kind_of_network(key: str) -> None:
    failed = {"failed_share": 0.1, "failed_links": [[0, 1]]}[key]
    none = {"failed_share": "0", "failed_links": "empty"}[key]
    tables = {"topology": {"kind": "mesh", "dims": [4, 3], key: failed}}
    with pytest.raises(UserError, match=f"topology.{key}: must be {none}: no link joins two"):
        machine_of(tables, {"topology": {"kind": "star"}})
    other = machine_of(tables, {"topology": {"kind": "torus"}, "routing": {"kind": "up_down"}})
    assert len(other.topology.facts.failed_links) == {"failed_share": 2, "failed_links": 1}[key]


def test_a_share_of_nothing_is_none_of_any_network() -> None:
    tables = {"topology": {"kind": "mesh", "dims": [4, 3], "failed_share": 0.1}}
    none = {"topology": {"kind": "star", "failed_share": 0.0}}
    assert machine_of(tables, none).topology.facts.failed_links == ()


def test_routing_that_goes_by_a_failed_link_is_refused_with_a_pair_of_nodes() -> None:
    tables = {"topology": {"kind": "mesh", "dims": [4, 3], "failed_links": ["5:1"]}}
    with pytest.raises(UserError) as refused:
        machine_of({**tables, "routing": {"kind": "dimension_order"}})
    assert str(refused.value) == (
        'machine.routing.kind = "dimension_order": knows no way round failed links: packets from '
        "node (1, 1) to node (2, 1) would go from (1, 1) to (2, 1); use minimal_adaptive, "
        "hop_classes or up_down"
    )
    assert machine_of({**tables, "routing": {"kind": "minimal_adaptive"}}).routing_classes == 2


def test_a_file_names_its_switches() -> None:
    def campus(link: Any) -> tb.Graph:
        return tb.Graph(file="examples/campus.graphml", failed_links=[link])

    assert campus("physics to library").facts.failed_links == ((0, 2),)
    with pytest.raises(UserError, match=r'"librery": must be .*; did you mean "library"'):
        campus(("physics", "librery")).facts  # noqa: B018  # asked for its refusals


# Ports that a file gives numbers: X5 has six cables from its first switch to another one.

_X5 = Path(__file__).parents[1] / "networks" / "X5.topofile"
_FIRST = "S-0008f10500200b50"
_OTHER = "Voltaire 4036 # 4036-8C5C"


def _cables_of_first(folder: Path, *failed: str) -> list[int]:
    """Return the ports of the file at which the first switch has cables to the other one left."""
    (folder / "x5.graphml").write_bytes(import_network(_X5).graph())
    file = {"kind": "graph", "file": str(folder / "x5.graphml"), "failed_links": list(failed)}
    topology = machine_of({"topology": file}).topology
    names = [cable.name for cable in cables_of(topology)]
    # Of cables that are left alone between two switches the port is not told.
    between = [name for name in names if name.startswith(f"{_FIRST} to {_OTHER}, port ")]
    return [int(name.rpartition(" ")[2]) for name in between]


def test_ports_are_those_of_the_file(tmp_path: Path) -> None:
    text = _X5.read_text().split(f'"{_FIRST}"', 1)[1].split("\n\n")[0]
    ports = [
        int(port) for port in re.findall(rf'\[(\d+)\]\t"S-[0-9a-f]+"\[\d+\]\t.*{_OTHER}', text)
    ]
    assert len(ports) == 6
    assert _cables_of_first(tmp_path) == ports
    assert _cables_of_first(tmp_path, f"{_FIRST}@{ports[1]}") == [ports[0], *ports[2:]]


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        (f"{_FIRST}:2", "must be a switch, @, and the number of a port in the file"),
        (f"{_FIRST}@99", "has no cable to a switch; ports of it that do: 1, 2, 3, "),
    ],
)
def test_numbers_of_the_engine_are_refused_where_a_file_has_others(
    link: str, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError) as caught:
        _cables_of_first(tmp_path, link)
    assert f'failed_links = "{link}": {problem}' in str(caught.value)


def test_a_port_of_a_file_is_refused_without_one() -> None:
    with pytest.raises(UserError, match="no file gives the ports of this network numbers"):
        mesh(failed_links=["5@1"])._named_failures()


def test_faults_tell_the_ports_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "x5.graphml").write_bytes(import_network(_X5).graph())
    machine = {"topology": {"kind": "graph", "file": str(tmp_path / "x5.graphml")}}
    fault = {**DOWN, "link": f"{_FIRST}@2"}
    given = {"machine": machine, "workload": {"kind": "fan_in"}, "fault": [fault]}
    found = begun(tb.Experiment.from_dict(given).faults, machine_of(machine).topology)
    assert found is not None
    assert found.first[0].where == f"{_FIRST} to {_OTHER}, port 2"
