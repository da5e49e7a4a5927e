"""What the report says, and what our runs show of it."""

from __future__ import annotations

import tailback as tb
from studies.claims import Claim, Statement, Wording
from studies.clusters import published
from studies.clusters.measured import Runs, as_timers_send
from studies.clusters.settings import (
    AVICI,
    ETHERNET,
    LONG_BYTES,
    MYRINET,
    NETWORKS,
    SIZES,
    Network,
    exchange,
    fan,
    throughput,
    token_pass,
)
from studies.comparison import Comparison, Printed

WORDING = Wording(
    "the report",
    "({})",
    printed=True,
    sources="section",
    contradicted="does not hold",
)

_NINE = (
    "Nine exchanges follow from the other slopes and completions; with them the slope is at "
    "least 2.39 us for a byte, for every neighbour of a host at its only link."
)


_ROUNDING = 1e-9
"""What a number that is a tie between two printed ones may be off: ours are no decimals."""


def _number(text: str, value: float, bound: float | None = None) -> Comparison:
    ours = tb.Estimate(value, value - _ROUNDING, value + _ROUNDING)
    return Comparison("", Printed(text), ours, bound=bound)


def token_pass_us(runs: Runs, network: Network) -> dict[str, float]:
    """Return the latencies of figure 13, as the source counts them."""
    return as_timers_send(runs.of(token_pass(network)), network)


def mbit_per_s(runs: Runs, network: Network) -> float:
    """Return the throughput of figure 14."""
    took = runs.of(throughput(network)).latency_us["max"]
    if network.counts_frames:
        half = runs.of(throughput(network, LONG_BYTES // 2)).latency_us["max"]
        return 8 * (LONG_BYTES - LONG_BYTES // 2) / (took - half)
    return 8 * LONG_BYTES / (took + network.timer_us)


def slope(runs: Runs, network: Network, program: str) -> float:
    """Return by how much completion grows between the two largest sizes, in us for a byte."""
    below, above = SIZES[-2:]
    times = [runs.of(exchange(network, program, size)).completion_us for size in (below, above)]
    return (times[1] - times[0]) / (above - below)


def slowest_us(runs: Runs, network: Network, program: str, size: int) -> float:
    """Return the largest latency of `fan_in` or `fan_out`."""
    return runs.of(fan(network, program, size)).latency_us["max"]


def _figure_13(network: Network) -> list[Claim[Runs]]:
    def claim(kind: str, text: str) -> Claim[Runs]:
        return Claim(
            f"Figure 13: token_pass on {network.name}, {kind}, us",
            "5.1",
            lambda runs: _number(text, token_pass_us(runs, network)[kind]),
            reading="A message that a timer sends takes 6.25 ns longer: all but the first."
            if network.timer_us
            else "",
        )

    return [claim(kind, text) for kind, text in published.token_pass(network).items()]


def _figure_14(network: Network) -> Claim[Runs]:
    return Claim(
        f"Figure 14: throughput of {network.name}, Mbit/s",
        "5.1",
        lambda runs: _number(published.throughput(network), mbit_per_s(runs, network)),
        reading="Of a message of 1.5 million bytes; the text says 15 MB."
        + (
            " The printed number is the rate at which frames follow each other."
            if network.counts_frames
            else " From the send until the last byte has come."
        ),
    )


def _minima(network: Network, program: str, figure: int) -> Claim[Runs]:
    """Shortest messages: cut off or rounded to the digits that are printed."""

    def check(runs: Runs) -> Statement:
        missed = []
        for size in SIZES:
            printed = published.latencies(program, network, size)["min"]
            ours = runs.of(exchange(network, program, size)).latency_us["min"]
            if not _number(printed, ours).agrees:
                missed.append(f"{size} bytes: {ours:.2f} (printed {printed})")
        return Statement("; ".join(missed) or "all seven", not missed)

    reason = (
        "Two packets of a message cannot be there sooner than the first one alone plus what "
        "the second "
        "takes on the host's link: 30.09 us."
        if network is AVICI
        else ""
    )
    return Claim(
        f"Figure {figure}: the shortest message of {program} on {network.name}, all seven sizes",
        "5.3",
        check,
        reason=reason,
        known=network is AVICI,
    )


def _averages(network: Network, program: str, figure: int) -> Claim[Runs]:
    bound = {"Avici": 0.08, "Myrinet": 0.10, "Ethernet": 0.05}[network.name]
    sizes = [size for size in SIZES if network is not ETHERNET or size <= 256]

    def check(runs: Runs) -> Statement:
        off = {
            size: runs.of(exchange(network, program, size)).latency_us["avg"]
            / float(published.latencies(program, network, size)["avg"])
            - 1
            for size in sizes
        }
        low, high = min(off.values()), max(off.values())
        holds = -bound <= low and high <= bound
        return Statement(f"{100 * low:+.1f} to {100 * high:+.1f} %", holds)

    return Claim(
        f"Figure {figure}: mean latency of {program} on {network.name}, {sizes[0]} to "
        f"{sizes[-1]} bytes",
        "5.3",
        check,
        reading=f"Within {100 * bound:.0f} % at every size.",
        reason=(
            "The order in which hosts and switches serve what comes at one instant is not printed."
        ),
    )


def _long_averages(program: str, figure: int) -> Claim[Runs]:
    def check(runs: Runs) -> Statement:
        off = [
            runs.of(exchange(ETHERNET, program, size)).latency_us["avg"]
            / float(published.latencies(program, ETHERNET, size)["avg"])
            - 1
            for size in SIZES[-3:]
        ]
        text = ", ".join(f"{100 * one:+.1f} %" for one in off)
        return Statement(text, all(abs(one) <= 0.05 for one in off))

    return Claim(
        f"Figure {figure}: mean latency of {program} on Ethernet, 512 to 2048 bytes",
        "5.3",
        check,
        reading="Within 5 %.",
        reason="No reading of the switches that has the flat averages of short messages has these, "
        "too; the switches' memory and whether they pause each other are not printed.",
        known=True,
    )


def _slope(network: Network, program: str) -> Claim[Runs]:
    text = published.slope(program, network)
    return Claim(
        f"completion of {program} on {network.name}, us for a byte from 1024 to 2048 bytes",
        "5.3",
        lambda runs: _number(text, slope(runs, network, program), 0.06),
        reading="Within 6 %.",
        reason=_NINE if (network, program) == (ETHERNET, "mesh") else "",
        known=(network, program) == (ETHERNET, "mesh"),
    )


def _fan_in(network: Network) -> list[Claim[Runs]]:
    text = published.fan_in_us(network)
    if text is None:
        return []
    return [
        Claim(
            f"fan_in, 2048 bytes: the largest latency on {network.name}, us",
            "5.2",
            lambda runs: _number(text, slowest_us(runs, network, "fan_in", 2048), 0.02),
            reading="Printed as a round number; within 2 %.",
        )
    ]


def _fan_out(runs: Runs) -> Statement:
    found = {network.name: slowest_us(runs, network, "fan_out", 2048) for network in NETWORKS}
    order = sorted(found, key=lambda name: found[name])
    text = ", ".join(f"{name} {found[name]:.0f} us" for name in order)
    return Statement(text, order == ["Ethernet", "Avici", "Myrinet"])


def _short_messages(runs: Runs) -> Statement:
    found = {}
    for size in SIZES[:4]:
        avici, myrinet = (
            runs.of(exchange(network, "mesh", size)).latency_us["avg"]
            for network in (AVICI, MYRINET)
        )
        found[size] = avici - myrinet
    text = ", ".join(f"{more:.2f} us" for more in found.values())
    return Statement(text, all(0 < more < 2 for more in found.values()))


def _long_messages(runs: Runs) -> Statement:
    avici, myrinet = (
        runs.of(exchange(network, "mesh", 2048)).latency_us["avg"] for network in (AVICI, MYRINET)
    )
    return Statement(f"{avici:.1f} and {myrinet:.1f} us", avici < myrinet)


def _torus_is_worse(runs: Runs) -> Statement:
    larger = [
        size
        for size in SIZES
        if runs.of(exchange(MYRINET, "torus", size)).latency_us["avg"]
        > runs.of(exchange(MYRINET, "mesh", size)).latency_us["avg"]
    ]
    return Statement(f"the mean of torus is larger at {len(larger)} of 7 sizes", not larger)


def _about_alike(runs: Runs) -> Statement:
    worst = 0.0
    for network in NETWORKS:
        for size in SIZES:
            mesh, torus = (
                runs.of(exchange(network, program, size)).latency_us
                for program in ("mesh", "torus")
            )
            worst = max(worst, abs(mesh["avg"] - torus["avg"]) / mesh["stdev"])
    return Statement(f"at most {worst:.2f} standard deviations apart", worst < 1)


def expected() -> list[Claim[Runs]]:
    """Return everything that is judged."""
    claims = [claim for network in NETWORKS for claim in _figure_13(network)]
    claims += [_figure_14(network) for network in NETWORKS]
    for program, figure in (("mesh", 18), ("torus", 20)):
        claims += [_minima(network, program, figure) for network in NETWORKS]
        claims += [_averages(network, program, figure) for network in NETWORKS]
        claims.append(_long_averages(program, figure))
        claims += [_slope(network, program) for network in NETWORKS]
    claims += [claim for network in NETWORKS for claim in _fan_in(network)]
    return claims + (_of_all() if len(NETWORKS) == 3 else [])


def _of_all() -> list[Claim[Runs]]:
    """Return what is said of networks beside each other."""
    return [
        Claim(
            "fan_out: Ethernet is best, then Avici, then Myrinet",
            "5.2",
            _fan_out,
            reading="By the largest latency with 2048 bytes.",
        ),
        Claim(
            "Up to 256 bytes Myrinet is about 1 us faster than Avici",
            "5.3",
            _short_messages,
            reading="How much longer the mean of mesh is on Avici: above 0, below 2 us.",
        ),
        Claim(
            "Above 512 bytes Avici is better",
            "5.3",
            _long_messages,
            reading="Mean of mesh with 2048 bytes, on Avici and on Myrinet.",
        ),
        Claim(
            "mesh and torus differ by well under a standard deviation",
            "5.3",
            _about_alike,
            reading="Of means, in standard deviations of mesh, on all networks with all sizes.",
        ),
        Claim(
            "On Myrinet torus lowers the mean at all sizes",
            "5.3",
            _torus_is_worse,
            reason="The report's own tables say the opposite at all sizes.",
            known=True,
        ),
    ]
