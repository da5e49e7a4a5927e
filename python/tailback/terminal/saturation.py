"""The report of `tailback saturate`."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Group, RenderableType
from rich.text import Text

from tailback.saturation import TOLERATED_LOSS, Outcome, Probe, Saturation
from tailback.units import Time
from tailback.wording import (
    UNKNOWN,
    number,
    plain,
)

from .layout import heading, new_table, numbers, words


def saturation_report(found: Saturation) -> RenderableType:
    """Return the report of `tailback saturate`: all loads tried, then the answer."""
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
    tried: list[RenderableType] = [table, Text()] if found.probes else []
    return Group(heading(found.experiment), *tried, *_saturation_ends(found), _answer(found))


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
    return [table, Text()]


def _answer(found: Saturation) -> Text:
    """Return the answer in words."""
    low, high = (UNKNOWN if load is None else plain(load, 4) for load in (found.low, found.high))
    unit = "messages per node and ms"
    words = {
        Outcome.FOUND: f"Saturates between {low} and {high} {unit}",
        Outcome.NEVER: f"Never saturates: stable even at {low} {unit}, the highest load "
        + ("there is" if found.bounds.shortest_ps == 1 else "allowed"),
        Outcome.ALWAYS: f"Always saturated: even at {high} {unit}, the lowest load tried, "
        f"more than {100 * TOLERATED_LOSS:g} % of the messages stay behind",
        Outcome.UNDECIDED: f"Not decided: stable up to {low}, saturated from {high} {unit}",
    }
    sentence = words[found.outcome]
    if not found.complete:
        return Text(f"INCOMPLETE, interrupted. {sentence}, as far as is known.", style="yellow")
    return Text(f"{sentence}.{_remarks(found)}", style="bold")


def _remarks(found: Saturation) -> str:
    """Return remarks on the interval, each on a line of its own."""
    if found.low is None or found.high is None:
        return ""
    remarks = ""
    if found.predicted:
        low, high = (f"{100 * load / found.predicted:.0f}" for load in (found.low, found.high))
        share = low if low == high else f"{low} to {high}"
        about = "" if found.predicted_is_exact else ", by an estimate"
        remarks += f"\nThat is {share} % of what the most loaded channel allows{about}."
    if found.bracket.width > found.tolerance:
        asked = f"{100 * found.tolerance:g} %"
        remarks += f"\nWider than the {asked} asked for: some loads could not be decided."
    return remarks
