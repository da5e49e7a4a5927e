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
from studies.markdown import table
from tailback.wording import number

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


def buffers_table(measured: Measured) -> str:
    """Return times of 512 bytes by the size of packets, at constant room."""
    lines = []
    for spacing, (word, routing) in product(AT, _ROUTINGS.items()):
        for measure, what in ((BEGINS, "first"), (COMPLETE, "last")):
            found = []
            for total in TOTALS:
                conditions = (
                    f"routing.kind == '{routing}'",
                    f"interface.packet_size == {total - 4}",
                )
                found.append(mean(measured.of("buffers", conditions, SHORT, spacing, measure)))
            least = min(estimate.value for estimate in found)
            cells = [_marked(number(e), e.value == least) for e in found]
            lines.append([f"spacing {spacing:g}, {word}, {what}", *cells])
    return table(["mean time, µs", *(f"{320 // total} x {total} B" for total in TOTALS)], lines)


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
                            (f"switch.input_buffer == {room}",),
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
