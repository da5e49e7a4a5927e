"""What would be simulated, for the terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tailback.places import shown as place
from tailback.prediction import Prediction
from tailback.wording import (
    UNKNOWN,
    plain,
)

from .layout import heading, new_table

_LONGEST = 48  # characters of a parameter


def prediction_report(prediction: Prediction) -> RenderableType:
    """Return the table of `tailback describe`."""
    sizes = new_table("Machine")
    sizes.add_column("")
    sizes.add_column("", justify="right")
    sizes.show_header = False
    for label, value in _prediction_rows(prediction):
        sizes.add_row(label, value)
    parts: list[RenderableType] = [heading(prediction.experiment), sizes]
    loaded = prediction.most_loaded()
    if loaded:
        table = new_table("Channels loaded most")
        for name in ("from", "to", "channel"):
            table.add_column(name, no_wrap=True)
        table.add_column("us per message of every node", justify="right")
        for c in loaded:
            table.add_row(place(c.source), place(c.destination), c.kind, plain(c.load_us))
        parts += [Text(), table]
    return Group(*parts, Text(), parameters_table(prediction.experiment.resolved()))


def _prediction_rows(p: Prediction) -> list[tuple[str, str]]:
    pairs = f"all {p.pairs:,} pairs" if p.exact else f"{p.pairs:,} sampled pairs"
    return [
        ("nodes", f"{p.nodes:,}"),
        ("switches", f"{p.switches:,}"),
        ("channels", f"{p.channel_count:,}"),
        ("  between switches", f"{p.internal_channels:,}"),
        ("  across the bisection", _or_unknown(p.bisection_channels)),
        (f"mean hops ({pairs})", plain(p.mean_hops)),
        ("zero-load latency, data packet", f"{plain(p.zero_load_data_us)} us"),
        ("  to a neighbour", f"{plain(p.zero_load_neighbour_us)} us"),
        ("  acknowledgement", f"{plain(p.zero_load_ack_us)} us"),
        ("load per message, mean internal channel", f"{plain(p.load_mean_internal_us)} us"),
        ("  most loaded channel", f"{plain(p.load_max_us)} us"),
        (
            "predicted saturation, messages per node and ms",
            _or_unknown(p.saturation_messages_per_node_per_ms),
        ),
    ]


def parameters_table(resolved: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return every parameter as `table.key  value`."""
    table = new_table("Parameters")
    table.show_header = False
    table.add_column("", no_wrap=True)
    table.add_column("", overflow="fold")
    for section, values in resolved.items():
        for key, value in values.items():
            table.add_row(f"{section}.{key}", _parameter(value))
    return table


def _parameter(value: object) -> str:
    """Return a value as in an experiment file, near enough, on one line."""
    if value is None:
        return UNKNOWN
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _or_unknown(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:,}" if isinstance(value, int) else plain(value)
