"""Every kind of routing by its word; topologies have their own list."""

from __future__ import annotations

from .routing import (
    Chaos,
    Deflection,
    DestinationTag,
    DimensionOrder,
    FirstHop,
    Minimal,
    MinimalAdaptive,
    NearestCommonAncestor,
    NegativeFirst,
    OddEven,
    Profitable,
    Routing,
    Shortest,
    UpDown,
    Valiant,
    WestFirst,
)
from .written_routes import SourceRoutes, Table

#: Every routing algorithm by its word in ``machine.routing.kind``.
ROUTINGS: dict[str, type[Routing]] = {
    kind.kind: kind
    for kind in (
        DimensionOrder,
        Valiant,
        WestFirst,
        NegativeFirst,
        OddEven,
        MinimalAdaptive,
        Chaos,
        Deflection,
        UpDown,
        Shortest,
        Table,
        SourceRoutes,
        NearestCommonAncestor,
        DestinationTag,
        Minimal,
        Profitable,
        FirstHop,
    )
}
