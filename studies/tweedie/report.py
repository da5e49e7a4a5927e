"""The report of the whole study, as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import polars as pl

from studies import markdown
from studies.comparison import Comparison
from studies.markdown import paragraphs, percent, table, written_by
from studies.tweedie.charts import save
from studies.tweedie.comparison import LIFETIME_BOUND, RATE_BOUND, Report, Section
from studies.tweedie.experiment import PRECISION, SEEDS, STUDY, WINDOW_MS
from studies.tweedie.measure import Measurements

_LEGEND = f"""\
Chapters 5 and 6 and table 4.3 are simulated with the seeds {SEEDS[0]} to {SEEDS[-1]}, the charts of
chapter 4 with one. Mean ± half-width at 95 % confidence, where each run goes on until its
message (or exchange) rate is known to ±{100 * PRECISION:g} %.
Asynchronous: mean (lowest to highest), each run from {WINDOW_MS[0]:g} to {WINDOW_MS[1]:g} ms.
Differences are simulated over printed. A letter marks a difference beyond the
intervals (ours, and ±1 % or half a unit of the last digit printed); its note says
why, or that it is open. **Bold** marks one beyond the bound that we set out to stay
within: {100 * RATE_BOUND:g} % for rates, {100 * LIFETIME_BOUND:g} % for lifetimes."""

_EXCEPTIONS = """\
Known beforehand not to come out of the model: section 4.1.5 with the constants that the
thesis states; the asynchronous column at saturation, which contradicts itself by 9 %
(ranges are compared); 544 messages per ms; `theta_t` of 58 %; two entries of table 5.2
that contradict table 5.1."""


def write(
    sections: Sequence[Section],
    measured: Measurements,
    kept: pl.DataFrame,
    wall_seconds: float,
) -> None:
    """Write the report; only its first lines depend on anything but the results.

    `kept` says how the runs of the sweeps ended (`Runs.endings`).
    """
    reports = [section.report(measured) for section in sections]
    for report in reports:
        for chart in report.charts:
            save(chart)
    markdown.write(
        STUDY.results,
        "# The thesis' experiments, printed and simulated",
        _provenance(measured, kept, wall_seconds),
        _LEGEND,
        _summary(sections, reports),
        _EXCEPTIONS,
        *(
            paragraphs(f"## {section.title}", report.text)
            for section, report in zip(sections, reports, strict=True)
        ),
    )


def _provenance(measured: Measurements, kept: pl.DataFrame, wall_seconds: float) -> str:
    runs = [(run.stop_reason, run.simulated_ms, run.events) for run in measured.values()]
    runs += kept.select("stop_reason", "simulated_ms", "events").rows()
    simulated_ms = math.fsum(ms for _, ms, _ in runs)
    events = sum(count for *_, count in runs)
    limited = sum(reason not in ("precision", "duration") for reason, *_ in runs)
    return (
        f"{written_by('make studies')}; "
        f"{len(runs)} runs, {simulated_ms / 1000:.1f} s simulated, "
        f"{events / 1e9:.1f} G events, in {wall_seconds:.0f} s. "
        f"{len(kept)} of them are the sweeps of chapters 5 and 6, which are not run again while "
        f"they are kept. Runs that met a limit before their precision: {limited}. "
        "Printed numbers: [Tweedie], in [published/](published/)."
    )


def _summary(sections: Sequence[Section], reports: Sequence[Report]) -> str:
    lines = [
        _counts(section.title, report.comparisons)
        for section, report in zip(sections, reports, strict=True)
        if report.comparisons
    ]
    everything = [c for report in reports for c in report.comparisons]
    header = ["", "compared", "within intervals", "within bound", "beyond", "beyond, known"]
    beyond = [c for c in everything if not c.within and not c.exception]
    return paragraphs(
        table(header, [*lines, _counts("All", everything)]),
        "Beyond the bound, and not known beforehand:" if beyond else "",
        "\n".join(_line(c) for c in beyond),
    )


def _counts(title: str, comparisons: Iterable[Comparison]) -> list[str]:
    every = list(comparisons)
    beyond = [c for c in every if not c.within]
    known = sum(c.exception for c in beyond)
    counts = (
        len(every),
        sum(c.agrees for c in every),
        len(every) - len(beyond),
        len(beyond) - known,
        known,
    )
    return [title, *(str(count) for count in counts)]


def _line(c: Comparison) -> str:
    return (
        f"- {c.place}: printed {c.printed.text}, simulated {c.simulated.value:.4g}, "
        f"{percent(c.relative)}."
    )
