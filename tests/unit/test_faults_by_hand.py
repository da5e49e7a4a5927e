"""Faults worked out by hand from the rules in docs/model.md, to the tick, in every mode.

A byte takes 1 ns. A packet is P = 100 B with its header of 10 B. Links between switches are 20 ns
long and a switch takes 50 ns, so a header that starts on such a link may start on the next 10 + 20
+ 50 = 80 ns later. The link of a node has no length: 60 ns. On a row of three switches a packet
from node 0 to node 2 that starts at t is on link 0-1 from t + 60, on 1-2 from t + 140, on the link
to its node from t + 220, and delivered at t + 220 + P = t + 320. A packet that starts on link 0-1
at s is delivered at s + 260, one that starts on link 1-2 at s + 180.

Modes `endpoints` and `free` are without faults. In `endpoints` packets wait for the links of nodes
alone, in `free` not for other messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.experiment import Experiment

Tables = dict[str, Any]

QUEUEINGS = ("fifo", "voq", "output")
FIRST, SECOND = [0, 1], [1, 2]
"""The links of the row."""


def message(time: int, source: int, destination: int) -> list[Any]:
    return [f"{time} ns", source, destination, "90 B"]


def down(start: float, end: float, **where: Any) -> Tables:
    """Return a fault from a time until another, in ns."""
    return {"time": f"{start} ns", "duration": f"{round(1000 * (end - start))} ps", **where}


ONE = (message(0, 0, 2),)
TWO = (message(0, 0, 2), message(0, 0, 2))


@dataclass(frozen=True)
class Case:
    """When packets are delivered, in ns, by message in the order of their times."""

    name: str
    messages: Sequence[list[Any]]
    faults: Sequence[Tables]
    full: Sequence[float]
    endpoints: Sequence[float] = (320,)
    free: Sequence[float] = (320,)
    machine: Tables = field(default_factory=dict)


TREE = {"topology": {"kind": "xgft", "children": [2, 2], "parents": [2]}, "routing": "d_mod_k"}
"""Leaves 0 and 1 of two nodes each, below switches 2 and 3; to node 3 by switch 3."""

STORED = {"switch": {"switching": "store_and_forward"}}
"""A packet is at the switch of its node after 100 + 50, at the next after 100 + 20 + 50: without
faults on link 0-1 from 150, on 1-2 from 320, on the last from 490, delivered at 590."""

CASES = (
    # On link 0-1 from 60 until 160. What has left it when it fails is on the wire, and arrives.
    Case("left", ONE, [down(160, 1000, link=FIRST)], [320]),
    # One tick earlier it has not: from 1000 again, 1000 + 260.
    Case("not left", ONE, [down(159.999, 1000, link=FIRST)], [1260]),
    # On 1-2 from 140, cut off at 150; again at 1000: 1180. Its tail has come to switch 1 meanwhile,
    # and the second, one P behind, too: it follows at 1100.
    Case("behind", TWO, [down(150, 1000, link=SECOND)], [1180, 1280], (320, 420), (320, 320)),
    # Buffers of one packet, credits at once. Without fault the first leaves switch 1 at 140 + 100,
    # then the second starts on 0-1: 240 + 260 = 500. With it the first leaves at 1100: 1100 + 260.
    Case(
        "keeps its room",
        TWO,
        [down(150, 1000, link=SECOND)],
        [1180, 1360],
        (320, 420),
        (320, 320),
        {"link": {"credit_delay": "0 ns"}, "switch": {"input_buffer": "100 B"}},
    ),
    # The one to node 2 is cut off at 100 and starts again at 500: 760. The one from node 2 comes to
    # switch 1 at 140, when the link back is down: from 500 on that, from 580 on that of node 0,
    # 680.
    Case(
        "both directions",
        (message(0, 0, 2), message(0, 2, 0)),
        [down(100, 500, link=FIRST)],
        [760, 680],
        (320, 320),
        (320, 320),
    ),
    # Down at 100 to 150, 210 to 260, 320 to 370. From 60 it is cut off at 100, from 150 at 210,
    # from 260 at 320; from 370: 630. The second follows P behind.
    Case(
        "flapping",
        TWO,
        [down(100, 150, link=FIRST, up_time="60 ns", count=3)],
        [630, 730],
        (320, 420),
        (320, 320),
    ),
    # A third failure less: from 260 on for good.
    Case("flaps twice", ONE, [down(100, 150, link=FIRST, up_time="60 ns", count=2)], [520]),
    # A flap that is shorter than the time up: down at 100 to 110; from 110 until 210, when it fails
    # again, which is behind its tail.
    Case("between", ONE, [down(100, 110, link=FIRST, up_time="100 ns", count=5)], [110 + 260]),
    # Two failures over each other: up when both are over.
    Case(
        "over each other",
        ONE,
        [down(100, 300, link=FIRST), down(200, 500, link=FIRST)],
        [760],
    ),
    # 4 ns a byte: on 0-1 from 60 until 460. The last byte is at switch 1 at 460 + 20 + 50 = 530 and
    # leaves on 1-2 until 531, so the packet starts there at 431: 431 + 180.
    Case("a quarter", ONE, [down(0, 10_000, link=FIRST, rate_share=0.25)], [611]),
    # At 60 the worst of two counts, a quarter, as above. From 460 the second has half: until 660,
    # its last byte leaves on 1-2 until 731, start at 631: 811.
    Case(
        "the worst share",
        TWO,
        [
            down(0, 10_000, link=FIRST, rate_share=0.5),
            down(50, 100, link=FIRST, rate_share=0.25),
        ],
        [611, 811],
        (320, 420),
        (320, 320),
    ),
    # The first has begun. The second from 160 until 360, its last byte on 1-2 until 431: 331 + 180.
    Case(
        "slower behind its start",
        TWO,
        [down(60.001, 10_000, link=FIRST, rate_share=0.5)],
        [320, 511],
        (320, 420),
        (320, 320),
    ),
    # To node 2 it is cut off on 0-1 at 100; at 500 again there, at switch 1 at 580. From node 1,
    # cut off at 100 on its way from there, again at 500, at switch 1 at 560: first on 1-2 until
    # 660, and 560 + 180 = 740. The other from 660: 840. From node 2 to node 1, on 2-1 from 60, cut
    # off, again at 500, at switch 1 at 580, 680. Endpoints: the one from node 1 is at switch 2 at
    # 230, where the link is busy until 320.
    Case(
        "a switch",
        (message(0, 0, 2), message(0, 2, 1), message(90, 1, 2)),
        [down(100, 500, switch=1)],
        [840, 680, 740],
        (320, 240, 420),
        (320, 240, 330),
    ),
    # On the link to node 2 from 220: cut off, again at 600.
    Case("a node that receives", ONE, [down(250, 600, node=2)], [700]),
    # On the link from node 0 from 0: cut off, again at 300.
    Case("a node that sends", ONE, [down(50, 300, node=0)], [620]),
    # From node 1 it is on 1-2 from 60 and cut off at 100; the other is at switch 1 at 140. At 400
    # they start in their order: 580, and P later. Without fault that of node 1 leaves 1-2 at 160:
    # 240, and the other starts then: 340, as for the link of node 2 in endpoints.
    Case(
        "the first stays first",
        (message(0, 0, 2), message(0, 1, 2)),
        [down(100, 400, link=SECOND)],
        [680, 580],
        (340, 240),
        (320, 240),
    ),
    # Ready for 1-2 at 320, which is up at 700: at switch 2 at 870, 970.
    Case("stored", ONE, [down(300, 700, link=SECOND)], [970], (590,), (590,), STORED),
    # On 0-1 from 150 until 350, at switch 1 at 420, on 1-2 until 520, at switch 2 at 590: 690.
    Case(
        "stored, at half the rate",
        ONE,
        [down(0, 10_000, link=FIRST, rate_share=0.5)],
        [690],
        (590,),
        (590,),
        STORED,
    ),
    # Up to switch 3 from 60, cut off at 100. Tables change at 400: then up to switch 2, 400 + 260.
    Case(
        "another way",
        (message(0, 0, 3),),
        [down(100, 5000, link=[0, 3], reroute_after="300 ns")],
        [660],
        machine=TREE,
    ),
    # On 3-1 from 140, cut off at 150. At 450 switch 3 knows no way: back to leaf 0, from there at
    # 530 up to switch 2, at 610 down to leaf 1, at 690 to its node: 790.
    Case(
        "back and up again",
        (message(0, 0, 3),),
        [down(150, 5000, link=[1, 3], reroute_after="300 ns")],
        [790],
        machine=TREE,
    ),
    # Repaired before tables would change: from 350, 350 + 260.
    Case(
        "repaired before",
        (message(0, 0, 3),),
        [down(100, 350, link=[0, 3], reroute_after="300 ns")],
        [610],
        machine=TREE,
    ),
)


def tables(queueing: str, machine: Tables) -> Tables:
    usual: Tables = {
        "topology": {"kind": "mesh", "dims": [3]},
        "link": {"rate": "8 Gbit/s", "flit": "1 B", "delay": "20 ns", "credit_delay": "20 ns"},
        "node_link": {"delay": "0 ns"},
        "switch": {"switching": "cut_through", "queueing": queueing, "delay": "50 ns"},
        "interface": {"header": "10 B", "packet_size": "90 B"},
        "routing": {"kind": machine.get("routing", "dimension_order")},
    }
    given = {name: value for name, value in machine.items() if name != "routing"}
    kept = {name: {} if name == "topology" and name in given else usual[name] for name in usual}
    return {name: {**kept[name], **given.get(name, {})} for name in usual}


def delivered(
    machine: Tables, messages: Sequence[list[Any]], faults: Sequence[Tables], mode: str, **run: Any
) -> list[float]:
    """Return when each message is delivered, in ns."""
    given: Tables = {
        "machine": machine,
        "workload": {"kind": "messages", "messages": list(messages)},
        "run": run,
    }
    result = tb.run(
        Experiment.from_dict(given | ({"fault": list(faults)} if faults else {})),
        mode=mode,
        packets=True,
    )
    assert result.packets is not None
    packets = result.packets.sort_by("message")
    return [time / 1000 for time in packets["delivered_ps"].to_pylist()]


@pytest.mark.parametrize("queueing", QUEUEINGS)
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_packets_are_delivered_when_the_rules_say(case: Case, queueing: str) -> None:
    machine = tables(queueing, case.machine)
    for mode in ("full", "endpoints", "free"):
        found = delivered(machine, case.messages, case.faults, mode)
        assert found == list(getattr(case, mode)), mode


#: With a rate of 0.0023 of 800 bits about five packets of six are damaged that start before 60.001.
DAMAGES = {"link": FIRST, "duration": "60001 ps", "bit_error_rate": 0.0023}


@pytest.mark.parametrize("queueing", QUEUEINGS)
@pytest.mark.parametrize(
    ("messages", "fault", "clean", "damaged"),
    [
        # Damaged, it is sent for nothing until its tail is across and the answer back: 160 + 2 ·
        # 20. From 200 again: 460, the second P behind.
        (TWO, None, [320, 420], [460, 560]),
        # Down at 180 to 400: not on the link when it fails, but asks for it when the answer is
        # there.
        (ONE, down(180, 400, link=FIRST), [320], [660]),
        # Down at 100 to 150, before its tail has left: cut off, damaged or not, 150 + 260.
        (ONE, down(100, 150, link=FIRST), [410], [410]),
        # Damaged on a link of a quarter of the rate: until 460, the answer at 500. Then usual
        # again.
        (ONE, down(0, 60.001, link=FIRST, rate_share=0.25), [611], [500 + 260]),
    ],
)
def test_damaged_packets_are_sent_again(
    queueing: str,
    messages: Sequence[list[Any]],
    fault: Tables | None,
    clean: list[float],
    damaged: list[float],
) -> None:
    machine, faults = tables(queueing, {}), [DAMAGES, *([fault] if fault else [])]
    found = [delivered(machine, messages, faults, "full", seed=seed) for seed in range(1, 21)]
    assert {tuple(times) for times in found} == {tuple(clean), tuple(damaged)}
    if clean != damaged:
        # 20 times .84 are 17.
        assert 13 <= found.count(damaged) <= 20
    for mode in ("endpoints", "free"):
        alone = delivered(machine, messages, (), mode)
        assert delivered(machine, messages, faults, mode) == alone


WORM = {"switch": {"switching": "wormhole", "queueing": None}}
FIDELITIES = {"packet": {}, "worm": WORM, "flit": WORM}


@pytest.mark.parametrize("fidelity", FIDELITIES)
@pytest.mark.parametrize(
    ("compute", "faults", "expected"),
    [
        # 1000 to compute, 320 for the message, 40 to compute there.
        (1000, [], 1360),
        # 400 done until 400, 600 / 3 until 1000, 400 left: 1400.
        (1000, [down(400, 1000, node=0, time_factor=3)], 1760),
        # At the other end 40 take twice as long.
        (1000, [{"node": 2, "time_factor": 2}], 1400),
        # 10 until 10, one third of 10 until 20, rounded down to 3.333; 36.667 left: 56.667.
        (50, [down(10, 20, node=0, time_factor=3)], 56.667 + 360),
        # Both, and one over when the message comes: 80 + 320, 40 there.
        (50, [down(0, 60, node=0, time_factor=2), down(0, 400, node=2, time_factor=9)], 440),
    ],
)
def test_stragglers_compute_for_longer(
    fidelity: str, compute: int, faults: list[Tables], expected: float
) -> None:
    steps = [[{"compute": f"{compute} ns"}, {"send": 1, "bytes": "90 B"}]]
    steps.append([{"receive": "any"}, {"compute": "40 ns"}])
    ends = zip((0, 2), steps, strict=True)
    given: Tables = {
        "machine": tables("output", FIDELITIES[fidelity]),
        "workload": {
            "kind": "program",
            "process": [{"node": node, "repeat": 1, "steps": own} for node, own in ends],
        },
        "run": {"fidelity": fidelity},
    }
    experiment = Experiment.from_dict(given | ({"fault": faults} if faults else {}))
    for mode in ("full", "endpoints", "free"):
        until = tb.run(experiment, mode=mode)["completion_us"].value * 1000
        assert until == pytest.approx(expected if mode == "full" else compute + 360, abs=1e-9), mode


@pytest.mark.parametrize("fidelity", ["worm", "flit"])
def test_links_fail_with_whole_packets_only(fidelity: str) -> None:
    given: Tables = {
        "machine": tables("output", WORM),
        "workload": {"kind": "messages", "messages": list(ONE)},
        "run": {"fidelity": fidelity},
        "fault": [down(100, 200, link=FIRST)],
    }
    with pytest.raises(UserError) as caught:
        tb.run(Experiment.from_dict(given))
    expected = f"fault: must be left out with fidelity {fidelity}: needs packet"
    assert str(caught.value) == expected
