"""What contention costs: the same experiment in several contention modes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tailback import interrupts
from tailback.errors import UserError, choice, listed
from tailback.metrics import THETAS
from tailback.places import End, Ends, in_json
from tailback.progress import Watch, ignore
from tailback.results import Result
from tailback.runner import run_mode
from tailback.statistics import Estimate, covariance, quotient

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from tailback.experiment import Experiment

MODES = ("full", "throttled", "free", "ideal")
COMPARED = ("full", "throttled")
_CHANNELS = 5


@dataclass(frozen=True, slots=True)
class WaitingChannel:
    """A channel and how long packets waited for it, in one run."""

    channel: int
    kind: str
    source: End
    destination: End
    packets: int
    waiting_us: float
    """All waits for it added up."""
    share: float
    """Of all waiting in the network."""
    throttling_us: float
    """Mean per packet: waits before a first internal channel."""
    internal_contention_us: float
    """Mean per packet: later waits."""
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
class Cost:
    """The same experiment with and without contention, compared.

    `modes` holds the `Result` of every mode that was run. `theta_t` is how
    much contention there is (mean routed lifetime, throttled over full);
    `theta_r` is what it leaves of the message rate (full over throttled). Both
    lie in (0, 1]; 1 means that contention costs nothing
    [Tweedie, definition 6.1]. They are unknown if one of the two was not run, or
    was interrupted before it measured anything. Both modes draw the same random
    numbers, so what they have in common does not count as error.
    """

    experiment: Experiment
    modes: Mapping[str, Result]
    asked: tuple[str, ...] = COMPARED
    """The modes that were to be run."""

    @cached_property
    def theta_t(self) -> Estimate:
        """Mean routed lifetime, throttled over full."""
        return self._ratio("theta_t")

    @cached_property
    def theta_r(self) -> Estimate:
        """Messages sent per time, full over throttled."""
        return self._ratio("theta_r")

    @cached_property
    def covariances(self) -> Mapping[str, float]:
        """Covariance of the two values that `theta_t` and `theta_r` divide; NaN if not run."""
        return {name: self._covariance(name) for name in THETAS}

    @property
    def complete(self) -> bool:
        """Whether all modes were run and none was interrupted."""
        results = self.modes.values()
        return set(self.asked) <= set(self.modes) and all(r.complete for r in results)

    def channels_waiting_most(self, count: int = _CHANNELS) -> list[WaitingChannel]:
        """Return the channels packets waited for longest in all, in the mode `full`."""
        full = self.modes.get("full")
        return [] if full is None else channels_waiting_most(full, count)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the tables, for JSON: the same bytes every time."""
        first = next(iter(self.modes.values()))
        return {
            "theta_t": self.theta_t.to_dict(),
            "theta_r": self.theta_r.to_dict(),
            "complete": self.complete,
            "modes": {mode: result.measured() for mode, result in self.modes.items()},
            "channels_waiting_most": [c.to_dict() for c in self.channels_waiting_most()],
            "fidelity": first.fidelity,
            "seed": first.seed,
            "version": first.version,
            "results_version": first.results_version,
            "identity": self.identity,
            "parameters": self.experiment.resolved(),
        }

    @property
    def identity(self) -> str:
        """Hash of everything that can change the numbers."""
        first = next(iter(self.modes.values()))
        return self.experiment.identity(first.results_version, self.asked)

    def _ratio(self, name: str) -> Estimate:
        metric, above, below = THETAS[name]
        if above not in self.modes or below not in self.modes:
            return Estimate.unknown()
        covariance = self.covariances[name]
        return quotient(self.modes[above][metric], self.modes[below][metric], covariance)

    def _covariance(self, name: str) -> float:
        metric, above, below = THETAS[name]
        if above not in self.modes or below not in self.modes:
            return math.nan
        return covariance(self.modes[above].series(metric), self.modes[below].series(metric))

    def plot(self) -> go.Figure:
        """Return the load of channels in every mode and all lifetimes, as Plotly's figure."""
        from tailback.figures import of_modes

        return of_modes(self.modes)

    def _repr_html_(self) -> str:
        from tailback import notebook

        return notebook.of_modes(self.modes, self.theta_r, self.theta_t)

    def __repr__(self) -> str:
        state = "" if self.complete else ", incomplete"
        return f"<Cost theta_t = {self.theta_t!r}, theta_r = {self.theta_r!r}{state}>"


def cost(
    experiment: Experiment,
    modes: Iterable[str] = COMPARED,
    *,
    packets: bool = False,
    watch: Watch = ignore,
) -> Cost:
    """Run `experiment` in each mode, with the same random streams, and compare.

    `full` and `throttled` are always run: cost is their ratio. Ctrl-C ends the
    comparison with what was measured so far.
    """
    return compare(experiment, chosen_modes(modes), packets=packets, watch=watch)


def compare(
    experiment: Experiment,
    modes: Iterable[str],
    *,
    packets: bool = False,
    watch: Watch = ignore,
) -> Cost:
    """Run `experiment` in exactly these modes, in the order of `MODES`.

    Without `full` or `throttled` the cost is unknown. Ctrl-C ends the comparison
    with what was measured so far. Raises `UserError` for no mode or an unknown one.
    """
    asked = _in_order(modes)
    if not asked:
        raise UserError("modes", "[]", f"must name one of {listed(MODES)}")
    results: dict[str, Result] = {}
    with interrupts.deferred() as interrupted:
        for mode in asked:
            results[mode] = run_mode(experiment, mode, packets=packets, watch=watch)
            if interrupted() or not results[mode].complete:
                break
    return Cost(experiment, results, asked)


def chosen_modes(modes: Iterable[str]) -> list[str]:
    """Return `modes` with those always needed, in the usual order."""
    return list(_in_order([*modes, *COMPARED]))


def _in_order(modes: Iterable[str]) -> tuple[str, ...]:
    wanted = set(modes)
    for mode in sorted(wanted - set(MODES)):
        raise choice("modes", mode, MODES)
    return tuple(mode for mode in MODES if mode in wanted)


def channels_waiting_most(result: Result, count: int) -> list[WaitingChannel]:
    """Return the `count` channels with the longest waits in all, longest first."""
    columns = {name: result.channels[name].to_numpy() for name in result.channels.column_names}
    waits = columns["wait_throttling_ps"] + columns["wait_internal_ps"]
    total = float(waits.sum())
    # Longest first; of equal ones the lowest number.
    longest = np.argsort(-waits.astype(np.float64), kind="stable")[:count]
    known = Ends.of(result.nodes)
    ends = {
        i: known.of_channel(
            str(columns["kind"][i]), int(columns["from_node"][i]), int(columns["to_node"][i])
        )
        for i in longest.tolist()
    }
    return [
        WaitingChannel(
            channel=int(columns["channel"][i]),
            kind=str(columns["kind"][i]),
            source=ends[i][0],
            destination=ends[i][1],
            packets=int(columns["packets"][i]),
            waiting_us=float(waits[i]) / 1e6,
            share=float(waits[i]) / total,
            throttling_us=float(columns["throttling_us"][i]),
            internal_contention_us=float(columns["internal_contention_us"][i]),
            utilisation=float(columns["utilisation"][i]),
        )
        for i in longest
        if waits[i] > 0 and columns["packets"][i] > 0
    ]
