"""The file of port counters of `ibdiagnet` (`ibdiagnet2.pm`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tailback.errors import line_mistake

from .measured import Block, Reader
from .perfquery import COLUMNS as OF_PERFQUERY
from .texts import IBDIAGNET

_HEAD = re.compile(
    r"Port=([0-9]{1,5}) Lid=(0x[0-9a-fA-F]{1,6}|[0-9]{1,6}) GUID=(0x[0-9a-fA-F]{1,16}) "
    r"Device=[0-9]+ Port Name=(.*)"
)
_LINE = re.compile(r"(port_(?:xmit|rcv)_(?:data|pkts|wait))(_extended)?=(.*)")
_OF_PORT = re.compile(r"(/U[0-9]+)?/P[0-9]+$")

COLUMNS = {short: OF_PERFQUERY[name] for name, short in IBDIAGNET.items()}


def read(path: Path, text: str) -> Iterator[Block]:
    """Yield the ports. Raises `UserError` for the first mistake, with its line."""
    block = None
    for number, line in enumerate(text.splitlines(), 1):
        if found := _HEAD.fullmatch(line.strip()):
            if block is not None:
                yield block
            name = _OF_PORT.sub("", found[4].strip())
            lid = int(found[2], 16 if found[2].startswith("0x") else 10)
            guid = int(found[3], 16)
            block = Block(path, number, name, int(found[1]), lid or None, guid or None)
        elif line.startswith("Port="):
            allowed = "must be Port=1 Lid=0x0001 GUID=0x... Device=4119 Port Name=host1/U1/P1"
            raise line_mistake(path, number, line, allowed)
        elif (found := _LINE.fullmatch(line.strip())) and found[3] != "NA":
            if block is None:
                raise line_mistake(
                    path, number, found[1], "belongs to no port: a line Port= is missing"
                )
            block.add(number, found[1], found[3], 64 if found[2] else 32)
    if block is not None:
        yield block


READER = Reader(
    "ibdiagnet", lambda text: re.search(r"^Port=[0-9]+ Lid=", text, re.M) is not None, read, COLUMNS
)
