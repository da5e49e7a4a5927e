"""Short messages, direct and through one switch: the table of section 4.1.5."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import tailback as tb
from studies.comparison import Comparison, Printed
from studies.markdown import Notes, number, paragraphs, table
from studies.tables import Keys, nested
from studies.tweedie.comparison import LIFETIME_BOUND, RATE_BOUND, Report, Section
from studies.tweedie.experiment import Point
from studies.tweedie.measure import Measurements
from studies.tweedie.published import rows

_LENGTHS = tuple(range(7))
_FILE = "section4_1_5_c104_throughput_transit.csv"


_CUT = 1e-3
_CUT_NOTE = "The thesis cuts off what follows the digits that it prints."


@dataclass(frozen=True, slots=True)
class _Way:
    """How the two nodes are joined."""

    name: str
    machine: Keys
    column: str
    """End of the names of its printed columns."""


_WAYS = (
    _Way("direct", {"preset": "t9000_pair"}, "direct"),
    _Way(
        "one switch",
        {"preset": "t9000_c104", "topology.kind": "star", "topology.nodes": 2},
        "via_c104",
    ),
)


@dataclass(frozen=True, slots=True)
class _Constants:
    """Times of the links."""

    keys: Keys
    note: str
    stated: bool
    """Whether they are those that the thesis states."""


_STATED = _Constants(
    {},
    "The constants that the thesis states give 140 + 100 m ns for a message of m bytes, 10 ns "
    "more for its share of the flow-control tokens, and 100 ns more through a switch.",
    stated=True,
)
_FITTED = _Constants(
    {"link.control_token_bits": 5, "link.packet_gap": "50 ns", "switch.input_buffer": "34 B"},
    "Some of the flow-control tokens (one for four acknowledgements, so 12.5 ns for each) "
    "fall into pauses here, but not in the thesis. Which do depends on the sizes of the buffers, "
    "which it does not give for this experiment.",
    stated=False,
)


def _point(length: int, way: _Way, constants: _Constants) -> Point:
    return (
        tb.Experiment.from_dict(
            {
                "machine": nested({**way.machine, **constants.keys}),
                "workload": {"kind": "bandwidth", "message_size": f"{length} B"},
                "run": {"fidelity": "token", "warmup": "20 us", "duration": "300 us"},
            }
        ),
    )


def _throughput(measured: Measurements, length: int, way: _Way, constants: _Constants) -> float:
    """Return messages per ms."""
    (experiment,) = _point(length, way, constants)
    (period_ns,) = measured[experiment].message_periods_ns
    return 1e6 / period_ns


def _transit_ns(measured: Measurements, length: int, way: _Way, constants: _Constants) -> float:
    """Return the mean time from the start of transmission to complete delivery."""
    (experiment,) = _point(length, way, constants)
    return 1000 * measured[experiment].estimates["network_lifetime_data_us"].value


def _comparisons(
    measured: Measurements, constants: _Constants
) -> dict[tuple[int, str, str], Comparison]:
    """Return a comparison for every number of the table, by length, way and quantity."""
    compared = {}
    for row, way in product(rows(_FILE), _WAYS):
        length = int(row["message_length_bytes"])
        for quantity, unit, simulated, bound in (
            ("throughput", "messages_per_ms", _throughput, RATE_BOUND),
            ("transit_time", "ns", _transit_ns, LIFETIME_BOUND),
        ):
            prefix = f"{quantity}_{way.column}"
            comparison = Comparison(
                f"section 4.1.5: {quantity.replace('_', ' ')}, {way.name}, {length} bytes",
                Printed(row[f"{prefix}_{unit}"]),
                tb.Estimate.exact(simulated(measured, length, way, constants)),
                bound,
                constants.note,
                constants.stated,
            )
            if abs(comparison.relative) < _CUT:
                comparison = replace(comparison, note=_CUT_NOTE)
            compared[length, way.name, quantity] = comparison
    return compared


def _table(compared: dict[tuple[int, str, str], Comparison], quantity: str, notes: Notes) -> str:
    header = ["bytes"]
    for way in _WAYS:
        header += [f"{way.name}: printed", "simulated", "difference"]
    lines = []
    for length in _LENGTHS:
        line = [f"{length}"]
        for way in _WAYS:
            c = compared[length, way.name, quantity]
            line += [c.printed.text, number(c.simulated), notes.difference(c)]
        lines.append(line)
    return table(header, lines)


_READING = """\
Two other constants make the table (fitted to it, so not counted above): control tokens of
5 bits (50 ns) instead of 4, and 50 ns more before every packet on every channel. A
message of m bytes then takes 50 ns before it, 100 for its header, 100 m, 50 for its end
and 12.5 for its share of the flow-control tokens that grant the acknowledgements:
212.5 + 100 m. Through a switch the header and the 50 ns before it come once more,
150 ns. (Buffers of a packet, 34 bytes; of 35, the default, grants fall due between the
two tokens of an acknowledgement, and messages of 0 and 1 byte are 12.5 ns faster.) A
packet of 32 bytes takes 3.4 µs, as section 5.4 of the thesis has it, but the same
constants fit neither its tables 4.1 and 4.2 nor chapters 5 and 6 (see "Packets 60 ns
longer")."""


def _report(measured: Measurements) -> Report:
    blocks: list[object] = []
    everything: list[Comparison] = []
    for constants, introduction in (
        (_STATED, "Token passing, with the constants that the thesis states."),
        (_FITTED, _READING),
    ):
        compared = _comparisons(measured, constants)
        notes = Notes()
        blocks += [
            introduction,
            "Messages per ms:",
            _table(compared, "throughput", notes),
            "Transit time (ns), from the start of transmission to complete delivery:",
            _table(compared, "transit_time", notes),
            notes,
        ]
        if constants.stated:  # What was fitted to the table is no test of it.
            everything += compared.values()
    return Report(paragraphs(*blocks, _same_throughput(measured)), tuple(everything))


def _same_throughput(measured: Measurements) -> str:
    """Return from which length on the switch costs no throughput, with both constants."""
    lengths = []
    for constants in (_STATED, _FITTED):
        same = (
            length
            for length in _LENGTHS
            if len({round(_throughput(measured, length, w, constants), 6) for w in _WAYS}) == 1
        )
        lengths.append(f"{next(same, 'none')}")
    return (
        "The thesis: with packets that are long enough the switch costs no throughput; in its "
        f"table from 5 bytes on. Simulated: from {lengths[0]} bytes with the constants stated, "
        f"from {lengths[1]} with the others."
    )


SECTION = Section(
    "Section 4.1.5: one switch between two nodes",
    tuple(
        _point(length, way, constants)
        for length, way, constants in product(_LENGTHS, _WAYS, (_STATED, _FITTED))
    ),
    _report,
)
