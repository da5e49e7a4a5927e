"""Whether it is the network that accepts less than it is offered, or its sources that send less."""

from __future__ import annotations

from collections.abc import Mapping

NETWORK = "the network accepts less than it is offered"
SOURCES = (
    "sources drop messages although packets hardly wait: no more of them may be under way "
    "(max_outstanding)"
)

MEASURED = (
    "failed_messages_per_node_per_ms",
    "throttling_us",
    "internal_contention_us",
    "message_latency_us",
)
"""What is known of a run that tells them apart."""

#: Share of a message's latency below which its packets are said to hardly wait.
_LITTLE = 0.25


def are_sources(known: Mapping[str, float | None]) -> bool:
    """Whether sources drop messages although packets hardly wait for each other.

    `known`: the values of `MEASURED` by name; one that is not known is None, NaN or not there.
    """
    dropped, at_node, inside, latency = (known.get(name) for name in MEASURED)
    if dropped is None or at_node is None or inside is None or latency is None:
        return False
    return dropped > 0 and at_node + inside < _LITTLE * latency
