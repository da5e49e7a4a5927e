"""The report of `tailback saturate`."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Group, RenderableType
from rich.text import Text

from tailback.answers.of_saturation import of_saturation
from tailback.saturation import Probe, Saturation
from tailback.units import Time
from tailback.wording import number, plain

from .layout import head, new_table, numbers, words


def saturation_report(found: Saturation) -> RenderableType:
    """Return the report of `tailback saturate`: the answer, then all loads tried."""
    loads = ("compute\nperiod", "offered", "delivered", "delivered,\n%")
    table = new_table(
        "Loads tried, per node and ms",
        *numbers(*loads, no_wrap=True),
        *words(""),
        *numbers("simulated\nms", no_wrap=True),
    )
    for probe in sorted(found.probes, key=lambda probe: probe.load):
        table.add_row(
            str(Time(probe.compute_period_ps)),
            plain(probe.offered),
            number(probe.accepted),
            number(probe.share, 100, 4),
            probe.verdict,
            plain(probe.simulated_ms, 4),
        )
    tried: list[RenderableType] = [Text(), table] if found.probes else []
    said = head(found.experiment, of_saturation(found))
    return Group(*said, *_saturation_ends(found), *tried)


def _saturation_ends(found: Saturation) -> list[RenderableType]:
    """Return the highest stable load and the lowest saturated one, side by side."""
    known = {"stable up to": found.bracket.low, "saturated from": found.bracket.high}
    ends = {name: probe for name, probe in known.items() if probe is not None}
    if not ends:
        return []
    table = new_table(None, *words(""), *numbers(*ends, no_wrap=True))

    def add(label: str, cell: Callable[[Probe], str]) -> None:
        table.add_row(label, *map(cell, ends.values()))

    add("load, messages per node and ms", lambda probe: plain(probe.load))
    add("  Mbit/s of payload per node", lambda p: plain(found.payload_mbit_per_s(p.load)))
    add("  compute period", lambda probe: str(Time(probe.compute_period_ps)))
    add("delivered, messages per node and ms", lambda probe: number(probe.accepted))
    return [Text(), table]
