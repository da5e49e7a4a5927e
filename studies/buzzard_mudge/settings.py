"""What is compared: transports, lengths of messages, loads."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from studies.study import Study

STUDY = Study("buzzard_mudge")

LENGTHS = (512, 2048)
"""Mean lengths of messages in bytes [section 6]."""

SPACINGS = (2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 10.0, 14.0, 18.0)
"""Mean ticks between two messages of a node for each byte of them: the nine loads, the
heaviest first. Times 512 and 2048 bytes they are the paper's means (`load_points.csv`)."""

BEGINS = "message_begins_us"
"""*First*: from sending until the first data are there."""
COMPLETE = "message_latency_us"
"""*Last*: until all data are there."""
REST = "rest_us"
"""What lies between: a bandwidth is what is sent in it."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One transport with one routing."""

    name: str
    title: str
    sweep: str
    condition: str


WORMHOLE = Setting("wormhole", "wormhole", "packets", "switch.switching == 'wormhole'")
FIXED = Setting(
    "packet_fixed",
    "packets, fixed",
    "packets",
    "interface.unit == 'packet' and routing.kind == 'dimension_order'",
)
ADAPTIVE = Setting(
    "packet_adaptive",
    "packets, adaptive",
    "packets",
    "interface.unit == 'packet' and routing.kind == 'first_hop'",
)
SECTION_6 = (WORMHOLE, FIXED, ADAPTIVE)
"""What figures 6a to 7b show."""

_WHOLE = {
    "datagram": "datagram",
    "datagram_cut_through": "cut-through",
    "circuit": "circuit",
}
SWITCHING = {
    "datagram": "store_and_forward",
    "datagram_cut_through": "cut_through",
    "circuit": "circuit",
}
"""What the paper's transports of whole messages are called."""
_ROUTINGS = {"dimension_order": "fixed", "profitable": "adaptive"}


def whole(transport: str, duplex: str, routing: str) -> Setting:
    """Return a transport of section 3, which sends messages as they are."""
    title = f"{_WHOLE[transport]}, {duplex} duplex, {_ROUTINGS[routing]}"
    condition = (
        f"switch.switching == '{SWITCHING[transport]}' and link.duplex == '{duplex}' "
        f"and routing.kind == '{routing}'"
    )
    return Setting(f"{transport}_{duplex}_{_ROUTINGS[routing]}", title, "messages", condition)


TRANSPORTS = tuple(_WHOLE)
SECTION_3 = tuple(whole(*case) for case in product(_WHOLE, ("full", "half"), _ROUTINGS))
"""What the conclusions of section 3 are about."""
