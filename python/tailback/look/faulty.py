"""Faults of a run on its map: which lines were down or slower, when, and what that cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tailback import door
from tailback.answers.lateness import Lateness
from tailback.charging import Ints
from tailback.experiment.faults import specs
from tailback.experiment.outages import begun
from tailback.places import shown
from tailback.wording.phrases import percent, sentence
from tailback.wording.scaling import MICROSECONDS, scaled

from .lines import KINDS as LINES
from .lines import Lines

if TYPE_CHECKING:
    from tailback.machines import Topology
    from tailback.results import Result

_INJECTION, _INTERNAL, _EJECTION, _DIRECT = range(len(LINES))
_MILLION = 1_000_000
_ALL_BITS = 10**18
_DIGITS = 4
_FAULT = "fault"
MOST_SPELLS = 100
"""Faults that the time axis shows, each time that they come; the first."""


@dataclass(frozen=True)
class Faulty:
    """A fault: what is said of it, and the lines it was on."""

    text: str
    """Such as `switch 0 to 4 was down from 20 µs to 60 µs`."""
    short: str
    """Beside a ring on the map: `down 20 µs to 60 µs`."""
    lines: Sequence[int]
    is_of_links: bool
    """Whether it was at links: what a straggler costs is no lateness."""


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

    end_ps = round(1e9 * result.ending.simulated_ms)
    found = []
    for given in specs(experiment.faults, topology):
        what, own = _place(given, lines, topology, name)
        how, when = _how(given), _when(given, end_ps)
        # Without a line on the map the place is told as well.
        short = f"{how} {when}" if len(own) else f"{what} {how} {when}"
        is_verb = given.get("bit_errors") is not None
        text = f"{what} {'' if is_verb else 'was '}{how} {when}"
        found.append(Faulty(text, short, own.tolist(), is_of_links="time_factor" not in given))
    return found


@dataclass(frozen=True)
class Spell:
    """A fault, from its beginning until its repair."""

    where: str
    how: str
    after: str
    """What there is at its end: `up again`."""
    begin_ps: int
    end_ps: int | None
    """None if it is never repaired."""


def outages_of(result: Result) -> list[Spell]:
    """Return the first faults of a run, each time that they come; none in modes without."""
    experiment = result.experiment
    topology = experiment.machine.topology
    if result.mode != "full" or not (
        told := begun(tuple(experiment.faults), topology, MOST_SPELLS)
    ):
        return []
    given = specs(experiment.faults, topology)
    found = []
    for one in told.first:
        begin_ps = round(1e6 * one.time_us)
        is_repaired = math.isfinite(one.duration_us)
        end_ps = begin_ps + round(1e6 * one.duration_us) if is_repaired else None
        how = _how(given[one.fault])
        after = "up again" if how == "down" else "as usual again"
        found.append(Spell(one.where, how, after, begin_ps, end_ps))
    return found


def _place(
    given: Mapping[str, Any], lines: Lines, topology: Topology, name: Callable[[str, int], str]
) -> tuple[str, Ints]:
    """Return what a fault concerns in words, and its lines, if it is on some of them alone."""
    at, nowhere = given["at"], np.zeros(0, np.int64)
    is_straggler = "time_factor" in given
    if "each" in at:
        every = {"link": "every link between switches", "switch": "every switch"}
        of_nodes = "every node" if is_straggler else "the link of every node"
        return every.get(at["each"], of_nodes), nowhere
    if "node" in at:
        node = f"node {name('node', at['node'])}"
        return (
            (node, nowhere)
            if is_straggler
            else (f"the link of {node}", _of_node(lines, at["node"]))
        )
    if "switch" in at:
        return f"switch {name('switch', at['switch'])}", _of_switch(lines, at["switch"])
    first, last = _ends(at["link"], topology)
    what = f"the link {name('switch', first)} to {name('switch', last)}"
    if first == last:
        what = f"the link at port {at['link']['at']['port']} of switch {name('switch', first)}"
    return what, _between(lines, first, last)


def _how(given: Mapping[str, Any]) -> str:
    """Return what a fault does to its place."""
    if "time_factor" in given:
        return f"{given['time_factor'] / _MILLION:g} times as slow"
    share = given["share"] / _MILLION
    told = [] if share == 1 else [f"at {percent(share)} of its rate" if share else "down"]
    if "reroute_ps" in given:
        after = scaled(given["reroute_ps"] / 1e6, MICROSECONDS, _DIGITS)
        told = [f"down (routes avoid it after {after})"]
    if "bit_errors" in given:
        told.append(f"damaged {given['bit_errors'] / _ALL_BITS:.3g} of all bits")
    return " and ".join(reversed(told))


def _when(given: Mapping[str, Any], end_ps: int) -> str:
    """Return from when until when a fault was there."""
    begin, end = (
        scaled(given[key] / 1e6, MICROSECONDS, _DIGITS) for key in ("from_ps", "until_ps")
    )
    if "again" in given:
        often = "at random times" if "seed" in given["again"] else "again and again"
        return f"{often} from {begin} on"
    return f"from {begin} on" if given["until_ps"] >= end_ps else f"from {begin} to {end}"


def sentences(faults: Sequence[Faulty], late: Lateness) -> list[str]:
    """Return what is said of faults first: which there were, and what they cost messages."""
    if not faults:
        return []
    others = len(faults) - 1
    more = f", and there {'was' if others == 1 else 'were'} {others} more" if others else ""
    told = [sentence(f"{faults[0].text}{more}")]
    if any(fault.is_of_links for fault in faults):
        [share] = [c.share for kind, c in late.kinds() if kind == _FAULT] or [0.0]
        told.append(f"{percent(share)} of all lateness is due to {'faults' if more else 'it'}.")
    if not all(fault.is_of_links for fault in faults):
        told.append(
            "A slow node makes no message late by itself: `tailback cost` says what it costs."
        )
    return told


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
