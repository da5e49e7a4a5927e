"""Letters of models of messages, LogGP and LogGOPS, for keys with the usual words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import UserError, shown

#: Keys of ``[machine.interface]`` by what LogGP calls them [Alexandrov et al. 1995].
LOGGP: dict[str, tuple[str, ...]] = {
    "o": ("send_overhead", "receive_overhead_after"),
    "O": ("send_overhead_per_byte", "receive_overhead_per_byte"),
    "g": ("packet_interval",),
    "G": ("packet_interval_per_byte",),
}

#: Keys of ``[machine.loggops]`` by the letters of the model [Hoefler, Schneider & Lumsdaine 2010].
LOGGOPS: dict[str, tuple[str, ...]] = {
    "L": ("latency",),
    "o": ("overhead",),
    "g": ("gap",),
    "G": ("gap_per_byte",),
    "O": ("overhead_per_byte",),
    "S": ("eager_limit",),
}


def spelled_out(
    table: Mapping[str, Any], section: str, letters: Mapping[str, tuple[str, ...]]
) -> dict[str, Any]:
    """Return a table of keys with the usual words for letters; raise `UserError` for both."""
    found = {key: value for key, value in table.items() if key not in letters}
    for word, keys in letters.items():
        for key in keys if word in table else ():
            if key in table:
                problem = f"is {key} too, which is given"
                raise UserError(f"{section}.{word}", shown(table[word]), problem)
            found[key] = table[word]
    return found
