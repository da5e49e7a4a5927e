"""Which waiting packet a switch sends next: figure 4.11."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import tailback as tb
from studies.markdown import number, paragraphs, percent, table
from studies.tables import Keys
from studies.tweedie.charts import Chart, Panel, Series
from studies.tweedie.comparison import Report, Section
from studies.tweedie.exchange import exchange, rate
from studies.tweedie.experiment import PRECISION, Point
from studies.tweedie.measure import Measurements

POLICIES = ("fifo", "random", "net_first", "oldest_first", "hops_first")
SHORT = ("fifo", "random", "net", "oldest", "hops")
"""Their names in charts."""
_BY_AGE = ("oldest_first", "hops_first")
COMBINATIONS = tuple(product(POLICIES, (False, True)))
"""Every policy, without and with priority of acknowledgements."""


def keys(policy: str, ack_priority: bool) -> Keys:
    """Return the keys of a machine for one combination."""
    return {"switch.arbiter": policy, "switch.ack_priority": ack_priority}


_SIDES = (8, 16, 24)


def _point(side: int, policy: str, ack_priority: bool) -> Point:
    return exchange("packet", keys(policy, ack_priority), side=side)


@dataclass(frozen=True)
class _Rates:
    """All rates of one size of machine."""

    measured: Measurements
    side: int

    def __call__(self, policy: str, ack_priority: bool) -> tb.Estimate:
        return rate(self.measured, _point(self.side, policy, ack_priority))

    def best(self, policies: tuple[str, ...], ack_priority: bool) -> float:
        """Return the highest rate of some policies."""
        return max(self(policy, ack_priority).value for policy in policies)

    def worst(self, policies: tuple[str, ...], ack_priority: bool) -> float:
        """Return the lowest rate of some policies."""
        return min(self(policy, ack_priority).value for policy in policies)


def _table(measured: Measurements) -> str:
    header = ["policy"]
    for side in _SIDES:
        header += [f"{side * side} nodes", "with priority", "gain"]
    lines = []
    for policy in POLICIES:
        line = [f"`{policy}`"]
        for side in _SIDES:
            rates = _Rates(measured, side)
            without, with_priority = rates(policy, False), rates(policy, True)
            gain = percent(with_priority.value / without.value - 1)
            line += [number(without), number(with_priority), gain]
        lines.append(line)
    return table(header, lines)


_OTHERS = tuple(policy for policy in POLICIES if policy not in _BY_AGE)
_PLAIN = ("fifo", "random")

_CLAIMS: dict[str, Callable[[_Rates], float]] = {
    "Acknowledgement priority in the switch improves every policy": lambda rates: min(
        rates(policy, True).value / rates(policy, False).value - 1 for policy in POLICIES
    ),
    "`oldest_first` and `hops_first` are the best, without priority": lambda rates: (
        rates.worst(_BY_AGE, False) / rates.best(_OTHERS, False) - 1
    ),
    "… better than `fifo` and `random`": lambda rates: (
        rates.worst(_BY_AGE, False) / rates.best(_PLAIN, False) - 1
    ),
    "… even without priority better than the others with it": lambda rates: (
        rates.worst(_BY_AGE, False) / rates.best(_OTHERS, True) - 1
    ),
    "… better than `fifo` and `random` with it": lambda rates: (
        rates.worst(_BY_AGE, False) / rates.best(_PLAIN, True) - 1
    ),
    "`random` is better than `fifo`": lambda rates: (
        rates("random", False).value / rates("fifo", False).value - 1
    ),
    "`net_first` is not better than `fifo`": lambda rates: (
        1 - rates("net_first", False).value / rates("fifo", False).value
    ),
}
"""What the thesis says about figure 4.11: the margin by which it holds."""

_UNDECIDED = PRECISION * 2**0.5
"""Half-width of the interval of a quotient of two rates."""


def _claims(measured: Measurements) -> str:
    lines = []
    for claim, margin in _CLAIMS.items():
        margins = [margin(_Rates(measured, side)) for side in _SIDES]
        held = "yes" if min(margins) > _UNDECIDED else "no" if max(margins) <= 0 else "not always"
        lines.append([claim, *(percent(m) for m in margins), held])
    return table(["claim, and margin by which it holds", *map(nodes_of, _SIDES), "holds"], lines)


def nodes_of(side: int) -> str:
    """Return the size of a machine in words."""
    return f"{side * side} nodes"


def _chart(measured: Measurements) -> Chart:
    panels = []
    for side in _SIDES:
        rates = _Rates(measured, side)
        panels.append(
            Panel(
                f"Figure 4.11: {nodes_of(side)}",
                "queue policy of the switches",
                "exchanges per ms",
                tuple(
                    Series(name, SHORT, [rates(policy, p).value for policy in POLICIES], "marks", p)
                    for p, name in ((True, "acknowledgements first"), (False, "one class"))
                ),
                from_zero=False,
            )
        )
    return Chart("figure4_11_policies", "Figure 4.11: queue policies", tuple(panels))


_NET_FIRST = """\
The remark about `net_first` is the other way round here: packets from the network before
packets from the node, as the thesis defines it, is about as good as `hops_first`, and has
to be, since packets of the network have more hops than those of the node. What it says of
its results would fit packets from the node first. (With 16 nodes, see the next section,
`net_first` is a little worse than `fifo` without priority, but so is `hops_first`.)
Priority of acknowledgements improves what is slow without it; on the larger machines
`net_first` and `hops_first` gain nothing by it, or lose up to a percent."""


def _report(measured: Measurements) -> Report:
    chart = _chart(measured)
    text = paragraphs(
        "Boundary exchange, packet passing, 70 bytes of buffer, 4 links; exchanges per ms, "
        "without and with priority of acknowledgements in the switches:",
        _table(measured),
        _claims(measured),
        _NET_FIRST,
        chart,
    )
    return Report(text, charts=(chart,))


SECTION = Section(
    "Figure 4.11: queue policies",
    tuple(
        _point(side, policy, ack_priority)
        for side, (policy, ack_priority) in product(_SIDES, COMBINATIONS)
    ),
    _report,
)
