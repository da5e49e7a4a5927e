"""Figures 5.8 and 5.9: what each node gets to send, by the limit of unacknowledged messages."""

from __future__ import annotations

import itertools

from studies.claims import Claim, Statement
from studies.loads import Loads, lines_text
from studies.runs import Runs
from studies.tweedie.chapters.figure import Figure
from studies.tweedie.chapters.surfaces import (
    BAND,
    EDGES,
    columns_over_rows,
    evenness,
    largest,
    limited,
    sent_only,
    throttled_by_queue,
)

_LIMITS = (16, 32, 64, 128)
_HIGHEST = 64
"""The highest limit that the thesis names; it speaks of up to 128 packets under way."""

_WITH_PRIORITY = tuple(limited(limit, priority=True) for limit in _LIMITS)
_WITHOUT = tuple(limited(limit, priority=False) for limit in _LIMITS)
_ONE_QUEUE = throttled_by_queue(1, priority=False)


def _sensitive(runs: Runs) -> Statement:
    shares = [largest(shown.loads(runs), "x", EDGES) for shown in _WITH_PRIORITY]
    texts = ", ".join(f"{100 * share:.0f} %" for share in shares)
    limits = ", ".join(str(limit) for limit in _LIMITS)
    found = f"outer columns send {texts} of the mean at limits of {limits}"
    return Statement(found, all(b < a for a, b in itertools.pairwise(shares)))


def _edges_starve(runs: Runs) -> Statement:
    early, later = (limited(_HIGHEST, priority=True, warmup_ms=ms).loads(runs) for ms in (2, 20))
    share = largest(early, "x", EDGES)
    found = (
        f"{100 * share:.1f} % of the mean from 2 to 10 ms, "
        f"{100 * largest(later, 'x', EDGES):.0f} % from 20 to 40 ms (limit {_HIGHEST})"
    )
    return Statement(found, share < BAND)


def _symmetry(runs: Runs) -> Statement:
    return evenness(limited(_HIGHEST, priority=True).loads(runs), "y")


def _columns_differ(runs: Runs) -> str:
    ratio = columns_over_rows(limited(_HIGHEST, priority=True).loads(runs))
    return f"Columns differ {ratio:.0f} times as much as rows."


def _eliminated(runs: Runs) -> Statement:
    least = {
        limit: _least(shown.loads(runs)) for limit, shown in zip(_LIMITS, _WITHOUT, strict=True)
    }
    texts = ", ".join(f"{100 * share:.0f} % (limit {limit})" for limit, share in least.items())
    named = [share for limit, share in least.items() if limit <= _HIGHEST]
    return Statement(f"the least any column sends, of the mean: {texts}", min(named) > BAND)


def _least(loads: Loads) -> float:
    return float(loads.by("x").min()) / loads.mean


def _confirmed(runs: Runs) -> Statement:
    loads = _ONE_QUEUE.loads(runs)
    silent = int((loads.rates == 0).sum())
    found = (
        f"under a tenth of the mean at {lines_text('x', loads.starved('x', BAND))}; "
        f"{silent} nodes silent"
    )
    return Statement(found, _least(loads) > BAND)


FIGURES = (
    Figure(
        "5.8",
        "messages sent by each node, limits of unacknowledged messages",
        ("acknowledgements",),
        sent_only(*_WITH_PRIORITY),
        (
            Claim(
                "the load surface is indeed sensitive to the number of outstanding packets we "
                "allow at once",
                "5.4.4.2",
                _sensitive,
                "The outer columns send less, the higher the limit (2 to 10 ms).",
            ),
            Claim(
                "at the highest end, with up to 128 packets queued per process in the network at "
                "any time, we observe the same effects [...]: starvation of processes along the "
                "edge of the grid at x = 0 and x = 15",
                "5.4.4.2",
                _edges_starve,
                "Less than a tenth of the mean in the first milliseconds. Later they recover by "
                "themselves: the processes in the middle wait for acknowledgements from them.",
            ),
            Claim(
                "[the same effects]: translational symmetry along y",
                "5.4.4.2",
                _symmetry,
                "Limit 64; every row within 10 % of the mean.",
                instead=_columns_differ,
            ),
        ),
    ),
    Figure(
        "5.9",
        "the same without acknowledgement priority",
        ("acknowledgements", "load_maps"),
        sent_only(*_WITHOUT),
        (
            Claim(
                "That single change to the simulation is enough to completely eliminate the bands "
                "of starved processes at x = 0 and x = 15",
                "5.4.4.2",
                _eliminated,
                "Limits of 16, 32 and 64: no column below a tenth of the mean (2 to 10 ms).",
                published=("T28",),
            ),
            Claim(
                "confirming our hypothesis that the buildup of acknowledgement packets is indeed "
                "responsible for starving processes [under the throttle of figure 5.6, too]",
                "5.4.4.2",
                _confirmed,
                "c = 1 µs, 16 data packets waiting, without priority: no column below a tenth of "
                "the mean.",
                "The thesis prints no such run. Without priority few nodes are silent, but the "
                "outer columns go on getting next to nothing through: there it is the order in "
                "which switches serve their inputs that starves them, not the order in their "
                "nodes "
                '(see "Figures 5.8 and 5.9" in RESULTS.md).',
                known=True,
            ),
        ),
    ),
)
