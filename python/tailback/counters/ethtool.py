"""Text of `ethtool -S` of one interface after the other, each below a line `# DEVICE port N`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tailback.errors import line_mistake

from .measured import Block, Reader
from .texts import ETHTOOL

_HEAD = re.compile(r"#\s*(.+?) port ([0-9]{1,5})\s*")
_LINE = re.compile(r"\s+(\w+):\s*(.*)")

#: Counters of a port; those without `_phy` are of the driver, and are read where these are not.
_OTHERS = {"rx_packets": "rcv_packets", "tx_packets": "xmit_packets", "rx_bytes": "rcv_octets"}
_OTHERS |= {"tx_bytes": "xmit_octets"}
COLUMNS = {
    name: (column, 1_000_000 if column.endswith("_ps") else 1)
    for name, column in (_OTHERS | ETHTOOL).items()
}


def read(path: Path, text: str) -> Iterator[Block]:
    """Yield the ports. Raises `UserError` for the first mistake, with its line."""
    block: Block | None = None
    is_open = False
    for number, line in enumerate(text.splitlines(), 1):
        if found := _HEAD.fullmatch(line):
            if block is not None:
                yield block
            block, is_open = Block(path, number, found[1], int(found[2])), False
        elif line.strip() == "NIC statistics:":
            if block is None or is_open:
                allowed = "is of which port? A line # DEVICE port N must stand above"
                raise line_mistake(path, number, "NIC statistics:", allowed)
            is_open = True
        elif (found := _LINE.fullmatch(line)) and found[1] in COLUMNS and block is not None:
            block.add(number, found[1], found[2].strip())
    if block is not None:
        yield block


READER = Reader("ethtool", lambda text: "NIC statistics:" in text, read, COLUMNS)
