"""The report of `tailback describe`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from tailback.answers import of_prediction
from tailback.answers.of_prediction import by_pauses, headroom_text
from tailback.machines import Graph, Machine
from tailback.machines.describing import rounded
from tailback.memory import amount
from tailback.places import shown as place
from tailback.prediction import LoadedChannel, Prediction
from tailback.prediction.message_law import Line, MessageLaw
from tailback.prediction.zero_load import ZeroLoad
from tailback.survey import Survey, TableRoutes
from tailback.units import counted
from tailback.wording import UNKNOWN, plain
from tailback.wording.scaling import MICROSECONDS, scaled

from .faults import faults_table
from .layout import head, more, new_table, numbers, texts, words
from .networks import bisection, cluster_rows
from .parameters import parameters_tables

_MUCH_MEMORY = 100_000_000  # bytes, from which on they are shown
_COUNTED = 1e12  # paths, above which not every digit is shown


def prediction_report(prediction: Prediction, *, full: bool = False) -> RenderableType:
    """Return the report of `tailback describe`: the answer, the machine, the most loaded channels.

    `full`: also the topology and all parameters, with their defaults.
    """
    p = prediction
    used = p.experiment.machine
    notes = [*_rounded(used), *_ignored(used), *_arbitration(p), *_headroom(p)]
    parts: list[RenderableType] = [
        *head(p.experiment, of_prediction(p)),
        _chosen_fidelity(p),
        *notes,
        Text(),
        _listing("Machine", _prediction_rows(p)),
    ]
    if p.cluster is not None:
        parts += [Text(), _listing("Network", cluster_rows(p.cluster))]
    if full:
        parts += [Text(), _listing("Topology, all pairs of nodes", _survey_rows(p.survey))]
    if p.experiment.machine.chosen_routing is not None:
        parts += [Text(), _listing("Routing", _routing_rows(p))]
    if p.law is not None:
        title = "A message alone, from node 0 to node 1"
        parts += [Text(), _listing(title, _law_rows(p.law))]
    if p.faults is not None:
        parts += [Text(), faults_table(p.faults)]
    loaded = p.most_loaded()
    if loaded:
        parts += [Text(), _loaded_table(p, loaded)]
    if full:
        return Group(*parts, Text(), *parameters_tables(p.experiment))
    return Group(*parts, *more("--full (topology and all parameters)", "--plot PAGE"))


def _loaded_table(p: Prediction, loaded: Sequence[LoadedChannel]) -> Table:
    by = "drawn routes" if p.exact else "two samples"
    estimated = "" if p.load_is_exact else f", an estimate from {by}"
    used = p.experiment.machine
    together = used.shares_wires or used.node_channels_per_wire > 1
    what = "links, virtual channels together" if together else "channels"
    return new_table(
        f"Most loaded {what}{estimated}",
        *texts("from", "to"),
        *words("channel"),
        *numbers("for one message per node"),
        rows=[(place(c.source), place(c.destination), c.kind, _time(c.load_us)) for c in loaded],
    )


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
        ("wires across the bisection", bisection(s.bisection)),
    ]
    if not s.exact:
        rows.append(("searched from", f"{s.sources:,} of {s.switches:,} switches"))
    return rows


_FREE = {
    "argument": "free, by the algorithm's own argument",
    "search": "free, all routes of all packets searched",
    None: "allowed, not searched for",
}


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
    """Yield that no frame is lost, where switches pause their neighbours in time."""
    pauses = prediction.pauses
    if pauses is None or pauses.headroom_bytes is None:
        return
    if not pauses.may_lose:
        yield Text(f"{headroom_text(prediction)}: no frame is lost")


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
    rows.append(("deadlock", by_pauses(circle) if circle else _FREE[r.free_by]))
    if r.chooses or r.ways > 1:
        ways = "one route" if r.ways == 1 else f"up to {r.ways} routes"
        # One is enough where many channels are alike.
        is_symmetric = prediction.load_is_exact and r.ways == 1
        drawn = f"{ways} of each packet, drawn at random"
        over = "channels that are alike by symmetry" if is_symmetric else drawn
        rows.append(("loads are averages over", over))
    return [*rows, *_table_rows(prediction.table_routes)]


def _table_rows(t: TableRoutes | None) -> list[tuple[str, str]]:
    """Return how the routes of a table compare with shortest paths, and how they share links."""
    if t is None:
        return []
    missing = [("  pairs of nodes without a route", f"{t.missing:,}")]
    of_all = f"all {t.shifts:,}" if t.shifts == t.nodes - 1 else f"{t.shifts:,} of {t.nodes - 1:,}"
    return [
        ("routes of the table, mean links", plain(t.mean_links)),
        ("  shortest paths between the same nodes", plain(t.shortest_mean_links)),
        ("  longer than shortest, pairs", f"{t.longer:,} of {t.pairs:,}"),
        ("  longer by at most, links", f"{t.most_extra_links:,}"),
        *(missing if t.missing else []),
        ("routes on the most loaded wire, all pairs", plain(t.uniform_most)),
        ("  mean of all wires with routes", plain(t.uniform_mean)),
        (f"  worst of {of_all} shifts", plain(t.shift_most)),
        ("  mean of these shifts", plain(t.shift_mean)),
    ]


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


def _prediction_rows(p: Prediction) -> list[tuple[str, str]]:
    sizes = [
        ("nodes", f"{p.nodes:,}"),
        ("switches", f"{p.switches:,}"),
        ("channels", f"{p.channel_count:,}"),
        ("  between switches", f"{p.internal_channels:,}"),
    ]
    if p.memory_bytes >= _MUCH_MEMORY:
        sizes.append(("memory for the machine, about", amount(p.memory_bytes)))
    machine = p.experiment.machine
    loaded = "wire" if machine.shares_wires else "channel"
    estimated = "" if p.load_is_exact else " (estimate)"
    return [
        *sizes,
        (f"mean hops ({_pairs(p)})", plain(p.mean_hops)),
        *_zero_load_rows(p),
        (f"load for one message per node, mean internal {loaded}", _time(p.load_mean_internal_us)),
        (f"  most loaded {loaded}{estimated}", _time(p.load_max_us)),
        *_limited_rows(p, estimated),
    ]


def _pairs(p: Prediction) -> str:
    """Return of which pairs of nodes the hops are."""
    if not p.pairs:
        # Who sends to whom is known when it runs: a trace, a program in Python.
        return "not known before it runs"
    if not p.exact:
        return f"{counted(p.pairs, 'sampled pair')}"
    return f"all {p.pairs:,} pairs" if p.pairs > 1 else "1 pair"


def _zero_load_rows(p: Prediction) -> list[tuple[str, str]]:
    """Return the zero-load latencies of the messages of the workload."""
    if not p.experiment.workload.sends_messages:
        return []
    alone = [("data packet", p.zero_load_data_us, p.zero_load_neighbour_us)]
    if p.zero_loads:
        alone = [(_message(one), one.latency_us, one.neighbour_us) for one in p.zero_loads]
    rows = []
    for what, mean_us, near_us in alone:
        rows.append((f"zero-load latency, {what}", _time(mean_us)))
        if p.has_neighbours:
            rows.append(("  over one link between switches", _time(near_us)))
    if p.experiment.machine.interface.acknowledgements:
        rows.append(("  acknowledgement", _time(p.zero_load_ack_us)))
    return rows


def _message(alone: ZeroLoad) -> str:
    of = "" if alone.traffic_class is None else f" of {alone.traffic_class}"
    return f"message{of}, {alone.data_bytes:,} B"


def _time(time_us: float) -> str:
    return scaled(time_us, MICROSECONDS)


def _or_unknown(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:,}" if isinstance(value, int) else plain(value)
