"""Routes of tables beside shortest paths: random tables, followed one packet after the other."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from statistics import mean

import pytest

from tailback.machines import Machine, machine_of
from tailback.survey import survey, table_routes

Ways = dict[tuple[int, int], list[tuple[int, int]]]


def _machine(
    folder: Path, nodes: list[int], cables: Counter[tuple[int, int]], rows: str
) -> Machine:
    data = [f'<node id="s{switch}"/>' for switch in range(max(nodes) + 1)]
    data += [f'<node id="n{node}"><data key="k">node</data></node>' for node in range(len(nodes))]
    for (one, other), width in cables.items():
        wide = f'<data key="w">{width}</data>'
        data.append(f'<edge source="s{one}" target="s{other}">{wide}</edge>')
    data += [f'<edge source="n{node}" target="s{at}"/>' for node, at in enumerate(nodes)]
    keys = '<key id="k" for="node" attr.name="kind" attr.type="string"/>'
    keys += '<key id="w" for="edge" attr.name="width" attr.type="int"/>'
    graph = f'<graph edgedefault="undirected">{"".join(data)}</graph>'
    (folder / "g.graphml").write_text(f"<graphml>{keys}{graph}</graphml>")
    (folder / "r.csv").write_text("switch,destination,next_switch\n" + rows)
    return machine_of(
        {
            "topology": {"kind": "graph", "file": str(folder / "g.graphml")},
            "routing": {"kind": "table", "file": str(folder / "r.csv"), "allow_deadlock": True},
        }
    )


def _distances(home: int, beside: dict[int, list[int]]) -> dict[int, int]:
    found, front = {home: 0}, [home]
    for at in front:
        for other in beside[at]:
            if other not in found:
                found[other] = found[at] + 1
                front.append(other)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_routes_are_those_of_packets_followed_alone(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    switches = random.randrange(2, 12)
    tree = [(random.randrange(at), at) for at in range(1, switches)]
    more = [random.sample(range(switches), 2) for _ in range(random.randrange(2 * switches))]
    cables = Counter({(min(one), max(one)): random.randrange(1, 4) for one in [*tree, *more]})
    beside: dict[int, list[int]] = {at: [] for at in range(switches)}
    for one, other in cables:
        beside[one].append(other)
        beside[other].append(one)
    nodes = [*range(switches), *random.choices(range(switches), k=random.randrange(switches))]
    # A random tree to each node, without some of its branches.
    onward: dict[tuple[int, int], int] = {}
    for node, home in enumerate(nodes):
        reached = [home]
        while len(reached) < switches:
            at = random.choice(reached)
            if left := [other for other in beside[at] if other not in reached]:
                reached.append(random.choice(left))
                onward[reached[-1], node] = at
    kept = {pair: to for pair, to in onward.items() if random.random() > 0.05}
    rows = "".join(f"s{at},n{node},s{to}\n" for (at, node), to in kept.items())
    machine = _machine(tmp_path, nodes, cables, rows)

    ways: Ways = {}
    for source, at in enumerate(nodes):
        for node, home in enumerate(nodes):
            way, here = [], at
            while here != home and (here, node) in kept:
                way.append((here, kept[here, node]))
                here = kept[here, node]
            if at != home and here == home:
                ways[source, node] = way
    apart = sum(one != other for one in nodes for other in nodes)
    extra = {
        (source, node): len(way) - _distances(nodes[node], beside)[nodes[source]]
        for (source, node), way in ways.items()
    }

    def loads(pairs: set[tuple[int, int]]) -> list[float]:
        # Packets that get lost on their way count as far as they come.
        count: Counter[tuple[int, int]] = Counter()
        for source, node in pairs:
            here = nodes[source]
            while here != nodes[node] and (here, node) in kept:
                count[here, kept[here, node]] += 1
                here = kept[here, node]
        return [many / cables[min(way), max(way)] for way, many in count.items()]

    every = {(source, node) for source in range(len(nodes)) for node in range(len(nodes))}
    count = len(nodes)
    shifts = [
        max(loads({(node, (node + by) % count) for node in range(count)}), default=0)
        for by in range(1, count)
    ]
    found = table_routes(machine, survey(machine).graph)
    assert found is not None
    assert (found.pairs, found.missing) == (len(ways), apart - len(ways))
    assert found.mean_links == pytest.approx(mean(map(len, ways.values())))
    least = mean(len(way) - extra[pair] for pair, way in ways.items())
    assert found.shortest_mean_links == pytest.approx(least)
    longer = [more for more in extra.values() if more]
    assert (found.longer, found.most_extra_links) == (len(longer), max(longer, default=0))
    assert found.uniform_most == pytest.approx(max(loads(every)))
    assert found.uniform_mean == pytest.approx(mean(loads(every)))
    assert (found.shift_most, found.shifts) == (pytest.approx(max(shifts)), count - 1)
    assert found.shift_mean == pytest.approx(mean(shifts))


def test_a_single_switch_needs_no_routes(tmp_path: Path) -> None:
    machine = _machine(tmp_path, [0, 0, 0], Counter(), "")
    told: list[float] = []
    found = table_routes(machine, survey(machine).graph, told.append)
    assert told == [0.5, 1.0]
    assert found is not None
    assert (found.pairs, found.missing, found.uniform_most, found.shift_most) == (0, 0, 0, 0)
