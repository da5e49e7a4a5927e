"""How much of the time was contention at all: the answer of the study."""

from __future__ import annotations

from studies.paragon import tables
from studies.paragon.measured import Measured
from studies.paragon.settings import (
    ENDPOINTS,
    GROUPINGS,
    NAIVE_SIDES,
    NETWORK,
    ORDERS,
    PLUS,
    SIDES,
    SLICE,
    THETA_C,
    THETA_R,
    THETA_T,
    TIMES_TEN,
    Grouping,
)
from tailback.wording import number

HEADER = (
    "",
    "contention",
    "communication, ms",
    "without contention",
    "theta_t",
    "theta_r",
    "theta_c",
    "network",
    "endpoints",
    "barriers, ms",
    "contention, % of all",
)
_MEASURES = (THETA_T, THETA_R, THETA_C, NETWORK, ENDPOINTS)


def contention_share(measured: Measured, grouping: Grouping) -> float:
    """Return which share of the time with barriers is contention."""
    full = measured.bounded(grouping).value
    free = measured.bounded(grouping, mode="free").value
    return (full - free) / measured.total_us(grouping, PLUS)


def rows(measured: Measured) -> list[list[str]]:
    """Return the table of costs: a grouping of a mesh in each row, then the naive orders."""
    made = []
    for side in SIDES:
        for grouping in GROUPINGS[side]:
            full, free = (
                measured.bounded(grouping, mode=mode).value / 1000 for mode in ("full", "free")
            )
            barriers = [
                grouping.barriers * reading.us(side) / 1000 for reading in (PLUS, TIMES_TEN)
            ]
            made.append(
                [
                    f"{side} x {side}",
                    grouping.name,
                    f"{full:.2f}",
                    f"{free:.2f}",
                    *(number(measured.bounded(grouping, name)) for name in _MEASURES),
                    " or ".join(f"{ms:.2f}" for ms in barriers),
                    f"{100 * contention_share(measured, grouping):.0f}",
                ]
            )
    for side in NAIVE_SIDES:
        for order, words in ORDERS.items():
            full, free = (
                measured.naive(side, order, mode=mode).value / 1000 for mode in ("full", "free")
            )
            made.append(
                [
                    f"{side} x {side}",
                    f"naive, {words}",
                    f"{full:.2f}",
                    f"{free:.2f}",
                    *(number(measured.naive(side, order, name)) for name in _MEASURES),
                    "0",
                    f"{100 * (1 - free / full):.0f}",
                ]
            )
    return made


def answer(measured: Measured) -> str:
    """Return the answer in a few sentences."""
    scott = GROUPINGS[8][0]
    best = tables.best(measured, 8, PLUS)
    largest = GROUPINGS[16][-1]
    barriers = 100 * scott.barriers * PLUS.us(8) / measured.total_us(scott, PLUS)
    naive = measured.naive(8, "naive_shifted", THETA_C).value
    blind = measured.naive(8, "naive_ascending", THETA_C).value
    return (
        f"It is what is left when barriers are not. With a barrier after every step nothing "
        f"contends on 8 x 8 nodes, and barriers are {barriers:.0f} % of the time; at the best "
        f"grouping, {best.name}, contention is {_percent(measured, best)} % of it; without "
        f"barriers, in the same order, {_percent(measured, GROUPINGS[8][-1])} %. The naive "
        f"exchange would be done in {100 * naive:.0f} % of its time without contention, the one in "
        f"which everybody begins at node 0 in {100 * blind:.0f} %. On 16 x 16 nodes at (128, 512) "
        f"it is {_percent(measured, largest)} %. So on this machine contention is what a schedule "
        "is for: what it saves is more than what barriers cost, up to the point where they are few."
    )


def _percent(measured: Measured, grouping: Grouping) -> str:
    return f"{100 * contention_share(measured, grouping):.0f}"


def slice_rows(measured: Measured, side: int) -> list[list[str]]:
    """Return a slice of figures 12 to 15 in ms: bounds, ours, by reading of a barrier."""
    made = []
    for grouping in GROUPINGS[side]:
        cells = []
        for reading in (PLUS, TIMES_TEN):
            barrier, total = reading.us(side), measured.total_us(grouping, reading)
            bounds = (grouping.lower_us(barrier), grouping.upper_us(barrier))
            cells += [f"{bounds[0] / 1000:.1f}", f"{total / 1000:.1f}", f"{bounds[1] / 1000:.1f}"]
            cells.append(f"{total / bounds[0]:.2f}")
        made.append([grouping.name, str(grouping.barriers), *cells])
    return made


__all__ = ["HEADER", "SLICE", "answer", "contention_share", "rows", "slice_rows"]
