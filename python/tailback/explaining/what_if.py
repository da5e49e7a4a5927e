"""What-if runs: the same program with part of the machine faster or without contention.

A change is applied to the engine's description of a run, so that all else, random numbers
included, stays the same.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tailback import engine, tables
from tailback.errors import UserError, choice, nearest, shown
from tailback.results.names import Names
from tailback.runner import processes_of

if TYPE_CHECKING:
    from tailback.experiment import Experiment

Spec = dict[str, Any]

COMPUTE, LINKS, NODES, NETWORK = "compute", "links", "nodes", "network"
"""What can be faster on any machine, besides link classes: computing, all links, node links, and
all other links."""


class Change(NamedTuple):
    """A change of a run."""

    name: str
    """As it was given."""
    of: Callable[[Spec], Spec]
    """Returns the changed description."""


_MOST = 1e6
"""How much faster or slower a part may be."""

_LONGEST_PS = 2**63 - 1


def faster(asked: str, experiment: Experiment) -> Change:
    """Return the change `--faster NAME:FACTOR`: links or computing `FACTOR` times as fast.

    The rate of links is multiplied (the time of a flit, or of a flow-control token, is a whole
    number of picoseconds, at least 1); delays stay. For computing, the means of all durations are
    divided; without a network, one of the times L, o, g, G and O.
    """
    name, _, text = asked.partition(":")
    field = "--faster"
    allowed = 'must be such as "compute:2" or "network:1.5": a factor from 1e-6 to 1e6'
    try:
        factor = float(text)
    except ValueError:
        raise UserError(field, shown(asked), allowed) from None
    if not 1 / _MOST <= factor <= _MOST:
        raise UserError(field, shown(asked), allowed)
    if name == COMPUTE:
        if experiment.workload.spec(experiment.machine)["kind"] not in _COMPUTES:
            allowed = "the workload's description has no computing that could be faster"
            raise UserError(field, shown(asked), allowed)
        return Change(f"faster {asked}", lambda spec: _computing(spec, factor))
    if experiment.machine.loggops is not None:
        if name not in _LETTERS:
            raise choice(field, name, (COMPUTE, *_LETTERS))
        return Change(f"faster {asked}", lambda spec: _letter(spec, name, factor))
    classes = experiment.machine.topology.link_classes
    known = (COMPUTE, LINKS, NODES, NETWORK, *classes)
    if name not in known:
        raise choice(field, name, known)
    if name == LINKS:
        return Change(
            f"faster {asked}",
            lambda spec: _links(_links(spec, NODES, classes, factor), NETWORK, classes, factor),
        )
    return Change(f"faster {asked}", lambda spec: _links(spec, name, classes, factor))


def without(asked: str, experiment: Experiment) -> Change:
    """Return the change `--without channel:NAME`: a link without contention.

    It gets as many parallel channels, in both directions, as lead to the switches at its ends, so
    every packet finds a free one. Channels behind it may see more contention.
    """
    field = "--without"
    kind, _, name = asked.partition(":")
    if experiment.machine.loggops is not None:
        raise UserError(field, shown(asked), "there is no network with [machine.loggops]")
    if kind != "channel" or not name:
        allowed = 'must be such as "channel:(0, 1)->(1, 1)": a channel between switches'
        raise UserError(field, shown(asked), allowed)
    channels = channels_of(experiment)
    ends = {name: (start, end) for name, kind, start, end in channels if kind == "internal"}
    if name not in ends:
        found = nearest(name, ends)
        allowed = "must be a channel between switches, as `tailback explain` names them"
        raise UserError(field, shown(name), allowed, found and shown(found))
    return Change(f"without {asked}", lambda spec: _uncontended(spec, ends[name]))


def channels_of(experiment: Experiment) -> list[tuple[str, str, int, int]]:
    """Return name, kind and ends of every channel, in the order of their numbers."""
    with processes_of(experiment) as processes:
        spec, arrays = experiment.spec(), experiment.messages_arrays()
        classes = experiment.message_classes() if experiment.run.blame else None
        sim = engine.Simulation(spec, arrays, classes, processes, experiment.traces())
        nodes, channels = sim.nodes(), tables.channels(sim.channels(), 0)
    labels = experiment.machine.topology.labels
    names = Names.of_tables(tables.nodes(nodes, 0), channels, "node", labels)
    rows = zip(*(channels[name].to_pylist() for name in _ENDS), strict=True)
    return [(names.channel(number), *row) for number, row in enumerate(rows)]


_ENDS = ("kind", "from_node", "to_node")


def _uncontended(spec: Spec, ends: tuple[int, int]) -> Spec:
    changed = copy.deepcopy(spec)
    changed["machine"]["uncontended"] = [list(ends)]
    return changed


#: Kinds of the engine's workloads whose description says what is computed.
_COMPUTES = {"program", "synthetic", "trace"}


#: The times of a machine without a network, as the engine describes them.
_LETTERS = {
    "L": "latency_ps",
    "o": "overhead_ps",
    "g": "gap_ps",
    "G": "gap_per_byte_fs",
    "O": "overhead_per_byte_fs",
}


def _letter(spec: Spec, letter: str, factor: float) -> Spec:
    changed = copy.deepcopy(spec)
    law = changed["machine"]["loggops"]
    law[_LETTERS[letter]] = _divided(law[_LETTERS[letter]], factor)
    return changed


def _computing(spec: Spec, factor: float) -> Spec:
    changed = copy.deepcopy(spec)
    workload = changed["workload"]
    if workload["kind"] == "trace":
        workload["compute_scale"] = workload.get("compute_scale", 1.0) / factor
        return changed
    steps = [step for process in workload.get("processes", ()) for step in process["steps"]]
    durations = [step["duration"] for step in steps if step["op"] == "compute"]
    durations += [workload["compute"]] if "compute" in workload else []
    for duration in _apart(durations):
        duration["mean"] = _divided(duration["mean"], factor)
    return changed


def _apart(tables: Sequence[Spec]) -> list[Spec]:
    """Return each table once; several steps may share one."""
    return list({id(table): table for table in tables}.values())


def _links(spec: Spec, name: str, classes: Sequence[str], factor: float) -> Spec:
    changed = copy.deepcopy(spec)
    machine = changed["machine"]
    link = machine["link"]
    for own in _own_links(machine["topology"], name):
        _speed_up(own, factor)
    if name == NETWORK and not classes:
        # Node links keep their rate, which may be that of all links.
        machine["node_link"] = _at(machine.get("node_link") or {}, link, 1)
        _speed_up(link, factor)
        return changed
    if name == NODES:
        machine["node_link"] = _at(machine.get("node_link") or {}, link, factor)
        return changed
    special = machine.setdefault("link_classes", {})
    for one in classes if name == NETWORK else (name,):
        special[one] = _at(special.get(one) or {}, link, factor)
    return changed


def _own_links(topology: Spec, name: str) -> list[Spec]:
    """Return the links of a graph that are meant and have a rate of their own."""
    while "of" in topology:
        topology = topology["of"]
    if topology["kind"] != "graph":
        return []
    links, classes = topology["links"], topology.get("classes", ())
    if name == NODES:
        links = topology.get("node_links", ())
    elif name != NETWORK:
        links = [link for link in links if classes[link["class"]] == name]
    return [link for link in links if link.get("flit_ps") is not None]


def _at(special: Spec, link: Spec, factor: float) -> Spec:
    """Return a link class with its times, or those of all links, divided by a factor."""
    times = {
        name: link[name] if special.get(name) is None else special[name]
        for name in ("flit_ps", "control_ps")
    }
    _speed_up(times, factor)
    return {**special, **times}


def _speed_up(times: Spec, factor: float) -> None:
    for name in ("flit_ps", "control_ps"):
        times[name] = max(1, _divided(times[name], factor))


def _divided(time_ps: int, factor: float) -> int:
    """Return a time divided by a factor; raise `UserError` if no such time can be simulated."""
    divided = round(time_ps / factor)
    if divided > _LONGEST_PS:
        raise UserError("--faster", f"{factor:g}", "makes a time longer than can be simulated")
    return divided
