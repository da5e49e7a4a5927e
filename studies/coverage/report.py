"""How often the truth was within the interval, as a table."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Sequence

import numpy as np

import tailback as tb
from studies.coverage.tallies import LEAST, MOST, Tally
from studies.machine import machine

_INTRODUCTION = """\
Systems whose mean is known are measured as every run is: from an empty start, with the
warm-up found from the data, until the interval of 95 % is narrow enough. Waiting times of
queues come from Lindley's recursion [Lindley 1952] and, once, from the network simulator;
autoregressive series are x = 1 + z / 4, z' = phi z + noise, z of variance 1, and
begin at 0. A quotient is that of two such series, each measured with a
window of its own, which have part of their noise in common. What is measured is described in
[docs/statistics.md](../../docs/statistics.md).

*Below* and *above* are the shares of runs whose interval lies below or above the truth as a
whole; *scatter* is 1.96 standard deviations of the values found, which the half-width should be;
*unpaired* is how many times as wide the interval of a quotient is without the
covariance. Seeds are counted from 0; cases, precision and number of runs were fixed
beforehand."""

_LOOSER = """\
The same with a precision of {percent:g} %, for comparison. Nothing is demanded here: the
looser the precision, the shorter the runs, and a run that is short compared to how long the
system remembers knows too little about its own error."""


_HEADER = ("system", "within", "below", "above", "half-width", "scatter", "bias", "unpaired")


def table(tallies: Iterable[Tally]) -> str:
    """Return one line per case, in Markdown; in bold what is not as it should be."""
    header = [*_HEADER, "samples"]
    lines = [header, [":--", *["--:"] * (len(header) - 1)], *map(_line, tallies)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _line(tally: Tally) -> list[str]:
    truth = tally.case.truth
    values = np.array([estimate.value for estimate in tally.estimates])
    half = float(np.mean([estimate.half_width for estimate in tally.estimates]))
    unpaired = float(np.mean([outcome.unpaired for outcome in tally.outcomes])) / half
    within = f"{100 * tally.within:.1f} %"
    return [
        tally.case.name,
        within if tally.holds else f"**{within}**",
        f"{100 * tally.below:.1f} %",
        f"{100 * tally.above:.1f} %",
        f"{100 * half / truth:.2f} %",
        f"{100 * 1.96 * float(values.std(ddof=1)) / truth:.2f} %",
        f"{100 * (float(values.mean()) / truth - 1):+.2f} %",
        "" if math.isclose(unpaired, 1) else f"{unpaired:.2f}",
        f"{np.mean([outcome.samples for outcome in tally.outcomes]):,.0f}",
    ]


def text(
    judged: tuple[float, Sequence[Tally]], looser: tuple[float, Sequence[Tally]], wall_s: float
) -> str:
    """Return the report; of each precision the tallies."""
    precision, tallies = judged
    runs = len(tallies[0].outcomes)
    chance = 100 * math.sqrt(0.05 * 0.95 / runs)
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    demanded = (
        f"Precision {100 * precision:g} %, {runs} runs each; {100 * LEAST:g} to {100 * MOST:g} % "
        f"are demanded. By chance the share is uncertain by {chance:.1f} % (one standard error)."
    )
    parts = (
        "# Coverage of the intervals",
        f"Written by `python -m studies.coverage` with Tailback {tb.__version__} on {now}; "
        f"{machine()}, in {wall_s:.0f} s.",
        _INTRODUCTION,
        demanded,
        table(tallies),
        _LOOSER.format(percent=100 * looser[0]),
        table(looser[1]),
    )
    return "\n\n".join(parts) + "\n"
