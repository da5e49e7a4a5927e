"""The thesis' experiment at a few compute periods: `python -m studies.tweedie.demo`.

Points, printed numbers and measures are those of the whole study.
"""

from __future__ import annotations

import sys
import time
from itertools import product
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import tailback as tb
from studies.comparison import Comparison
from studies.estimates import in_percent
from studies.markdown import number, percent
from studies.tweedie.experiment import NAMES, Sync, steady
from studies.tweedie.measure import RATE, ROUTED_LIFETIME, Measurements, measure_all, over_seeds
from studies.tweedie.published import ROUTED_LIFETIMES, THROUGHPUT, text_number
from studies.tweedie.sections.cost import CLAIMS, PERIOD_US, theta_r, theta_t

_ROOT = Path(__file__).resolve().parents[2]
_SYNCS: tuple[Sync, ...] = ("loosely_synchronous", "asynchronous_blocking")
_PERIODS_US = (10.0, 30.0, 100.0)

_INTRODUCTION = (
    "A 16 x 16 mesh of transputers. Each process computes for a while (c), sends 32 bytes to a "
    "random process near it, and waits: for its acknowledgement (blocking), and for the messages "
    "others send it as well (loosely synchronous). Every point is run with contention and "
    'without it inside the network ("throttled").\n'
)
_LEGEND = (
    "Rate: messages per node and ms. Lifetime: mean time (µs) of packets from the start on their "
    "first channel inside the network to delivery. ±: 95 % confidence. theta_t: lifetime without "
    "contention over lifetime with it; theta_r: rate with contention over rate without."
)


def main() -> int:
    """Run the points, print the comparison, return the exit code."""
    console = Console(highlight=False)
    console.print(_INTRODUCTION)
    started = time.monotonic()
    try:
        measured = measure_all(
            steady(sync, period_us, mode)
            for sync in _SYNCS
            for period_us in _PERIODS_US
            for mode in ("full", "throttled")
        )
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130
    for sync in _SYNCS:
        console.print(_comparison(measured, sync))
    console.print(_cost(measured))
    console.print(f"{_LEGEND} {len(measured)} runs in {time.monotonic() - started:.0f} s.\n")
    console.print("[bold]What contention costs[/bold]")
    for sync, period_us in product(_SYNCS, _PERIODS_US):
        console.print(_sentence(measured, sync, period_us))
    console.print(f"\nThe same on 8 x 8 nodes, to look at in a browser: {_page()}")
    console.print("All tables, with every difference: make studies (studies/tweedie/RESULTS.md).")
    return 0


def _page() -> Path:
    """Write the report of a small sweep; return where it is."""
    store = tb.sweep(_ROOT / "examples" / "sweep.toml", _ROOT / "demo")
    return tb.write_report(store.folder).relative_to(_ROOT)


def _empty_table(title: str, *columns: str) -> Table:
    table = Table(
        title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _comparison(measured: Measurements, sync: Sync) -> Table:
    """Return printed and simulated numbers side by side."""
    table = _empty_table(
        NAMES[sync].capitalize(),
        "c (µs)",
        *("rate:\nprinted", "\nsimulated", ""),
        *("lifetime:\nprinted", "\nsimulated", ""),
    )
    for period_us in _PERIODS_US:
        cells = [f"{period_us:g}"]
        for printed, metric in ((THROUGHPUT, RATE), (ROUTED_LIFETIMES, ROUTED_LIFETIME)):
            simulated = over_seeds(measured, steady(sync, period_us), metric)
            compared = Comparison("", printed.column(sync)[period_us], simulated)
            cells += [compared.printed.text, number(simulated), percent(compared.relative)]
        table.add_row(*cells)
    return table


def _cost(measured: Measurements) -> Table:
    """Return theta_t and theta_r; the thesis prints them for c = 100 us."""
    table = _empty_table(
        "Cost of contention (%)",
        *("", "c (µs)", "theta_t:\nprinted", "\nsimulated", "theta_r:\nprinted", "\nsimulated"),
    )
    for sync, period_us in product(_SYNCS, _PERIODS_US):
        cells = [NAMES[sync], f"{period_us:g}"]
        for theta, claim in zip((theta_t, theta_r), CLAIMS[sync], strict=True):
            printed = text_number(claim).text if period_us == PERIOD_US else ""
            cells += [printed, number(in_percent(theta(measured, sync, period_us)))]
        table.add_row(*cells)
    return table


def _sentence(measured: Measurements, sync: Sync, period_us: float) -> str:
    """Return what contention costs at one point, in plain words."""
    longer = 1 / theta_t(measured, sync, period_us).value
    lost = 100 * (1 - theta_r(measured, sync, period_us).value)
    return (
        f"{NAMES[sync].capitalize()}, c = {period_us:g} µs: packets take {longer:.2f} times as "
        f"long through the network, and the program does {lost:.1f} % less work."
    )


if __name__ == "__main__":
    sys.exit(main())
