"""How much nodes of a configuration of BookSim2 send: lengths of packets, and when they set out."""

from __future__ import annotations

from typing import Any

from .settings import Settings
from .statements import called


def lengths(settings: Settings) -> tuple[list[int], list[int]]:
    """Return the lengths of packets in flits, and their weights.

    `{1,5}` is a list for classes, of which the first has packets of one flit; `{{1,5}}` has both.
    """
    sizes = settings.numbers("packet_size")
    if not all(1 <= size <= 65_536 for size in sizes):
        raise settings.refused("packet_size", "must be 1 to 65536 flits")
    rates = settings.numbers("packet_size_rate")
    rates = (rates + rates[-1:] * len(sizes))[: len(sizes)]
    if not any(rates) or max(rates) > 10_000:
        raise settings.refused("packet_size_rate", "must be 0 to 10000, not all 0")
    return sizes, rates


def injection(settings: Settings, mean_flits: float) -> dict[str, Any]:
    """Return the keys of a workload that say when messages are sent; times in cycles of 1 ns."""
    in_flits = settings.flag("injection_rate_uses_flits")
    rate = settings.number("injection_rate", 1.0 if not in_flits else mean_flits)
    probability = rate / mean_flits if in_flits else rate
    period_ps = round(1000 / probability)
    found = {"compute_period": f"{period_ps} ps", "start": "together"}
    name, parameters = called(settings.text("injection_process"))
    if name == "bernoulli":
        return found | {"compute_distribution": "geometric", "compute_slot": "1 ns"}
    if name != "on_off":
        allowed = "is no process that is known; must be bernoulli or on_off"
        raise settings.refused("injection_process", allowed)
    return found | _bursts(settings, probability, parameters)


def _bursts(settings: Settings, probability: float, parameters: list[str]) -> dict[str, Any]:
    """Return the keys of sources that are on or off: two of three rates give the third.

    An idle source turns on with probability alpha in a cycle, one that is on turns off with
    probability beta, and one that is on then has a packet with probability r1.
    """
    rates = []
    for at, key in enumerate(("burst_alpha", "burst_beta", "burst_r1")):
        text = parameters[at] if at < len(parameters) else settings.text(key)
        try:
            rates.append(float(text))
        except ValueError:
            rates.append(2.0)
        if rates[-1] > 1:
            raise settings.refused("injection_process", f"must have a number up to 1 as {key}")
    alpha, beta, peak = rates
    if sum(rate < 0 for rate in rates) != 1:
        allowed = "must leave one of burst_alpha, burst_beta and burst_r1 at -1"
        raise settings.refused("injection_process", allowed)
    if alpha < 0:
        alpha = beta * probability / (peak - probability) if peak > probability else 2.0
    elif beta < 0:
        beta = alpha * (peak - probability) / probability
    for name, rate in (("alpha", alpha), ("beta", beta)):
        if not 0 < rate <= 1:
            allowed = f"must give a burst_{name} above 0 and up to 1 with the other rates, not "
            raise settings.refused("injection_process", f"{allowed}{rate:g}")
    if probability * (alpha + beta) > alpha:
        most = alpha / (alpha + beta)
        allowed = f"must be at most {most:g} packets in a cycle, what sources have when they are on"
        raise settings.refused("injection_rate", allowed)
    return {
        "compute_distribution": "modulated",
        "compute_slot": "1 ns",
        "compute_turn_on": alpha,
        "compute_turn_off": beta,
    }
