"""The load at which the network saturates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailback.metrics import TOLERATED_LOSS
from tailback.saturation import Outcome
from tailback.wording import UNKNOWN, plain

from .status import Head

if TYPE_CHECKING:
    from tailback.saturation import Saturation


#: Share of what sources send at most from which bursts make them drop messages.
_LOW = 1 / 3


def of_saturation(found: Saturation) -> Head:
    """Return the head of a search for the saturation load."""
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
    said = words[found.outcome]
    if not found.complete:
        return Head((f"INCOMPLETE, interrupted. {said}, as far as is known.",), ())
    return Head((), (f"{said}.", *_remarks(found)))


def _remarks(found: Saturation) -> list[str]:
    if found.low is None or found.high is None:
        return []
    remarks = []
    if found.predicted:
        low, high = (f"{100 * load / found.predicted:.0f}" for load in (found.low, found.high))
        share = low if low == high else f"{low} to {high}"
        about = "" if found.predicted_is_exact else ", by an estimate"
        routing = found.experiment.machine.chosen_routing
        if routing is not None and routing.leaves_minimal:
            about = f" on minimal routes{about}"
        remarks.append(f"That is {share} % of what the most loaded channel allows{about}.")
    if found.window is not None and found.high > _LOW * found.window:
        remarks.append(
            f"Sources limit it: they send at most {plain(found.window, 4)}, less in bursts. Raise "
            "workload.max_outstanding to load the network itself."
        )
    if found.bracket.width > found.tolerance:
        asked = f"{100 * found.tolerance:g} %"
        remarks.append(f"Wider than the {asked} asked for: some loads could not be decided.")
    return remarks
