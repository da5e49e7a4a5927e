"""Programs as they were recorded, or written down, elsewhere."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from ..contents import sha256_of
from ..door import TRACE_FORMATS, TraceFacts, TraceFile, trace_facts
from ..errors import UserError, nearest, shown
from ..parts import SizeKey, key
from ..units import Rate, Size, Time
from .base import Network, Workload
from .placement import Placement, Placing
from .trace_files import files_of_trace

#: How many samples of a run there are, if it only computes.
_SAMPLES = 2000


class Trace(Workload, init=False):
    """Ranks that do what a trace says: a program that was recorded, or written down.

    Formats: GOAL as text and binary, SimGrid's time-independent traces, execution traces of
    Chakra, netrace, and our own form. How operations are carried out is said in model.md,
    "Programs from traces".
    """

    also: ClassVar[str] = "replay goal"
    kind: Literal["trace"] = key(default="trace")
    file: str = key(description="The trace; relative to the experiment file.")
    format: str = key(
        default="auto",
        description=f"Its format: auto (what it looks like), {', '.join(TRACE_FORMATS)}.",
    )
    eager_limit: Size = key(
        engine="eager_bytes",
        default=Size(65535),
        description="Longest message that is sent before its receiver is ready; longer ones ask.",
    )
    control_size: SizeKey = key(
        engine="control_bytes",
        default=Size(0),
        description="Length of the messages by which sender and receiver of a long one agree.",
    )
    compute_scale: float = key(
        engine=True,
        default=1.0,
        between=(0, 1e6),
        description="What times of computing are multiplied by; 0: none.",
    )
    compute_noise: float = key(
        engine=True,
        default=0.0,
        between=(0, 10),
        description="Standard deviation over mean of times of computing (normal, never negative).",
    )
    compute_speed: float | None = key(
        engine="flops_per_s",
        default=None,
        between=(1, 1e21),
        description="Floating-point operations that a rank computes in a second, where the trace "
        "counts them.",
    )
    speed_factors: tuple[float, ...] = key(
        engine=True,
        default=(),
        strict=False,
        description="How much faster every rank computes than recorded; default: as recorded.",
    )
    placement: Placement = key(
        default="linear",
        description="Ranks to nodes: linear (node after node), round_robin (one on each node, then "
        "again), random, blocks (of ranks_per_node, behind the last node from the first again), "
        "file.",
    )
    ranks_per_node: int | None = key(
        engine="/workload.nodes",
        default=None,
        ge=1,
        description="Ranks on a node; default: as few as it takes.",
    )
    placement_seed: int = key(
        default=1, ge=0, lt=2**32, description="What a random placement is drawn from."
    )
    placement_file: str | None = key(
        default=None, description="CSV file with the columns rank and node."
    )
    memory_latency: Time = key(
        engine="memory_latency_ps",
        default=Time(0),
        description="What a message between ranks of one node takes.",
    )
    memory_rate: Rate | None = key(
        engine="/workload.memory_byte_fs",
        default=None,
        description="The rate of such messages beyond that; default: at once.",
    )
    cycle: Time = key(default=Time(1000), description="Of netrace: the length of a cycle.")
    groups: str | None = key(
        default=None, description="Of Chakra: JSON file with the ranks of each group."
    )
    peak_flops: float | None = key(
        default=None,
        gt=0,
        description="Of Chakra: operations in a second at most, instead of the times recorded.",
    )
    memory_bandwidth: float | None = key(
        default=None, gt=0, description="Of Chakra: bytes to and from memory in a second at most."
    )

    def _check(self) -> None:
        if self.file.endswith(".otf2"):
            allowed = "is an OTF2 archive: turn it into a form that runs can read first, by"
            command = f"tailback convert {self.file} program.tbt"
            raise self.refused("file", f"{allowed} {command}")
        if self.format != "auto" and self.format not in TRACE_FORMATS:
            known = TRACE_FORMATS
            allowed = f"must be auto or one of {', '.join(known)}"
            meant = nearest(self.format, known)
            raise UserError("workload.format", shown(self.format), allowed, meant)
        if (self.placement == "file") != (self.placement_file is not None):
            if self.placement_file is None:
                raise self.refused("placement_file", 'must be given with placement = "file"')
            allowed = 'has no effect here; needs placement = "file"'
            raise self.refused("placement_file", allowed)
        if self.placement == "blocks" and self.ranks_per_node is None:
            raise self.refused("ranks_per_node", 'must be given with placement = "blocks"')
        for factor in self.speed_factors:
            if not 1e-6 <= factor <= 1e6:
                raise self.refused("speed_factors", "must be numbers, 1e-6 to 1e6", factor)

    @property
    def finite(self) -> bool:
        """It ends with its last operation."""
        return True

    def traces(self) -> list[TraceFile]:
        """Return the file, and how it is read."""
        return [self._trace]

    @cached_property
    def _trace(self) -> TraceFile:
        return TraceFile(
            file=self.file,
            format=None if self.format == "auto" else self.format,
            cycle_ps=self.cycle.ps,
            groups=self.groups,
            peak_flops=self.peak_flops,
            memory_bytes_per_s=self.memory_bandwidth,
        )

    def facts(self) -> TraceFacts:
        """Return what the trace has. Raises `UserError` for what is wrong with the file."""
        if Path(self.file).is_fifo():
            raise UserError(self.file, None, "must be a file: a trace is read more than once")
        try:
            content = self.digest()
        except UserError:
            content = ""  # The reader says what is wrong with the file.
        return trace_facts(self._trace, content)

    def check(self, network: Network) -> None:
        """Raise `UserError` if the file cannot be used, or its ranks do not fit."""
        facts = self.facts()
        if facts.flops and self.compute_speed is None:
            allowed = "must be given: the trace counts floating-point operations; such as 1e9"
            raise UserError("workload.compute_speed", None, allowed)
        if self.speed_factors and len(self.speed_factors) != facts.ranks:
            allowed = f"must be one for each rank: {facts.ranks}"
            given = f"{len(self.speed_factors)} factors"
            raise UserError("workload.speed_factors", given, allowed)
        self.nodes(network)

    def nodes(self, network: Network) -> list[int]:
        """Return the node of every rank."""
        file = None if self.placement_file is None else Path(self.placement_file)
        placing = Placing(self.placement, self.ranks_per_node, self.placement_seed, file)
        return placing.nodes(self.facts().ranks, network.nodes)

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it; what ranks do is read as it runs."""
        rate = self.memory_rate
        return {
            "kind": "trace",
            "nodes": self.nodes(network),
            **self.engine_keys(),
            "memory_byte_fs": 0 if rate is None else round(rate.bit_ps * 8000),
        }

    def iteration_ps(self, network: Network) -> int:
        """Return one round trip, or what makes some thousand samples of all that is computed."""
        facts = self.facts()
        computing = facts.computing_ps + facts.flops / (self.compute_speed or 1.0) * 1e12
        slowest = min(self.speed_factors, default=1.0)
        per_sample = computing * self.compute_scale / slowest / _SAMPLES
        return max(network.round_trip_ps(0), int(2 * per_sample))

    def digest(self) -> str:
        """Return a hash of what all files of the trace hold, whatever their names are."""
        content = hashlib.sha256()
        for path in self._content():
            content.update(bytes.fromhex(sha256_of(path)))
        options = f"{self.format} {self.cycle.ps} {self.peak_flops} {self.memory_bandwidth}"
        content.update(options.encode())
        return content.hexdigest()

    def _content(self) -> list[Path]:
        """Return the files that say what ranks do, and that of groups."""
        form = None if self.format == "auto" else self.format
        ranks = files_of_trace(Path(self.file), form)
        return ranks + ([] if self.groups is None else [Path(self.groups)])

    def listed_files(self) -> list[Path]:
        """Return the files of ranks that its file only lists; none if it is one of them."""
        ranks = files_of_trace(Path(self.file), None if self.format == "auto" else self.format)
        return [] if Path(self.file) in ranks else ranks

    def files_read(self) -> list[Path]:
        """Return the files that are read as it runs: those of the trace, and the placement."""
        placed = [] if self.placement_file is None else [Path(self.placement_file)]
        return list(dict.fromkeys([Path(self.file), *self._content(), *placed]))

    def resolved(self, network: Network) -> dict[str, Any]:
        """Return every parameter; of the trace what it has, and its hash."""
        facts = self.facts()
        counted = {"ranks": facts.ranks, "operations": facts.operations}
        counted |= {"messages": facts.messages, "message_bytes": facts.bytes}
        return self.written() | counted | {"trace_sha256": self.digest()}
