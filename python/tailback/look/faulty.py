"""Faults of a run on its map: which lines were down or slower, when, and what that cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tailback import door
from tailback.answers.lateness import Lateness
from tailback.charging import Ints
from tailback.experiment.faults import specs
from tailback.places import shown
from tailback.units import counted
from tailback.wording.phrases import percent, sentence
from tailback.wording.scaling import MICROSECONDS, scaled

from .lines import KINDS as LINES
from .lines import Lines

if TYPE_CHECKING:
    from tailback.machines import Topology
    from tailback.results import Result

_INJECTION, _INTERNAL, _EJECTION, _DIRECT = range(len(LINES))
_MILLION = 1_000_000
_DIGITS = 4
_FAULT = "fault"


@dataclass(frozen=True)
class Faulty:
    """A fault: what is said of it, and the lines it was on."""

    text: str
    """Such as `switch 0 to 4 was down from 20 µs to 60 µs`."""
    short: str
    """Beside a ring on the map: `down 20 µs to 60 µs`."""
    lines: Sequence[int]


def faults_of(result: Result, lines: Lines, late: Lateness) -> list[Faulty]:
    """Return the faults of a run; none in modes without contention, which have none."""
    experiment = result.experiment
    if not experiment.faults or result.mode != "full":
        return []
    topology = experiment.machine.topology
    ends = late.names.ends

    def name(kind: str, number: int) -> str:
        told = shown(ends.of_end(kind, number)).removeprefix(f"{kind} ")
        # As channels are named: of a row of switches `1->2`.
        return told if "," in told else told.strip("()")

    found = []
    for given in specs(experiment.faults, topology):
        at = given["at"]
        if "node" in at:
            what = f"the link of node {name('node', at['node'])}"
            own = _of_node(lines, at["node"])
        elif "switch" in at:
            what = f"switch {name('switch', at['switch'])}"
            own = _of_switch(lines, at["switch"])
        else:
            first, last = _ends(at["link"], topology)
            what = f"the link {name('switch', first)} to {name('switch', last)}"
            if first == last:
                what = (
                    f"the link at port {at['link']['at']['port']} of switch {name('switch', first)}"
                )
            own = _between(lines, first, last)
        begin, end = (
            scaled(given[key] / 1e6, MICROSECONDS, _DIGITS) for key in ("from_ps", "until_ps")
        )
        is_for_ever = given["until_ps"] >= round(1e9 * result.ending.simulated_ms)
        when = f"from {begin} on" if is_for_ever else f"from {begin} to {end}"
        share = given["share"] / _MILLION
        how = f"at {percent(share)} of its rate" if share else "down"
        found.append(Faulty(f"{what} was {how} {when}", f"{how} {when}", own.tolist()))
    return found


def sentences(faults: Sequence[Faulty], late: Lateness) -> list[str]:
    """Return what is said of faults first: which there were, and what they cost messages."""
    if not faults:
        return []
    [share] = [c.share for kind, c in late.kinds() if kind == _FAULT] or [0.0]
    more = f", and there were {counted(len(faults) - 1, 'more fault')}" if len(faults) > 1 else ""
    return [
        sentence(f"{faults[0].text}{more}"),
        f"{percent(share)} of all lateness is due to {'faults' if more else 'it'}.",
    ]


def _ends(link: Mapping[str, Any], topology: Topology) -> tuple[int, int]:
    """Return the switches at both ends of a link; one twice if the other is not known.

    Cables are listed by the port at one end.
    """
    if "between" in link:
        first, last = link["between"]
        return first, last
    start, port = link["at"]["switch"], link["at"]["port"]
    cables = door.cables(topology.network.spec_left())
    leads_to = {(switch, out): other for switch, out, other in cables}
    return start, leads_to.get((start, port), start)


def _between(lines: Lines, first: int, last: int) -> Ints:
    is_internal = lines.kind == _INTERNAL
    there = (lines.source == first) & (lines.destination == last)
    back = (lines.source == last) & (lines.destination == first)
    return np.flatnonzero(is_internal & (there | back))


def _of_node(lines: Lines, node: int) -> Ints:
    out = np.isin(lines.kind, (_INJECTION, _DIRECT)) & (lines.source == node)
    into = np.isin(lines.kind, (_EJECTION, _DIRECT)) & (lines.destination == node)
    return np.flatnonzero(out | into)


def _of_switch(lines: Lines, switch: int) -> Ints:
    out = np.isin(lines.kind, (_INTERNAL, _EJECTION)) & (lines.source == switch)
    into = np.isin(lines.kind, (_INTERNAL, _INJECTION)) & (lines.destination == switch)
    return np.flatnonzero(out | into)
