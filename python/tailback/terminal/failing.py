"""The report of `tailback resilience`."""

from __future__ import annotations

import math

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tailback.answers.faults import MEASURES
from tailback.answers.of_resilience import of_resilience
from tailback.failing import Drawn, Resilience
from tailback.failing.outcomes import WHOLE
from tailback.wording import UNKNOWN

from .layout import FULL, head, more, new_table, numbers, texts, words

_FIRST = 5


def resilience_report(found: Resilience, *, full: bool = False) -> RenderableType:
    """Return the report: what failures cost, their spread, then the links that cost most."""
    said = head(found.experiment, of_resilience(found))
    worst = found.worst_first()
    shown = worst if full else worst[:_FIRST]
    tables: list[RenderableType] = [Text(), _spreads(found)]
    if shown:
        tables += [Text(), _worst(found, shown)]
    hidden = [FULL] if len(shown) < len(worst) else []
    return Group(*said, *tables, *more(*hidden))


def _spreads(found: Resilience) -> Table:
    named = found.jobs != (WHOLE,)
    table = new_table(
        f"Slowdown: {_measure(found)} over that without failures",
        *numbers("failed links"),
        *(words("job") if named else ()),
        *numbers("draws", "cut", "median", "95 %", "most", no_wrap=True),
    )
    for spread in found.spreads:
        values = (_ratio(spread.quantile(share)) for share in (0.5, 0.95, 1.0))
        job = [spread.job] if named else []
        counts = (str(spread.draws), str(spread.cut))
        table.add_row(str(spread.failures), *job, *counts, *values)
    return table


def _worst(found: Resilience, drawn: list[Drawn]) -> Table:
    failures, jobs = found.failures[0], found.jobs
    title = "Links that cost most" if failures == 1 else f"Draws of {failures} that cost most"
    named = jobs != (WHOLE,)
    table = new_table(title, *texts("without"), *numbers(*(jobs if named else ["slowdown"])))
    for one in drawn:
        cells = (_cell(one, job) for job in jobs)
        table.add_row(" and ".join(cable.name for cable in one.cables), *cells)
    return table


def _cell(drawn: Drawn, job: str) -> str:
    slowdown = drawn.slowdowns.get(job)
    if slowdown is None:
        return str(drawn.outcome).replace("_", " ")
    return _ratio(slowdown.value) + (" saturated" if drawn.saturated else "")


def _measure(found: Resilience) -> str:
    runs = found.whole.jobs.values() or [found.whole]
    return " or ".join(dict.fromkeys(MEASURES[run.speed] for run in runs))


def _ratio(value: float) -> str:
    return UNKNOWN if math.isnan(value) else f"{value:.4f}"
