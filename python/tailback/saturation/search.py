"""The search for the saturation load, and its answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tailback import engine
from tailback.errors import UserError, shown
from tailback.experiment.memory import at_once
from tailback.helping import Helped
from tailback.metrics import TOLERATED_LOSS
from tailback.prediction import describe
from tailback.progress import Watch, ignore
from tailback.since311 import StrEnum
from tailback.statistics import Estimate
from tailback.wording import notebook, number, plain

from .ahead import Search
from .bracket import Bracket, Steps, bracket
from .loads import Bounds, Loads, open_loop
from .probes import Probe, Prober, Verdict

if TYPE_CHECKING:
    from tailback.experiment import Experiment

TOLERANCE = 0.02
"""How far apart, relatively, the ends of the answer may be unless it is said."""

_FACTOR = 2


class Outcome(StrEnum):
    """What was found out."""

    FOUND = "found"
    NEVER = "never"
    """Stable at the highest load that processes can offer, or that was allowed."""
    ALWAYS = "always"
    """Saturated at the lowest load that was allowed, or in an all but idle network."""
    UNDECIDED = "undecided"
    """Not clear at one of these ends, or interrupted before it was."""


@dataclass(frozen=True, eq=False, repr=False)
class Saturation(metaclass=Helped):
    """The saturation load of an experiment: above `low`, below `high`.

    A load is what processes try to send, in messages per node and ms. The saturation
    load is the highest of which at least 1 - `TOLERATED_LOSS` is delivered.
    """

    experiment: Experiment
    tolerance: float
    bounds: Bounds
    predicted: float | None
    predicted_is_exact: bool
    """Load at which the most loaded channel is always busy; None if no packet is sent."""
    probes: tuple[Probe, ...]
    """The loads tried, in the order they were."""
    complete: bool
    """Whether the search was left to end by itself (no Ctrl-C)."""
    window: float | None = None
    """What sources send at most, if that is less than the network carries: `max_outstanding`."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return not self.complete

    @property
    def bracket(self) -> Bracket:
        """The two probes between which the answer lies."""
        return bracket(self.probes)

    @property
    def low(self) -> float | None:
        """Highest load that is certainly stable; None if none is known."""
        return None if self.bracket.low is None else self.bracket.low.load

    @property
    def high(self) -> float | None:
        """Lowest load that certainly saturates the network; None if none is known."""
        return None if self.bracket.high is None else self.bracket.high.load

    @property
    def outcome(self) -> Outcome:
        """What was found out."""
        low, high = self.bracket
        if low is not None and high is not None:
            return Outcome.FOUND
        ends = {probe.compute_period_ps: probe.verdict for probe in self.probes}
        if ends.get(self.bounds.shortest_ps) is Verdict.STABLE and low is not None:
            return Outcome.NEVER
        if ends.get(self.bounds.longest_ps) is Verdict.SATURATED and high is not None:
            return Outcome.ALWAYS
        return Outcome.UNDECIDED

    def payload_mbit_per_s(self, load: float) -> float:
        """Return a load in Mbit/s of payload per node."""
        return Loads.of(open_loop(self.experiment)).payload_mbit_per_s(load)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON: the same bytes every time."""
        low, high = self.bracket
        return {
            "outcome": str(self.outcome),
            "complete": self.complete,
            "messages_per_node_per_ms": {"low": self.low, "high": self.high},
            "payload_mbit_per_s_per_node": {
                name: None if load is None else self.payload_mbit_per_s(load)
                for name, load in (("low", self.low), ("high", self.high))
            },
            # The longer period is the lower load.
            "compute_period_us": {
                "low": None if high is None else high.compute_period_ps / 1e6,
                "high": None if low is None else low.compute_period_ps / 1e6,
            },
            "accepted_at_low": _accepted(low),
            "accepted_at_high": _accepted(high),
            "predicted_messages_per_node_per_ms": self.predicted,
            "predicted_exact": self.predicted_is_exact,
            "tolerance": self.tolerance,
            "tolerated_loss": TOLERATED_LOSS,
            "probes": [probe.to_dict() for probe in self.probes],
            "fidelity": self.experiment.fidelity,
            "seed": self.experiment.run.seed,
            "version": engine.VERSION,
            "results_version": engine.RESULTS_VERSION,
            "identity": self.experiment.identity(engine.RESULTS_VERSION, ["full"]),
            "parameters": self.experiment.resolved(),
        }

    def _repr_html_(self) -> str:
        heads = ("messages per node and ms", "accepted", "share delivered", "verdict")
        rows = [
            (plain(p.load, 4), number(p.accepted), number(p.share), str(p.verdict))
            for p in sorted(self.probes, key=lambda probe: probe.load)
        ]
        ends = [plain(end, 4) if end is not None else "?" for end in (self.low, self.high)]
        said = (
            f"Saturates between {ends[0]} and {ends[1]} messages per node and ms: {self.outcome}."
        )
        return notebook.shown(heads, rows, [said], self._repr_svg_())

    def _repr_svg_(self) -> str | None:
        from tailback.figures import notebooks

        known = [probe for probe in self.probes if not math.isnan(probe.accepted.value)]
        if not known:
            return None
        return notebooks.accepted(
            [probe.load for probe in known],
            [probe.accepted.value for probe in known],
            [probe.verdict is Verdict.SATURATED for probe in known],
        )

    def __repr__(self) -> str:
        state = self.outcome if self.complete else "incomplete"
        return f"<Saturation {state}: low = {self.low}, high = {self.high}>"


def saturate(
    experiment: Experiment,
    *,
    low: float | None = None,
    high: float | None = None,
    tolerance: float = TOLERANCE,
    jobs: int | None = None,
    watch: Watch = ignore,
) -> Saturation:
    """Find the load at which the network saturates, by changing `workload.compute_period`.

    `low` and `high` bound the loads that are tried, in messages per node and ms;
    `tolerance` is how far apart the ends of the answer may be, relatively. Up to `jobs` loads
    are tried at once; None: one per processor. Ctrl-C ends the search with what is known so far
    (`complete` is False). Raises `UserError` for a
    workload that waits for the network, ends by itself or has no compute period.
    """
    open_loop(experiment)
    _check_steady(experiment)
    if not 0.001 <= tolerance <= 0.5:
        raise UserError("tolerance", shown(tolerance), "must be from 0.001 to 0.5")
    described = describe(experiment)
    predicted = described.saturation_messages_per_node_per_ms
    is_exact = described.load_is_exact
    bounds = Bounds.of(experiment, low, high, predicted)
    packets = predicted is not None
    prober = Prober(experiment, tolerance, packets=packets)
    # Where nothing is sent between nodes there is nothing to be found in between.
    factor = _FACTOR if packets else bounds.longest_ps
    search = Search(prober, Steps(bounds, tolerance, factor), predicted, watch)
    probes, complete = search.run(at_once(experiment, jobs))
    window = described.window_messages_per_node_per_ms
    return Saturation(
        experiment, tolerance, bounds, predicted, is_exact, tuple(probes), complete, window
    )


def _check_steady(experiment: Experiment) -> None:
    """Refuse faults that end while loads are tried: a load is of a network that stays as it is."""
    for place, fault in enumerate(experiment.faults):
        if fault.comes_again or fault.is_repaired or fault.time.ps:
            allowed = (
                "must last for ever from the beginning on (no time, duration, up_time or "
                "mean_time_to_failure): saturation is of a network that stays as it is"
            )
            raise UserError(f"fault[{place}]", None, allowed)


def _accepted(probe: Probe | None) -> dict[str, float | None]:
    return (Estimate.unknown() if probe is None else probe.accepted).to_dict()
