"""What is asked of every load, and whether BookSim2 and ours agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from studies.booksim.curves import Curve, Load, Point, mean
from tailback.statistics import student_t

ZERO_LOAD_CYCLES = 0.2
"""How far latencies without contention may be apart."""
SHARE = 0.02
"""How far latencies below nine tenths of saturation, and accepted loads beyond, may be apart."""
STABLE = 0.9
"""Of the load of saturation: up to here the latency is compared."""
SATURATED = 4
"""Times the latency without contention: there some flows are saturated, even if not all are."""
_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Judged:
    """A load, and how ours compares there."""

    load: Load
    latency: tuple[float, float]
    network: tuple[float, float]
    accepted: tuple[float, float]
    asked: str
    """`latency`, `accepted` or nothing: between the two the window decides."""
    apart: float
    """How far ours is off in what is asked, as a share."""
    verdict: str


def judged(curve: Curve) -> Iterator[Judged]:
    """Return every load of a configuration with its verdict."""
    if curve.zero_load is None:
        return
    for load in curve.loads:
        latency, _ = mean(load.theirs, lambda point: point.latency)
        yield _judged(
            load,
            is_stable=load.offered <= STABLE * curve.saturation
            and latency < SATURATED * curve.zero_load[0],
        )


def _judged(load: Load, *, is_stable: bool) -> Judged:
    asked = "latency" if is_stable else "" if load.is_latency else "accepted"

    def measure(point: Point) -> float:
        return point.latency if is_stable else point.accepted

    def both(name: str) -> tuple[float, float]:
        theirs, ours = (mean(runs, lambda point: getattr(point, name))[0] for runs in _runs(load))
        return theirs, ours

    (theirs, their_error), (ours, our_error) = (mean(runs, measure) for runs in _runs(load))
    apart = ours / theirs - 1
    # Single runs have no error of their own: that of BookSim2's several, or none.
    half = (
        student_t(_CONFIDENCE, max(1, len(load.theirs) - 1))
        * (their_error**2 + our_error**2) ** 0.5
    )
    if not asked:
        verdict = ""
    elif abs(apart) <= SHARE:
        verdict = "within 2 %"
    elif abs(ours - theirs) <= half:
        verdict = "intervals overlap"
    else:
        verdict = "differs"
    return Judged(load, both("latency"), both("network"), both("accepted"), asked, apart, verdict)


def _runs(load: Load) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    return load.theirs, load.ours


def zero_load_agrees(curve: Curve) -> bool:
    """Whether latencies without contention agree."""
    if curve.zero_load is None:
        return False
    theirs, ours = curve.zero_load
    return abs(theirs - ours) <= ZERO_LOAD_CYCLES
