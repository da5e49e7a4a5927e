"""Configurations of BookSim2 [Jiang et al. 2013] as experiments.

What its router does in which cycle is that of `machine.switch.allocator` (docs/model.md). A cycle
is 1 ns here, a flit 8 B, and the header of a packet its first flit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..csv_files import plain_csv
from ..errors import listed
from .any_network import Listed
from .keys import UNSURE
from .loads import injection, lengths
from .networks import Network, network
from .settings import Settings
from .statements import called
from .toml import to_toml
from .traffic import Matrix, pattern

_FLIT = 8
#: Allocators by their names in BookSim2. `select` is islip among requests of equal priority.
_ALLOCATORS = {
    "islip": "islip",
    "select": "islip",
    "separable_input_first": "separable_input_first",
    "separable_output_first": "separable_output_first",
    "wavefront": "wavefront",
    "max_size": "maximum_size",
}
#: Ends of the names of files beside an experiment.
TRAFFIC, GRAPH, ROUTES = ".traffic.csv", ".anynet", ".routes.csv"


@dataclass(frozen=True, slots=True)
class BookSim:
    """What a configuration becomes, and what was made of its keys."""

    experiment: dict[str, Any]
    """Tables of an experiment file."""
    matrix: Matrix | None
    """Who sends to whom, for a file of its own."""
    listed: Listed | None
    """The network and its routing, for files of their own."""
    lengths: tuple[list[int], list[int]]
    """Lengths of packets in flits, and their weights."""
    taken: dict[str, str]
    assumed: dict[str, str]
    """Keys the file does not give, and the defaults of BookSim2."""
    without_effect: list[str]
    notes: list[str]
    """What is not as in BookSim2."""

    def toml(self, stem: str = "") -> str:
        """Return the experiment file, in which the names of `files` begin with a stem."""
        parts = {name: dict(table) for name, table in self.experiment.items()}
        if self.matrix is not None:
            parts["workload"]["file"] = _named(stem, TRAFFIC)
        if self.listed is not None:
            machine = parts["machine"]
            for part, ending in (("topology", GRAPH), ("routing", ROUTES)):
                machine[part] = machine[part] | {"file": _named(stem, ending)}
        head = ["A configuration of BookSim2: a cycle is 1 ns, a flit 8 B."]
        head += [f"Not as in BookSim2: {note}." for note in self.notes]
        return to_toml(parts, head)

    def files(self) -> dict[str, str]:
        """Return what belongs beside the experiment file, by the ends of names."""
        found = {}
        if self.matrix is not None:
            found[TRAFFIC] = self.matrix_csv()
        if self.listed is not None:
            found |= {GRAPH: self.listed.text, ROUTES: self.listed.table_csv()}
        return found

    def matrix_csv(self) -> str:
        """Return the file of who sends to whom."""
        rows = (
            (source, *cell)
            for source, row in enumerate(self.matrix or ())
            for cell in sorted(row.items())
        )
        return plain_csv(("source", "destination", "weight"), rows)


def read_booksim(path: Path, changes: Iterable[str] = ()) -> BookSim:
    """Read a configuration file, and changes such as `injection_rate=0.2`.

    Raises `UserError` for what it is not, or cannot be done here.
    """
    settings = Settings.read(path, changes)
    found = network(settings)
    sizes, rates = lengths(settings)
    mean = sum(size * rate for size, rate in zip(sizes, rates, strict=True)) / sum(rates)
    who, matrix = pattern(settings, found)
    workload = {"preset": "uniform_open_loop", "includes_self": True} | who
    if who["pattern"] != "uniform":
        workload |= {"radius": None}
    workload |= _sizes(sizes, rates) | injection(settings, mean)
    experiment = {
        "machine": _machine(settings, found, max(sizes)),
        "workload": {key: value for key, value in workload.items() if value is not None},
        "run": _run(settings),
    }
    unsure = [key for key in UNSURE if key in settings.assumed]
    settings.notes += [f"{key} is not given; its default differs among versions" for key in unsure]
    return BookSim(
        experiment,
        matrix,
        found.listed,
        (sizes, rates),
        settings.taken,
        settings.assumed,
        settings.without_effect,
        settings.notes,
    )


def _named(stem: str, ending: str) -> str:
    return f"{stem}{ending}".lstrip(".")


def _machine(settings: Settings, found: Network, longest: int) -> dict[str, Any]:
    link = {
        "rate": "64 Gbit/s",
        "flit": f"{_FLIT} B",
        "delay": _cycles(found.delay),
        "credit_delay": _cycles(settings.whole("credit_delay", 0, 1000)),
    }
    classes = {name: {"delay": _cycles(cycles)} for name, cycles in found.classes.items()}
    return {
        "clock": "1 GHz",
        "topology": found.topology,
        "link": link,
        "node_link": {"delay": _cycles(1)},
        **({"link_classes": classes} if classes else {}),
        "switch": _switch(settings, found),
        "routing": found.routing,
        "interface": {
            "packet_size": f"{max(1, _FLIT * (longest - 1))} B",
            "header": f"{_FLIT} B",
            "local": "switch",
        },
    }


def _switch(settings: Settings, found: Network) -> dict[str, Any]:
    """Return the router."""
    routing = settings.whole("routing_delay", 0, 64)
    crossing = settings.whole("st_prepare_delay", 0, 64) + settings.whole("st_final_delay", 0, 64)
    if not crossing:
        raise settings.refused("st_final_delay", "must be above 0 together with st_prepare_delay")
    speedup = settings.number("internal_speedup", 64)
    if speedup < 1:
        raise settings.refused("internal_speedup", "cannot be done; must be at least 1")
    if speedup > 1 and max(routing, crossing) > 1:
        allowed = "cannot be done; must be 1 where routing_delay or traversal is above 1"
        raise settings.refused("internal_speedup", allowed)
    channels = settings.whole("num_vcs", 1, 255)
    used = min(channels, found.used_channels or channels)
    switch = {
        "switching": "wormhole",
        "virtual_channels": used,
        **({"node_virtual_channels": channels} if used < channels else {}),
        **({"delivery": "same_channel"} if found.used_channels else {}),
        **_buffers(settings),
        **_allocators(settings),
        "route_delay": _cycles(routing),
        "traversal_delay": _cycles(crossing),
        **({"stages": "batched"} if max(routing, crossing) > 1 else {}),
        "speculative": _speculates(settings),
        "vc_reuse": "after_credits" if settings.flag("wait_for_tail_credit") else "after_tail",
        "hold": settings.flag("hold_switch_for_packet"),
        "input_speedup": settings.whole("input_speedup", 1, 64),
        "output_speedup": settings.whole("output_speedup", 1, 64),
        "internal_speedup": int(speedup) if speedup == int(speedup) else speedup,
        "port_order": found.port_order,
    }
    if "output_buffer_size" in settings.given:
        flits = settings.whole("output_buffer_size", -1, 65_536)
        if not flits:
            raise settings.refused("output_buffer_size", "must be -1, for no limit, or above 0")
        if flits > 0:
            switch |= {"output_buffer": f"{_FLIT * flits} B", "output_buffer_view": "request"}
    return switch


def _buffers(settings: Settings) -> dict[str, str]:
    """Return the room of each virtual channel, and what those of a link share."""
    channels = settings.whole("num_vcs", 1, 255)
    whole = settings.whole("buf_size", -1, 255 * 65_536)
    policy = settings.word("buffer_policy", ("private", "shared"))
    if policy == "private":
        # What does not divide is left over.
        own = whole // channels if whole > 0 else settings.whole("vc_buf_size", 1, 65_536)
        if own == 0:
            raise settings.refused("buf_size", f"must be at least num_vcs, {channels}")
        return {"input_buffer": f"{_FLIT * own} B"}
    if whole < 0:
        whole = channels * settings.whole("vc_buf_size", 1, 65_536)
    if settings.whole("private_bufs", -1, 255) not in (-1, channels):
        allowed = f"cannot be done; must be num_vcs, {channels}: places of each virtual channel"
        raise settings.refused("private_bufs", allowed)
    for key in ("private_buf_start_vc", "private_buf_end_vc"):
        settings.word(key, ("-1",))
    own = settings.whole("private_buf_size", -1, 65_536)
    if own < 0:
        own = whole // channels
    if own == 0:
        # Packets could wait for room in which packets stand that wait for them.
        raise settings.refused("private_buf_size", "must be at least 1")
    if own * channels > whole:
        allowed = f"times num_vcs, {channels}, must be at most buf_size, {whole}"
        raise settings.refused("private_buf_size", allowed)
    shared = whole - own * channels
    return {"input_buffer": f"{_FLIT * own} B", "shared_buffer": f"{_FLIT * shared} B"}


def _speculates(settings: Settings) -> bool:
    """Return whether headers bid before they have a virtual channel; there is one way to do so."""
    if not settings.flag("speculative"):
        return False
    only = {"spec_check_elig": "1", "spec_check_cred": "1", "spec_sw_allocator": "prio"}
    for key, value in only.items():
        if settings.text(key) != value:
            raise settings.refused(key, f"cannot be done with speculative = 1; must be {value}")
    return True


def _allocators(settings: Settings) -> dict[str, Any]:
    """Return both allocators: `islip(2)` has two iterations."""
    found: dict[str, Any] = {}
    iterations = {}
    for key, word in (("sw_allocator", "allocator"), ("vc_allocator", "vc_allocator")):
        name, parameters = called(settings.text(key))
        if name not in _ALLOCATORS:
            raise settings.refused(key, f"cannot be done; must be {listed(tuple(_ALLOCATORS))}")
        if name == "select" and settings.flag("speculative"):
            raise settings.refused(key, "cannot be done with speculative = 1: priorities count")
        found[word] = _ALLOCATORS[name]
        iterations[key] = 1
        if found[word] == "islip" and parameters:
            iterations[key] = int(parameters[0]) if parameters[0].isdecimal() else 0
            if not 1 <= iterations[key] <= 64:
                raise settings.refused(key, "must have 1 to 64 iterations")
        elif parameters and parameters != ["round_robin"]:
            raise settings.refused(key, f"cannot be done; must be {name} without parameters")
    if (count := iterations["sw_allocator"]) != 1:
        found["iterations"] = count
    if (of_channels := iterations["vc_allocator"]) != count:
        found["vc_iterations"] = of_channels
    return found


def _sizes(sizes: list[int], rates: list[int]) -> dict[str, Any]:
    """Return the lengths of messages: their first flit is the header."""
    data = [f"{_FLIT * (size - 1)} B" for size in sizes]
    if len(sizes) == 1:
        return {"message_size": data[0]}
    return {
        "message_distribution": "mixed",
        "message_sizes": data,
        "message_weights": rates,
    }


def _run(settings: Settings) -> dict[str, Any]:
    """Return seed, warm-up and duration: the samples that BookSim2 takes at most, all together."""
    if settings.word("sim_type", ("latency", "throughput", "batch")) == "batch":
        allowed = "cannot be done: nodes wait for each other there; must be latency or throughput"
        raise settings.refused("sim_type", allowed)
    period = settings.whole("sample_period", 1, 10**9)
    warmup = settings.whole("warmup_periods", 0, 10**6)
    samples = settings.whole("max_samples", 1, 10**6)
    if not warmup:
        settings.notes.append("warmup_periods = 0: BookSim2 decides itself when it has warmed up")
    if warmup >= samples:
        allowed = f"must be above warmup_periods, {warmup}: the warm-up is part of the samples"
        raise settings.refused("max_samples", allowed)
    return {
        "seed": settings.seed("seed"),
        "warmup": f"{warmup * period} ns",
        "duration": f"{samples * period} ns",
    }


def _cycles(count: int) -> str:
    return f"{count} cycle" if count == 1 else f"{count} cycles"
