"""Routing algorithms: their words, their options, and what can simulate them."""

from __future__ import annotations

from dataclasses import dataclass

from .base import Fidelity


@dataclass(frozen=True, slots=True)
class Algorithm:
    """What a machine must know of a routing algorithm (`docs/routing.md`)."""

    options: tuple[str, ...] = ()
    """Keys of ``[machine]`` that only some algorithms have."""
    chooses: bool = False
    """Whether packets may have a choice of several outputs."""
    fidelities: tuple[Fidelity, ...] = ("token", "flit", "worm", "stream", "packet")
    """What can simulate it, choices apart."""
    because: str = ""
    """Why others cannot."""
    spreads: bool = False
    """Whether an output is usually selected at random."""


#: Every routing algorithm by the word in ``machine.routing``.
ROUTINGS: dict[str, Algorithm] = {
    "dimension_order": Algorithm(options=("dimension_order", "balanced")),
    "two_phase": Algorithm(options=("dimension_order",)),
    "west_first": Algorithm(chooses=True),
    "negative_first": Algorithm(chooses=True),
    "odd_even": Algorithm(chooses=True),
    "adaptive": Algorithm(
        options=("dimension_order",),
        chooses=True,
        fidelities=("flit", "packet"),
        because="its packets may change to a virtual channel that is a way out",
    ),
    "chaos": Algorithm(
        fidelities=("packet",), because="its switches store whole packets", spreads=True
    ),
    "deflection": Algorithm(
        fidelities=("packet",), because="its switches deflect whole packets", spreads=True
    ),
    "up_down": Algorithm(options=("up_down_root", "adaptive_ways"), chooses=True),
    "shortest": Algorithm(),
    "table": Algorithm(options=("routes_file",)),
    "source_routes": Algorithm(options=("routes_file",)),
    "nearest_common_ancestor": Algorithm(options=("adaptive_ways",), chooses=True),
    "destination_tag": Algorithm(),
    "minimal": Algorithm(),
    "profitable": Algorithm(chooses=True),
    "first_hop": Algorithm(options=("dimension_order",), chooses=True),
}

#: Keys that only some algorithms have.
OPTIONS = tuple(
    dict.fromkeys(option for algorithm in ROUTINGS.values() for option in algorithm.options)
)

#: Algorithms for any switches and links with a way back.
ANYWHERE = ("up_down", "shortest", "two_phase", "chaos", "deflection", "table", "source_routes")
