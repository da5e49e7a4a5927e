"""What the report could not say: what contention costs, where, and who causes it."""

from __future__ import annotations

from studies.clusters.measured import Ran, Runs
from studies.clusters.settings import (
    BLAMED_SIZE,
    NETWORKS,
    PARTED_SIZES,
    Case,
    Network,
    exchange,
    fan,
)

PROGRAMS = ("fan_in", "fan_out", "mesh", "torus")
THETAS = ("theta_t", "theta_r", "theta_r_network", "theta_r_endpoints")
HEADER = (
    "",
    "bytes",
    "completion, us",
    "endpoints only",
    "no contention",
    "theta_t",
    "theta_r",
    "theta_r, network",
    "theta_r, endpoints",
)


def case(network: Network, program: str, size: int) -> Case:
    """Return a program on a network."""
    make = fan if program.startswith("fan") else exchange
    return make(network, program, size)


def rows(runs: Runs) -> list[list[str]]:
    """Return the table of costs: a program on a network in each row."""
    made = []
    for program in PROGRAMS:
        for network in NETWORKS:
            for size in PARTED_SIZES:
                ran = runs.of(case(network, program, size))
                times = (ran.parted_us[mode] for mode in ("full", "endpoints", "free"))
                made.append(
                    [
                        f"{program}, {network.name}",
                        f"{size}",
                        *(f"{time:.1f}" for time in times),
                        *(f"{ran.thetas[theta]:.3f}" for theta in THETAS),
                    ]
                )
    return made


def blamed(runs: Runs, program: str) -> list[list[str]]:
    """Return whose fault it is that messages of a program are late, a network in each row."""
    found = {network: runs.of(case(network, program, BLAMED_SIZE)) for network in NETWORKS}
    return [[network.name, _kinds(ran), _channels(ran)] for network, ran in found.items()]


def _kinds(ran: Ran) -> str:
    named = (f"{kind} {100 * share:.0f} %" for kind, share in ran.kinds.items() if share > 0.005)
    return ", ".join(named) or "never late"


def _channels(ran: Ran) -> str:
    return ", ".join(f"{name} {100 * share:.1f} %" for name, share in ran.channels) or "-"


def answer(runs: Runs) -> str:
    """Return the answer in a few sentences."""
    worst = {}
    for network in NETWORKS:
        times = runs.of(case(network, "torus", BLAMED_SIZE)).parted_us
        worst[network.name] = (times["full"], times["endpoints"], times["free"])
    parts = [
        f"on {name} {full / free:.1f} times as long as it does without any, {endpoints / free:.1f} "
        "times with that of the hosts' own links only"
        for name, (full, endpoints, free) in worst.items()
    ]
    return (
        f"With contention torus, with messages of {BLAMED_SIZE} bytes, takes {'; '.join(parts)}. "
        "What is between the two numbers is the network's."
    )
