"""The report of `tailback describe`."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from tailback.machines import Graph, Machine
from tailback.machines.describing import rounded
from tailback.places import shown as place
from tailback.prediction import Prediction
from tailback.prediction.message_law import Line, MessageLaw
from tailback.prediction.zero_load import ZeroLoad
from tailback.survey import Bisection, Survey
from tailback.wording import UNKNOWN, plain
from tailback.wording.scaling import BYTES, MICROSECONDS, scaled

from .layout import heading, new_table, numbers, texts, words
from .parameters import parameters_tables

_COUNTED = 1e12  # paths, above which not every digit is shown
_SHOWN = 8  # switches named of a cycle


def prediction_report(prediction: Prediction) -> RenderableType:
    """Return the table of `tailback describe`."""
    machine = _listing("Machine", _prediction_rows(prediction))
    topology = _listing("Topology, all pairs of nodes", _survey_rows(prediction.survey))
    chosen = _chosen_fidelity(prediction)
    parts: list[RenderableType] = [
        heading(prediction.experiment),
        chosen,
        *_rounded(prediction.experiment.machine),
        *_ignored(prediction.experiment.machine),
        *_arbitration(prediction),
        *_mixed(prediction),
        *_in_pieces(prediction),
        *_headroom(prediction),
        *_short_buffers(prediction),
        *_beyond_switches(prediction),
        Text(),
        machine,
        Text(),
        topology,
    ]
    if prediction.experiment.machine.chosen_routing is not None:
        rows = _routing_rows(prediction)
        parts += [Text(), _listing("Routing", rows)]
    if prediction.law is not None:
        title = "A message alone, from node 0 to node 1"
        parts += [Text(), _listing(title, _law_rows(prediction.law))]
    loaded = prediction.most_loaded()
    if loaded:
        estimated = "" if prediction.load_is_exact else ", an estimate from two samples"
        used = prediction.experiment.machine
        together = used.shares_wires or used.node_channels_per_wire > 1
        by_link = ", virtual channels of a link together" if together else ""
        table = new_table(
            f"Channels loaded most{by_link}{estimated}",
            *texts("from", "to"),
            *words("channel"),
            *numbers("per message of every node"),
            rows=[
                (place(c.source), place(c.destination), c.kind, _time(c.load_us)) for c in loaded
            ],
        )
        parts += [Text(), table]
    return Group(*parts, Text(), *parameters_tables(prediction.experiment))


def _chosen_fidelity(prediction: Prediction) -> Text:
    """Return the fidelity in use, the cheapest exact one, and why that is exact."""
    experiment = prediction.experiment
    machine, used = experiment.machine, experiment.fidelity
    by = f"fidelity {used}, kernel {prediction.kernel}"
    exact, why = machine.exact_fidelity, machine.exact.why
    if used == exact:
        return Text(f"{by}: the cheapest that is exact here ({why})")
    is_estimate = ", an estimate: links shared max-min fairly" if used == "fluid" else ""
    return Text(f"{by}{is_estimate}; exact here would be {exact} ({why})")


def _ignored(machine: Machine) -> Iterator[Text]:
    """Yield what the file of a network says that has no effect."""
    topology = machine.topology
    if isinstance(topology, Graph) and (ignored := topology.graph.ignored):
        yield Text(f"{topology.place}: attributes without effect: {', '.join(ignored)}")


def _rounded(machine: Machine) -> Iterator[Text]:
    """Yield the links whose flit time is rounded to whole picoseconds."""
    for rate, used, by in rounded(machine):
        yield Text(f"a flit at {rate} takes {used} ps, rounded by {plain(100 * float(by), 2)} %")


def _mixed(prediction: Prediction) -> Iterator[Text]:
    """Yield the request classes that can deadlock with their replies."""
    for request, reply in prediction.mixed_with_replies:
        places = prediction.experiment.machine.interface.reply_queue
        yield Text(
            f"{request} and its replies, {reply}, share virtual channels, and nodes have room for "
            f"{places} replies: protocol deadlock is possible",
            style="yellow",
        )


def _in_pieces(prediction: Prediction) -> Iterator[Text]:
    """Yield the request classes whose packets can deadlock with each other."""
    for request in prediction.requests_in_pieces:
        places = prediction.experiment.machine.interface.reply_queue
        yield Text(
            f"{request} may be several packets, and nodes have room for {places}: the rest of one "
            "can be blocked behind another that waits for room (protocol deadlock)",
            style="yellow",
        )


def _listing(title: str, rows: list[tuple[str, str]]) -> Table:
    return new_table(title, Column(""), *numbers(""), rows=rows, has_head=False)


def _survey_rows(s: Survey) -> list[tuple[str, str]]:
    """Return the numbers of the network; bounds and estimates are marked as such."""
    at_least, at_most, about = ("", "", "") if s.exact else ("at least ", "at most ", "about ")
    failed = [("  failed links, both directions counted once", f"{s.failed_links:,}")]
    rows = [
        ("links between switches, each direction", f"{s.links:,}"),
        *(failed if s.failed_links else []),
        ("  most from one switch", f"{s.degree:,}"),
        ("  all bidirectional", "yes" if s.symmetric else "no"),
        ("diameter, channels from node to node", f"{at_least}{s.diameter:,}"),
        ("  links from switch to switch", f"{at_least}{s.switch_diameter:,}"),
        ("mean shortest path, channels", f"{about}{plain(s.mean_hops)}"),
        ("minimal paths between two nodes, mean", f"{about}{plain(s.paths_mean)}"),
        ("  fewest", f"{at_most}{_counted(s.paths_min)}"),
        ("  most", f"{at_least}{_counted(s.paths_max)}"),
        ("wires across the bisection", _bisection(s.bisection)),
    ]
    if not s.exact:
        rows.append(("searched from", f"{s.sources:,} of {s.switches:,} switches"))
    return rows


_FREE = {
    "argument": "free, by the algorithm's own argument",
    "search": "free, all routes of all packets searched",
    None: "allowed, not searched for",
}


def _by_pauses(circle: tuple[int, ...]) -> str:
    """Return that pauses can deadlock, and by which switches."""
    named = ", ".join(map(str, circle[:_SHOWN])) + (", ..." if len(circle) > _SHOWN else "")
    return f"possible by pauses: switches {named} can pause each other in a cycle"


_ENDS = {"injection": "from nodes", "internal": "between switches"}


def _short_buffers(prediction: Prediction) -> Iterator[Text]:
    """Yield the links whose buffers are shorter than a round trip of credits."""
    for one in prediction.short_buffers:
        held, needed = (scaled(n * one.flit_bytes, BYTES) for n in (one.flits, one.needed))
        yield Text(
            f"links {_ENDS[one.kind]}: buffers hold {held}, but {needed} pass in a round trip of "
            f"credits, so links carry at most {100 * one.share:.0f} % (switch.input_buffer)",
            style="yellow",
        )


_QUEUES = {
    "fifo": "one queue at every input (head-of-line blocking)",
    "voq": "virtual output queues",
    "output": "output queues",
}


def _beyond_switches(prediction: Prediction) -> Iterator[Text]:
    """Yield that the switches cannot carry the offered load."""
    limit = prediction.switch_limit
    if limit is None or not limit.is_exceeded:
        return
    most, offered = (
        _or_unknown(load)
        for load in (
            limit.saturation_messages_per_node_per_ms,
            limit.offered_messages_per_node_per_ms,
        )
    )
    packets = limit.packets
    room = "" if packets is None else f" and room for {plain(packets, 3)} packets at every input"
    yield Text(
        f"the workload offers {offered} messages per node and ms, and switches with "
        f"{_QUEUES[limit.queueing]}{room} carry about {most} "
        "(switch.queueing, switch.input_buffer)",
        style="yellow",
    )


def _limited_rows(p: Prediction, estimated: str) -> list[tuple[str, str]]:
    """Return the predicted saturation and what limits it."""
    label = f"predicted saturation{estimated}, messages per node and ms"
    limit = p.switch_limit
    by_channel = _or_unknown(p.saturation_messages_per_node_per_ms)
    if limit is None or limit.share >= 1:
        return [(label, by_channel)]
    room = "" if limit.packets is None else f", {plain(limit.packets, 3)} packets"
    name = f"switches carry ({limit.queueing}{room})"
    if limit.saturation_messages_per_node_per_ms is None:
        return [(label, by_channel), (f"  of evenly loaded links {name}", limit.carried)]
    return [
        (label, _or_unknown(limit.saturation_messages_per_node_per_ms)),
        ("  by the most loaded channel alone", by_channel),
        (f"  of which {name}", limit.carried),
    ]


def _headroom(prediction: Prediction) -> Iterator[Text]:
    """Yield whether frames can be lost in spite of pauses."""
    pauses = prediction.pauses
    if pauses is None or pauses.headroom_bytes is None:
        return
    room, late = (scaled(size, BYTES) for size in (pauses.headroom_bytes, pauses.late_bytes))
    told = f"pauses: {room} of headroom above pause_high, and up to {late} may still arrive"
    if pauses.may_lose:
        yield Text(f"{told}: frames can be lost if all links send at once", style="yellow")
    else:
        yield Text(f"{told}: no frame is lost")


def _arbitration(prediction: Prediction) -> Iterator[Text]:
    """Say how traffic classes share outputs, where an arbiter sees to that."""
    if prediction.arbitration is not None:
        yield Text(prediction.arbitration)


def _routing_rows(prediction: Prediction) -> list[tuple[str, str]]:
    """Return routing algorithm, virtual channels and freedom from deadlock."""
    r, machine = prediction.routing, prediction.experiment.machine
    parts = " + ".join(map(str, r.classes))
    routing = machine.chosen_routing
    if routing is None:
        return []
    by_class = f" ({parts}, by class)" if len(r.classes) > 1 else ""
    rows = [
        ("routing", routing.kind),
        ("  choice of outputs", machine.selection if r.chooses else "none"),
        ("virtual channels of a link", f"{sum(r.classes)}{by_class}"),
    ]
    if sum(r.classes) > 1:
        rows.append(("  share a wire", machine.link.sharing))
    circle = () if prediction.pauses is None else prediction.pauses.circle
    rows.append(("deadlock", _by_pauses(circle) if circle else _FREE[r.free_by]))
    if r.chooses or r.ways > 1:
        ways = "one route" if r.ways == 1 else f"up to {r.ways} routes"
        rows.append(("loads are averages over", f"{ways} of each packet, drawn at random"))
    return rows


def _law_rows(law: MessageLaw) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    if law.one_packet is not None:
        size = "" if law.several is None else f" (up to {law.packet_bytes} B)"
        rows.append((f"of one packet{size}", _line(law.one_packet)))
    if law.several is not None:
        rows.append(("of many packets", _line(law.several)))
    rows += [(f"  of {size:,} B", _time(time)) for size, time in law.latencies_us.items()]
    return rows


def _line(line: Line) -> str:
    return f"{_time(line.start_us)} + {_time(line.per_byte_us)} per byte"


def _counted(paths: float) -> str:
    """Return a number in full, or in four digits if it is very large."""
    return f"{paths:,.0f}" if paths < _COUNTED else f"{paths:.4g}"


def _bisection(found: Bisection | None) -> str:
    """Return the wires of the bisection; an upper bound says so, with the sizes of the halves."""
    if found is None:
        return UNKNOWN
    if found.exact or found.halves is None:
        return f"{found.wires:,}"
    smaller, larger = found.halves
    halves = "" if smaller == larger else f" ({smaller:,} and {larger:,} nodes)"
    return f"at most {found.wires:,}{halves}"


def _prediction_rows(p: Prediction) -> list[tuple[str, str]]:
    sizes = [
        ("nodes", f"{p.nodes:,}"),
        ("switches", f"{p.switches:,}"),
        ("channels", f"{p.channel_count:,}"),
        ("  between switches", f"{p.internal_channels:,}"),
    ]
    machine = p.experiment.machine
    loaded = "wire" if machine.shares_wires else "channel"
    estimated = "" if p.load_is_exact else " (estimate)"
    pairs = f"all {p.pairs:,} pairs" if p.exact else f"{p.pairs:,} sampled pairs"
    return [
        *sizes,
        (f"mean hops ({pairs})", plain(p.mean_hops)),
        *_zero_load_rows(p),
        (f"load per message, mean internal {loaded}", _time(p.load_mean_internal_us)),
        (f"  most loaded {loaded}{estimated}", _time(p.load_max_us)),
        *_limited_rows(p, estimated),
    ]


def _zero_load_rows(p: Prediction) -> list[tuple[str, str]]:
    """Return the zero-load latencies of the packets of the workload."""
    if not p.experiment.workload.sends_messages:
        return []
    rows = [
        ("zero-load latency, data packet", _time(p.zero_load_data_us)),
        ("  to a neighbour", _time(p.zero_load_neighbour_us)),
    ]
    if p.zero_loads:
        rows = [row for packet in p.zero_loads for row in _alone_rows(packet)]
    if p.experiment.machine.interface.acknowledgements:
        rows.append(("  acknowledgement", _time(p.zero_load_ack_us)))
    return rows


def _alone_rows(packet: ZeroLoad) -> list[tuple[str, str]]:
    """Return the zero-load latencies of one kind of packet."""
    of = "" if packet.traffic_class is None else f" of {packet.traffic_class}"
    what = f"message{of}" if packet.is_whole else f"full packet{of}"
    return [
        (f"zero-load latency, {what}, {packet.data_bytes:,} B", _time(packet.latency_us)),
        ("  to a neighbour", _time(packet.neighbour_us)),
    ]


def _time(time_us: float) -> str:
    return scaled(time_us, MICROSECONDS)


def _or_unknown(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:,}" if isinstance(value, int) else plain(value)
