"""Who gets to send at saturation: section 5.4.4, figures 5.4 and 5.6 to 5.9."""

from __future__ import annotations

from typing import Any

from studies.markdown import number, paragraphs
from studies.tweedie.comparison import Report, Section
from studies.tweedie.experiment import Point, timed
from studies.tweedie.measure import RATE, Measurements, over_seeds
from studies.tweedie.published import text_number
from studies.tweedie.sections.loads import Load, load_table, verdicts

_SEEDS = (1, 2, 3)
_EARLY_MS = (2.0, 10.0)
_LATE_MS = (20.0, 40.0)
_Y_FIRST = {"routing.order": ["y", "x"]}
_ONE_QUEUE = {"interface.ack_priority": False}


def _queue_limited(compute_us: float, **machine: Any) -> Point:
    """Return runs in which a send fails while 16 data packets wait in the node."""
    workload = {"throttle": "queue_length", "max_queue": 16}
    return timed(compute_us, seeds=_SEEDS, machine=machine, workload=workload)


def _outstanding_limited(limit: int, window_ms: tuple[float, float], **machine: Any) -> Point:
    """Return runs (c = 1 us) in which a send fails while `limit` are unacknowledged."""
    workload = {"max_outstanding": limit}
    return timed(1, window_ms, seeds=_SEEDS, machine=machine, workload=workload)


# Figure 5.4.

_OUTSTANDING = timed(1)
_QUEUE = _queue_limited(1)


def _drop(measured: Measurements) -> Report:
    queue = over_seeds(measured, _QUEUE, RATE)
    outstanding = over_seeds(measured, _OUTSTANDING, RATE)
    drop = 1 - queue.value / outstanding.value
    text = (
        f"At c = 1 µs, {number(outstanding)} messages per node and ms are sent if a send fails "
        f"while 16 messages are unacknowledged, {number(queue)} if it fails while 16 data packets "
        f'wait: {100 * drop:.0f} % less. The thesis: "around {text_number("004-073").text} %".'
    )
    return Report(text)


# Figures 5.6 and 5.7.

_COLUMNS = (
    Load("c = 1 µs", _QUEUE),
    Load("c = 10 µs", _queue_limited(10)),
    Load("c = 100 µs", _queue_limited(100)),
    Load("c = 1 µs, y first", _queue_limited(1, **_Y_FIRST)),
    Load("c = 1 µs, y first, by row", _queue_limited(1, **_Y_FIRST), axis="y"),
)

_COLUMNS_PRINTED = """\
Messages per node and ms by column (0 to 15) or row; a send fails while 16 data
packets wait in the node (three seeds). The thesis: no work at all at x = 0 and
x = 15 for c = 1 and 10 µs, and for c = 1 µs inwards to x < 4 and x > 11; nothing of
it for c = 100 µs; the same by y with y-first routing."""

_COLUMNS_WHY = """\
Why: a switch serves its inputs in order of request. Where its own node always has
packets, four of the five inputs that ask for the channel onwards are that node's
links, so what comes from further out gets few turns, and again few at the next
such switch. With `net_first` no column starves (last table of the next section)."""


def _columns(measured: Measurements) -> Report:
    text = paragraphs(
        _COLUMNS_PRINTED,
        load_table(_COLUMNS, measured),
        verdicts(_COLUMNS, measured),
        _COLUMNS_WHY,
    )
    return Report(text)


# Figures 5.8 and 5.9.

_LIMITS = tuple(
    Load(
        f"limit {limit}{name}, {window_ms[0]:g} to {window_ms[1]:g} ms",
        _outstanding_limited(limit, window_ms, **machine),
    )
    for limit, window_ms in ((16, _EARLY_MS), (32, _EARLY_MS), (64, _EARLY_MS), (64, _LATE_MS))
    for name, machine in (("", {}), (", no priority", _ONE_QUEUE))
)
_QUEUE_LIMITED = (
    Load("c = 1 µs, no priority", _queue_limited(1, **_ONE_QUEUE)),
    Load("c = 10 µs, no priority", _queue_limited(10, **_ONE_QUEUE)),
    Load("c = 1 µs, `net_first`", _queue_limited(1, **{"switch.arbiter": "net_first"})),
)

_LIMITS_PRINTED = """\
Messages per node and ms by column; c = 1 µs, a send fails while so many messages
of the process are unacknowledged; with acknowledgement priority in the node and
without. The thesis: with priority the columns x = 0 and x = 15 starve at the
highest limit (figure 5.8); without it no column does (figure 5.9)."""

_LIMITS_FURTHER = """\
So it comes out for the first milliseconds. Simulated further, the columns recover by
themselves, with priority too: the processes in the middle have to wait for
acknowledgements from the starved ones."""

_QUEUE_PRINTED = """\
Under the queue-length throttle nothing makes them wait. The thesis prints no run of
it without priority; simulated, silence ends, but the outer columns still get next
to nothing through: there it is the order of service in the switches that starves
them (see above), not the order in their nodes. Open, if figure 5.9 was meant to
cover this throttle too."""


def _limits(measured: Measurements) -> Report:
    text = paragraphs(
        _LIMITS_PRINTED,
        load_table(_LIMITS, measured),
        verdicts(_LIMITS, measured),
        _LIMITS_FURTHER,
        _QUEUE_PRINTED,
        load_table(_QUEUE_LIMITED, measured),
        verdicts(_QUEUE_LIMITED, measured),
    )
    return Report(text)


SECTIONS = (
    Section("Figure 5.4: queue-length throttle", (_QUEUE, _OUTSTANDING), _drop),
    Section(
        "Figures 5.6 and 5.7: starved columns", tuple(load.point for load in _COLUMNS), _columns
    ),
    Section(
        "Figures 5.8 and 5.9: acknowledgement priority",
        tuple(load.point for load in (*_LIMITS, *_QUEUE_LIMITED)),
        _limits,
    ),
)
