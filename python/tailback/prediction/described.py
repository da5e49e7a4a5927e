"""What `describe` predicts of an experiment without simulating it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailback import engine, tables
from tailback.experiment.memory import check_memory, needed_bytes
from tailback.experiment.outages import Faults, begun
from tailback.machines import Listed
from tailback.places import End, Ends, in_json, shown
from tailback.progress import Steps, ignore
from tailback.statistics import finite
from tailback.survey import (
    ClusterSurvey,
    Survey,
    TableRoutes,
    cluster_survey,
    survey,
    table_routes,
)
from tailback.units import Size
from tailback.wording import notebook
from tailback.wording.scaling import MICROSECONDS, scaled
from tailback.workloads import Synthetic, Traffic

from .buffers import ShortBuffers, bounded, short_buffers
from .loads import predicted_loads
from .message_law import MessageLaw, message_law
from .pauses import Pauses, pauses_of
from .switch_limit import SwitchLimit, offered, switch_limit
from .windows import ClassWindow, class_windows, window_rate
from .wires import by_wire, wires_of
from .zero_load import ZeroLoad, zero_loads

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from tailback.experiment import Experiment
    from tailback.figures.network_map import NetworkMap

_CHANNELS = 5
_BY_FLITS = (
    "virtual channels of a link take turns flit by flit, whatever the shares, which hold among "
    "packets of the same ones"
)


@dataclass(frozen=True, slots=True)
class LoadedChannel:
    """A channel and the load that the traffic of the workload puts on it."""

    channel: int
    kind: str
    source: End
    destination: End
    load_us: float
    """Mean time for which it is occupied when nodes send one message each on average."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "channel": self.channel,
            "kind": self.kind,
            "from": in_json(self.source),
            "to": in_json(self.destination),
            "load_us": self.load_us,
        }


@dataclass(frozen=True, slots=True)
class Routed:
    """Virtual channels, choice and freedom from deadlock of a routing."""

    classes: tuple[int, ...]
    """Virtual channels of a link, by VC class."""
    chooses: bool
    """Whether packets may choose among several outputs."""
    known_free: bool
    """Whether the algorithm is known to be deadlock-free, so that nothing was searched."""
    allows_deadlock: bool
    """Whether the machine allows deadlock, so that nothing was searched."""
    ways: int
    """Routes walked for each pair of nodes; loads are averages over them."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "virtual_channels_per_class": list(self.classes),
            "chooses": self.chooses,
            "free_of_deadlock_by": self.free_by,
            "ways_per_pair": self.ways,
        }

    @property
    def free_by(self) -> str | None:
        """Why it is deadlock-free: ``argument`` or ``search``; None if it may deadlock."""
        if self.known_free:
            return "argument"
        return None if self.allows_deadlock else "search"


@dataclass(frozen=True, eq=False, repr=False)
class Prediction:
    """What `describe` says: sizes, distances, zero-load latencies, loads, saturation.

    Averages are over the pairs of nodes between which the workload sends messages: all of them
    if `exact`, else a sample of `pairs`; NaN if there are none. `survey` has what holds for all
    pairs of the network, whatever the workload.
    """

    experiment: Experiment
    kernel: str
    """The kernel of the engine that would simulate mode ``full``."""
    nodes: int
    switches: int
    channel_count: int
    internal_channels: int
    mean_hops: float
    """Mean number of channels crossed, node links included."""
    zero_load_data_us: float
    """Zero-load latency of a message: the first of `zero_loads`; else of a full packet."""
    zero_load_ack_us: float
    zero_load_neighbour_us: float
    """The same over one link between switches, from the first node to the last."""
    bisection_channels: int | None
    """Wires of the bisection, both directions; None without a formula."""
    load_max_us: float
    """NaN if who sends to whom is not known before it runs, as below."""
    load_mean_internal_us: float
    saturation_messages_per_node_per_ms: float | None
    """Message rate at which the most loaded channel is always busy."""
    pairs: int
    exact: bool
    load_is_exact: bool
    """Whether the load of the most loaded channel is exact; else it is estimated from samples."""
    routing: Routed
    channels: pa.Table
    """One row per channel: its ends and its `load_us`."""
    least_load_us: NDArray[np.float64] | None
    """By channel, the smaller load of two samples; None without samples."""
    ends: Ends
    survey: Survey
    cluster: ClusterSurvey | None
    """Hosts, tiers, groups and cables; None where the network has no tiers or groups."""
    table_routes: TableRoutes | None
    """The routes of a routing table beside shortest paths; None with other routing."""
    pauses: Pauses | None
    """Deadlock and loss by pauses of switches; None without pauses."""
    short_buffers: tuple[ShortBuffers, ...]
    """Input buffers shorter than a round trip of credits, which limit their links."""
    switch_limit: SwitchLimit | None
    """Limit of the switches under uniform traffic; None for other traffic."""
    zero_loads: tuple[ZeroLoad, ...]
    """Zero-load latency of the messages of each traffic class and length."""
    law: MessageLaw | None
    """Latency of a message alone, if messages have software costs."""
    faults: Faults | None
    """How many faults begin while it runs, and the first; None without faults."""

    @property
    def has_neighbours(self) -> bool:
        """Whether `zero_load_neighbour_us` is of all nodes: their links have one rate."""
        rates = self.experiment.machine.node_rates
        return self.internal_channels > 0 and len(set(rates)) == 1

    @property
    def silent(self) -> int:
        """How many nodes send nothing; means over nodes include them."""
        of_nodes = self.channels["kind"].to_numpy() == "injection"
        sends = of_nodes & (self.channels["load_us"].to_numpy() > 0)
        return self.nodes - len(np.unique(self.channels["from_node"].to_numpy()[sends]))

    @property
    def arbitration(self) -> str | None:
        """How outputs are shared among traffic classes, in words; None: as requests come."""
        machine, workload = self.experiment.machine, self.experiment.workload
        longest = Size(machine.interface.packet_room.bytes + machine.interface.header.bytes)
        classes = workload.network_classes()
        shared = machine.switch.arbitration(longest, classes)
        nodes = machine.switch.one_queue(workload.queued_together(machine))
        told = [text for text in (shared, nodes) if text is not None]
        are_apart = len({str(one.get("virtual_channels")) for one in classes}) > 1
        by_flits = self.experiment.fidelity != "packet" and machine.shares_wires
        if shared is not None and are_apart and by_flits:
            told.append(_BY_FLITS)
        return "; ".join(told) or None

    @property
    def limited_saturation_messages_per_node_per_ms(self) -> float | None:
        """Predicted saturation, limited by the most loaded channel and by the switches."""
        limit = self.switch_limit
        limited = None if limit is None else limit.saturation_messages_per_node_per_ms
        return self.saturation_messages_per_node_per_ms if limited is None else limited

    @property
    def window_messages_per_node_per_ms(self) -> float | None:
        """What sources send at most, if that is less than the network carries: `max_outstanding`.

        None where they do not wait, or the network limits them first.
        """
        rate = window_rate(self.experiment, self.zero_loads, self.zero_load_ack_us)
        most = self.limited_saturation_messages_per_node_per_ms
        return rate if rate is not None and most is not None and rate < most else None

    @property
    def class_windows(self) -> tuple[ClassWindow, ...]:
        """The traffic classes whose sources send less than they are asked to: `max_outstanding`."""
        return class_windows(self.experiment, self.zero_loads, self.zero_load_ack_us)

    @property
    def offered_messages_per_node_per_ms(self) -> float | None:
        """What an open loop sends, whatever becomes of it; None where it waits for the network.

        A mean over all nodes, those that send nothing included.
        """
        workload = self.experiment.workload
        if not isinstance(workload, Synthetic):
            return None
        one = offered(workload)
        return one and one * workload.mean_rate(self.experiment.machine)

    @property
    def _acknowledges(self) -> bool:
        return self.experiment.machine.interface.acknowledgements

    @property
    def mixed_with_replies(self) -> list[tuple[str, str]]:
        """Request classes that share virtual channels with their replies, and these.

        Only if nodes have room for a limited number of replies: protocol deadlock is possible.
        """
        machine, workload = self.experiment.machine, self.experiment.workload
        if machine.interface.reply_queue is None or not isinstance(workload, Traffic):
            return []
        apart = machine.node_channels_per_wire == machine.switch.virtual_channels
        return workload.mixed_with_replies(apart=apart)

    @property
    def requests_in_pieces(self) -> list[str]:
        """Request classes of several packets that can deadlock with each other.

        Only if nodes have room for fewer replies than requests can arrive: the rest of a request
        that has room may be blocked behind one that waits for room.
        """
        machine, workload = self.experiment.machine, self.experiment.workload
        places = machine.interface.reply_queue
        if places is None or not isinstance(workload, Traffic):
            return []
        if workload.open_requests(machine.nodes) <= places:
            return []
        interface = machine.interface
        return workload.requests_in_pieces(interface.first_packet or interface.packet_room)

    @property
    def _by_buffers(self) -> dict[str, Any]:
        short = [one.to_dict() for one in self.short_buffers]
        limit, window = self.switch_limit, self.window_messages_per_node_per_ms
        classes = self.class_windows
        return {
            **({} if window is None else {"window_messages_per_node_per_ms": window}),
            **({"class_windows": [one.to_dict() for one in classes]} if classes else {}),
            **({"short_buffers": short} if short else {}),
            **({} if limit is None else {"switch_limit": limit.to_dict()}),
        }

    @property
    def _stopped(self) -> dict[str, None]:
        """What no longer holds for the routing if pauses can deadlock."""
        circle = self.pauses is not None and self.pauses.circle
        return {"free_of_deadlock_by": None} if circle else {}

    def most_loaded(self, count: int = _CHANNELS) -> list[LoadedChannel]:
        """Return the channels with the highest load, highest first.

        Virtual channels of a link count together, under the number of the first.
        """
        known = self.least_load_us
        load = self.channels["load_us"].to_numpy() if known is None else known
        wires = wires_of(self.experiment, self.channels)
        load = wires.sums(load)
        # Ties, apart from rounding, go to the lowest channel number.
        unit = load.max(initial=0.0) * 1e-9 or 1.0
        rows = np.argsort(-np.round(load / unit), kind="stable")[:count]
        return [
            LoadedChannel(row["channel"], row["kind"], *self._ends(row), float(load[i]))
            for i, row in zip(
                rows.tolist(), self.channels.take(wires.first[rows]).to_pylist(), strict=True
            )
            if load[i] > 0
        ]

    def _ends(self, row: dict[str, Any]) -> tuple[End, End]:
        return self.ends.of_channel(row["kind"], row["from_node"], row["to_node"])

    def plot(self) -> go.Figure:
        """Return the network, coloured by channel load, as Plotly's figure."""
        from tailback.figures import pages
        from tailback.figures.description import view_of

        return pages.figure(view_of(self._picture()))

    def write_plot(self, path: Path) -> None:
        """Write the network as a page of HTML or as SVG; raise `UserError` if that fails."""
        from tailback.figures.written import write_picture

        write_picture(path, self._picture)

    def _picture(self) -> NetworkMap:
        from tailback.figures import topology

        machine = self.experiment.machine
        built = machine.topology
        names = built.labels["switch"] if isinstance(built, Listed) else ()
        drawn = topology.picture(
            machine, self.survey.graph, self.switches, self._group_loads(), names
        )
        limit = self.switch_limit
        if limit is None or limit.share >= 1:
            return drawn
        return replace(drawn, title=f"{drawn.title}; {limit.in_words}")

    def _group_loads(self) -> dict[tuple[str, int, int], float]:
        """Return the mean load of the channels between each pair of places."""
        sums: dict[tuple[str, int, int], tuple[float, int]] = {}
        for row in self.channels.to_pylist():
            key = (row["kind"], row["from_node"], row["to_node"])
            load, count = sums.get(key, (0.0, 0))
            sums[key] = (load + row["load_us"], count + 1)
        return {key: load / count for key, (load, count) in sums.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the table of channels, for JSON."""
        predicted = {
            "nodes": self.nodes,
            "switches": self.switches,
            "channels": self.channel_count,
            "memory_bytes": self.memory_bytes,
            "internal_channels": self.internal_channels,
            "bisection_channels": self.bisection_channels,
            "mean_hops": self.mean_hops,
            "zero_load_data_us": self.zero_load_data_us,
            "zero_load_ack_us": self.zero_load_ack_us if self._acknowledges else math.nan,
            "zero_load_neighbour_us": self.zero_load_neighbour_us,
            "channel_load_max_us": self.load_max_us,
            "channel_load_mean_internal_us": self.load_mean_internal_us,
            "saturation_messages_per_node_per_ms": self.saturation_messages_per_node_per_ms,
            "pairs": self.pairs,
            "exact": self.exact,
            "channel_load_exact": self.load_is_exact,
        }
        return {
            **{name: finite(value) for name, value in predicted.items()},
            "zero_load": [packet.to_dict() for packet in self.zero_loads],
            "topology": self.survey.to_dict(),
            **({} if self.cluster is None else {"cluster": self.cluster.to_dict()}),
            "routing": self.routing.to_dict() | self._stopped,
            **({} if (found := self.table_routes) is None else {"table_routes": found.to_dict()}),
            **({} if self.arbitration is None else {"arbitration": self.arbitration}),
            **self._by_buffers,
            **({} if self.pauses is None else {"pauses": self.pauses.to_dict()}),
            **({"mixed_with_replies": mixed} if (mixed := self.mixed_with_replies) else {}),
            **({"requests_in_pieces": cut} if (cut := self.requests_in_pieces) else {}),
            **({} if self.law is None else {"message_law": self.law.to_dict()}),
            **({} if self.faults is None else {"faults": self.faults.to_dict()}),
            "channels_loaded_most": [channel.to_dict() for channel in self.most_loaded()],
            "fidelity": self.experiment.fidelity,
            "kernel": self.kernel,
            "seed": self.experiment.run.seed,
            "version": engine.VERSION,
            "results_version": engine.RESULTS_VERSION,
            "identity": self.experiment.identity(engine.RESULTS_VERSION),
            "parameters": self.experiment.resolved(),
        }

    @property
    def memory_bytes(self) -> int:
        """About what a run of the machine takes before anything is sent."""
        return needed_bytes(self.experiment)

    def _repr_html_(self) -> str:
        numbers = {
            "nodes": (self.nodes, ""),
            "switches": (self.switches, ""),
            "channels": (self.channel_count, ""),
            "channels crossed, mean": (self.mean_hops, ""),
            "message without contention": (self.zero_load_data_us, MICROSECONDS),
            "saturation, messages per node and ms": (self.saturation_messages_per_node_per_ms, ""),
        }
        rows = [(name, scaled(value, unit, 4).rstrip()) for name, (value, unit) in numbers.items()]
        return notebook.shown(("", ""), rows, picture=self._repr_svg_())

    def _repr_svg_(self) -> str | None:
        from tailback.figures import notebooks

        if self.nodes + self.switches <= notebooks.MOST_ENDS:
            return notebooks.network(self._picture())
        loads = [
            (f"{shown(row.source)} to {shown(row.destination)}", row.load_us)
            for row in self.most_loaded()
        ]
        return notebooks.bars("Channels loaded most", loads, MICROSECONDS)

    def __repr__(self) -> str:
        return f"<Prediction {self.nodes} nodes, {self.mean_hops:.4g} hops on average>"


STEPS = 4
"""Steps of `describe` that take seconds each on a network of 10,000 nodes."""


def describe(experiment: Experiment, steps: Steps | None = None) -> Prediction:
    """Return predictions for an experiment; nothing is simulated.

    ``steps`` is told of each of `STEPS`, and how much of it is done where that is known. Raises
    `UserError` where there is not enough memory for the machine.
    """
    check_memory(experiment)
    steps = steps or Steps(STEPS, ignore)
    steps.begin("distances and minimal paths")
    counted = survey(experiment.machine)
    bisection = counted.bisection
    spec, messages = experiment.spec(), experiment.messages_arrays()
    steps.begin("loads of channels")
    with experiment.machine.topology.names():
        machine = engine.Simulation(spec, messages, traces=experiment.traces())
        channels = tables.channel_ends(machine.channels())
        loads = predicted_loads(experiment, channels)
    predicted = loads.predicted
    alone = zero_loads(experiment, predicted) if experiment.workload.sends_messages else ()
    data_us = predicted["zero_load_data_ps"] / 1e6
    neighbour_us = predicted["zero_load_data_1hop_ps"] / 1e6
    if alone:
        data_us, neighbour_us = alone[0].latency_us, alone[0].neighbour_us
    routing = experiment.machine.chosen_routing
    short = short_buffers(experiment)
    saturation = predicted["saturation_messages_per_node_per_ms"]
    load_us, pairs = predicted["channel_load"] / 1e6, predicted["pairs"]
    known = load_us if loads.least_load is None else loads.least_load / 1e6
    wires, kinds = by_wire(experiment, channels, known)
    if short and saturation:
        saturation = 1e3 / bounded(short, wires, kinds, 1e3 / saturation)
    # Nothing is known of the loads of messages that are decided upon while it runs.
    load_known = bool(pairs) or not experiment.workload.sends_messages
    limit = switch_limit(
        experiment,
        machine.kernel,
        predicted["routing_classes"],
        float(wires[kinds == "injection"].max(initial=0.0)),
        float(wires.max(initial=0.0)),
        saturation,
    )
    steps.begin("hosts, tiers and cables")
    cluster = cluster_survey(experiment.machine, counted)
    steps.begin("routes of tables beside shortest paths")
    routes = table_routes(experiment.machine, counted.graph, steps.done)
    return Prediction(
        experiment=experiment,
        kernel=machine.kernel,
        nodes=predicted["nodes"],
        switches=predicted["switches"],
        channel_count=predicted["channels"],
        internal_channels=predicted["internal_channels"],
        mean_hops=predicted["mean_hops"] if pairs else math.nan,
        zero_load_data_us=data_us if pairs else math.nan,
        zero_load_ack_us=(
            predicted["zero_load_ack_ps"] / 1e6
            if pairs and experiment.machine.interface.acknowledgements
            else math.nan
        ),
        zero_load_neighbour_us=neighbour_us,
        short_buffers=short,
        switch_limit=limit,
        zero_loads=alone,
        pauses=pauses_of(experiment.machine, counted.graph, channels, load_us),
        bisection_channels=bisection.wires if bisection and bisection.exact else None,
        load_max_us=predicted["channel_load_max"] / 1e6 if load_known else math.nan,
        load_mean_internal_us=(
            predicted["channel_load_mean_internal"] / 1e6 if load_known else math.nan
        ),
        saturation_messages_per_node_per_ms=saturation,
        pairs=pairs,
        exact=loads.exact,
        load_is_exact=loads.max_exact,
        routing=Routed(
            classes=tuple(predicted["routing_classes"]),
            chooses=predicted["routing_chooses"],
            known_free=predicted["routing_known_free"],
            allows_deadlock=routing is not None and routing.allow_deadlock,
            ways=predicted["ways"],
        ),
        channels=channels.append_column("load_us", pa.array(load_us)),
        least_load_us=None if loads.least_load is None else loads.least_load / 1e6,
        ends=Ends.of(tables.table(machine.nodes()), experiment.machine.topology.labels),
        survey=counted,
        cluster=cluster,
        table_routes=routes,
        law=message_law(experiment),
        faults=begun(experiment.faults, experiment.machine.topology),
    )
