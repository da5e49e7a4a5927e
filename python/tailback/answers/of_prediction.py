"""What is to be expected of a network, before anything is simulated."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tailback.units import counted
from tailback.wording import plain
from tailback.wording.phrases import listed, percent, sentence
from tailback.wording.scaling import BYTES, MICROSECONDS, scaled
from tailback.workloads import Synthetic

from .places import link_text
from .status import Head

if TYPE_CHECKING:
    from tailback.prediction import Prediction
    from tailback.survey import ClusterSurvey, TableRoutes

EVEN = 1.005  # down over up, above which switches are said to be oversubscribed
_MUCH = 0.5  # load from which one queue at every input is felt, roughly
_SHOWN = 8  # switches named of a cycle


def of_prediction(prediction: Prediction) -> Head:
    """Return the head of a description: network, latency, saturation, the most loaded channel."""
    told = (
        *_network(prediction.cluster),
        *_routes(prediction.table_routes),
        *_alone(prediction),
        *_saturation(prediction),
        *_window(prediction),
        *_most_loaded(prediction),
    )
    return Head(tuple(_status(prediction)), told)


def _network(found: ClusterSurvey | None) -> list[str]:
    """Return hosts and switches, and where more leads down than up."""
    if found is None:
        return []
    several = [f"{tier.switches:,} {tier.name}" for tier in found.tiers]
    groups = found.groups
    within = "" if groups is None else f" in {groups.groups:,} groups of {groups.switches:,}"
    switches = listed(several) if found.tiers[0].name != "switch" else several[0].split()[0]
    hosts = counted(found.hosts, "host")
    if found.interfaces > found.hosts:
        hosts += f" with {counted(found.interfaces, 'interface')}"
    counts = f"{hosts} on {switches} switches{within}"
    shares = [(f"{tier.name} switches", tier.oversubscription) for tier in found.tiers]
    if groups is not None:
        shares.append(("groups", groups.oversubscription))
    over = [f"{plain(share, 3)} to 1 in {what}" for what, share in shares if share and share > EVEN]
    return [sentence(counts + (f", oversubscribed {listed(over)}" if over else ""))]


def _routes(found: TableRoutes | None) -> list[str]:
    """Return how unevenly installed routes share cables."""
    if found is None or not found.shifts:
        return []
    most, mean = plain(found.shift_most, 3), plain(found.shift_mean, 3)
    return [
        f"If every node sends to the one k further, the most loaded cable carries {mean} routes on "
        f"average over all k, {most} at worst."
    ]


def _alone(p: Prediction) -> list[str]:
    if not p.experiment.workload.sends_messages or math.isnan(p.zero_load_data_us):
        return []
    what = "a full packet"
    if not p.experiment.machine.sends_whole_messages:
        what += f" of {scaled(p.experiment.machine.interface.packet_room.bytes, BYTES)}"
    if p.zero_loads:
        first = p.zero_loads[0]
        what = f"a message of {scaled(first.data_bytes, BYTES)}"
    line = f"{what} takes {scaled(p.zero_load_data_us, MICROSECONDS, 3)} on average if it meets no"
    line += " other"
    if p.has_neighbours:
        near = scaled(p.zero_load_neighbour_us, MICROSECONDS, 3)
        line += f", {near} over one link between switches"
    return [sentence(line)]


def _saturation(p: Prediction) -> list[str]:
    """Return the rate that the network carries, and how much of it the workload offers."""
    most = p.limited_saturation_messages_per_node_per_ms
    if most is None:
        return []
    drawn = p.routing.chooses or p.routing.ways > 1
    limit = p.switch_limit
    may_be_less = limit is not None and (limit.is_bound or limit.least < limit.share)
    is_bound = p.load_is_exact and not drawn and most == p.saturation_messages_per_node_per_ms
    is_bound = is_bound or (may_be_less and not drawn)
    line = f"The network carries {'at most' if is_bound else 'about'} {plain(most, 4)} messages"
    routing = p.experiment.machine.chosen_routing
    leaves = routing is not None and routing.leaves_minimal
    line += f" per node and ms{' on minimal routes' if leaves else ''}{_silent(p)}"
    offered = p.offered_messages_per_node_per_ms
    if offered is not None:
        line += f"; the workload offers {percent(offered / most)} of that"
    more = " Packets that leave these routes by load may make it more."
    return [f"{line}.{more if leaves else ''}"]


def _window(p: Prediction) -> list[str]:
    """Return what sources send at most, if the network carries more."""
    most, workload = p.window_messages_per_node_per_ms, p.experiment.workload
    if most is None or not isinstance(workload, Synthetic):
        return [
            f"Sources of {one.name} send at most {plain(one.most, 4)} of the "
            f"{plain(one.asked, 4)} messages per node and ms that they are asked for: "
            f"{counted(one.max_outstanding, 'message')} of a node may be under way "
            "(its max_outstanding)."
            for one in p.class_windows
        ]
    each = counted(workload.max_outstanding, "message")
    return [
        f"Sources send at most {plain(most, 4)} messages per node and ms: {each} of a process may "
        "be under way (workload.max_outstanding)."
    ]


def _most_loaded(p: Prediction) -> list[str]:
    loaded = p.most_loaded()
    if not loaded:
        return []
    first, last = loaded[0], loaded[-1]
    name = link_text(first.kind, first.source, first.destination)
    load = f"{scaled(first.load_us, MICROSECONDS, 3)} for one message per node{_silent(p)}"
    if len(loaded) > 1 and last.load_us >= first.load_us * (1 - 1e-9):
        return [f"Many channels are loaded alike, such as {name}: {load}."]
    return [f"The most loaded channel is {name}: {load}."]


def _silent(p: Prediction) -> str:
    if not p.silent:
        return ""
    return f", the {p.silent:,} that send{'s' if p.silent == 1 else ''} nothing included"


def _status(p: Prediction) -> Iterator[str]:
    """Yield what is wrong with the machine, or with this workload on it."""
    yield from _deadlocks(p)
    pauses = p.pauses
    if pauses is not None and pauses.may_lose:
        yield f"{headroom_text(p)}: frames can be lost if all links send at once"
    yield from _short_buffers(p)
    yield from _beyond_switches(p)
    yield from _long_messages(p)


def _deadlocks(p: Prediction) -> Iterator[str]:
    circle = () if p.pauses is None else p.pauses.circle
    if circle:
        yield f"deadlock is {by_pauses(circle)}"
    places = p.experiment.machine.interface.reply_queue
    for request, reply in p.mixed_with_replies:
        yield (
            f"{request} and its replies, {reply}, share virtual channels, and nodes have room for "
            f"{places} replies: protocol deadlock is possible"
        )
    for request in p.requests_in_pieces:
        yield (
            f"{request} may be several packets, and nodes have room for {places}: the rest of one "
            "can be blocked behind another that waits for room (protocol deadlock)"
        )


def by_pauses(circle: tuple[int, ...]) -> str:
    """Return that pauses can deadlock, and by which switches."""
    named = ", ".join(map(str, circle[:_SHOWN])) + (", ..." if len(circle) > _SHOWN else "")
    return f"possible by pauses: switches {named} can pause each other in a cycle"


def headroom_text(p: Prediction) -> str:
    """Return the headroom of switches that pause, and how much may arrive late."""
    pauses = p.pauses
    if pauses is None or pauses.headroom_bytes is None:
        return ""
    room, late = (scaled(size, BYTES) for size in (pauses.headroom_bytes, pauses.late_bytes))
    return f"pauses: {room} of headroom above pause_high, and up to {late} may still arrive"


_ENDS = {"injection": "from nodes", "internal": "between switches"}


def _short_buffers(p: Prediction) -> Iterator[str]:
    """Yield the links whose buffers are shorter than a round trip of credits."""
    link = p.experiment.machine.link
    at_once = ", which return at once (link.credit_delay = 0 s)"
    back = at_once if link.delay.ps and not link.credit_delay.ps else ""
    for one in p.short_buffers:
        held, needed = (scaled(n * one.flit_bytes, BYTES) for n in (one.flits, one.needed))
        if one.packets is not None:
            held += f", {counted(one.packets[0], 'packet')} of {one.packets[1] * one.flit_bytes} B"
        yield (
            f"links {_ENDS[one.kind]}: buffers hold {held}, but {needed} pass in a round trip of "
            f"credits{back}, so links carry at most {100 * one.share:.0f} % (switch.input_buffer)"
        )


_QUEUES = {
    "fifo": "one queue at every input (head-of-line blocking)",
    "voq": "virtual output queues",
    "output": "output queues",
}


def _long_messages(p: Prediction) -> Iterator[str]:
    """Yield that messages do not fit into an input buffer, where much is sent."""
    limit, offered = p.switch_limit, p.offered_messages_per_node_per_ms
    most = p.saturation_messages_per_node_per_ms
    if limit is None or limit.packets is None or limit.message_packets <= max(1, limit.packets):
        return
    if offered is None or most is None or offered < _MUCH * most:
        return
    yield (
        f"messages of {limit.message_packets} packets leave a node one after the other "
        f"(interface.message_order), and an input has room for {plain(limit.packets, 3)}: one that "
        "waits keeps the next in its node, as with one queue at every input"
    )


def _beyond_switches(p: Prediction) -> Iterator[str]:
    """Yield that the switches cannot carry the offered load."""
    limit = p.switch_limit
    if limit is None or not limit.is_exceeded:
        return
    most, offered = (
        "-" if load is None else plain(load)
        for load in (
            limit.saturation_messages_per_node_per_ms,
            limit.offered_messages_per_node_per_ms,
        )
    )
    packets = limit.packets
    room = "" if packets is None else f" and room for {plain(packets, 3)} packets at every input"
    whole = p.experiment.machine.switch.switching != "wormhole"
    keys = "switch.queueing, switch.input_buffer" if whole else "switch.switching"
    yield (
        f"the workload offers {offered} messages per node and ms, and switches with "
        f"{_QUEUES[limit.queueing]}{room} carry about {most} ({keys})"
    )
