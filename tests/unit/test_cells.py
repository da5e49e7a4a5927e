"""Line cards in front of a fabric of cells: what files say of them, and printed numbers."""

from __future__ import annotations

from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.machines import machine_of
from tailback.prediction import describe

AVICI = {"preset": "avici_tsr"}


def _refusal(machine: dict[str, Any]) -> str:
    with pytest.raises(UserError) as caught:
        Experiment.from_dict({"machine": machine, "workload": {"kind": "fan_in"}})
    return str(caught.value)


def _latencies_us(**workload: Any) -> list[float]:
    """Return the latencies of the messages of a program on the Avici, in order."""
    tables = {"machine": AVICI, "workload": workload}
    packets = tb.run(Experiment.from_dict(tables), packets=True).packets.to_pydict()
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    rows = zip(packets["message"], packets["queued_ps"], packets["delivered_ps"], strict=True)
    for message, queued, delivered in rows:
        first[message] = min(first.get(message, queued), queued)
        last[message] = max(last.get(message, delivered), delivered)
    return [(last[message] - first[message]) / 10**6 for message in sorted(last)]


def test_the_token_takes_what_is_printed() -> None:
    # [Chen & Wyckoff, figure 13]: least, mean and most, in us.
    taken = _latencies_us(kind="token_pass", message_size="1 B")
    assert len(taken) == 3 * 256
    assert (min(taken), max(taken)) == (1.38, 1.53)
    assert round(sum(taken) / len(taken), 3) == 1.386


@pytest.mark.parametrize("kind", ["mesh", "torus"])
@pytest.mark.parametrize(
    ("size", "least_us"),
    # [Chen & Wyckoff, figures 18 and 20]; what is printed of 2048 bytes, 22.20, cannot be met.
    [(32, 1.38), (64, 1.65), (128, 2.76), (256, 4.86), (512, 9.09), (1024, 17.49)],
)
def test_the_fastest_messages_of_exchanges_take_what_is_printed(
    kind: str, size: int, least_us: float
) -> None:
    assert min(_latencies_us(kind=kind, message_size=f"{size} B")) == least_us


def test_what_is_said_without_simulating_is_what_is_simulated() -> None:
    workload = {"preset": "uniform_open_loop", "message_size": "1500 B"}
    told = describe(Experiment.from_dict({"machine": AVICI, "workload": workload}))
    assert machine_of(AVICI).nodes == 256
    # A frame of 1500 bytes is on a line for 407 cell times of 30 ns; its last cell is offered 26
    # after the first, and out of the fabric 9 later on the next card.
    assert told.zero_load_neighbour_us == pytest.approx((407 + 26 + 9 + 407) * 0.03)
    # Frames follow each other after 410: 975.610 Mbit/s [Chen & Wyckoff, figure 14].
    assert round(1500 * 8 / (410 * 0.03), 3) == 975.610
    # The links between cards upwards have more to do: they have all that goes half a ring round.
    assert told.load_max_us / 0.03 > 410


def test_what_is_written_has_defaults_filled_in() -> None:
    machine = machine_of(
        {"topology": {"kind": "star"}, "switch": {"switching": "store_and_forward"}}
        | {"switch": {"segmentation": "64 B", "cell_time": "10 ns"}}
        | {"link": {"rate": "1 Gbit/s"}}
    )
    assert "cells" not in machine_of({}).spec("packet")["switch"]
    assert machine.spec("packet")["switch"]["cells"] == {
        "cell_bytes": 64,
        "cell_ps": 10_000,
        "pacing": None,
        "card_ps": 10_000,
        "leave_ps": 0,
        "hop_ps": 10_000,
    }


BAD: list[tuple[dict[str, Any], str]] = [
    ({"switch": {"segmentation": "0 B"}}, 'machine.switch.segmentation = "0 B": must be 1 B to'),
    ({"switch": {"cell_pacing": 0}}, "machine.switch.cell_pacing = 0: must be at least 1"),
    ({"switch": {"card_delay": "29 ns"}}, 'machine.switch.card_delay = "29 ns": must be 30 ns to'),
    ({"switch": {"hop_delay": "2 s"}}, 'machine.switch.hop_delay = "2 s": must be 0 s to 1 s'),
    (
        {"switch": {"switching": "wormhole"}, "interface": {"multicast": "unicast"}},
        "must be store_and_forward with switch.segmentation",
    ),
    ({"switch": {"input_buffer": "4 kB"}}, "must be unlimited with switch.segmentation"),
    ({"switch": {"arbiter": "round_robin"}}, "must be fifo with switch.segmentation"),
    ({"link": {"preamble": "20 kB"}}, "machine.link.preamble"),
    ({"interface": {"minimum_packet": "20 kB"}}, "machine.interface.minimum_packet"),
    ({"node_link": {"width": 2}}, "machine.node_link.width = 2: must be 1"),
]


@pytest.mark.parametrize(("change", "expected"), BAD, ids=[expected for _, expected in BAD])
def test_mistakes_are_told_in_one_line(change: dict[str, Any], expected: str) -> None:
    said = _refusal(AVICI | change)
    assert expected in said
    assert "\n" not in said


def test_cells_need_a_time() -> None:
    said = _refusal({"switch": {"switching": "store_and_forward", "segmentation": "64 B"}})
    assert said.startswith('machine.switch.segmentation = "64 B": needs machine.switch.cell_time')


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("switch", "cell_time", "30 ns"),
        ("switch", "hop_delay", "30 ns"),
        ("link", "preamble", "8 B"),
        ("link", "frame_gap", "12 B"),
        ("interface", "minimum_packet", "64 B"),
    ],
)
def test_keys_of_cells_need_them(part: str, name: str, value: str) -> None:
    said = _refusal({part: {name: value}})
    assert f"machine.{part}.{name}" in said
    assert "segmentation" in said
