"""Times transports of a hypercube against worms of the same load, hop by hop.

``python -m benches.transports`` prints each against the goal and adds them to today's
record. All send 16 bytes of data at a time over a hypercube of degree 6: as worms, datagrams
and circuits one message each, as packets 32 of them a message.
"""

from __future__ import annotations

import time

from rich.console import Console
from rich.table import Table

from benches.record import add
from tailback import Experiment
from tailback.engine import Simulation

#: A packet-hop is to cost at most so many times that of a worm.
GOAL = 3.0

#: Time between the messages of a node in that of one of their bytes: half, a quarter and a
#: tenth of what all links carry.
SPACINGS = (2, 4, 10)
PIECE_BYTES = 16
MESSAGE_BYTES = 512
REPEATS = 5
ENDLESS = 2**62

WORMS = "buzzard_mudge_wormhole"
PACKETS = ("buzzard_mudge_packet_fixed", "buzzard_mudge_packet_adaptive")
WHOLE = ("buzzard_mudge_datagram", "buzzard_mudge_cut_through", "buzzard_mudge_circuit")


def experiment(preset: str, spacing: float) -> Experiment:
    """Return what is timed: some 60,000 messages, or 2,000 of 32 packets."""
    size = MESSAGE_BYTES if preset in PACKETS else PIECE_BYTES
    return Experiment.from_dict(
        {
            "machine": {"preset": preset}
            | ({"switch": {"input_buffer": "20 B"}} if preset == WORMS else {}),
            "workload": {
                "preset": "buzzard_mudge",
                "message_size": f"{size} B",
                "compute_period": f"{size * spacing} ns",
                "compute_sigma": 0.1,
                "repeat": 30 * MESSAGE_BYTES // size,
            },
        }
    )


def ns_per_hop(preset: str, spacing: float) -> float:
    """Return processor time per packet-hop of the fastest of several runs."""
    spec = experiment(preset, spacing).spec("full")
    costs = []
    for _ in range(REPEATS):
        simulation = Simulation(spec)
        began_s = time.process_time()
        simulation.advance(ENDLESS, ENDLESS)
        took_s = time.process_time() - began_s
        costs.append(took_s * 1e9 / simulation.counters()["packet_hops"])
    return min(costs)


def main() -> None:
    """Time all, print and record them."""
    table = Table("spacing", "transport", "ns per packet-hop", "over worm", "goal")
    factors = {}
    for spacing in SPACINGS:
        worm = ns_per_hop(WORMS, spacing)
        table.add_row(str(spacing), WORMS, f"{worm:.0f}", "", "")
        for preset in (*PACKETS, *WHOLE):
            cost = ns_per_hop(preset, spacing)
            factors[f"{preset} x{spacing}"] = cost / worm
            row = (f"{cost:.0f}", f"{cost / worm:.2f}", f"{GOAL:.0f}")
            table.add_row(str(spacing), preset, *row)
    console = Console()
    console.print(table)
    console.print(f"recorded in {add({'transports_over_worm': factors})}")


if __name__ == "__main__":
    main()
