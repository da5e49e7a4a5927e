"""The reports of `tailback counters`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from tailback.counters import Beside, Counters

from .layout import FULL, cautions, more, new_table, numbers, texts, words

_FIRST = 20


def counters_report(found: Counters, *, full: bool = False) -> RenderableType:
    """Return the counters: ports that waited longest first, all with `full`."""
    rows = found.rows
    order = sorted(rows, key=lambda row: (-(row["xmit_wait_ps"] or 0), -(row["xmit_octets"] or 0)))
    counts = {
        name: sum(row[column] or 0 for row in rows)
        for name, column in (("frames lost", "rcv_discards"), ("pauses", "xmit_pauses"))
    }
    said = f"{len(rows):,} ports sent {_many(rows, 'xmit_octets')} octets"
    said += f" in {_many(rows, 'xmit_packets')} packets"
    said += "".join(f"; {name}: {count:,}" for name, count in counts.items() if count)
    shown = rows if full else order[:_FIRST]
    tables = [_table(shown, [name for name in _COLUMNS if name not in _OF_FRAMES])]
    if any(counts.values()):
        # Of its own: all columns side by side are wider than a terminal.
        touched = [row for row in shown if any(row[name] for name in _OF_FRAMES)]
        tables += [Text(), _table(touched, _OF_FRAMES)]
    rest = [] if full or len(rows) <= _FIRST else more(FULL)
    return Group(Text(f"{said}.", style="bold"), *cautions(found.notes), Text(), *tables, *rest)


def _table(rows: list[dict[str, Any]], names: Iterable[str]) -> RenderableType:
    """Return these counters of ports, without those that none of the ports has."""
    columns = [name for name in names if any(row[name] is not None for row in rows)]
    heads = numbers(*(_COLUMNS[name] for name in columns), no_wrap=True)
    table = new_table(None, *texts("port", "to"), *heads)
    for row in rows:
        cells = (_cell(name, row[name]) for name in columns)
        table.add_row(f"{row['device']} {row['port']}", row["peer"], *cells)
    return table


_COLUMNS = {
    "xmit_octets": "octets",
    "xmit_packets": "packets",
    "utilisation": "busy",
    "xmit_wait_ticks": "XmitWait",
    "stall_to_flit": "stall",
    "queue_max": "queue",
    "rcv_discards": "lost",
    "rcv_pauses": "pauses",
    "paused_ps": "paused, us",
}
_OF_FRAMES = ("rcv_discards", "rcv_pauses", "paused_ps")


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name == "utilisation":
        return f"{value:.1%}"
    if name == "paused_ps":
        return f"{value / 1e6:,.1f}"
    return f"{value:.3g}" if isinstance(value, float) else f"{value:,}"


def _many(rows: list[dict[str, Any]], column: str) -> str:
    return f"{sum(row[column] or 0 for row in rows):,}"


def beside_report(found: Beside, *, full: bool = False) -> RenderableType:
    """Return measured counters beside simulated ones, ports that disagree most first."""
    worst = found.rows[0]
    said = (
        f"{len(found.rows):,} ports were measured; most apart is {worst.device} port {worst.port}"
    )
    names = {name: _NAMES[name] for name in _NAMES if any(name in r.measured for r in found.rows)}
    table = new_table(
        None,
        *texts("port"),
        *words("counter"),
        *numbers("simulated", "measured", "apart", no_wrap=True),
    )
    shown = found.rows if full else found.rows[:_FIRST]
    for row in shown:
        for place, (name, told) in enumerate(names.items()):
            port = f"{row.device} {row.port}" if place == 0 else ""
            ours, theirs = row.simulated.get(name), row.measured.get(name)
            cells = ("" if value is None else f"{value:,}" for value in (ours, theirs))
            table.add_row(port, told, *cells, f"{row.apart:.1%}" if name == row.by else "")
    idle = ["no port counted any traffic between the two files"] if found.is_idle else []
    notes = idle + [
        f"{row.device} port {row.port}: {', '.join(row.wrapped)} began anew at 2^32 in between"
        for row in found.rows
        if row.wrapped
    ]
    if found.not_measured:
        notes.append(f"{found.not_measured:,} ports of the machine were not measured")
    rest = [] if full or len(found.rows) <= _FIRST else more(FULL)
    return Group(Text(f"{said}.", style="bold"), *cautions(notes), Text(), table, *rest)


_NAMES = {
    "xmit_octets": "octets out",
    "rcv_octets": "octets in",
    "xmit_packets": "packets out",
    "rcv_packets": "packets in",
    "xmit_wait_ticks": "XmitWait",
    "rcv_discards": "lost",
    "rcv_pauses": "pauses in",
    "xmit_pauses": "pauses out",
    "paused_ps": "paused, ps",
}
