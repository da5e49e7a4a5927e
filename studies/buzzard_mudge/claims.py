"""Every ratio that the paper prints, and what our runs say.

The rules were written before the runs: *about* x % holds at a load if our interval overlaps
with x ± 5 (the paper speaks in steps of 5), a bound if our interval is not wholly beyond it. The
second reading of *first* was added when the first was seen to fail at light loads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import tailback as tb
from studies.buzzard_mudge.paired import Measured, Seeds, ratio
from studies.buzzard_mudge.published import PrintedRatio, ratios
from studies.buzzard_mudge.settings import (
    ADAPTIVE,
    BEGINS,
    COMPLETE,
    FIXED,
    REST,
    SPACINGS,
    WORMHOLE,
    Setting,
)
from studies.estimates import in_percent

ABOUT = 5.0
"""Points to either side of a number that is said to be about so much."""

_SCHEMES = {"fixed packet routing": FIXED, "quasi-adaptive packet routing": ADAPTIVE}

_LOADS: dict[str, Sequence[float]] = {
    "the 6 highest link utilizations": SPACINGS[:6],
    "the lightest load": SPACINGS[-1:],
    "the heaviest load": SPACINGS[:1],
    "the 2 heaviest loads": SPACINGS[:2],
    "the 4 heaviest loads": SPACINGS[:4],
    "all loads": SPACINGS,
    "best case": SPACINGS,
    # Ours: the three groups of three that the increments of the loads make.
    "heavier loads": SPACINGS[:3],
    "the heaviest loads": SPACINGS[:3],
    "lighter loads": SPACINGS[-3:],
}


@dataclass(frozen=True, slots=True)
class RatioVerdict:
    """A printed ratio and ours at each of the loads it is about, in percent."""

    printed: PrintedRatio
    spacings: Sequence[float]
    ours: list[tb.Estimate]

    @property
    def holds_at(self) -> list[bool]:
        """Whether ours agrees with what is printed, at each load."""
        if not self.ours:
            return []
        low, high = bounds(self.printed)
        return [ours.low <= high and ours.high >= low for ours in self.ours]

    @property
    def words(self) -> str:
        """`holds`, `does not hold`, or at how many of the loads it does."""
        holds_at = self.holds_at
        count = sum(holds_at)
        if not holds_at:
            return "no number"
        if self.printed.loads == "best case":
            return "holds" if count else "does not hold"
        if count == len(holds_at):
            return "holds"
        return f"holds at {count} of {len(holds_at)}" if count else "does not hold"

    @property
    def furthest(self) -> float:
        """How far the ratio at the worst load lies from what agrees, in points.

        Of a best case: the best.
        """
        how = min if self.printed.loads == "best case" else max
        return how(map(self._beyond, self.ours), default=0.0)

    def _beyond(self, ours: tb.Estimate) -> float:
        low, high = bounds(self.printed)
        return max(low - ours.value, ours.value - high, 0.0)


@dataclass(frozen=True, slots=True)
class Reading:
    """What counts as the first of a message that is sent as packets."""

    name: str
    sweep: str
    is_first_packet: bool = False

    def packets(
        self, measured: Measured, setting: Setting, length: int, spacing: float, measure: str
    ) -> Seeds:
        """Return a measure of packets, by seed."""
        if not self.is_first_packet:
            return measured.seeds(setting, length, spacing, measure)
        routing = setting.condition.rpartition(" and ")[2]
        return measured.of(self.sweep, (routing,), length, spacing, measure)


BYTES = Reading("16 data bytes", "packets")
"""As for wormhole routing: two packets."""
FIRST_PACKET = Reading("the first packet", "first_packet", is_first_packet=True)
"""Its 10 bytes, whatever 16 bytes of a worm take."""


def verdicts(measured: Measured, reading: Reading = BYTES) -> list[RatioVerdict]:
    """Return what became of every printed ratio."""
    return [_verdict(printed, measured, reading) for printed in ratios()]


def _verdict(printed: PrintedRatio, measured: Measured, reading: Reading) -> RatioVerdict:
    spacings = _LOADS[printed.loads]
    if printed.percent is None:
        return RatioVerdict(printed, spacings, [])
    setting = _SCHEMES[printed.scheme]
    ours = [in_percent(of(printed, setting, measured, s, reading)) for s in spacings]
    return RatioVerdict(printed, spacings, ours)


def of(
    printed: PrintedRatio,
    setting: Setting,
    measured: Measured,
    spacing: float,
    reading: Reading = BYTES,
) -> tb.Estimate:
    """Return our ratio where the paper has one."""
    length = printed.length
    worm = partial(measured.seeds, WORMHOLE, length, spacing)
    packets = partial(reading.packets, measured, setting, length, spacing)
    if printed.metric.startswith("bandwidth"):
        # Bytes over the time between first and last: the ratio is that of times, upside down.
        return ratio(worm(REST), packets(REST))
    if printed.metric.startswith("complete arrival"):
        return ratio(packets(COMPLETE), worm(BEGINS))
    return ratio(packets(BEGINS), worm(BEGINS))


def bounds(printed: PrintedRatio) -> tuple[float, float]:
    """Return between which percentages a ratio agrees with what is printed."""
    if printed.percent is None:
        raise ValueError(f"{printed.claim_id} has no number")
    if printed.relation == "range" and printed.most_percent is not None:
        return printed.percent, printed.most_percent
    if printed.loads == "best case":
        # An improvement by a factor of up to 5 is a ratio down to 20 %.
        return 0.0, printed.percent
    about = ABOUT if "about" in printed.words or printed.relation == "=" else 0.0
    low = 0.0 if printed.relation in ("<", "<=") else printed.percent - about
    high = float("inf") if printed.relation == ">=" else printed.percent + about
    return low, high
