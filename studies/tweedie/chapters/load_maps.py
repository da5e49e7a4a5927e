"""Figures 5.6 and 5.7: what each node gets to send while 16 data packets may wait in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import tailback as tb
from studies.claims import Claim, Statement
from studies.comparison import Comparison, Printed
from studies.curve import Floats
from studies.loads import STARVED, Loads, lines_text
from studies.runs import Runs
from studies.tweedie.chapters.figure import Figure
from studies.tweedie.chapters.surfaces import (
    ASYMMETRY,
    EDGES,
    EVEN,
    columns_over_rows,
    evenness,
    largest,
    side_by_side,
    throttled_by_queue,
)
from studies.tweedie.comparison import RATE_BOUND
from studies.tweedie.experiment import DIAMETER
from studies.tweedie.published import text_number

_INNER = slice(4, 12)
"""Printed: starved at x < 4 and x > 11 [Tweedie, section 5.4.4.1]."""
_CENTRE = slice(6, 10)
_QUEUE = 10.0
"""Acknowledgements that wait in a node whose queue is said to grow."""

_SWEEPS = ("load_maps",)

Flags = NDArray[np.bool_]

_SHORT, _MEDIUM, _LONG = (throttled_by_queue(period_us) for period_us in (1, 10, 100))
_Y_FIRST = throttled_by_queue(1, y_first=True)
_LATER = throttled_by_queue(1, warmup_ms=20)


# Figure 5.6.


def _no_variation(runs: Runs) -> Statement:
    rates = _LONG.loads(runs).rates
    furthest = float(np.abs(rates / rates.mean() - 1).max())
    return Statement(f"within {100 * furthest:.1f} % of the mean", furthest < 0.02)


def _asymmetry(runs: Runs) -> Statement:
    ratios = [columns_over_rows(shown.loads(runs)) for shown in (_SHORT, _MEDIUM)]
    texts = " and ".join(f"{ratio:.0f}" for ratio in ratios)
    found = f"columns differ {texts} times as much as rows (c = 1 and 10 µs)"
    return Statement(found, min(ratios) > ASYMMETRY)


def _edge_columns(runs: Runs) -> Statement:
    shares = [largest(shown.loads(runs), "x", EDGES) for shown in (_SHORT, _MEDIUM)]
    silent = [int((_columns(shown.loads(runs), EDGES) == 0).sum()) for shown in (_SHORT, _MEDIUM)]
    total = _columns(_SHORT.loads(runs), EDGES).size
    found = (
        f"at most {100 * shares[0]:.2g} % and {100 * shares[1]:.2g} % of the mean "
        f"(c = 1 and 10 µs); {silent[0]} and {silent[1]} of {total} nodes (of all seeds) silent"
    )
    return Statement(found, max(shares) < STARVED)


def _columns(loads: Loads, which: Sequence[int]) -> Floats:
    rates: Floats = loads.rates[:, :, list(which)]
    return rates


def _inwards(runs: Runs) -> Statement:
    loads = _SHORT.loads(runs)
    outer = [i for i in range(DIAMETER) if not _INNER.start <= i < _INNER.stop]
    found = f"under a hundredth of the mean at {lines_text('x', loads.starved('x'))}"
    centre = float(loads.by("x")[_CENTRE].min())
    starved = largest(loads, "x", outer) < STARVED
    return Statement(found, starved and centre > loads.mean)


def _rows_alike(runs: Runs) -> Statement:
    return evenness(_SHORT.loads(runs), "y")


def _scaled(runs: Runs) -> tb.Estimate:
    loads = _LONG.loads(runs)
    packets = loads.rates + loads.acknowledgements
    return tb.Estimate.exact(float(loads.routed.sum() / packets.sum()))


def _hops(runs: Runs) -> Comparison:
    """Compare packets routed over packets sent with the mean path, less the injection channel."""
    hops = text_number("004-090").value - 1
    return Comparison("", Printed(f"{hops:.2f}"), _scaled(runs), RATE_BOUND)


def _busy_centre(runs: Runs) -> Statement:
    routed = _LONG.loads(runs).surface("routed")
    centre = float(routed[_CENTRE, _CENTRE].mean())
    corners = float(routed[np.ix_(EDGES, EDGES)].mean())
    edges = float(np.concatenate([routed[EDGES].ravel(), routed[:, EDGES].ravel()]).mean())
    found = (
        f"{centre:.0f} packets per ms in the middle, {edges:.0f} at edges, {corners:.0f} in corners"
    )
    return Statement(found, centre > edges > corners)


def _growing(runs: Runs) -> Flags:
    """Return in which nodes acknowledgements pile up, by seed, row and column."""
    early, later = (shown.loads(runs) for shown in (_SHORT, _LATER))
    # Grown by more than half from one window to the next, and not of a few packets.
    growing: Flags = (later.ack_queues > 1.5 * early.ack_queues) & (later.ack_queues > _QUEUE)
    return growing


def _growing_queues(runs: Runs) -> Statement:
    growing, silent = _growing(runs), _LATER.loads(runs).rates == 0
    found = (
        f"they grow in {int((growing & silent).sum())} of {int(silent.sum())} silent nodes, "
        f"in {int((growing & ~silent).sum())} of {int((~silent).sum())} others"
    )
    return Statement(found, bool((growing == silent).all()))


def _growing_others(runs: Runs) -> str:
    growing, later = _growing(runs), _LATER.loads(runs)
    starved, silent = later.rates < STARVED * later.mean, later.rates == 0
    few = int((growing & starved & ~silent).sum())
    served = int((growing & (later.rates > later.mean)).sum())
    alike = float((growing == starved).mean())
    return (
        f"Of those others {few} send less than a hundredth of the mean and {served} more than the "
        f"mean. To grow and to send less than that hundredth go together in {100 * alike:.1f} % of "
        f"all nodes."
    )


# Figure 5.7.


def _rotated(runs: Runs) -> Statement:
    x_first, y_first = _SHORT.loads(runs), _Y_FIRST.loads(runs)
    difference = float(np.abs(x_first.by("x") - y_first.by("y")).max()) / float(
        x_first.by("x").max()
    )
    found = (
        f"rates by row (y first) and by column (x first) differ by at most "
        f"{100 * difference:.1f} % of the highest"
    )
    return Statement(found, difference < EVEN)


def _rotated_starvation(runs: Runs) -> Statement:
    loads = _Y_FIRST.loads(runs)
    found = f"under a hundredth of the mean at {lines_text('y', loads.starved('y'))}"
    columns = evenness(loads, "x")
    return Statement(
        f"{found}; {columns.found}", columns.holds and largest(loads, "y", EDGES) < STARVED
    )


FIGURES = (
    Figure(
        "5.6",
        "messages sent by each node and packets routed by each switch (16 data packets waiting)",
        _SWEEPS,
        side_by_side(_SHORT, _MEDIUM, _LONG),
        (
            Claim(
                "At c = 100000 [ns], there is no significant variation of achieved performance "
                "from one CPU to the next",
                "5.4.4.1",
                _no_variation,
                "Every node within 2 % of the mean.",
                published=("T27",),
            ),
            Claim(
                "a marked rotational asymmetry where none exists in the workload itself",
                "5.4.4.1",
                _asymmetry,
                "Columns differ at least three times as much as rows.",
            ),
            Claim(
                "processors along the lines x = 0 and x = 15 are achieving absolutely no work at "
                "all",
                "5.4.4.1",
                _edge_columns,
                "At c = 1 and 10 µs, less than a hundredth of the mean.",
                published=("T27", "004-075"),
            ),
            Claim(
                "at the very highest load level this effect extends inward toward the center of "
                "the network as far as x < 4 and x > 11",
                "5.4.4.1",
                _inwards,
                "There less than a hundredth of the mean, and more than the mean in the middle.",
                published=("004-076",),
            ),
            Claim(
                "achieved workload performance for any given node at high load is almost "
                "completely insensitive to the y coordinate of the node",
                "5.4.4.1",
                _rows_alike,
                "c = 1 µs; every row within 10 % of the mean.",
            ),
            Claim(
                "the overall numbers in the right hand column are scaled by the average packet "
                "path length compared to the left hand column",
                "5.4.4.1",
                _hops,
                "c = 100 µs: packets routed by switches over packets sent by nodes, both with "
                "acknowledgements; 9.50 hops less the one into the first switch are expected.",
            ),
            Claim(
                "even at low load levels, the center of our network is carrying more traffic than "
                "the edges",
                "5.4.4.1",
                _busy_centre,
                "c = 100 µs.",
            ),
            Claim(
                "the acknowledgement packet queues in certain T9000 processors were growing "
                "without bound [...] on precisely those processors where the achieved workload "
                "remained at zero",
                "5.4.4.1",
                _growing_queues,
                "c = 1 µs; by half at least from one window (2 to 20 ms) to the next (20 to 40 "
                "ms), in every node that sends nothing in the later one and in no other.",
                instead=_growing_others,
            ),
        ),
    ),
    Figure(
        "5.7",
        "the same with y-first routing",
        _SWEEPS,
        side_by_side(_Y_FIRST),
        (
            Claim(
                "The pattern we see is identical to that which we saw in figure 5.6, only rotated "
                "though 90 degrees",
                "5.4.4.1",
                _rotated,
                "Rows here as columns there, within a tenth of the highest.",
                published=("004-077",),
            ),
            Claim(
                "The direction of our asymmetry is indeed dictated by the dimension order in which "
                "we are routing our packets",
                "5.4.4.1",
                _rotated_starvation,
                "The rows y = 0 and y = 15 starve, columns within 10 % of the mean.",
            ),
        ),
    ),
)
