"""What contention costs: the same experiment in several contention modes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tailback.contents import unchanged
from tailback.errors import UserError, choice, listed
from tailback.experiment.memory import at_once
from tailback.helping import Helped
from tailback.metrics import MAIN_THETAS, OF_FINITE, STEPS, THETAS, Theta
from tailback.places import End, Ends, in_json
from tailback.prediction import wires_of
from tailback.progress import Watch, ignore
from tailback.results import Result
from tailback.runner import run_mode
from tailback.statistics import Estimate, Series, covariance, quotient
from tailback.threads import Task, in_order
from tailback.wording import notebook
from tailback.wording.verdict import Finding, findings

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from tailback.experiment import Experiment

MODES = ("full", "endpoints", "throttled", "free", "ideal")
WAITING = ("full", "endpoints", "throttled")
"""The modes with contention of some kind."""

_SPLIT = ("full", "endpoints", "free")
_CHANNELS = 5
_LATENCY = "message_latency_us"


@dataclass(frozen=True, slots=True)
class WaitingChannel:
    """A channel and the waits of packets for it, in one run."""

    channel: int
    kind: str
    source: End
    destination: End
    packets: int
    waiting_us: float
    """Sum of all waits for it."""
    share: float
    """Of all waiting in the network."""
    throttling_us: float
    """Mean per packet: waits for its first internal channel."""
    internal_contention_us: float
    """Mean per packet: waits for further channels."""
    utilisation: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "channel": self.channel,
            "kind": self.kind,
            "from": in_json(self.source),
            "to": in_json(self.destination),
            "packets": self.packets,
            "waiting_us": self.waiting_us,
            "share_of_waiting": self.share,
            "throttling_us": self.throttling_us,
            "internal_contention_us": self.internal_contention_us,
            "utilisation": self.utilisation,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Cost(metaclass=Helped):
    """The same experiment with and without contention, compared.

    `modes` holds the `Result` of every mode that was run. Three ratios compare mode `full`
    with the baseline: `theta_t`, the mean routed lifetime, baseline over full; `theta_r`, the
    message rate, full over baseline [Tweedie, definition 6.1]; `theta_c`, the completion time
    of a finite workload, baseline over full. 1 means that contention costs nothing; above 1 the
    baseline is slower. `thetas` also splits the cost: from `endpoints` to `full` the network,
    from `free` to `endpoints` the node links. A mode that was not run, or was interrupted before
    it measured anything, is unknown. All modes use the same random numbers, so errors that they
    have in common cancel.
    """

    helpful: ClassVar[tuple[str, ...]] = (
        *("busiest_channel", "channels_waiting_most", "complete", "findings"),
        *("jobs", "latencies", "plot"),
        *("theta_c", "theta_r", "theta_t", "thetas", "to_dict"),
    )
    experiment: Experiment
    modes: Mapping[str, Result]
    asked: tuple[str, ...] = _SPLIT
    """The modes that were requested."""
    without_faults: Result | None = None
    """Mode full without the faults of the experiment, if it has any."""

    @property
    def baseline(self) -> str:
        """The mode `full` is compared with: ``run.baseline``."""
        return self.experiment.run.baseline

    @property
    def theta_t(self) -> Estimate:
        """Mean routed lifetime, baseline over full."""
        return self.thetas["theta_t"]

    @property
    def theta_r(self) -> Estimate:
        """Message rate, full over baseline."""
        return self.thetas["theta_r"]

    @property
    def theta_c(self) -> Estimate:
        """Completion time, baseline over full; known for finite workloads."""
        return self.thetas["theta_c"]

    @cached_property
    def thetas(self) -> Mapping[str, Estimate]:
        """All ratios of two modes, by name: see `metrics.THETAS`."""
        return {name: self._ratio(name) for name in THETAS}

    @cached_property
    def covariances(self) -> Mapping[str, float]:
        """Covariances of the two values of each of `thetas`; NaN if not run."""
        return {name: self._covariance(theta) for name, theta in self._compared.items()}

    @cached_property
    def _compared(self) -> dict[str, Theta]:
        return {name: theta.against(self.baseline) for name, theta in THETAS.items()}

    @property
    def complete(self) -> bool:
        """Whether all modes were run without interruption, and none was cut off by a limit."""
        runs = [*self.modes.values(), *filter(None, [self.without_faults])]
        return not self.interrupted and all(run.complete for run in runs)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        results = self.modes.values()
        lacks = self._compares_faults and self.without_faults is None
        missing = lacks or not set(self.asked) <= set(self.modes)
        return missing or any(r.interrupted for r in results)

    @property
    def _compares_faults(self) -> bool:
        return bool(self.experiment.faults) and "full" in self.asked

    @cached_property
    def fault_slowdowns(self) -> Mapping[str, Estimate]:
        """How many times longer each job takes because of the faults, by its own measure.

        Without jobs that of the whole run, under the empty name. Empty without faults.
        """
        full, whole = self.modes.get("full"), self.without_faults
        if full is None or whole is None or _is_part(full) or _is_part(whole):
            return {}
        if full.jobs:
            return {name: slowdown(job, whole.jobs[name]) for name, job in full.jobs.items()}
        return {"": slowdown(full, whole)}

    def channels_waiting_most(self, count: int = _CHANNELS) -> list[WaitingChannel]:
        """Return the channels with the longest total waits in mode `full`."""
        full = self.modes.get("full")
        return [] if full is None else channels_waiting_most(full, count)

    @property
    def busiest_channel(self) -> WaitingChannel | None:
        """The channel that is busy most of the time in mode `full`; None if none is ever busy."""
        full = self.modes.get("full")
        return None if full is None else busiest_channel(full)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the tables, for JSON: the same bytes every time."""
        first = next(iter(self.modes.values()))
        known = {name: theta.to_dict() for name, theta in self.thetas.items() if self._has(name)}
        return {
            "baseline": self.baseline,
            **known,
            "message_latency_ratios": {
                step: ratio.to_dict() for step, ratio in self.latencies.items()
            },
            "complete": self.complete,
            "modes": {mode: result.measured() for mode, result in self.modes.items()},
            "channels_waiting_most": [c.to_dict() for c in self.channels_waiting_most()],
            **self._by_job(),
            **self._of_faults(),
            "fidelity": first.fidelity,
            "seed": first.seed,
            "version": first.version,
            "results_version": first.results_version,
            "identity": self.identity,
            "parameters": self.experiment.resolved(),
        }

    @cached_property
    def latencies(self) -> Mapping[str, Estimate]:
        """How many times as long messages take because of the network, and because of node links.

        Mean latency in `full` over that in `endpoints`, and in `endpoints` over `free`, by the
        names of `STEPS` without the underscore. Unknown if a mode was not run.
        """
        found = {}
        for step, (less, more) in STEPS.items():
            if step:
                above, below = self.modes.get(more), self.modes.get(less)
                is_known = above is not None and below is not None and _LATENCY in above.estimates
                is_known = is_known and not {less, more} & {*self.cut_off}
                found[step.removeprefix("_")] = (
                    ratio_of(above, below, _LATENCY)  # type: ignore[arg-type]
                    if is_known
                    else Estimate.unknown()
                )
        return found

    @property
    def cut_off(self) -> list[str]:
        """The modes in which a finite workload was cut off; nothing is compared then."""
        return [mode for mode, result in self.modes.items() if _is_part(result)]

    @property
    def lossy(self) -> list[str]:
        """The modes in which messages of a finite workload were lost: it never ends there."""
        return [mode for mode, result in self.modes.items() if result.ending.lost]

    @property
    def endpoints_is_free(self) -> bool:
        """Whether mode `endpoints` is mode `free`, although nodes have links of their own."""
        machine, fidelity = self.experiment.machine, self.experiment.fidelity
        routing = machine.chosen_routing
        chaotic = routing is not None and routing.kind == "chaos"
        return fidelity == "stream" or chaotic

    @property
    def saturated(self) -> list[str]:
        """The modes whose network accepts less than is offered: latency grows without bound."""
        return [mode for mode, result in self.modes.items() if result.ending.saturated]

    def findings(self) -> list[Finding]:
        """Return in words what contention costs by each known theta.

        Empty for a workload that was cut off or lost messages: partial runs cannot be compared.
        """
        open_loop = self.experiment.workload.is_open_loop
        if {"full", self.baseline} & {*self.cut_off, *self.lossy}:
            return []
        found = findings(self.thetas, self.baseline, open_loop=open_loop)
        known = [finding for finding in found if not math.isnan(finding.theta.value)]
        # A theta that cannot be known here, such as of packets between switches, is left out.
        return known or found

    def _by_job(self) -> dict[str, Any]:
        jobs = {
            name: {theta: value.to_dict() for theta, value in thetas.items()}
            for name, thetas in self.jobs.items()
        }
        return {"jobs": jobs} if jobs else {}

    def _of_faults(self) -> dict[str, Any]:
        if self.without_faults is None:
            return {}
        slowdowns = {job or "all": one.to_dict() for job, one in self.fault_slowdowns.items()}
        return {"faults": {"slowdown": slowdowns, "without": self.without_faults.measured()}}

    @property
    def identity(self) -> str:
        """Hash of everything that can change the numbers."""
        first = next(iter(self.modes.values()))
        return self.experiment.identity(first.results_version, self.asked)

    @cached_property
    def jobs(self) -> Mapping[str, Mapping[str, Estimate]]:
        """The main thetas of each job, by its name; empty without jobs."""
        full, baseline = self.modes.get("full"), self.modes.get(self.baseline)
        if full is None or baseline is None:
            return {}
        found: dict[str, dict[str, Estimate]] = {}
        for name in full.jobs:
            by_mode = {"full": full.jobs[name], self.baseline: baseline.jobs[name]}
            found[name] = {}
            for theta in MAIN_THETAS:
                compared = self._compared[theta]
                above, below = (by_mode[mode] for mode in compared.modes)
                if compared.metric in above.estimates:
                    found[name][theta] = ratio_of(above, below, compared.metric)
        return found

    def _has(self, name: str) -> bool:
        """Whether a theta can be known for this workload."""
        return all(THETAS[name].metric in result.estimates for result in self.modes.values())

    def _ratio(self, name: str) -> Estimate:
        theta = self._compared[name]
        pair = self._pair(theta)
        if not pair:
            return Estimate.unknown()
        above, below = (mode[theta.metric] for mode in pair)
        return quotient(above, below, self.covariances[name])

    def _covariance(self, theta: Theta) -> float:
        pair = self._pair(theta)
        if not pair:
            return math.nan
        if theta.metric in OF_FINITE:
            return 0.0
        return covariance(*(mode.series(theta.metric) for mode in pair))

    def _pair(self, theta: Theta) -> tuple[Result, Result] | tuple[()]:
        """Return the two modes of a theta, if both were run and have measured its metric."""
        above, below = (self.modes.get(mode) for mode in theta.modes)
        if above is None or below is None or theta.metric not in above.estimates:
            return ()
        if _is_part(above) or _is_part(below):
            return ()
        return above, below

    def plot(self) -> go.Figure:
        """Return the load of channels in every mode and all lifetimes, as Plotly's figure."""
        from tailback.figures import of_modes

        return of_modes(self.modes)

    def _repr_html_(self) -> str:
        return notebook.of_modes(self.modes, self.findings(), self._repr_svg_())

    def _repr_svg_(self) -> str | None:
        from tailback.figures import notebooks

        return notebooks.latencies(self.modes)

    def __repr__(self) -> str:
        state = "" if self.complete else ", incomplete"
        main = MAIN_THETAS if self._has("theta_c") else ("theta_t", "theta_r")
        known = ", ".join(f"{name} = {self.thetas[name]!r}" for name in main)
        return f"<Cost against {self.baseline}: {known}{state}>"


def _is_part(result: Result) -> bool:
    """Whether a finite workload was cut off."""
    return bool(result.ending.cut_off) and result.experiment.finite


class Measured(Protocol):
    """What was measured of a run, or of a job of it."""

    def __getitem__(self, metric: str) -> Estimate:
        """Return an estimate."""

    def series(self, metric: str) -> Series:
        """Return its samples."""


def ratio_of(above: Measured, below: Measured, metric: str) -> Estimate:
    """Return the ratio of a metric in two runs with the same random numbers."""
    a, b = above[metric], below[metric]
    if math.isnan(a.value) or math.isnan(b.value):
        return Estimate.unknown()
    if a.batches == 0:
        # A run that ended has all its messages; the other one, as long, has the same ones.
        b = Estimate.exact(b.value, b.weight)
    common = 0.0 if metric in OF_FINITE else covariance(above.series(metric), below.series(metric))
    return quotient(a, b, common)


class Timed(Measured, Protocol):
    """The same, with the metric that says best how fast it is."""

    @property
    def speed(self) -> str:
        """The name of the metric."""


def slowdown(slower: Timed, faster: Timed) -> Estimate:
    """Return how many times longer the same takes in one run than in another, by its measure."""
    metric = faster.speed
    if metric.endswith("_us"):
        return ratio_of(slower, faster, metric)
    return ratio_of(faster, slower, metric)


def cost(
    experiment: Experiment,
    modes: Iterable[str] = (),
    *,
    packets: bool = False,
    jobs: int | None = None,
    watch: Watch = ignore,
) -> Cost:
    """Run `experiment` in each mode, with the same random streams, and compare.

    `full`, the baseline, `endpoints` and `free` are always run: cost is the ratio of the first
    two, and the others split it. Other arguments are those of `compare`.
    """
    chosen = chosen_modes(modes, experiment)
    return compare(experiment, chosen, packets=packets, jobs=jobs, watch=watch)


def compare(
    experiment: Experiment,
    modes: Iterable[str],
    *,
    packets: bool = False,
    jobs: int | None = None,
    watch: Watch = ignore,
) -> Cost:
    """Run `experiment` in exactly these modes, in the order of `MODES`.

    Up to `jobs` modes run at once; None: one per processor. Without `full` or the baseline the
    cost is unknown. With faults mode `full` is run without them as well. Ctrl-C ends the
    comparison with what was measured so far. Raises `UserError` for no mode or an unknown one.
    """
    asked = _in_order(modes)
    if not asked:
        raise UserError("modes", "[]", f"must name one of {listed(MODES)}")
    tasks = [Task(partial(_run, experiment, mode, packets)) for mode in asked]
    if experiment.faults and "full" in asked:
        tasks.append(Task(partial(_run, experiment.whole(), "full", False), "no faults"))
    with unchanged(experiment.files_read()):
        results = in_order(tasks, at_once(experiment, jobs), watch)
    without_faults = results[len(asked)] if len(results) > len(asked) else None
    return Cost(experiment, dict(zip(asked, results, strict=False)), asked, without_faults)


def _run(experiment: Experiment, mode: str, packets: bool, watch: Watch) -> Result:
    return run_mode(experiment, mode, packets=packets, watch=watch)


def chosen_modes(modes: Iterable[str], experiment: Experiment) -> list[str]:
    """Return `modes` and those that are always run, in the usual order."""
    return list(_in_order([*modes, *_SPLIT, experiment.run.baseline]))


def _in_order(modes: Iterable[str]) -> tuple[str, ...]:
    wanted = set(modes)
    for mode in sorted(wanted - set(MODES)):
        raise choice("modes", mode, MODES)
    return tuple(mode for mode in MODES if mode in wanted)


def channels_waiting_most(result: Result, count: int) -> list[WaitingChannel]:
    """Return the `count` channels with the longest total waits, longest first.

    Virtual channels of a link count together, under the number of the first.
    """
    return [channel for channel in _channels(result, _waits, count) if channel.waiting_us > 0]


def busiest_channel(result: Result) -> WaitingChannel | None:
    """Return the channel that is busy most of the time, likewise; None if none is ever busy."""
    found = _channels(result, _utilisation, 1)
    return found[0] if found and found[0].utilisation > 0 else None


_Sums = Mapping[str, NDArray[Any]]


def _waits(summed: _Sums) -> NDArray[Any]:
    return summed["wait_throttling_ps"] + summed["wait_internal_ps"]


def _utilisation(summed: _Sums) -> NDArray[Any]:
    return summed["utilisation"]


def _channels(
    result: Result, measure: Callable[[_Sums], NDArray[Any]], count: int
) -> list[WaitingChannel]:
    """Return the `count` channels with packets of which a sum is largest, the largest first."""
    channels = result.channels
    wires = wires_of(result.experiment, channels)
    summed = {
        name: wires.sums(channels[name].to_numpy())
        for name in ("packets", "wait_throttling_ps", "wait_internal_ps", "utilisation")
    }
    waits = _waits(summed)
    total = float(waits.sum())
    # Ties go to the lowest channel number.
    first = np.argsort(-measure(summed).astype(np.float64), kind="stable")[:count]
    known = Ends.of(result.nodes, result.experiment.machine.topology.labels)
    found = []
    rows = channels.take(wires.first[first]).to_pylist()
    for i, row in zip(first.tolist(), rows, strict=True):
        if not summed["packets"][i] > 0:
            continue
        packets, ends = int(summed["packets"][i]), (row["from_node"], row["to_node"])
        source, destination = known.of_channel(row["kind"], *ends)
        found.append(
            WaitingChannel(
                channel=row["channel"],
                kind=row["kind"],
                source=source,
                destination=destination,
                packets=packets,
                waiting_us=float(waits[i]) / 1e6,
                share=float(waits[i]) / total if total else 0.0,
                throttling_us=float(summed["wait_throttling_ps"][i]) / (packets * 1e6),
                internal_contention_us=float(summed["wait_internal_ps"][i]) / (packets * 1e6),
                utilisation=float(summed["utilisation"][i]),
            )
        )
    return found
