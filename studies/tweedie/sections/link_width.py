"""How many links a node needs: figure 4.5."""

from __future__ import annotations

from studies.markdown import number, paragraphs, percent, table
from studies.tweedie.charts import Chart, Panel, Series
from studies.tweedie.comparison import Report, Section
from studies.tweedie.exchange import Fidelity, exchange, rate
from studies.tweedie.experiment import Point
from studies.tweedie.measure import Measurements
from studies.tweedie.published import text_number
from tailback.statistics import quotient

_WIDTHS = (1, 2, 3, 4, 5, 6, 8)
_FIDELITIES: tuple[Fidelity, ...] = ("token", "packet")


def _point(fidelity: Fidelity, width: int) -> Point:
    return exchange(fidelity, {"node_link.width": width})


def _report(measured: Measurements) -> Report:
    rates = {
        (fidelity, width): rate(measured, _point(fidelity, width))
        for fidelity in _FIDELITIES
        for width in _WIDTHS
    }
    enough = int(text_number("004-035").text)
    gains = "; ".join(
        f"{fidelity} {percent(gain.value - 1)} ± {100 * gain.half_width:.1f} %"
        for fidelity in _FIDELITIES
        for gain in [quotient(rates[fidelity, _WIDTHS[-1]], rates[fidelity, enough])]
    )
    chart = Chart(
        "figure4_5_link_width",
        "Figure 4.5: rate against the width of a node's link",
        (
            Panel(
                "Figure 4.5: 8 x 8 nodes, default buffers",
                "links between node and switch",
                "exchanges per ms",
                tuple(
                    Series(
                        fidelity,
                        _WIDTHS,
                        [rates[fidelity, width].value for width in _WIDTHS],
                        colour=colour,
                    )
                    for colour, fidelity in enumerate(_FIDELITIES)
                ),
            ),
        ),
    )
    text = paragraphs(
        "Boundary exchange on 8 x 8 nodes (see below), 70 bytes of buffers; exchanges per ms.",
        table(
            ["links", *_FIDELITIES],
            (
                [f"{width}", *(number(rates[fidelity, width]) for fidelity in _FIDELITIES)]
                for width in _WIDTHS
            ),
        ),
        f"The thesis: no improvement beyond {enough} links. Simulated, from {enough} to "
        f"{_WIDTHS[-1]}: {gains}.",
        chart,
    )
    return Report(text, charts=(chart,))


SECTION = Section(
    "Figure 4.5: width of a node's link",
    tuple(_point(fidelity, width) for fidelity in _FIDELITIES for width in _WIDTHS),
    _report,
)
