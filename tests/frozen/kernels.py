"""Which part of the engine simulates the channels of a run, told from its description.

Results do not say it, and need not: this is only counted, to see that random cases reach all of
them. The rules are those of `Model::new` in `crates/engine/src/fabric/models.rs`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Spec = Mapping[str, Any]

KERNELS = (
    "packet",
    "flit",
    "shared",
    "slotted",
    "router",
    "worm",
    "stream",
    "circuit",
    "stored",
    "cells",
    "frames",
    "fluid",
    "contention_free",
)


def kernel_of(spec: Spec) -> str:
    """Return the model of the engine that runs a description, or what there is instead."""
    machine, fidelity, mode = spec["machine"], spec["fidelity"], spec["mode"]
    switch = machine["switch"]
    if machine.get("loggops") is not None:
        return "no network"
    if fidelity == "fluid":
        return "fluid"
    if switch.get("cells"):
        return "cells"
    if mode == "endpoints" and switch["switching"] == "circuit" and not switch.get("integrated"):
        return "circuit"
    if mode != "full":
        return "contention_free"
    return _of_full(spec)


def _of_full(spec: Spec) -> str:
    machine, fidelity = spec["machine"], spec["fidelity"]
    switch = machine["switch"]
    for key, name in (("pipeline", "router"), ("frames", "frames")):
        if switch.get(key):
            return name
    whole = ("store_and_forward", "cut_through")
    if switch.get("integrated") and switch["switching"] in whole:
        return "stored"
    if switch["switching"] == "circuit":
        return "circuit"
    if fidelity == "flit" and _may_defer(spec):
        if is_in_slots(spec):
            return "slotted"
        if shares_wires(machine) or machine["routing"]["algorithm"]["kind"] == "minimal_adaptive":
            return "shared"
    return "flit" if fidelity == "token" else str(fidelity)


def _may_defer(spec: Spec) -> bool:
    """Whether nobody needs every flit at its time."""
    machine = spec["machine"]
    link, switch = machine["link"], machine["switch"]
    classes = [machine.get("node_link") or {}, *machine.get("link_classes", {}).values()]
    is_half = any(one.get("half_duplex") not in (None, False, "full") for one in (link, *classes))
    return (
        spec.get("blame") is None
        and spec.get("causes") is None
        and machine["interface"].get("reply_queue") is None
        and link["flow_control"] == "out_of_band"
        and not switch.get("regrant_delay_ps")
        and not switch.get("integrated")
        and not is_half
    )


def shares_wires(machine: Mapping[str, Any]) -> bool:
    """Whether several virtual channels take turns on a wire."""
    is_alone = machine["topology"]["kind"] in ("pair", "star")
    several = machine["switch"]["virtual_channels"] > 1
    return several and machine["link"]["sharing"] != "separate" and not is_alone


def is_in_slots(spec: Spec) -> bool:
    """Whether all times of links, switches and nodes are multiples of a flit's."""
    machine, slot = spec["machine"], spec["machine"]["link"]["flit_ps"]
    link, switch, interface = machine["link"], machine["switch"], machine["interface"]
    classes = [machine.get("node_link") or {}, *machine.get("link_classes", {}).values()]
    if link["end_token"] or interface.get("costs") or interface.get("time_slice_ps"):
        return False
    if interface.get("drain_byte_ps"):
        return False
    times = [link["delay_ps"], link["packet_gap_ps"], link["credit_delay_ps"], switch["delay_ps"]]
    times += [switch.get("fall_through_ps") or 0]
    times += [one[key] for one in classes for key in ("delay_ps", "flit_ps") if one.get(key)]
    is_even = all(time % slot == 0 for time in times)
    return (
        is_even
        and all(one.get("flit_ps") in (None, slot) for one in classes)
        and (all(_sends_in_slots(one, slot) for one in _workloads(spec["workload"])))
    )


def _workloads(workload: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for job in workload.get("jobs", ()):
        yield from _workloads(job["workload"])
    for source in workload.get("classes", ()) if workload["kind"] == "traffic" else ():
        yield source.get("messages", source)
    if workload["kind"] not in ("jobs", "traffic"):
        yield workload


def _sends_in_slots(workload: Mapping[str, Any], slot: int) -> bool:
    if workload.get("kind") == "messages":
        return all(time % slot == 0 for time in workload.get("time_ps", ()))
    compute = workload.get("compute")
    if compute is None or workload.get("start") != "together":
        return False
    if compute["shape"] == "constant":
        return bool(compute["mean"] % slot == 0)
    shape = compute["shape"]
    return isinstance(shape, Mapping) and shape.get("geometric", {}).get("slot", 1) % slot == 0
