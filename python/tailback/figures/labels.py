"""Labels, units and values of columns in figures and tables."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace

from tailback.metrics import stem_of
from tailback.wording import UNKNOWN
from tailback.wording.scaling import scaled

from .description import Axis

_UNITS = {"us": "µs", "ms": "ms", "ns": "ns", "bytes": "B", "mbit_per_s": "Mbit/s"}

#: Keys whose label needs the part of the machine that they belong to.
_OF_PARTS = ("rate", "delay", "width", "order", "ack_priority")

_DIGITS = 4

_RATE = "per node and ms"
_INJECTED = "of the injection rate"

METRICS: dict[str, Axis] = {
    "offered_load": Axis("offered load", _INJECTED, log=False, percent=True, from_zero=True),
    "accepted_load": Axis("accepted load", _INJECTED, log=False, percent=True, from_zero=True),
    "offered_flits_per_node_per_cycle": Axis(
        "offered load", "flits per node and cycle", log=False, from_zero=True
    ),
    "accepted_flits_per_node_per_cycle": Axis(
        "accepted load", "flits per node and cycle", log=False, from_zero=True
    ),
    "message_latency_us": Axis("mean message latency", "µs", from_zero=True),
    "messages_per_node_per_ms": Axis("messages sent", _RATE, from_zero=True),
    "routed_lifetime_us": Axis("mean routed lifetime", "µs", from_zero=True),
    "network_lifetime_us": Axis("mean network lifetime", "µs", from_zero=True),
    "lifetime_us": Axis("mean lifetime", "µs", from_zero=True),
    "throttling_us": Axis("throttling", "µs per packet"),
    "internal_contention_us": Axis("internal contention", "µs per packet"),
    "internal_utilisation": Axis(
        "utilisation of internal channels", log=False, percent=True, from_zero=True
    ),
    "theta_t": Axis("theta_t", log=False, from_zero=True),
    "theta_r": Axis("theta_r", log=False, from_zero=True),
    "theta_c": Axis("theta_c", log=False, from_zero=True),
    "completion_us": Axis("completion time", "µs", from_zero=True),
    "flow_completion_us": Axis("completion time of flows", "µs", from_zero=True),
    "round_trip_us": Axis("mean round trip", "µs", from_zero=True),
    "message_late_us": Axis("mean lateness of messages", "µs", from_zero=True),
    "message_slowdown": Axis("mean slowdown of messages", from_zero=True),
}
"""Axes of metrics by column."""

NODE_MEASURES: dict[str, Axis] = {
    "messages_per_ms": Axis("messages sent", "per ms"),
    "cpu_utilisation": Axis("processor utilisation", percent=True),
    "data_queue_mean": Axis("data packets waiting, mean"),
    "ack_queue_mean": Axis("acknowledgements waiting, mean"),
}
"""Measures shown on maps of nodes, by column."""

CHANNEL_MEASURES: dict[str, Axis] = {
    "utilisation": Axis("utilisation", percent=True),
    "held": Axis("held", percent=True),
    "throttling_us": Axis("throttling", "µs per packet"),
    "internal_contention_us": Axis("internal contention", "µs per packet"),
}
"""Measures shown on maps of channels, by column."""

VARIABLES: dict[str, str] = {
    "lifetime": "lifetime",
    "routed_lifetime": "routed lifetime",
    "message_latency": "message latency",
}
"""Times whose distributions are shown."""


_PERCENTILE = re.compile(r"(.+)_p(\d+(?:_\d+)?)")


def metric_axis(name: str) -> Axis:
    """Return the axis of a metric or percentile; the label names its traffic class or job."""
    stem = stem_of(name)
    whole = _axis_of(stem)
    if stem == name:
        return replace(whole, column=name)
    kind, _, rest = name.removesuffix(f".{stem}").partition(".")
    of_whom = f"{_OF_WHOM[kind]} {rest}"
    return replace(whole, label=f"{whole.label}, {of_whom}", column=name)


_OF_WHOM = {"classes": "class", "jobs": "job"}


def _axis_of(stem: str) -> Axis:
    """Return the axis of a metric or percentile of a whole run."""
    known = METRICS.get(stem)
    if known is not None:
        return known
    part = _PERCENTILE.fullmatch(stem)
    if part is not None:
        label, unit = _split(part[1])
        told = "median" if part[2] == "50" else f"{part[2].replace('_', '.')}th percentile"
        return Axis(f"{label}, {told}", unit, from_zero=True)
    label, unit = _split(stem)
    return Axis(label, unit, percent=stem.endswith("_utilisation"))


def parameter_label(column: str) -> str:
    """Return `compute period` for `workload.compute_period_us`, `topology` for its kind."""
    return _split(column)[0]


def parameter_axis(column: str) -> Axis:
    """Return the axis of a parameter's column."""
    label, unit = _split(column)
    return Axis(label, unit, column=column)


def value_text(column: str, value: object) -> str:
    """Return a parameter's value with its unit: `16 µs`, `8 x 8`, `asynchronous`."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return UNKNOWN
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        unit = _split(column)[1]
        if isinstance(value, int) and not unit:
            return str(value)
        return scaled(value, unit, _DIGITS if isinstance(value, float) else 15).rstrip()
    return list_text(column, str(value))


def description_text(varied: Mapping[str, object]) -> str:
    """Return `compute period = 16 µs, sync = asynchronous`."""
    return ", ".join(
        f"{parameter_label(column)} = {value_text(column, value)}"
        for column, value in varied.items()
    )


def _split(column: str) -> tuple[str, str]:
    """Return label and unit of a parameter's column."""
    section, _, key = column.rpartition(".")
    found = next((unit for unit in _UNITS if key.endswith(f"_{unit}")), None)
    key = key if found is None else key.removesuffix(f"_{found}")
    part = section.partition(".")[2].replace(".", " ")
    words = part if part and key == "kind" else f"{part} {key}" if key in _OF_PARTS else key
    return words.strip().replace("_", " "), "" if found is None else _UNITS[found]


#: Separators for lists of numbers that are not sizes, by key.
_BETWEEN = {"virtual_channels": " to ", "nodes": ", ", "hot_spots": ", ", "order": ", "}


def list_text(column: str, text: str) -> str:
    """Return `8 x 8` for the JSON text `[8, 8]`, `0 to 1` for virtual channels; others as they are.

    Numbers of nodes and the like are no sizes: `8, 8`.
    """
    if not text.startswith("["):
        return text
    try:
        values = json.loads(text)
    except ValueError:
        return text
    if any(isinstance(value, dict | list) for value in values):
        return text
    sizes = values and all(isinstance(value, int) for value in values)
    between = _BETWEEN.get(column.rpartition(".")[2], " x " if sizes else ", ")
    return between.join(map(str, values))
