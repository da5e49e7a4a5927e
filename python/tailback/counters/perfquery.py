"""Text of `perfquery` and `perfquery -x`, of one port or many."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tailback.errors import line_mistake

from .measured import Block, Reader

_HEAD = re.compile(r"# Port( extended)? counters: (.+?) port ([0-9]{1,5})(?: \(CapMask.*)?\s*")
_LINE = re.compile(r"(Port\w+):\.+(.*)")

COLUMNS = {
    "PortXmitData": ("xmit_octets", 4),
    "PortRcvData": ("rcv_octets", 4),
    "PortXmitPkts": ("xmit_packets", 1),
    "PortRcvPkts": ("rcv_packets", 1),
    "PortXmitWait": ("xmit_wait_ticks", 1),
}


def read(path: Path, text: str) -> Iterator[Block]:
    """Yield the ports. Raises `UserError` for the first mistake, with its line."""
    block, bits = None, 32
    for number, line in enumerate(text.splitlines(), 1):
        if found := _HEAD.fullmatch(line):
            if block is not None:
                yield block
            name = found[2].removeprefix("Lid ")
            lid = int(name) if name.isdigit() and len(name) < 7 and name != found[2] else None
            block = Block(path, number, name, int(found[3]), lid)
            bits = 64 if found[1] else 32
        elif line.startswith("# Port"):
            allowed = 'must be "# Port extended counters: Lid 7 port 1"'
            raise line_mistake(path, number, line, allowed)
        elif (found := _LINE.fullmatch(line)) and found[1] in COLUMNS:
            if block is None:
                allowed = "belongs to no port: a line # Port extended counters: ... is missing"
                raise line_mistake(path, number, found[1], allowed)
            # perfquery -x prints this one of 32 bits as well.
            wide = 32 if found[1] == "PortXmitWait" else bits
            block.add(number, found[1], found[2].strip(), wide)
    if block is not None:
        yield block


READER = Reader(
    "perfquery",
    lambda text: re.search(r"^# Port .*counters:", text, re.M) is not None,
    read,
    COLUMNS,
)
