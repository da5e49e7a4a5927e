"""Numbers that follow from the printed ones without any contention: checked first."""

from __future__ import annotations

import tailback as tb
from studies.comparison import Comparison
from studies.markdown import Notes, comparison_table, number, paragraphs, table
from studies.tweedie.comparison import Report, Section
from studies.tweedie.experiment import described, steady
from studies.tweedie.measure import RATE, Measurements, over_seeds
from studies.tweedie.published import text_number

_HEADER_US = 0.1
"""A header byte of 10 bits at 100 Mbit/s."""
_DATA_US = 3.34
"""Header, 32 bytes and end token: 33 x 10 + 4 bits."""
_ACK_US = 0.14
"""Header and end token: 14 bits."""

_UNCONTENDED = steady("asynchronous_blocking", 10, "free")
_LOOSE = steady("loosely_synchronous", 200)
_LARGE = described(
    "asynchronous", 1, {}, machine={"topology.dims": [32, 32]}, workload={"radius": 16}
)  # [Tweedie, section 3.5.5]

_READING = """\
The thesis gives the radius of the square of destinations as 8 in one place and
4 in another; only 8 gives the path length it prints. Its lifetimes
average over data packets and acknowledgements: 2.49 µs uncontended, over the
printed `theta_t` of 91 %, is the printed 2.7 µs."""

_HOPS = "9.50 is a mean over experiments, printed with a standard deviation of 0.29 %."


def _report(measured: Measurements) -> Report:
    def simulated(metric: str) -> str:
        return number(over_seeds(measured, _UNCONTENDED, metric))

    hops = tb.describe(_UNCONTENDED[0]).mean_hops
    compared = (
        Comparison(
            "mean hops, 16 x 16, radius 8 (exact)",
            text_number("004-090"),
            tb.Estimate.exact(hops),
            note=_HOPS,
        ),
        Comparison(
            "mean hops, 32 x 32, radius 16 (exact)",
            text_number("004-017"),
            tb.Estimate.exact(tb.describe(_LARGE).mean_hops),
        ),
    )
    crossing_us = (hops - 2) * _HEADER_US
    data_us, ack_us = crossing_us + _DATA_US, crossing_us + _ACK_US
    loose_us = 1000 / over_seeds(measured, _LOOSE, RATE).value
    follows = [
        ["mean hops", f"{hops:.3f}", simulated("hops")],
        ["routed lifetime, data (µs)", f"{data_us:.3f}", simulated("routed_lifetime_data_us")],
        ["… acknowledgements", f"{ack_us:.3f}", simulated("routed_lifetime_ack_us")],
        ["… both", f"{(data_us + ack_us) / 2:.3f}", simulated("routed_lifetime_us")],
        ["iteration, loosely synchronous, c = 200 µs", "212", f"{loose_us:.1f}"],
    ]
    notes = Notes()
    text = paragraphs(
        comparison_table(compared, notes),
        notes,
        "Without contention (mode `free`, c = 10 µs, blocking), and one iteration with it:",
        table(["", "expected", "simulated"], follows),
        _READING,
    )
    return Report(text, compared)


SECTION = Section("What the printed numbers imply", (_UNCONTENDED, _LOOSE), _report)
