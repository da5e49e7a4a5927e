"""Files that experiments name: graphs, routes, messages, permutations, programs; all of use."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

#: Nodes of machines that files are made for: two rows of four.
NODES = 8


def graph(rng: random.Random) -> dict[str, str]:
    """Return a ring with chords, in one of the formats."""
    switches = rng.randrange(3, 8)
    links = [(i, (i + 1) % switches) for i in range(switches)]
    links += [(0, switches // 2)] if switches > 3 else []
    if rng.random() < 0.4:
        rows = [f"router {i} node {i} router {j}" for i, j in links]
        return {"g.anynet": "\n".join(rows) + "\n"}
    extra = ["", "{'width': 2}", "{'delay': '5 ns'}", "{'rate': '10 Gbit/s'}"]
    if rng.random() < 0.2:
        vertices = "".join(f'node [ id {i} label "s{i}" colour "x" ]\n' for i in range(switches))
        joined = "".join(f"edge [ source {i} target {j} ]\n" for i, j in links)
        return {"g.gml": f"graph [\n{vertices}{joined}]\n"}
    if rng.random() < 0.5:
        return {"g.edgelist": "".join(f"{i} {j} {rng.choice(extra)}\n" for i, j in links)}
    nodes = "".join(f'<node id="s{i}"/>' for i in range(switches))
    edges = "".join(f'<edge source="s{i}" target="s{j}"/>' for i, j in links)
    body = f'<graph edgedefault="undirected">{nodes}{edges}</graph>'
    return {"g.graphml": f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{body}</graphml>'}


def table(rng: random.Random) -> dict[str, str]:
    """Return a routing table of a ring of eight: always upwards, or the nearer way."""
    rows = ["switch,destination,next_switch"]
    upwards = rng.random() < 0.5
    for at in range(NODES):
        for to in range(NODES):
            step = 1 if upwards or (to - at) % NODES <= NODES // 2 else -1
            rows.append(f"{at},{to},{(at + step) % NODES if at != to else at}")
    return {"r.csv": "\n".join(rows) + "\n"}


def source_routes(rng: random.Random) -> dict[str, str]:
    """Return the routes of a ring of eight, upwards."""
    rows = ["source,destination,hops"]
    for source in range(NODES):
        for to in range(NODES):
            hops = [(source + i + 1) % NODES for i in range((to - source) % NODES)]
            rows.append(",".join(map(str, (source, to, *hops))))
    return {"r.csv": "\n".join(rows) + "\n"}


def messages(rng: random.Random) -> dict[str, str]:
    """Return a list of messages among eight nodes."""
    rows, cm, hpcc = ["time_ns,source,destination,bytes"], [f"Nodes {NODES}"], list[str]()
    for number in range(rng.randrange(1, 12)):
        source = rng.randrange(NODES)
        to = (source + rng.randrange(1, NODES)) % NODES
        start, size = rng.randrange(5000), rng.randrange(1, 200)
        rows.append(f"{start},{source},{to},{size}")
        cm.append(f"{source}->{to} id {number} start {1000 * start} size {size} prio {number % 2}")
        hpcc.append(f"{source} {to} 3 100 {size} {start}e-9")
    form = rng.randrange(4)
    if form == 0:
        return {"m.cm": "\n".join([*cm, f"Connections {len(hpcc)}"]) + "\n"}
    if form == 1:
        return {"m.txt": "\n".join([str(len(hpcc)), *hpcc]) + "\n"}
    return {"m.csv": "\n".join(rows) + "\n"}


def byte_matrix(rng: random.Random) -> dict[str, str]:
    """Return how many bytes each of eight nodes sends each other."""
    rows = [[rng.choice((0, 0, 1, 200)) for _ in range(NODES)] for _ in range(NODES)]
    return {"b.csv": "".join(",".join(map(str, row)) + "\n" for row in rows)}


def weights(rng: random.Random) -> dict[str, str]:
    """Return a table of noxim, in which some nodes are silent."""
    rows = [
        f"{source} {(source + rng.randrange(1, NODES)) % NODES} {rng.choice((0.01, 0.2))}"
        for source in rng.sample(range(NODES), rng.randrange(1, NODES))
    ]
    return {"w.txt": "\n".join(["% flows", *rows]) + "\n"}


def permutation(rng: random.Random) -> dict[str, str]:
    """Return where each of eight nodes sends to."""
    to = rng.sample(range(NODES), NODES)
    rows = [f"{source},{node}" for source, node in enumerate(to)]
    return {"p.csv": "\n".join(["source,destination", *rows]) + "\n"}


def trace(rng: random.Random) -> dict[str, str]:
    """Return ranks on a ring, each of which sends to the next, as GOAL."""
    ranks, size = rng.randrange(2, NODES + 1), rng.randrange(1, 200)
    lines = [f"num_ranks {ranks}"]
    for rank in range(ranks):
        sends = f"s: send {size}b to {(rank + 1) % ranks} tag 1"
        receives = f"r: recv {size}b from {(rank - 1) % ranks} tag 1"
        lines += [f"rank {rank} {{", sends, receives, f"c: calc {rng.randrange(500)}"]
        lines += ["c requires r", "}"]
    return {"t.goal": "\n".join(lines) + "\n"}


_STEPS = (
    "await node.compute('1 us')",
    "node.send((node.number + 1) % node.nodes, '40 B')",
    "await node.send((node.number + 1) % node.nodes, '7 B')",
    "(await node.receive()).release()",
    "await node.broadcast('8 B')",
    "print(node.now)",
)


def program(rng: random.Random) -> dict[str, str]:
    """Return a program of a few steps; what it waits for need not come."""
    steps = rng.choices(_STEPS, k=rng.randrange(1, 5))
    body = "".join(f"    {step}\n" for step in steps)
    return {"program.py": f"async def program(node):\n{body}"}


MAKERS: Mapping[str, Callable[[random.Random], dict[str, str]]] = {
    "graph": graph,
    "table": table,
    "source_routes": source_routes,
    "messages": messages,
    "permutation": permutation,
    "byte_matrix": byte_matrix,
    "weights": weights,
    "python": program,
    "trace": trace,
}


def damaged(rng: random.Random, content: bytes) -> bytes:
    """Return a file in which one thing is not as it was."""
    wrong = bytearray(content)
    at = rng.randrange(len(wrong) + 1)
    lines = content.split(b"\n")
    change = rng.randrange(6)
    if change == 0:
        wrong[at : at + rng.choice([1, 4, 40])] = b""
    elif change == 1:
        junk = (
            b"\0",
            b"\xff\xfe",
            b'"',
            b"'''",
            b"[",
            b"{",
            b",",
            b"=",
            b"9" * 5000,
            b"-1",
            b"(" * 999,
        )
        wrong[at:at] = rng.choice(junk)
    elif change == 2:
        del wrong[at:]
    elif change == 3:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
        wrong = bytearray(b"\n".join(lines))
    elif change == 4:
        del lines[rng.randrange(len(lines))]
        wrong = bytearray(b"\n".join(lines))
    else:
        words = content.split(b",")
        words[rng.randrange(len(words))] = rng.choice(
            [b"", b"x", b"-1", b"99999", b"1e400", b"\xc3\xa9"]
        )
        wrong = bytearray(b",".join(words))
    return bytes(wrong)
