"""Finds what the meshes of the open-loop cases can take, and prints it.

Run as ``python -m benches.saturation [NAME]``; all meshes take minutes.
"""

from __future__ import annotations

import sys

from benches.open_loop import MESHES, Mesh
from tailback import Experiment
from tailback.engine import Simulation

#: Packet-hops, about, before counting begins, and while it goes on.
WARMUP_HOPS, COUNTED_HOPS = 2e7, 4e7

#: A mesh is not saturated if it delivers at least this share of what is offered.
DELIVERED = 0.99


def delivered(mesh: Mesh, flits_per_ns: float) -> float:
    """Return the share of the offered messages that `worm` delivers at a load per node."""
    experiment = Experiment.from_dict(mesh.experiment("worm", flits_per_ns))
    simulation = Simulation(experiment.spec("full"))
    counts = []
    for hops in (WARMUP_HOPS, WARMUP_HOPS + COUNTED_HOPS):
        until_us = hops / mesh.hops_per_us(flits_per_ns)
        simulation.advance(round(until_us * 1e6), 2**63 - 1)
        counts.append(simulation.counters())
    before, after = counts
    messages, offered = (
        after[name] - before[name] for name in ("messages_delivered", "iterations")
    )
    return messages / offered


def saturation(mesh: Mesh) -> float:
    """Return the highest load that is delivered, by bisection.

    Of what all nodes send, half crosses the middle of the mesh, on `side` channels
    each way: a node cannot send more than 4 / side flits per flit time. The result
    is a whole percentage of that.
    """
    enough, too_much = 0, 100
    while too_much - enough > 1:
        tried = (enough + too_much) // 2
        share = delivered(mesh, tried / 25 / mesh.side)
        print(f"  {tried} % of the middle: {share:.4f} delivered", flush=True)
        enough, too_much = (tried, too_much) if share >= DELIVERED else (enough, tried)
    return enough / 25 / mesh.side


if __name__ == "__main__":
    for mesh in MESHES:
        if mesh.name.startswith(" ".join(sys.argv[1:])):
            print(mesh.name)
            print(f"  {saturation(mesh):.5f} flits per node and ns", flush=True)
