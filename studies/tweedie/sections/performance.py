"""What each fidelity costs: table 3.1."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from studies.markdown import paragraphs, table
from studies.tables import Keys, nested
from studies.tweedie.alone import Spent, spent
from studies.tweedie.comparison import Report, Section
from studies.tweedie.experiment import NAMES, SYNCS, Sync
from studies.tweedie.measure import Measurements
from studies.tweedie.published import rows, text_number


@dataclass(frozen=True, slots=True)
class _Line:
    """A fidelity, and the name of the thesis' model of it."""

    fidelity: str
    printed: str | None = None
    machine: Keys | None = None


_OUT_OF_BAND = {"link.flow_control": "out_of_band"}
_LINES = (
    _Line("token", "Token-passing"),
    _Line("flit", machine=_OUT_OF_BAND),
    _Line("stream", "Packet-stream", machine=_OUT_OF_BAND),
    _Line("worm", machine=_OUT_OF_BAND),
    _Line("packet", "Packet-passing"),
)
_DURATION_MS = 20


def _spent(line: _Line, sync: Sync = "asynchronous") -> Spent:
    print(f"timing {line.fidelity}, {NAMES[sync]} …", file=sys.stderr)
    return spent(
        {
            "machine": nested(
                {"preset": "t9000_c104", "topology.dims": [32, 32], **(line.machine or {})}
            ),
            "workload": {
                "preset": "tweedie",
                "radius": 16,
                "sync": sync,
                "compute_period": "1 us",
            },
            "run": {
                "fidelity": line.fidelity,
                "warmup": "0 s",
                "duration": f"{_DURATION_MS} ms",
            },
        }
    )


_SETTING = f"""\
32 x 32 nodes, random messages of 32 bytes to at most 16 columns and rows away,
asynchronous, c = 1 µs, {_DURATION_MS} ms; the thesis on a Pentium MMX of 200 MHz, here on
one core of the machine named above. Each run in a process of its own; memory is what
the run adds to it. `flit` and `worm` give the same times as each other, for links whose
flow control is out of band; the thesis has neither."""


def _report(_: Measurements) -> Report:
    simulated = {line.fidelity: _spent(line) for line in _LINES}
    printed = {
        row["communications_model"]: row for row in rows("table3_1_simulator_performance.csv")
    }
    text = paragraphs(
        _SETTING,
        table(
            [
                "fidelity",
                "events (10⁶): printed",
                "simulated",
                "time (s): printed",
                "simulated",
                "memory (MB): printed",
                "simulated",
                "packets (10³)",
                "hops",
            ],
            (
                _cells(line, simulated[line.fidelity], printed.get(line.printed or ""))
                for line in _LINES
            ),
        ),
        _ratios(simulated, printed),
        _packets({sync: _spent(_LINES[-1], sync) for sync in SYNCS}),
    )
    return Report(text)


def _cells(line: _Line, run: Spent, printed: dict[str, str] | None) -> list[str]:
    events = seconds = memory = ""
    if printed is not None:
        events = f"{int(printed['events_dispatched_count']) / 1e6:.1f}"
        seconds = printed["elapsed_time_s"]
        memory = f"{int(printed['memory_kB']) / 1000:.1f}"
    return [
        f"`{line.fidelity}`",
        events,
        f"{run.events / 1e6:.1f}",
        seconds,
        f"{run.cpu_s:.1f}",
        memory,
        f"{run.memory_kb / 1000:.1f}",
        f"{run.packets / 1000:.0f}",
        f"{run.hops:.2f}",
    ]


def _ratios(simulated: dict[str, Spent], printed: dict[str, dict[str, str]]) -> str:
    token, stream, packet = (simulated[name] for name in ("token", "stream", "packet"))
    token_row, packet_row = (printed[f"{name}-passing"] for name in ("Token", "Packet"))
    events, seconds = (
        int(token_row[column]) / int(packet_row[column])
        for column in ("events_dispatched_count", "elapsed_time_s")
    )
    return (
        f"Token over packet: {token.events / packet.events:.1f} times the events (printed "
        f"{events:.1f}), {token.cpu_s / packet.cpu_s:.1f} times the time (printed {seconds:.1f}; "
        "the thesis: about an order of magnitude). The thesis gave streams up because under "
        "moderate to high load they were no quicker than tokens; in its own table they take "
        f"{int(printed['Packet-stream']['elapsed_time_s']) / int(token_row['elapsed_time_s']):.2f} "
        f"of the time of tokens, here {stream.cpu_s / token.cpu_s:.2f}."
    )


def _packets(simulated: dict[Sync, Spent]) -> str:
    printed = text_number("004-016")
    more = ", ".join(
        f"{NAMES[sync]} {100 * (run.packets / printed.value - 1):+.0f} %"
        for sync, run in simulated.items()
    )
    return (
        f"The thesis counts {int(printed.text):,} packets in its run, of "
        f"{text_number('004-017').text} hops in the mean. It does not say how its processes are "
        f"synchronised; whichever way, more are sent here with packet passing: {more}. Open."
    )


SECTION = Section("Table 3.1: what the fidelities cost", (), _report)
