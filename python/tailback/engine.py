"""The only door to the compiled engine.

Maps the engine's errors to the user's: field paths are translated to the keys
of an experiment file, a deadlock becomes a `RunFailure`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tailback import _engine
from tailback.errors import RunFailure, UserError

VERSION: str = _engine.VERSION
RESULTS_VERSION: int = _engine.RESULTS_VERSION
CAUSES: tuple[str, ...] = tuple(_engine.CAUSES)

Stop = Literal["time", "events", "finished"]
MessageColumns = tuple[NDArray[Any], ...]
Columns = dict[str, NDArray[Any]]

# The engine's paths where the user's is not the same with a level left out.
_USER_FIELDS = {
    "machine.topology.kind": "machine.topology",
    "machine.topology.children": "machine.switches_per_level",
    "machine.topology.widths": "machine.level_widths",
    "machine.routing.kind": "machine.routing",
    "machine.routing.order": "machine.dimension_order",
    "machine.link.bit_ps": "machine.link_rate",
    "machine.link.header_bytes": "machine.header",
    "machine.link.packet_gap_ps": "machine.packet_gap",
    "machine.link.credit_delay_ps": "machine.credit_delay",
    "machine.link.wire_delay_ps": "machine.wire_delay",
    "machine.link.switch_delay_ps": "machine.switch_delay",
    "machine.rates.external_bit_ps": "machine.node_link_rate",
    "machine.rates.dimension_bit_ps": "machine.dimension_rates",
    "machine.node.packet_bytes": "machine.packet_size",
    "machine.node.acknowledges": "machine.acknowledgements",
    "machine.node.ack_priority": "machine.node_ack_priority",
    "machine.node.time_slice_ps": "machine.time_slice",
    "machine.switch.input_buffer_tokens": "machine.input_buffer",
    "machine.switch.output_buffer_tokens": "machine.output_buffer",
    "machine.switch.link_width": "machine.internal_link_width",
    "machine.switch.policy": "machine.queue_policy",
    "machine.switch.ack_priority": "machine.switch_ack_priority",
    "workload.pattern.to": "workload.file",
    "workload.pattern.nodes": "workload.hot_spots",
    "workload.pattern.share": "workload.hot_spot_share",
    "workload.compute.mean": "workload.compute_period",
    "workload.compute.shape.slot": "workload.compute_slot",
    "workload.compute.shape.burst": "workload.compute_burst",
    "workload.compute.shape.peak": "workload.compute_peak",
    "sample_interval_ps": "run.sample_interval",
    "blame.classes": "workload.classes",
    "blame.message_classes": "workload.file",
    "mode": "run.mode",
    "fidelity": "run.fidelity",
    "seed": "run.seed",
}
_LEVEL = re.compile(r"^machine\.(topology|routing|link|node|switch)\.")


class Simulation:
    """One run of the engine: advance to an instant, read what was measured.

    Times are picoseconds. While the engine runs the GIL is released.
    """

    def __init__(
        self,
        spec: str,
        messages: MessageColumns | None = None,
        classes: NDArray[Any] | None = None,
    ) -> None:
        """`spec`: JSON; `messages`: columns of a message list that is not in it; `classes`: theirs.

        Classes matter only if the specification asks for blame.
        """
        with _user_errors():
            self._engine = _engine.Simulation(spec, messages, classes)

    def advance(self, until_ps: int, max_events: int) -> Stop:
        """Run until an instant, for `max_events` more events, or to the end of the workload."""
        with _user_errors():
            reached = self._engine.advance(until_ps, max_events)
        assert reached in ("time", "events", "finished")
        return reached  # type: ignore[return-value]

    @property
    def now_ps(self) -> int:
        """Simulated time reached."""
        return self._engine.now_ps

    @property
    def events(self) -> int:
        """Events handled since time 0."""
        return self._engine.events

    def begin_window(self) -> None:
        """Forget the tables' measures and packets; the window starts now. Counters go on."""
        self._engine.begin_window()
        self._engine.take_packets()

    def counters(self) -> dict[str, int]:
        """Everything counted since time 0."""
        return self._engine.counters()

    def take_samples(self) -> dict[str, NDArray[np.uint64]]:
        """Counters at each sample instant passed since the last call."""
        return self._engine.take_samples()

    def nodes(self) -> Columns:
        """One row per node: measures of the window."""
        return self._engine.nodes()

    def channels(self) -> Columns:
        """One row per channel: measures of the window."""
        return self._engine.channels()

    def processes(self) -> Columns:
        """One row per process: measures of the window."""
        return self._engine.processes()

    def take_packets(self) -> Columns:
        """One row per packet delivered since the last call, if they are recorded."""
        return self._engine.take_packets()

    def blame(self) -> dict[str, Any] | None:
        """Who made whom wait, by table, in the window; None unless that is kept."""
        return self._engine.blame()

    def moments(self) -> list[dict[str, Any]]:
        """Count, sums of powers, extremes per variable and class; exact integers."""
        return self._engine.moments()

    def histograms(self) -> list[dict[str, Any]]:
        """Occupied bins per variable and class."""
        return self._engine.histograms()


def predict(spec: str, max_pairs: int, messages: MessageColumns | None = None) -> dict[str, Any]:
    """Return what can be said without simulating; see `prediction`."""
    with _user_errors():
        return _engine.predict(spec, max_pairs, messages)


def survey(topology: str, link_width: int, max_links: int) -> dict[str, Any]:
    """Return what can be said about a topology (JSON) by counting; see `survey`."""
    with _user_errors():
        return _engine.survey(topology, link_width, max_links)


def user_field(field: str) -> str:
    """Return the engine's path of a field as the user writes it."""
    return _USER_FIELDS.get(field) or _LEVEL.sub("machine.", field)


@contextmanager
def _user_errors() -> Iterator[None]:
    """Map engine errors to exceptions users see; the only place that does."""
    try:
        yield
    except _engine.SpecError as error:
        raise UserError(user_field(error.field), error.given or None, error.allowed) from None
    except _engine.DeadlockError as error:
        text = str(error.args[0])
        raise RunFailure(text, "deadlock", error.at_ps, error.waiting, error.circle) from None
    except _engine.LivelockError as error:
        raise RunFailure(str(error.args[0]), "livelock", error.at_ps) from None
    except _engine.ClockStuckError as error:
        raise RunFailure(str(error.args[0]), "clock stands still") from None
