"""What the paper leaves open, changed: buffers against packet sizes, and its unstated choices."""

from __future__ import annotations

from itertools import product

from studies.buzzard_mudge.paired import Measured, mean, ratio
from studies.buzzard_mudge.settings import (
    ADAPTIVE,
    BEGINS,
    COMPLETE,
    FIXED,
    LENGTHS,
    REST,
    WORMHOLE,
)
from studies.tweedie.markdown import number, table

AT = (2.0, 18.0)
"""The loads at which variants are run: the heaviest and the lightest."""
WORM_AT = (2.0, 4.0, 18.0)
"""Those of wormhole routing, which is soon simulated, and the fourth."""

TOTALS = (16, 20, 32, 40, 80, 160)
"""Sizes of packets in bytes, headers included, at 320 bytes for each channel."""

ROOMS = (1, 2, 4, 8, 20)
"""Input buffers of wormhole routing in bytes."""

REPEATS = (15, 30, 60, 120)
"""Messages of every node."""

SHORT = LENGTHS[0]

_ROUTINGS = {"fixed": "dimension_order", "adaptive": "first_hop"}


def buffers_table(measured: Measured, measure: str) -> str:
    """Return a measure by the size of packets, at constant room."""
    lines = []
    for length in LENGTHS:
        for spacing in AT:
            for word, routing in _ROUTINGS.items():
                found = [
                    mean(
                        measured.of(
                            "buffers",
                            (f"routing == '{routing}'", f"packet_size == '{total - 4} B'"),
                            length,
                            spacing,
                            measure,
                        )
                    )
                    for total in TOTALS
                ]
                least = min(estimate.value for estimate in found)
                cells = [_marked(number(e), e.value == least) for e in found]
                lines.append([f"{length} B, spacing {spacing:g}, {word}", *cells])
    return table(["", *(f"{total} B x {320 // total}" for total in TOTALS)], lines)


def _marked(text: str, is_best: bool) -> str:
    return f"**{text}**" if is_best else text


def wormhole_buffers_table(measured: Measured) -> str:
    """Return times of wormhole routing by the size of its input buffers."""
    lines = []
    for length in LENGTHS:
        for spacing in WORM_AT:
            for measure, word in ((BEGINS, "first"), (COMPLETE, "last")):
                found = (
                    mean(
                        measured.of(
                            "wormhole_buffers",
                            (f"input_buffer == '{room} B'",),
                            length,
                            spacing,
                            measure,
                        )
                    )
                    for room in ROOMS
                )
                lines.append([f"{length} B, spacing {spacing:g}, {word}", *map(number, found)])
    return table(["mean time, µs", *(f"{room} B" for room in ROOMS)], lines)


def run_lengths_table(measured: Measured) -> str:
    """Return ratios to wormhole routing by the number of messages of every node."""
    lines = []
    for spacing, setting in product(AT, (FIXED, ADAPTIVE)):
        for measure, word in ((BEGINS, "first"), (REST, "bandwidth")):
            cells = []
            for repeat in REPEATS:
                packets, worm = (
                    measured.of(
                        "run_lengths",
                        (one.condition, f"repeat == {repeat}"),
                        SHORT,
                        spacing,
                        measure,
                    )
                    for one in (setting, WORMHOLE)
                )
                pair = (worm, packets) if measure == REST else (packets, worm)
                cells.append(number(ratio(*pair)))
            lines.append([f"spacing {spacing:g}, {setting.title}, {word}", *cells])
    return table(["ratio to wormhole", *(f"{repeat} messages" for repeat in REPEATS)], lines)


def first_packet_table(measured: Measured) -> str:
    """Return ratios of first times where 10 bytes of a packet count as first, and 16."""
    lines = []
    for setting in (FIXED, ADAPTIVE):
        for word, early in (("16 bytes", False), ("first packet", True)):
            cells = []
            for spacing in WORM_AT:
                worm = measured.seeds(WORMHOLE, SHORT, spacing, BEGINS)
                packets = measured.seeds(setting, SHORT, spacing, BEGINS)
                if early:
                    routing = setting.condition.rpartition(" and ")[2]
                    packets = measured.of("first_packet", (routing,), SHORT, spacing, BEGINS)
                cells.append(number(ratio(packets, worm)))
            lines.append([f"{setting.title}, {word}", *cells])
    return table(["ratio to wormhole", *(f"spacing {s:g}" for s in WORM_AT)], lines)
