"""Counters in the text forms of `perfquery`, `ibdiagnet` and `ethtool -S`.

A port is named by its device where these tools have a LID: the readers take both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .counting import WORD_OCTETS, Counters

Row = Mapping[str, Any]

_RULE = "-" * 87


def text_of(counters: Counters, form: str) -> str:
    """Return all ports in one of `FORMS`."""
    lines = (line for row in counters.rows for line in FORMS[form](row))
    return "\n".join(lines) + "\n"


def values_of(row: Row) -> dict[str, int | None]:
    """Return what `perfquery` counts, by its names."""
    return {
        "PortXmitData": _words(row["xmit_octets"]),
        "PortRcvData": _words(row["rcv_octets"]),
        "PortXmitPkts": row["xmit_packets"],
        "PortRcvPkts": row["rcv_packets"],
        "PortXmitWait": row["xmit_wait_ticks"],
    }


def _words(octets: int | None) -> int | None:
    return None if octets is None else octets // WORD_OCTETS


def _perfquery(row: Row) -> Iterator[str]:
    yield f"# Port extended counters: Lid {row['device']} port {row['port']}"
    yield from (
        f"{name + ':':.<33}{value}"
        for name, value in {"PortSelect": row["port"], **values_of(row)}.items()
        if value is not None
    )


def _ibdiagnet(row: Row) -> Iterator[str]:
    yield _RULE
    head = "Lid=0x0000 GUID=0x0000000000000000 Device=0"
    yield f"Port={row['port']} {head} Port Name={row['device']}/P{row['port']}"
    yield _RULE
    for name, short in IBDIAGNET.items():
        value = values_of(row)[name]
        if value is not None:
            yield f"{short}_extended={value:#018x}"


def _ethtool(row: Row) -> Iterator[str]:
    yield f"# {row['device']} port {row['port']}"
    yield "NIC statistics:"
    for name, column in ETHTOOL.items():
        value = row[column]
        if value is not None:
            yield f"     {name}: {value // _US if column.endswith('_ps') else value}"


_US = 1_000_000

IBDIAGNET = {
    "PortXmitData": "port_xmit_data",
    "PortRcvData": "port_rcv_data",
    "PortXmitPkts": "port_xmit_pkts",
    "PortRcvPkts": "port_rcv_pkts",
    "PortXmitWait": "port_xmit_wait",
}
"""Names of `ibdiagnet`, by those of `perfquery`."""

ETHTOOL = {
    "rx_packets_phy": "rcv_packets",
    "tx_packets_phy": "xmit_packets",
    "rx_bytes_phy": "rcv_octets",
    "tx_bytes_phy": "xmit_octets",
    "rx_discards_phy": "rcv_discards",
    "rx_pause_ctrl_phy": "rcv_pauses",
    "tx_pause_ctrl_phy": "xmit_pauses",
    "rx_global_pause_duration": "paused_ps",
}
"""Names of `ethtool -S`, with the column that each is of."""

FORMS: dict[str, Callable[[Row], Iterator[str]]] = {
    "perfquery": _perfquery,
    "ibdiagnet": _ibdiagnet,
    "ethtool": _ethtool,
}
