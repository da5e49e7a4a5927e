"""Words that users bring along: aliases of values, other names of keys, keys that have moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..parts import Key
from .kinds import KINDED, PLAIN, ROUTINGS
from .machine import Machine
from .topologies import TOPOLOGIES


def _keys() -> Iterator[tuple[str, Key]]:
    """Yield the path below ``machine`` of every key, and the key."""
    yield "clock", Machine.keys["clock"]
    for part, made in PLAIN.items():
        yield from ((f"{part}.{name}", one) for name, one in made.keys.items())
    for part, kinds in KINDED.items():
        for made in kinds.values():
            yield from ((f"{part}.{name}", one) for name, one in made.keys.items())


#: Other words for kinds and choices; the canonical word is shown.
ALIASES: dict[str, Mapping[str, str]] = {
    "topology.kind": {word: kind for kind, t in TOPOLOGIES.items() for word in t.also.split()},
    "routing.kind": {word: kind for kind, r in ROUTINGS.items() for word in r.also.split()},
    **{path: one.aliases for path, one in _keys() if one.aliases},
}

#: What a key is called elsewhere, by what it means, of several the first; paths below ``machine``.
SYNONYMS: dict[str, str] = {
    word: path for path, one in reversed([*_keys()]) for word in one.also
} | {
    "algorithm": "routing.kind",
    "routing_function": "routing.kind",
}

#: The keys of ``[machine]`` of the first edition that have a table now, under the same name ...
_MOVED = {
    "topology": "dims dimensions nodes arity levels stages fan_out depth switches_per_level "
    "nodes_per_switch level_widths switches switches_per_group global_links groups file format "
    "cycle directed",
    "link": "data_token_bits control_token_bits end_token flow_control credit_delay packet_gap "
    "sharing duplex",
    "switch": "input_buffer output_buffer virtual_channels reserve overtaking",
    "routing": "balanced selection allow_deadlock hop_limit",
    "interface": "header packet_size acknowledgements time_slice early",
}
#: ... or under another.
_RENAMED = {
    "link_rate": "link.rate",
    "wire_delay": "link.delay",
    "internal_link_width": "link.width",
    "dimension_rates": "link_classes.x.rate",
    "link_width": "node_link.width",
    "node_link_rate": "node_link.rate",
    "switch_delay": "switch.delay",
    "arbitration": "switch.delay",
    "queue_policy": "switch.arbiter",
    "switch_ack_priority": "switch.ack_priority",
    "transport": "switch.switching",
    "packet_buffers": "switch.output_queue",
    "dimension_order": "routing.order",
    "up_down_root": "routing.root",
    "adaptive_ways": "routing.adaptive",
    "routes_file": "routing.file",
    "first_packet_data": "interface.first_packet",
    "node_ack_priority": "interface.ack_priority",
}
#: Where all of them have gone; paths below ``machine``.
FIRST_EDITION: dict[str, str] = _RENAMED | {
    name: f"{part}.{name}" for part, names in _MOVED.items() for name in names.split()
}
