"""Size and place of buffers, token against packet: figures 4.7 and 4.8, table 4.3."""

from __future__ import annotations

from collections.abc import Iterator

import tailback as tb
from studies.comparison import Comparison, Printed
from studies.markdown import Notes, comparison_table, number, paragraphs, percent, table
from studies.tables import Keys
from studies.tweedie.charts import Chart, Panel, Series
from studies.tweedie.comparison import RATE_BOUND, Report, Section
from studies.tweedie.exchange import FLOW_CONTROL, PERIOD_US, Fidelity, exchange, precise, rate
from studies.tweedie.experiment import Point
from studies.tweedie.measure import Measurements
from studies.tweedie.published import rows, text_number
from tailback.statistics import quotient

_WIDTHS = (1, 2, 3, 4)


def halves(total: int) -> Keys:
    """Return the keys of a switch whose input and output buffers are of equal size."""
    return {"switch.input_buffer": f"{total // 2} B", "switch.output_buffer": f"{total // 2} B"}


def split(output: int) -> Keys:
    """Return the keys of a switch that has this much of `TOTAL` in its output buffers."""
    return {"switch.input_buffer": f"{TOTAL - output} B", "switch.output_buffer": f"{output} B"}


def links_of(width: int) -> str:
    """Return the width of a node's link in words."""
    return "1 link" if width == 1 else f"{width} links"


def packet_buffer(total: int) -> Keys:
    """Return the keys of a switch of packet passing, which has input buffers only."""
    return {"switch.input_buffer": f"{total} B"}


# Table 4.3.

TOTAL = 200
"""Bytes of buffers of a channel where they are moved about."""
OUTPUT = 2
"""Of these in the output buffer, in the comparison with packet passing."""
_PERIODS_US = (1.0, 2.0, PERIOD_US, 5.0, 7.0)

_COLUMNS: dict[Fidelity, str] = {
    "token": "token_passing_exchanges_per_ms",
    "packet": "packet_passing_exchanges_per_ms",
}


def _entry(fidelity: Fidelity, width: int, period_us: float = PERIOD_US) -> Point:
    """Return the runs for one entry of table 4.3."""
    buffers = split(OUTPUT) if fidelity == "token" else packet_buffer(TOTAL)
    return precise(fidelity, {"node_link.width": width, **buffers}, period_us=period_us)


def _comparisons(measured: Measurements) -> tuple[Comparison, ...]:
    lines = rows("table4_3_token_vs_packet_passing.csv")
    return tuple(
        Comparison(
            f"table 4.3: {fidelity}, {links_of(int(line['cpu_link_width_dslinks']))}",
            Printed(line[column]),
            rate(measured, _entry(fidelity, int(line["cpu_link_width_dslinks"]))),
            RATE_BOUND,
            _note(int(line["cpu_link_width_dslinks"])),
        )
        for fidelity, column in _COLUMNS.items()
        for line in lines
    )


def _residual(measured: Measurements, width: int, period_us: float = PERIOD_US) -> tb.Estimate:
    """Return token * 1.05 over packet."""
    token, packet = (rate(measured, _entry(f, width, period_us)) for f in _COLUMNS)
    ratio = quotient(token, packet)
    value, low, high = (FLOW_CONTROL * x - 1 for x in (ratio.value, ratio.low, ratio.high))
    return tb.Estimate(100 * value, 100 * low, 100 * high, ratio.batches)


def _residual_table(measured: Measurements) -> str:
    printed = {
        int(line["cpu_link_width_dslinks"]): line["residual_difference_pct"]
        for line in rows("table4_3_token_vs_packet_passing.csv")
    }
    lines = [[f"{width}", printed[width], number(_residual(measured, width))] for width in _WIDTHS]
    return table(["links", "residual (%): printed", "simulated"], lines)


def _period_table(measured: Measurements) -> str:
    lines = []
    for period_us in _PERIODS_US:
        few, many = (rate(measured, _entry("packet", w, period_us)) for w in (1, 4))
        token = rate(measured, _entry("token", 4, period_us))
        lines.append(
            [
                f"{period_us:g}",
                number(few),
                number(many),
                number(token),
                number(_residual(measured, 4, period_us)),
            ]
        )
    header = ["period (µs)", "packet, 1 link", "packet, 4 links", "token, 4 links", "residual (%)"]
    return table(header, lines)


_INTRODUCTION = f"""\
Boundary exchange: 16 x 16 processes in a torus, four to a node of an 8 x 8 mesh. The
thesis calls one iteration of one process an exchange. Read so, its numbers would load a
single link between node and switch to 19 %, and more links could gain nothing; read as
rounds, one iteration of each of the four processes of a node, they load it to 76 %
(8 packets and 8 acknowledgements, 27.8 µs, in each round). So rounds are counted here.
The thesis does not say how long a process computes in an iteration; {PERIOD_US:g} µs is a
reading, for which its rates come out. One number was chosen, then, and eight compared."""


def _note(width: int) -> str:
    if width == 1:
        return "Open; with one link the rate depends little on the period (see below)."
    return f"The period of {PERIOD_US:g} µs is a reading; the rate changes with it (see below)."


# Figure 4.7.

_CHART_WIDTHS = (1, 2, 4)
PACKET = 34
"""Bytes of buffer that a packet of 32 bytes occupies."""
_PACKET_SIZES = (
    *(size for k in range(1, 6) for size in (PACKET * k, PACKET * k + 6, PACKET * (k + 1) - 2)),
    204,
    210,
)
_TOKEN_SIZES = (16, 24, 32, 40, 52, 68, 86, 102, 136, 170, 204)


def _by_size(measured: Measurements) -> Chart:
    series = []
    for colour, width in enumerate(_CHART_WIDTHS):
        series += [
            Series(
                f"token, {links_of(width)}",
                _TOKEN_SIZES,
                [rate(measured, _token_point(width, size)).value for size in _TOKEN_SIZES],
                "linked",
                colour,
            ),
            Series(
                f"packet, {links_of(width)}",
                _PACKET_SIZES,
                [rate(measured, _packet_point(width, size)).value for size in _PACKET_SIZES],
                "dashed",
                colour,
            ),
        ]
    return Chart(
        "figure4_7_buffer_size",
        "Figures 4.7 and 4.8: rate against size and place of buffers",
        (
            Panel(
                "Figure 4.7: half input, half output (token)",
                "buffers of a channel, in all (bytes)",
                "exchanges per ms",
                tuple(series),
            ),
            _by_place_panel(measured),
        ),
    )


def _packet_point(width: int, size: int) -> Point:
    return exchange("packet", {"node_link.width": width, **packet_buffer(size)})


def _token_point(width: int, size: int) -> Point:
    return exchange("token", {"node_link.width": width, **halves(size)})


# Figure 4.8.

_OUTPUTS = (2, 4, 8, 16, 24, 34, 50, 68, 100, 132, 150, 166, 176, 184, 190)


def _by_place_panel(measured: Measurements) -> Panel:
    series = []
    for colour, width in enumerate(_CHART_WIDTHS):
        series.append(
            Series(
                f"token, {links_of(width)}",
                _OUTPUTS,
                [rate(measured, _place_point(width, output)).value for output in _OUTPUTS],
                "linked",
                colour,
            )
        )
    printed = {
        int(line["cpu_link_width_dslinks"]): float(line[_COLUMNS["token"]])
        for line in rows("table4_3_token_vs_packet_passing.csv")
    }
    series.append(
        Series(
            "printed (table 4.3)",
            [OUTPUT] * len(_CHART_WIDTHS),
            [printed[width] for width in _CHART_WIDTHS],
            "printed",
            6,
        )
    )
    return Panel(
        f"Figure 4.8: {TOTAL} bytes in all",
        "of these in the output buffer (bytes)",
        "exchanges per ms",
        tuple(series),
    )


def _place_point(width: int, output: int) -> Point:
    return exchange("token", {"node_link.width": width, **split(output)})


# The claims about both figures.


def _claims(measured: Measurements) -> str:
    return paragraphs(
        "What the thesis says about figures 4.7 and 4.8 (4 links unless said otherwise):",
        "\n".join(f"- {line}" for line in _claim_lines(measured)),
    )


def _claim_lines(measured: Measurements) -> Iterator[str]:
    def value(point: Point) -> float:
        return rate(measured, point).value

    one, four = (value(_packet_point(w, 204)) for w in (1, 4))
    yield f'"Markedly degraded" with a single link: {percent(one / four - 1)} (packet, 204 bytes).'
    steps = [
        (
            value(_packet_point(4, PACKET * k + 6)),
            value(_packet_point(4, PACKET * (k + 1) - 2)),
            value(_packet_point(4, PACKET * (k + 1) + 6)),
        )
        for k in range(1, 5)
    ]
    yield (
        'Packet passing: "performance increases in steps", each of a whole packet '
        f"({PACKET} bytes). Within the steps of 1 to {len(steps)} packets, from 6 bytes beyond "
        "the packets (room for acknowledgements) to 2 bytes before the next one: "
        f"{', '.join(percent(end / begin - 1) for begin, end, _ in steps)}; "
        f"from there to the next: {', '.join(percent(up / end - 1) for _, end, up in steps)}. "
        "So there are steps, but room for a third packet gains nothing here."
    )
    token, packet = value(_token_point(4, 204)), value(_packet_point(4, 204))
    yield (
        f"Packet passing is worse, at 204 bytes: {percent(packet / token - 1)}; corrected for "
        f"flow-control tokens {percent(packet / (FLOW_CONTROL * token) - 1)}. The thesis: "
        f'"noticeably", and with two-phase routing "again … nearly '
        f'{text_number("004-045").text} %".'
    )
    rates = {output: value(_place_point(4, output)) for output in _OUTPUTS}
    best = max(rates.values())
    flat = [output for output in _OUTPUTS if rates[output] >= 0.99 * best]
    yield (
        '"Drop-off at each extreme", best with a packet or more on both sides: '
        f"within 1 % of the best from {flat[0]} to {flat[-1]} bytes of output buffer; "
        f"{percent(rates[_OUTPUTS[0]] / best - 1)} with {_OUTPUTS[0]}, "
        f"{percent(rates[_OUTPUTS[-1]] / best - 1)} with {_OUTPUTS[-1]}."
    )
    yield (
        "Without output buffers token passing approaches packet passing, within about "
        f"{text_number('004-044').text} % after a factor of {FLOW_CONTROL:g}: see the residuals "
        "of table 4.3. (The thesis says input buffers; its table has the output ones reduced.)"
    )


def _report(measured: Measurements) -> Report:
    compared = _comparisons(measured)
    notes = Notes()
    chart = _by_size(measured)
    text = paragraphs(
        _INTRODUCTION,
        f"Token passing with {TOTAL - OUTPUT} bytes of input and {OUTPUT} of output buffer, "
        f"packet passing with {TOTAL} bytes; exchanges per ms:",
        comparison_table(compared, notes),
        notes,
        f"Residual: token times {FLOW_CONTROL:g} (for flow-control tokens) over packet, less one.",
        _residual_table(measured),
        "With other periods (at 7 µs it is the processors that limit, not the network):",
        _period_table(measured),
        chart,
        _claims(measured),
    )
    return Report(text, compared, (chart,))


SECTION = Section(
    "Table 4.3, figures 4.7 and 4.8: buffers",
    (
        *(_entry(fidelity, width) for fidelity in _COLUMNS for width in _WIDTHS),
        *(
            point
            for period_us in _PERIODS_US
            for point in (
                _entry("packet", 1, period_us),
                _entry("packet", 4, period_us),
                _entry("token", 4, period_us),
            )
        ),
        *(_packet_point(width, size) for width in _CHART_WIDTHS for size in _PACKET_SIZES),
        *(_token_point(width, size) for width in _CHART_WIDTHS for size in _TOKEN_SIZES),
        *(_place_point(width, output) for width in _CHART_WIDTHS for output in _OUTPUTS),
    ),
    _report,
)
