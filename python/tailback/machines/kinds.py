"""Every kind of routing by its word; topologies have their own list."""

from __future__ import annotations

from ..parts import kinds
from . import routing, written_routes
from .routing import Routing

#: Every routing algorithm by its word in ``machine.routing.kind``.
ROUTINGS: dict[str, type[Routing]] = kinds(Routing, routing, written_routes)
