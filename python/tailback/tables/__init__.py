"""Arrow tables: made from the columns of the engine, and of many runs."""

from __future__ import annotations

from .arrays import (
    CHANNEL_KINDS,
    PACKET_CLASSES,
    Columns,
    channel_ends,
    channels,
    class_channels,
    from_parquet,
    histograms,
    messages,
    moments,
    nodes,
    packets,
    parquet,
    processes,
    shape_of,
    slice_channels,
    slices,
    table,
)
from .flows import FLOW, MEASURES, PERCENTILES, flows

__all__ = [
    "CHANNEL_KINDS",
    "FLOW",
    "MEASURES",
    "PACKET_CLASSES",
    "PERCENTILES",
    "Columns",
    "channel_ends",
    "channels",
    "class_channels",
    "flows",
    "from_parquet",
    "histograms",
    "messages",
    "moments",
    "nodes",
    "packets",
    "parquet",
    "processes",
    "shape_of",
    "slice_channels",
    "slices",
    "table",
]
