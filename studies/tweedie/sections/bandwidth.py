"""What a link between two nodes carries: figures 4.2 to 4.4, tables 4.1 and 4.2.

The formulas are equations (4.1) to (4.3) [Tweedie, section 4.1.4], with one
packet for an empty message.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import tailback as tb
from studies.markdown import paragraphs, table
from studies.tweedie.charts import Chart, Panel, Series
from studies.tweedie.comparison import Report, Section
from studies.tweedie.exchange import Fidelity
from studies.tweedie.experiment import Point
from studies.tweedie.measure import Measurements
from studies.tweedie.published import rows

Direction = Literal["one_way", "both_ways"]

_FIDELITIES: tuple[Fidelity, ...] = ("token", "packet")
_LENGTHS = tuple(range(4, 201))
"""Bytes of a message; the thesis leaves out those below 4."""
_PACKET = 32
_MESSAGES = 100
"""About so many of a node are simulated."""
_BIT_NS = 10

_OFFSETS_NS = (0, 99, 100, 1000, 3000)
"""How much later the other node begins; the thesis: together, and a short interval apart."""
_LOCKING = 33
"""The length that loses most if the nodes get out of step."""
_LOCKING_OFFSETS_NS = tuple(range(0, 4001, 50))

_EXACT = 5e-5
"""A deviation that is none: printed with two decimals of a percent."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A line of a table: what is sent, and how it is simulated."""

    fidelity: Fidelity
    direction: Direction
    offset_ns: int = 0

    def point(self, length: int) -> Point:
        """Return a run with messages of so many bytes."""
        workload = {
            "kind": "bandwidth",
            "message_size": f"{length} B",
            "direction": self.direction,
            "offset": f"{self.offset_ns} ns",
        }
        duration_ns = _MESSAGES * _BIT_NS * _bits("token", "both_ways", length)
        return (
            tb.Experiment.from_dict(
                {
                    "machine": {"preset": "t9000_pair"},
                    "workload": workload,
                    "run": {
                        "fidelity": self.fidelity,
                        "warmup": "0 s",
                        "duration": f"{duration_ns:g} ns",
                    },
                }
            ),
        )

    def formula(self, length: int) -> float:
        """Return the rate that the thesis derives: Mbit/s of data, each way."""
        return _mbit_per_s(length, _BIT_NS * _bits(self.fidelity, self.direction, length))

    def simulated(self, measured: Measurements, length: int) -> float:
        """Return the rate simulated: Mbit/s of data, of the slower way."""
        (experiment,) = self.point(length)
        return _mbit_per_s(length, max(measured[experiment].message_periods_ns))

    def deviations(self, measured: Measurements) -> dict[int, float]:
        """Return simulated over formula, less one, by length."""
        return {m: self.simulated(measured, m) / self.formula(m) - 1 for m in _LENGTHS}

    def __str__(self) -> str:
        if self.direction == "one_way":
            return "one way"
        return f"both ways, {_apart(self.offset_ns)}"


def _bits(fidelity: Fidelity, direction: Direction, length: int) -> float:
    """Return the bits a channel sends for each message, of all kinds."""
    packets = max(1, -(-length // _PACKET))
    if direction == "one_way":
        return 10 * length + (15 if fidelity == "token" else 14) * packets
    if fidelity == "token":
        return 10.5 * length + 30 * packets
    return 10 * length + 28 * packets


def _mbit_per_s(length: int, period_ns: float) -> float:
    return 8 * length / period_ns * 1000


def _apart(offset_ns: int) -> str:
    if offset_ns == 0:
        return "together"
    return f"{offset_ns} ns apart" if offset_ns < 1000 else f"{offset_ns / 1000:g} µs apart"


def _cases(fidelity: Fidelity) -> tuple[_Case, ...]:
    ways = (_Case(fidelity, "both_ways", offset_ns) for offset_ns in _OFFSETS_NS)
    return (_Case(fidelity, "one_way"), *ways)


# Tables 4.1 and 4.2.


def _printed(fidelity: Fidelity, case: _Case) -> list[str]:
    """Return the largest and the mean deviation that the thesis prints for a case."""
    way = "uni-directional" if case.direction == "one_way" else "bi-directional"
    if fidelity == "packet":
        lines = rows("table4_2_t9000_bandwidth_deviation_packet_passing.csv")
        line = next(row for row in lines if row["direction"] == way)
    else:
        start = "staggered" if case.offset_ns else "lock-step"
        lines = rows("table4_1_t9000_bandwidth_deviation.csv")
        line = next(r for r in lines if r["direction"] == way and r["start_mode"] == start)
    return [line["maximum_deviation_pct"], line["average_deviation_pct"]]


def _deviation_table(measured: Measurements, fidelity: Fidelity) -> str:
    header = [
        "deviation from the formula (%)",
        "largest: printed",
        "simulated",
        "mean: printed",
        "simulated",
        "lengths that deviate",
    ]
    lines = []
    for case in _cases(fidelity):
        sizes = {m: abs(d) for m, d in case.deviations(measured).items()}
        worst = max(sizes, key=lambda m: sizes[m])
        largest, mean = _printed(fidelity, case)
        at = f" at {worst} B" if sizes[worst] >= _EXACT else ""
        lines.append(
            [
                str(case),
                largest,
                f"{100 * sizes[worst]:.2f}{at}",
                mean,
                f"{100 * sum(sizes.values()) / len(sizes):.2f}",
                f"{sum(d >= _EXACT for d in sizes.values())} of {len(sizes)}",
            ]
        )
    return table(header, lines)


# Charts.


def _curves(measured: Measurements, fidelity: Fidelity, offset_ns: int, title: str) -> Panel:
    series: list[Series] = []
    one_way, both_ways = _Case(fidelity, "one_way"), _Case(fidelity, "both_ways", offset_ns)
    for colour, case, name in ((0, one_way, "one way"), (1, both_ways, "both ways")):
        simulated = [case.simulated(measured, m) for m in _LENGTHS]
        formula = [case.formula(m) for m in _LENGTHS]
        series += [
            Series(f"{name}, simulated", _LENGTHS, simulated, "points", colour),
            Series(f"{name}, formula", _LENGTHS, formula, "line", 6),
        ]
    return Panel(
        title, "message (bytes)", "data, each way (Mbit/s)", tuple(series), from_zero=False
    )


def _chart(measured: Measurements) -> Chart:
    return Chart(
        "figure4_2_bandwidth",
        "Figures 4.2 to 4.4: bandwidth against message length",
        (
            _curves(measured, "token", 0, "Figure 4.2: token, together"),
            _curves(measured, "token", 99, "Figure 4.3: token, 99 ns apart"),
            _curves(measured, "packet", 0, "Figure 4.4: packet, together"),
        ),
    )


def _locking_chart(measured: Measurements) -> Chart:
    series = []
    for colour, fidelity in enumerate(_FIDELITIES):
        cases = [_Case(fidelity, "both_ways", offset_ns) for offset_ns in _LOCKING_OFFSETS_NS]
        rates = [case.simulated(measured, _LOCKING) for case in cases]
        offsets_us = [offset_ns / 1000 for offset_ns in _LOCKING_OFFSETS_NS]
        series.append(Series(fidelity, offsets_us, rates, colour=colour))
    apart_ns = [offset_ns for offset_ns in reversed(_OFFSETS_NS) if offset_ns]
    by_length = [
        _Case("token", "both_ways", offset_ns).deviations(measured) for offset_ns in apart_ns
    ]
    return Chart(
        "figure4_3_out_of_step",
        "Bandwidth when the two nodes begin apart",
        (
            Panel(
                f"{_LOCKING} bytes, both ways",
                "second node begins later by (µs)",
                "data, each way (Mbit/s)",
                tuple(series),
            ),
            Panel(
                "token, both ways",
                "message (bytes)",
                "deviation from the formula (%)",
                tuple(
                    Series(name, _LENGTHS, [100 * d for d in deviations.values()], "points", i)
                    for i, (name, deviations) in enumerate(
                        zip(map(_apart, apart_ns), by_length, strict=True)
                    )
                ),
                from_zero=False,
            ),
        ),
    )


_INTRODUCTION = """\
One virtual link between two nodes without a switch, or one each way; messages of 4 to
200 bytes. n is the number of packets of a message of m bytes. The thesis expects, of
100 Mbit/s, 8m / (10m + 15n) one way and 8m / (10.5m + 30n) both ways with token
passing, 8m / (10m + 14n) and 8m / (10m + 28n) with packet passing, and measures with
a standard error of about 0.14 %. Simulated periods are exact: there is nothing random."""


_OUT_OF_STEP = """\
When the two nodes begin further apart, they may fall out of step for good. Then the short
last packet of a message travels beside a full packet of the other direction, and its
acknowledgement has to wait until that one has been sent: every packet takes as long as
a full one, and at 33 bytes 42 % is lost (token; packet 45 %). The further apart they
begin, the longer the last packets that suffer, about a byte for every 100 ns. It is what
the rules of the protocol give; the thesis does not mention it. With these rules its
staggered runs, within 0.79 % of the formula at all lengths, cannot have begun 100 ns to
3 µs apart."""


_LOCK_STEP = """\
Together or less than 100 ns apart both formulas are exact for both ways, and so they are
one way but for messages whose last packet has one byte (token: its acknowledgement arrives
when it ends, so that flow-control tokens on the way back cost time). The loss of 0.94 % in
lock step, which the thesis explains by acknowledgements that wait for the end of the packet
beside them, does not come out: they do wait, but the formula already has the time they
take."""


def _report(measured: Measurements) -> Report:
    charts = (_chart(measured), _locking_chart(measured))
    text = paragraphs(
        _INTRODUCTION,
        "Table 4.1, token passing:",
        _deviation_table(measured, "token"),
        "Table 4.2, packet passing (the thesis does not say how far apart they begin):",
        _deviation_table(measured, "packet"),
        _LOCK_STEP,
        charts[0],
        _OUT_OF_STEP,
        charts[1],
    )
    return Report(text, charts=charts)


SECTION = Section(
    "Tables 4.1 and 4.2: bandwidth of a link",
    (
        *(
            case.point(length)
            for fidelity in _FIDELITIES
            for case in _cases(fidelity)
            for length in _LENGTHS
        ),
        *(
            _Case(fidelity, "both_ways", offset_ns).point(_LOCKING)
            for fidelity in _FIDELITIES
            for offset_ns in _LOCKING_OFFSETS_NS
        ),
    ),
    _report,
)
