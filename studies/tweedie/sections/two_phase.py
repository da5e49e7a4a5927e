"""Size and place of buffers under two-phase random routing: figures 4.9 and 4.10."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import tailback as tb
from studies.estimates import in_percent
from studies.markdown import number, paragraphs, percent, table
from studies.tables import Keys
from studies.tweedie.charts import Chart, Panel, Series
from studies.tweedie.comparison import Report, Section
from studies.tweedie.exchange import FLOW_CONTROL, Fidelity, exchange, precise, rate
from studies.tweedie.experiment import Point
from studies.tweedie.measure import Measurements
from studies.tweedie.published import text_number
from studies.tweedie.sections.buffers import (
    OUTPUT,
    PACKET,
    TOTAL,
    halves,
    links_of,
    packet_buffer,
    split,
)
from tailback.statistics import quotient

_ROUTING: Keys = {"routing.kind": "valiant", "link.sharing": "separate"}
"""To a random node first, each phase on links of its own [Tweedie, section 2.2.2]."""

_WIDTHS = (1, 2, 3, 4)
_CHART_WIDTHS = (1, 4)
_FEWEST, _MOST = _CHART_WIDTHS
_STEPS = 5
"""Packets of the largest buffer in whose steps the rate is looked at."""
_LARGEST = 2 * TOTAL + 8
"""Bytes of the largest buffers: where more change nothing."""
_PACKET_SIZES = (
    *(size for k in range(1, _STEPS) for size in (PACKET * k + 6, PACKET * (k + 1) - 2)),
    TOTAL,
    _LARGEST,
)
_TOKEN_SIZES = (24, 40, 68, 102, 136, TOTAL, _LARGEST)
_OUTPUTS = (OUTPUT, 8, 24, 50, 100, 150, 176, 190)


def _entry(fidelity: Fidelity, width: int) -> Point:
    """Return the runs that the thesis compares in words."""
    buffers = split(OUTPUT) if fidelity == "token" else packet_buffer(TOTAL)
    return precise(fidelity, {"node_link.width": width, **buffers, **_ROUTING})


def _packet_point(width: int, size: int) -> Point:
    return exchange("packet", {"node_link.width": width, **packet_buffer(size), **_ROUTING})


def _token_point(width: int, size: int) -> Point:
    return exchange("token", {"node_link.width": width, **halves(size), **_ROUTING})


def _place_point(width: int, output: int) -> Point:
    return exchange("token", {"node_link.width": width, **split(output), **_ROUTING})


def _ratio(measured: Measurements, width: int) -> tb.Estimate:
    """Return token over packet."""
    token, packet = (rate(measured, _entry(f, width)) for f in ("token", "packet"))
    return quotient(token, packet)


def _less_one(ratio: tb.Estimate, factor: float = 1.0) -> tb.Estimate:
    value, low, high = (factor * x - 1 for x in (ratio.value, ratio.low, ratio.high))
    return in_percent(tb.Estimate(value, low, high, ratio.batches))


def _entry_table(measured: Measurements) -> str:
    lines = []
    for width in _WIDTHS:
        ratio = _ratio(measured, width)
        lines.append(
            [
                f"{width}",
                number(rate(measured, _entry("token", width))),
                number(rate(measured, _entry("packet", width))),
                number(_less_one(ratio)),
                number(_less_one(ratio, FLOW_CONTROL)),
            ]
        )
    header = ["links", "token", "packet", "token over packet, less one (%)"]
    return table([*header, f"times {FLOW_CONTROL:g} (%)"], lines)


def _chart(measured: Measurements) -> Chart:
    by_size, by_place = [], []
    for colour, width in enumerate(_CHART_WIDTHS):
        packets = [rate(measured, _packet_point(width, size)).value for size in _PACKET_SIZES]
        tokens = [rate(measured, _token_point(width, size)).value for size in _TOKEN_SIZES]
        placed = [rate(measured, _place_point(width, output)).value for output in _OUTPUTS]
        name = f"token, {links_of(width)}"
        by_size += [
            Series(name, _TOKEN_SIZES, tokens, "linked", colour),
            Series(f"packet, {links_of(width)}", _PACKET_SIZES, packets, "dashed", colour),
        ]
        by_place.append(Series(name, _OUTPUTS, placed, "linked", colour))
    return Chart(
        "figure4_9_two_phase",
        "Figures 4.9 and 4.10: the same under two-phase random routing",
        (
            Panel(
                "Figure 4.9: half input, half output (token)",
                "buffers of a channel, in all (bytes)",
                "exchanges per ms",
                tuple(by_size),
            ),
            Panel(
                f"Figure 4.10: {TOTAL} bytes in all",
                "of these in the output buffer (bytes)",
                "exchanges per ms",
                tuple(by_place),
            ),
        ),
    )


_STEP = 0.02
"""What the rate must rise by from one step to the next, and must not within one."""


def _claim_lines(measured: Measurements) -> Iterator[list[str]]:
    """Return each claim, what is found, and whether it holds."""

    def value(point: Point) -> float:
        return rate(measured, point).value

    ends = [
        (
            value(_packet_point(_MOST, PACKET * k + 6)),
            value(_packet_point(_MOST, PACKET * (k + 1) - 2)),
        )
        for k in range(1, _STEPS)
    ]
    within = [end / begin - 1 for begin, end in ends]
    between = [after / end - 1 for (_, end), (after, _) in pairwise(ends)]
    is_stepped = max(map(abs, within)) < _STEP and between[0] > _STEP
    yield [
        '"the same steps in the packet-passing model\'s performance curve"',
        f"within steps of 1 to {len(within)} packets {_listed(within)}; "
        f"from each to the next {_listed(between)}",
        _verdict(is_stepped),
    ]
    token, packet = (value(p(_MOST, _LARGEST)) for p in (_token_point, _packet_point))
    worse = packet / token - 1
    printed = -float(text_number("004-045").text) / 100
    yield [
        '"asymptotically nearly 10% worse than the token-passing performance"',
        f"{percent(worse)} with {_LARGEST} bytes; corrected for flow-control tokens "
        f"{percent(packet / (FLOW_CONTROL * token) - 1)}",
        _verdict(abs(worse - printed) <= _NEARLY),
    ]
    most = float(text_number("004-046").text)
    differences = [_less_one(_ratio(measured, width)).value for width in _WIDTHS]
    yield [
        f'"{TOTAL - OUTPUT} bytes of input buffer and {OUTPUT} bytes of output buffer … equal to '
        f'… packet-passing … with a {TOTAL} byte buffer …, to within under 2%"',
        f"{min(differences):+.1f} to {max(differences):+.1f} %, as they are",
        _verdict(max(map(abs, differences)) < most),
    ]
    corrected = [_less_one(_ratio(measured, width), FLOW_CONTROL).value for width in _WIDTHS]
    yield [
        f"… corrected for flow-control tokens, as table 4.3 is (times {FLOW_CONTROL:g})",
        f"{min(corrected):+.1f} to {max(corrected):+.1f} %",
        _verdict(max(map(abs, corrected)) < most),
    ]


_NEARLY = 0.02
"""How far from 10 % "nearly 10 %" may be."""


def _listed(shares: list[float]) -> str:
    return ", ".join(percent(share) for share in shares)


def _verdict(holds: bool) -> str:
    return "holds" if holds else "**does not hold**"


_INTRODUCTION = f"""\
The exchange of figures 4.7 and 4.8 with two-phase random routing, of data and
acknowledgements: each packet goes to a node drawn at random first, and each phase has
links of its own, as section 2.2.2 has it, of the same rate; headers stay one byte. The
thesis prints no rates. Token passing with {TOTAL - OUTPUT} bytes of input and {OUTPUT} of output
buffer, packet passing with {TOTAL} bytes; exchanges per ms:"""

_WIDTH_REMARK = """\
A second link between node and switch gains nothing here: with twice the way to go, it is
the channels between switches that limit, at about a quarter of the rate of greedy
routing (whose messages mostly go to neighbours)."""


def _report(measured: Measurements) -> Report:
    chart = _chart(measured)
    text = paragraphs(
        _INTRODUCTION,
        _entry_table(measured),
        _WIDTH_REMARK,
        chart,
        f"What the thesis says about them ({links_of(_MOST)} unless the range says otherwise; a "
        f"step is a rise of more than {100 * _STEP:g} %, nearly 10 % is within "
        f"{100 * _NEARLY:g} % of it):",
        table(["the thesis", "found", "verdict"], _claim_lines(measured)),
    )
    return Report(text, charts=(chart,))


SECTION = Section(
    "Figures 4.9 and 4.10: buffers under two-phase routing",
    (
        *(_entry(fidelity, width) for fidelity in ("token", "packet") for width in _WIDTHS),
        *(_packet_point(width, size) for width in _CHART_WIDTHS for size in _PACKET_SIZES),
        *(_token_point(width, size) for width in _CHART_WIDTHS for size in _TOKEN_SIZES),
        *(_place_point(width, output) for width in _CHART_WIDTHS for output in _OUTPUTS),
    ),
    _report,
)
