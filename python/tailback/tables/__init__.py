"""Arrow tables: made from the columns of the engine, and of many runs."""

from __future__ import annotations

from .arrays import (
    CHANNEL_KINDS,
    PACKET_CLASSES,
    Columns,
    channel_ends,
    channels,
    histograms,
    messages,
    moments,
    nodes,
    packets,
    parquet,
    processes,
    shape_of,
    table,
)

__all__ = [
    "CHANNEL_KINDS",
    "PACKET_CLASSES",
    "Columns",
    "channel_ends",
    "channels",
    "histograms",
    "messages",
    "moments",
    "nodes",
    "packets",
    "parquet",
    "processes",
    "shape_of",
    "table",
]
