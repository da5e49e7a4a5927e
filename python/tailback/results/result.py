"""What one run measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailback.errors import UserError
from tailback.helping import Helped
from tailback.metrics import Populations, class_of, increments, speed_metric
from tailback.statistics import Estimate, Series
from tailback.tables.bins import BINS, percentiles_of
from tailback.tables.flows import FLOW, flows
from tailback.wording import notebook

from .of_messages import PERCENTS, Fared, Untold, untold

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from tailback.charging import Blame
    from tailback.critical_path import CriticalPath
    from tailback.errors import RunFailure
    from tailback.experiment import Experiment

    from .of_jobs import JobResult

CLASS_VARIABLES = {"class_latency": "message_latency", "round_trip": "round_trip"}
"""Variables that are measured of every traffic class, and what they are called there."""

_PERCENTILE_VARIABLES = {
    "lifetime": "lifetime_us",
    "routed_lifetime": "routed_lifetime_us",
    "message_latency": "message_latency_us",
    "message_begins": "message_begins_us",
    "message_alone": "message_alone_us",
    "message_late": "message_late_us",
    "message_slowdown": "message_slowdown",
}
"""Variables of which percentiles are told, and what these are called."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run went: how long it was and why it ended."""

    simulated_ms: float
    """Simulated time of the whole run."""
    warmup_ms: float
    """Simulated time that was cut off as start-up transient."""
    events: int
    """Events of the whole run."""
    packet_hops: int
    """Channel crossings begun in the whole run."""
    stop_reason: str
    """`precision`, `finished`, `duration`, `max_duration`, `max_events`, `interrupted`,
    `deadlock` or `failed`."""
    steady: bool
    """Whether the start-up transient was found to be over and no drift was seen later."""
    saturated: bool | None
    """Whether the network took less than it was offered; None where no load is offered."""
    converged: bool | None
    """Whether the primary metric is as precise as was asked for; None if nothing was."""
    cut_off: str = ""
    """The limit that ended the run before it was complete, such as `run.max_duration = 1 s`.

    Empty: none did. Complete is a workload that has ended, or a run as long as was asked for.
    """
    lost: bool = False
    """Whether messages of a workload that ends were lost, so that it never ends."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.stop_reason == "interrupted"

    @property
    def complete(self) -> bool:
        """Whether all was run: no Ctrl-C, failure or limit cut it off, and what ends has ended."""
        failed = self.stop_reason in ("interrupted", "deadlock", "failed")
        return not (failed or self.cut_off or self.lost)

    @property
    def settled(self) -> bool:
        """Whether what was measured can stand: it is steady and whole, and the network kept up."""
        return self.steady and not (self.saturated or self.cut_off or self.lost)

    @property
    def window_ms(self) -> float:
        """Simulated time that was measured."""
        return self.simulated_ms - self.warmup_ms


@dataclass(frozen=True, eq=False, repr=False)
class Result(metaclass=Helped):
    """What one run of an experiment measured, in one contention mode.

    `result["routed_lifetime_us"]` is an `Estimate`; `estimates` holds all of
    them by name. Tables are Arrow tables of the measurement window: `nodes`,
    `channels`, `processes`, `packets` (empty unless asked for), `histograms`,
    `moments`; `samples` holds the cumulative counters of the whole run. They
    go to pandas, Polars and NumPy as Arrow tables do, mostly without copying.
    """

    helpful: ClassVar[tuple[str, ...]] = (
        *("blame", "complete", "critical_path", "cycles", "flows", "identity", "messages"),
        *("percentile", "percentiles", "plot", "series", "to_dict"),
    )
    experiment: Experiment
    mode: str
    kernel: str
    """Which kernel of the engine simulated it; `describe` says beforehand which one will."""
    version: str
    results_version: int
    estimates: Mapping[str, Estimate]
    populations: Populations
    ending: Ending
    wall_seconds: float
    """How long it took; the only field that is not the same every time."""
    nodes: pa.Table
    channels: pa.Table
    processes: pa.Table
    packets: pa.Table
    samples: pa.Table
    histograms: pa.Table
    moments: pa.Table
    messages: pa.Table | None = None
    """Who sent what to whom, when it was there, and how late, if ``run.keep_messages`` asks for it.

    `alone_ps`, `late_ps` and `slowdown` are null for messages to their own node, and in modes and
    on machines without a time alone.
    """
    messages_lost: int = 0
    """Messages that never arrive: of which the first packet was lost in the window."""
    blame: Blame | None = None
    """Who made whom late, if ``run.blame`` asks for it."""
    slices: pa.Table | None = None
    """Waits of packets by slice of time, if ``run.slices`` asks for them; see `tables.slices`."""
    slice_channels: pa.Table | None = None
    """Queues and busy times of channels by slice, likewise; see `tables.slice_channels`."""
    class_channels: pa.Table | None = None
    """Which channels packets of each class crossed, likewise; see `tables.class_channels`."""
    frames: pa.Table | None = None
    """Frames lost at the ends of channels, and pauses, where switches forward frames."""
    critical_path: CriticalPath | None = None
    """What the end waited for, if ``run.critical_path`` asks for it and the program has ended."""
    activities: Mapping[str, NDArray[Any]] | None = None
    transfers: Mapping[str, NDArray[Any]] | None = None
    """What processes did when, and messages: columns, if a timeline was asked for."""
    turns: Mapping[str, NDArray[Any]] | None = None
    waits: Mapping[str, NDArray[Any]] | None = None
    """Who held channels when, and waited for them: columns, if a timeline asked for that."""
    turns_missing_ps: int | None = None
    """Since when there were more of these than are kept; None if there were not."""
    fared: Mapping[str, Fared] = field(default_factory=dict)
    """How late messages of each traffic class were, if there are several and rows are kept."""
    jobs: Mapping[str, JobResult] = field(default_factory=dict)
    """What was measured of each job, by name; none where there are no jobs."""
    failure: RunFailure | None = None
    """Why the run could not go on, if what was measured before that was asked for."""

    def __getitem__(self, metric: str) -> Estimate:
        """Return the estimate of a metric by its name."""
        return self.estimates[metric]

    @property
    def speed(self) -> str:
        """The metric that says best how fast the workload is: see `metrics.speed_metric`."""
        workload = self.experiment.workload
        return speed_metric(
            ends=workload.finite, offers=workload.is_open_loop, sends=workload.sends_messages
        )

    @property
    def cycles(self) -> Mapping[str, Estimate]:
        """The estimates of times, in cycles of `machine.clock`; none without a clock.

        `result.cycles["message_latency"]` is `result["message_latency_us"]`.
        """
        cycle = self.experiment.machine.cycle()
        if cycle is None:
            return {}
        per_us = 1e6 / cycle.ps
        found = {name: e for name, e in self.estimates.items() if name.endswith("_us")}
        return {name.removesuffix("_us"): e.times(per_us) for name, e in found.items()}

    @property
    def complete(self) -> bool:
        """Whether all was run: not cut off by Ctrl-C or a limit, nor without end (`lost`)."""
        return self.ending.complete

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.ending.interrupted

    @property
    def fidelity(self) -> str:
        """How finely channels were simulated."""
        return self.experiment.fidelity

    @property
    def seed(self) -> int:
        """Seed of every random stream."""
        return self.experiment.run.seed

    @property
    def identity(self) -> str:
        """Hash of everything that can change the numbers."""
        return self.experiment.identity(self.results_version, [self.mode])

    def series(self, metric: str) -> Series:
        """Return the window's samples of a metric and what was estimated from them."""
        measured = self.populations.metric(metric)
        names = ("time_ps", *measured.counters)
        columns = {name: self.samples[name].to_numpy() for name in names}
        begin = np.searchsorted(columns["time_ps"], round(self.ending.warmup_ms * 1e9))
        window = {name: column[begin:] for name, column in columns.items()}
        numerator, denominator = increments(measured, window, self.populations)
        return Series(window["time_ps"], numerator, denominator, self.estimates[metric])

    def flows(self, by: Sequence[str] = FLOW) -> pa.Table:
        """Return what each flow sent, and how its messages fared; see `tables.flows`.

        Raises `UserError` without ``run.keep_messages``.
        """
        if self.messages is None:
            raise UserError("run.keep_messages", "false", "must be true to know of flows")
        return flows(self.messages, by)

    @cached_property
    def untold(self) -> Untold:
        """What means of lateness do not tell: messages that were early, lost, or nobody's."""
        return untold(
            self.blame,
            self.messages,
            self.samples,
            begin_ps=round(self.ending.warmup_ms * 1e9),
            lost=self.messages_lost,
        )

    @property
    def asks_for_lateness(self) -> bool:
        """Whether messages were to be compared with themselves alone."""
        return self.experiment.run.blame or self.experiment.run.keep_messages

    def has(self, variable: str) -> bool:
        """Whether a variable is measured on this machine."""
        return variable in self.moments["variable"].to_pylist()

    def classes_with(self, variable: str) -> list[str]:
        """Return the classes, of packets or traffic, of which a variable is measured."""
        rows = zip(*(self.moments[name].to_pylist() for name in ("variable", "class")), strict=True)
        return [name for measured, name in rows if measured == variable]

    def longest_us(self, variable: str) -> float | None:
        """Return the longest of all times `message_latency`, …; None if nothing was counted."""
        import pyarrow.compute as pc  # here: it takes a tenth of a second, and few need it

        rows = self.moments.filter(pc.equal(self.moments["variable"], variable))
        longest = pc.max(rows["max"]).as_py()
        return None if longest is None else float(longest / 1e6)

    def percentile(
        self, variable: str, percent: float, packet_class: str | None = None
    ) -> float | None:
        """Return a percentile of `lifetime`, `message_late`, … in microseconds.

        Of `hops` and `message_slowdown` as it is.

        From the histogram, interpolated within a bin: relative error at most 1/64, and never
        outside of what was measured. Over both classes unless one is named; None if nothing was
        counted.
        """
        [value] = self.percentiles(variable, [percent], packet_class)
        return value

    def percentiles(
        self, variable: str, percents: Sequence[float], packet_class: str | None = None
    ) -> list[float] | list[None]:
        """Return several percentiles of one variable; see `percentile`."""
        import pyarrow.compute as pc

        rows = self.histograms.filter(pc.equal(self.histograms["variable"], variable))
        if packet_class is not None:
            rows = rows.filter(pc.equal(rows["class"], packet_class))
        if rows.num_rows == 0:
            return [None] * len(percents)
        low, high, count = (rows[name].to_numpy() for name in BINS)
        values = percentiles_of(low, high, count, percents)
        return values if variable == "hops" else [value / 1e6 for value in values]

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the tables, for JSON: the same bytes every time."""
        return {
            "mode": self.mode,
            "fidelity": self.fidelity,
            "seed": self.seed,
            "version": self.version,
            "results_version": self.results_version,
            "identity": self.identity,
            **self.measured(),
            "parameters": self.experiment.resolved(),
        }

    def measured(self) -> dict[str, Any]:
        """Return how the run went, its estimates and percentiles, for JSON."""
        ending = self.ending
        return {
            "kernel": self.kernel,
            "complete": ending.complete,
            "cut_off": ending.cut_off or None,
            "lost": ending.lost,
            "converged": ending.converged,
            "settled": ending.settled,
            "steady": ending.steady,
            "saturated": ending.saturated,
            "stop_reason": ending.stop_reason,
            "simulated_ms": ending.simulated_ms,
            "warmup_ms": ending.warmup_ms,
            "window_ms": ending.window_ms,
            "events": ending.events,
            "packet_hops": ending.packet_hops,
            **{name: e.to_dict() for name, e in self.estimates.items() if not class_of(name)[0]},
            **{
                f"{name}_cycles": value.to_dict()
                for name, value in self.cycles.items()
                if not class_of(name)[0]
            },
            "percentiles": self._percentiles(),
            **({"lateness": self.untold.to_dict()} if self.asks_for_lateness else {}),
            **self._by_class(),
            **self._by_job(),
        }

    def _by_class(self) -> dict[str, Any]:
        """Return what was measured of every traffic class: as `jobs`, by name."""
        found: dict[str, dict[str, Any]] = {}
        cycles = {f"{name}_cycles": value for name, value in self.cycles.items()}
        for name, value in (*self.estimates.items(), *cycles.items()):
            traffic_class, stem = class_of(name)
            if traffic_class:
                found.setdefault(traffic_class, {})[stem] = value.to_dict()
        for name, own in found.items():
            own["percentiles"] = self._percentiles_of(name)
        return {"classes": found} if found else {}

    def _by_job(self) -> dict[str, Any]:
        found = {name: job.to_dict() for name, job in self.jobs.items()}
        return {"jobs": found} if found else {}

    def _percentiles(self) -> dict[str, dict[str, float | None]]:
        return {
            told: _by_percent(self.percentiles(variable, PERCENTS))
            for variable, told in _PERCENTILE_VARIABLES.items()
            if self.has(variable)
        }

    def _percentiles_of(self, name: str) -> dict[str, dict[str, float | None]]:
        """Return the percentiles of a traffic class."""
        known = {
            f"{told}_us": _by_percent(self.percentiles(variable, PERCENTS, name))
            for variable, told in CLASS_VARIABLES.items()
            if name in self.classes_with(variable)
        }
        late = self.fared[name].percentiles if name in self.fared else {}
        return known | {metric: _by_percent(values) for metric, values in late.items()}

    def plot(self) -> go.Figure:
        """Return the load of channels and the distribution of lifetimes, as Plotly's figure."""
        from tailback.figures import of_modes

        return of_modes({self.mode: self})

    def _repr_html_(self) -> str:
        return notebook.of_modes({self.mode: self}, picture=self._repr_svg_())

    def _repr_svg_(self) -> str | None:
        from tailback.figures import notebooks

        return notebooks.latencies({self.mode: self})

    def __repr__(self) -> str:
        cut = "cut off" if self.ending.cut_off else "lost" if self.ending.lost else "incomplete"
        state = self.ending.stop_reason if self.complete else cut
        metric = self.experiment.metric
        return (
            f"<Result {self.mode}, {self.ending.simulated_ms:g} ms simulated, {state}: "
            f"{metric} = {self.estimates[metric]!r}>"
        )


def _by_percent(values: Sequence[float | None]) -> dict[str, float | None]:
    """Return `PERCENTS` by their names in JSON: `p50`, …."""
    return dict(zip((f"p{percent:g}" for percent in PERCENTS), values, strict=True))
