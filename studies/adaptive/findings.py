"""What was found, in plain words, with the numbers of the runs."""

from __future__ import annotations

from collections.abc import Iterable

from studies.adaptive.costs import AtLoad, at_equal_loads
from studies.adaptive.settings import (
    ADAPTIVE,
    GREEDY,
    OPEN,
    RATE,
    WAITING,
    Setting,
    saturation,
)
from studies.adaptive.variants import CHANNELS, rates
from studies.runs import Runs

_OPEN = {setting.name: setting for setting in OPEN}
_UNIFORM = _OPEN["mesh_uniform"]
_TRANSPOSE = _OPEN["mesh_transpose"]
_COMPLEMENT = _OPEN["mesh_bit_complement"]


def findings(runs: Runs) -> str:
    """Return what was found, as a list."""
    return "\n".join(
        f"* {text}"
        for text in (
            _synchronised(runs),
            _open(runs),
            _complement(runs),
            _partly(runs),
            _two_phase(runs),
            _beyond(runs),
        )
    )


def _gains(cases: Iterable[AtLoad], routing: str) -> str:
    """Return by how many points a routing's theta_t is above greedy's, lowest to highest."""
    gains = [
        100 * (one.value - greedy.value)
        for found in cases
        if (one := found.theta_t[routing]) and (greedy := found.theta_t[GREEDY])
    ]
    return f"{min(gains):+.0f} to {max(gains):+.0f}"


def _theta(setting: Setting, runs: Runs, routing: str) -> str:
    """Return theta_t at the highest load compared, in percent."""
    estimate = at_equal_loads(setting, runs)[-1].theta_t[routing]
    return "none" if estimate is None else f"{100 * estimate.value:.0f} %"


def _fastest(setting: Setting, runs: Runs, routing: str) -> float:
    one, greedy = (setting.curve(runs, r, RATE).first.value for r in (routing, GREEDY))
    return 100 * (one / greedy - 1)


def _synchronised(runs: Runs) -> str:
    cases = [found for setting in WAITING for found in at_equal_loads(setting, runs)]
    faster = {
        routing: [_fastest(setting, runs, routing) for setting in WAITING]
        for routing in (ADAPTIVE, "chaos")
    }
    spans = {r: f"{min(gains):+.0f} to {max(gains):+.0f} %" for r, gains in faster.items()}
    return (
        "**Processes that wait for each other** gain twice. At equal load there is less "
        f"contention inside the network: theta_t is {_gains(cases, ADAPTIVE)} points above "
        f"greedy's with minimal adaptive routing, {_gains(cases, 'chaos')} with chaos, "
        f"{_gains(cases, 'deflection')} with deflection. And the load they reach is higher: at "
        f"c = 1 µs they send {spans[ADAPTIVE]} messages with minimal adaptive routing, "
        f"{spans['chaos']} with chaos. So adaptivity does not only move saturation; but at the "
        "loads that loosely synchronous processes reach with greedy routing the gain of minimal "
        "adaptive routing is small beside what contention costs in any case."
    )


def _open(runs: Runs) -> str:
    ratio = _ratio(runs, _TRANSPOSE, ADAPTIVE)
    return (
        "**Where greedy routing leaves links idle** the gain is large. Transpose, mesh, at 75 % of "
        f"greedy's saturation: theta_t {_theta(_TRANSPOSE, runs, GREEDY)} becomes "
        f"{_theta(_TRANSPOSE, runs, ADAPTIVE)} (minimal adaptive), "
        f"{_theta(_TRANSPOSE, runs, 'chaos')} (chaos), {_theta(_TRANSPOSE, runs, 'deflection')} "
        f"(deflection), and minimal adaptive routing saturates at {ratio:.1f} times the load. "
        f"Under uniform traffic it saturates at {_ratio(runs, _UNIFORM, ADAPTIVE):.2f} times the "
        f"load, and theta_t is {_theta(_UNIFORM, runs, ADAPTIVE)} instead of "
        f"{_theta(_UNIFORM, runs, GREEDY)} at 75 %."
    )


def _ratio(runs: Runs, setting: Setting, routing: str) -> float:
    one, greedy = (saturation(setting, runs, r).load for r in (routing, GREEDY))
    return one / greedy


def _complement(runs: Runs) -> str:
    return (
        "**Adaptivity is not always better.** Under the bit complement on the mesh minimal "
        f"adaptive routing saturates at {_ratio(runs, _COMPLEMENT, ADAPTIVE):.2f} times greedy's "
        f"load, and at 75 % of that theta_t is {_theta(_COMPLEMENT, runs, ADAPTIVE)} instead of "
        f"{_theta(_COMPLEMENT, runs, GREEDY)}, whichever of the free outputs packets take."
    )


def _partly(runs: Runs) -> str:
    ratios = [
        _ratio(runs, setting, routing)
        for setting in (_UNIFORM, _TRANSPOSE, _COMPLEMENT)
        for routing in ("negative_first", "odd_even")
    ]
    return (
        "**Partly adaptive routing** (negative first, odd-even) saturates at "
        f"{min(ratios):.2f} to {max(ratios):.2f} times greedy's load under uniform traffic, "
        "transpose and bit complement; under the hot spot at "
        f"{_ratio(runs, _OPEN['mesh_hot_spot'], 'negative_first'):.2f} and "
        f"{_ratio(runs, _OPEN['mesh_hot_spot'], 'odd_even'):.2f}."
    )


def _two_phase(runs: Runs) -> str:
    least = at_equal_loads(_UNIFORM, runs)[0].lifetimes
    one, greedy = least["valiant"], least[GREEDY]
    longer = one.value / greedy.value if one and greedy else float("nan")
    most = CHANNELS[1]
    fastest = [
        max(rates(runs, routing, "tornado", most).values.tolist())
        for routing in ("valiant", GREEDY)
    ]
    return (
        "**Two-phase routing does not pay under uniform traffic**: it saturates at "
        f"{_ratio(runs, _UNIFORM, 'valiant'):.2f} times greedy's load, and at 25 % of that "
        f"packets are routed for {longer:.1f} times as long. It makes patterns alike, and pays "
        "where greedy routing does badly: on the transpose it saturates at "
        f"{_ratio(runs, _TRANSPOSE, 'valiant'):.2f} times its load on the mesh (minimal adaptive "
        f"routing at {_ratio(runs, _TRANSPOSE, ADAPTIVE):.2f}), under the bit complement at "
        f"{_ratio(runs, _COMPLEMENT, 'valiant'):.2f} (at "
        f"{_ratio(runs, _COMPLEMENT, ADAPTIVE):.2f}). On the tornado it needs more than four "
        f"virtual channels to do so: with {most} its highest rate is {fastest[0]:.0f} against "
        f"{fastest[1]:.0f}. Its packets are never the fastest."
    )


def _beyond(runs: Runs) -> str:
    few, many = (
        rates(runs, GREEDY, "tornado", channels) for channels in (CHANNELS[0], CHANNELS[-1])
    )
    lost = [100 * (1 - c.first.value / c.values.max()) for c in (few, many)]
    return (
        "**Beyond saturation** chaos and deflection keep their rate; greedy, two-phase and minimal "
        "adaptive routing lose up to half of it under the tornado or the bit complement. Greedy "
        f"routing does so for want of virtual channels: on the tornado it loses {lost[0]:.0f} % "
        f"with {CHANNELS[0]} and {lost[1]:.0f} % with {CHANNELS[-1]}. (Of the others more channels "
        "were not tried.)"
    )
