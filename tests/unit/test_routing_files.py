"""Tables of next switches, and routes of all pairs, from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.machines import Machine
from tailback.machines.routes_file import NO_HOP, numbers, written
from tests.machines import t9000

TABLE = "switch,destination,next_switch\n0,1,1\n0,2,1\n1,0,0\n1,2,2\n2,0,1\n2,1,1\n"
ROUTES = "source,destination,hops\n0,1,1\n0,2,1,2\n1,0,0\n1,2,2\n2,0,1,0\n2,1,1\n"


def _line(folder: Path, routing: str, text: str) -> Machine:
    file = folder / "routes.csv"
    file.write_text(text, encoding="utf-8")
    return t9000("mesh", dims=[3], routing={"kind": routing, "file": str(file)})


def test_a_table_is_read(tmp_path: Path) -> None:
    machine = _line(tmp_path, "table", TABLE)
    assert machine.spec("packet")["routing"]["algorithm"] == {
        "kind": "table",
        "hops": "switches",
        # Each number plus one; 0 where there is none.
        "next": {"digits": 2, "rows": ["000202", "010003", "020200"]},
        "classes": [],
    }
    assert machine.channels_per_wire == 1


@pytest.mark.parametrize(("most", "digits"), [(3, 2), (254, 2), (255, 4), (65_535, 8)])
def test_numbers_of_tables_are_written_with_as_many_digits_as_they_need(
    most: int, digits: int
) -> None:
    table = np.array([[0, NO_HOP, 1], [most, most - 1, NO_HOP]], np.uint32)
    text = written(table)
    assert text["digits"] == digits
    assert [len(row) for row in text["rows"]] == [3 * digits] * 2
    assert np.array_equal(numbers(text), table)


def test_source_routes_are_read(tmp_path: Path) -> None:
    routing = _line(tmp_path, "source_routes", ROUTES).spec("packet")["routing"]["algorithm"]
    assert routing["hops"] == "switches"
    assert len(routing["routes"]) == 6
    assert routing["routes"][1] == {"source": 0, "destination": 2, "hops": [1, 2], "classes": []}


def test_files_name_classes(tmp_path: Path) -> None:
    rows = TABLE.splitlines()
    table = "\n".join([f"{rows[0]},class", *(f"{row},0" for row in rows[1:-1]), f"{rows[-1]},2"])
    machine = _line(tmp_path, "table", table)
    assert machine.channels_per_wire == 3
    assert machine.spec("packet")["routing"]["algorithm"]["classes"] == [
        [0, 0, 0],
        [0, 0, 0],
        [0, 2, 0],
    ]
    routes = _line(tmp_path, "source_routes", ROUTES.replace("0,2,1,2", "0,2, 1:1 ,2,"))
    assert routes.channels_per_wire == 2
    written = routes.spec("packet")["routing"]["algorithm"]["routes"]
    assert written[1] == {"source": 0, "destination": 2, "hops": [1, 2], "classes": [1, 0]}
    assert written[0]["classes"] == []


def test_links_that_lead_one_way_are_routed_by_shortest_paths(tmp_path: Path) -> None:
    (tmp_path / "ring.edges").write_text("a b\nb c\nc a", encoding="utf-8")
    ring = str(tmp_path / "ring.edges")
    keys: dict[str, Any] = {"file": ring, "directed": True}
    chosen = t9000("graph", **keys).chosen_routing
    assert chosen is not None
    assert chosen.kind == "shortest"
    with pytest.raises(UserError) as caught:
        t9000("graph", **keys, routing={"kind": "up_down"}).check("packet")
    assert str(caught.value) == (
        'machine.routing.kind = "up_down": needs links in both directions: switch a has one to '
        "switch b, which has none back; use shortest"
    )


def test_files_name_the_switches_of_a_graph(tmp_path: Path) -> None:
    (tmp_path / "two.edgelist").write_text("left right\n", encoding="utf-8")
    (tmp_path / "routes.csv").write_text(
        "source,destination,hops\nleft,right,right\nright,left,left\n", encoding="utf-8"
    )
    machine = t9000(
        "graph",
        file=str(tmp_path / "two.edgelist"),
        routing={"kind": "source_routes", "file": str(tmp_path / "routes.csv")},
    )
    hops = [route["hops"] for route in machine.spec("packet")["routing"]["algorithm"]["routes"]]
    assert hops == [[1], [0]]


def test_what_the_file_says_is_part_of_the_identity(tmp_path: Path) -> None:
    def identity(text: str, name: str) -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / "x.toml").write_text(
            f'[machine]\ntopology.dims = [3]\nrouting.kind = "table"\nrouting.file = "{name}"\n'
            "[workload]\nradius = 1\n",
            encoding="utf-8",
        )
        return Experiment.load(tmp_path / "x.toml").identity(1)

    first = identity(TABLE, "a.csv")
    assert identity(TABLE + "\n", "b.csv") == first
    header, *rows = TABLE.splitlines()
    with_classes = "\n".join([f"{header},class", *(f"{row},1" for row in rows)])
    assert identity(with_classes, "c.csv") != first


WRONG_FILES: list[tuple[str, str, str]] = [
    ("table", "", "routes.csv: has no rows"),
    (
        "table",
        "switch,destination,next\n",
        "routes.csv: has no column next_switch; must have switch, destination, next_switch",
    ),
    ("table", TABLE + "3,0,1\n", 'routes.csv: switch in line 8 = "3": must be a switch, 0 to 2'),
    ("table", TABLE + "0,x,1\n", 'destination in line 8 = "x": must be a node, 0 to 2'),
    ("table", TABLE + "0,0\n", 'next_switch in line 8 = "": must be a switch, 0 to 2'),
    (
        "table",
        TABLE + "0,1,2\n",
        "routes.csv: switch, destination in line 8 = 0, 1: has a row already, line 2",
    ),
    (
        "table",
        "switch,destination,next_switch,class\n0,1,1,-1\n",
        'class in line 2 = "-1": must be a class of virtual channels, 0 to 254',
    ),
    (
        "source_routes",
        "destination,source,hops\n",
        'routes.csv = "destination,source,hops": must begin with the columns source,destination,',
    ),
    ("source_routes", ROUTES + "0,3,1\n", 'destination in line 8 = "3": must be a node, 0 to 2'),
    ("source_routes", "source,destination,hops\n0,1,9\n", 'hops in line 2 = "9": must be a switch'),
    (
        "source_routes",
        "source,destination,hops\n0,1,1:300\n",
        'hops in line 2 = "300": must be a class of virtual channels, 0 to 254',
    ),
    (
        "source_routes",
        ROUTES + "0,1,1\n",
        "source, destination in line 8 = 0, 1: has a row already, line 2",
    ),
]


@pytest.mark.parametrize(("routing", "text", "expected"), WRONG_FILES)
def test_mistakes_in_files_are_one_line(
    tmp_path: Path, routing: str, text: str, expected: str
) -> None:
    with pytest.raises(UserError) as caught:
        _line(tmp_path, routing, text).check("packet")
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    routing = {"kind": "table", "file": str(tmp_path / "no.csv")}
    with pytest.raises(UserError, match=r"no\.csv: no such file"):
        t9000("mesh", routing=routing).check("packet")
