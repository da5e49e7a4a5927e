"""The report of the study as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from studies import markdown
from studies.counters.cases import DRAWS
from studies.counters.measured import COUNTERS, SCOPES, TOP, Measured, rank_correlation
from studies.markdown import table, written_by
from studies.study import Study

STUDY = Study("counters")

_METHOD = f"""\
Four jobs run on a network at random places: two ring all-reduces, of 2 and 1 MB, and two complete
exchanges, in shifted and in ascending order. Each has a quarter of the nodes. {DRAWS} draws of
places on each network. Links of 400 Gbit/s and 50 ns, packets of 4 KiB, buffers of 32 KiB with
credits.

* **leaf-spine**: `examples/leaf_spine.graphml`, 4 leaves with 8 hosts each and 4 spines, ECMP.
* **dragonfly**: 9 groups of 4 switches with 2 nodes each, minimal routing.
* **Exact by job**: the slowdown, how many times as long the job takes as alone at the same places.
* **Exact by port**: the lateness of messages that began at the port (`tailback blame`), and the
  time for which packets waited for the port.
* **Counters** are those of `tailback counters` in the run of all jobs.
* A number is a rank correlation (Spearman): 1 is the same order, 0 none, -1 the reverse. By job it
  is over the draws, for each job by itself; chance alone stays within 0.25 in 95 of 100 cases. By
  port it is over all ports of a run: the mean over the draws, and its range.
* The last column: of the {TOP} ports with most lateness, how many are among the {TOP} that the
  counter puts first, on average."""

_READ = """\
* *`PortXmitWait` tells which placements hurt a job, if its routes are known.* The longest
  waiting at a port that the job's packets left by has a correlation of 0.74 (leaf-spine) and
  0.54 (dragonfly) with the slowdown, on average of the jobs. The ports of the job's own nodes,
  all that hosts can see, have 0.53 and 0.27. For complete exchanges these say little: 0.05 to
  0.34.
* *The stall-to-flit ratio is no better, and utilisation is no predictor*: its correlation is
  negative or about zero. A run that takes longer sends the same data in more time.
* *`PortXmitWait` counts where packets stop, not where it begins.* Of the ten ports at which most
  lateness began, 0.2 (leaf-spine) and 0.0 (dragonfly) are among the ten with most waiting.
  Chance alone would give 1.0 of 96 and 0.3 of 324 ports. Most waiting is at the far end of the
  tailback, mainly at the ports of nodes; while they wait, the port at the root sends. Over all
  ports the correlation is 0.5 to 0.6: the counter tells troubled ports from quiet ones, and not
  the cause among them.
* *Utilisation finds more of these ports*, 4.8 and 2.0 of ten, among others that are busy and
  delay nobody."""


def write(found: Sequence[Measured], wall_seconds: float) -> None:
    """Write the report; only its first lines depend on anything but the runs."""
    networks = list(dict.fromkeys(one.network for one in found))
    by = {name: [one for one in found if one.network == name] for name in networks}
    markdown.write(
        STUDY.results,
        "# How well do counters of ports predict what contention costs?",
        f"{written_by('python -m studies.counters')}; {len(found)} draws, {wall_seconds:.0f} s.",
        _METHOD,
        "## By job",
        *(block for name, draws in by.items() for block in (f"### {name}", _by_job(draws))),
        "## By port",
        *(block for name, draws in by.items() for block in (f"### {name}", _by_port(draws))),
        "## What it says",
        _READ,
    )


def _by_job(draws: Sequence[Measured]) -> str:
    jobs = list(draws[0].slowdown)
    lines = []
    for scope, words in SCOPES.items():
        for counter, name in COUNTERS.items():
            key = f"{scope} {counter}"
            rows = [
                rank_correlation(
                    np.array([one.predicted[job][key] for one in draws]),
                    np.array([one.slowdown[job] for one in draws]),
                )
                for job in jobs
            ]
            lines.append((name, words, *map(_signed, rows), _signed(float(np.mean(rows)))))
    slow = [[one.slowdown[job] for one in draws] for job in jobs]
    spread = [f"{min(of):.2f} to {max(of):.2f}" for of in slow]
    lines.append(("slowdown", "lowest to highest", *spread, ""))
    return table(("counter", "of a job", *jobs, "mean"), lines)


def _by_port(draws: Sequence[Measured]) -> str:
    lines = []
    for counter, name in COUNTERS.items():
        common = [one.found[counter] for one in draws]
        lines.append(
            (
                name,
                _ranged([one.lateness[counter] for one in draws]),
                _ranged([one.waits[counter] for one in draws]),
                f"{np.mean(common):.1f} of {TOP}",
            )
        )
    header = ("counter", "lateness that began there", "waits for the port", f"first {TOP} ports")
    return table(header, lines)


def _ranged(values: Sequence[float]) -> str:
    return f"{_signed(float(np.mean(values)))} ({_signed(min(values))} to {_signed(max(values))})"


def _signed(value: float) -> str:
    return f"{value:+.2f}"
