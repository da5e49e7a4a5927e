"""How often the truth was within the interval, as a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from studies import markdown
from studies.coverage.tallies import LEAST, MOST, Tally

Precise = tuple[float, Sequence[Tally]]
"""A precision, and the tallies of all cases with it."""

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


_HEADER = (
    "system",
    "within",
    "below",
    "above",
    "half-width",
    "scatter",
    "bias",
    "unpaired",
    "samples",
)


def table(tallies: Iterable[Tally]) -> str:
    """Return one line per case, in Markdown; in bold what is not as it should be."""
    return markdown.table(_HEADER, map(_line, tallies))


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


def write(judged: Precise, looser: Precise, wall_s: float, path: Path) -> None:
    """Write the report."""
    precision, tallies = judged
    runs = len(tallies[0].outcomes)
    chance = 100 * math.sqrt(0.05 * 0.95 / runs)
    demanded = (
        f"Precision {100 * precision:g} %, {runs} runs each; {100 * LEAST:g} to {100 * MOST:g} % "
        f"are demanded. By chance the share is uncertain by {chance:.1f} % (one standard error)."
    )
    markdown.write(
        path,
        "# Coverage of the intervals",
        f"{markdown.written_by('python -m studies.coverage')}, in {wall_s:.0f} s.",
        _INTRODUCTION,
        demanded,
        table(tallies),
        _LOOSER.format(percent=100 * looser[0]),
        table(looser[1]),
    )
