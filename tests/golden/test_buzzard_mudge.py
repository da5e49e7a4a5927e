"""The study of hypercube transports: what is printed, how it is judged, and numbers that hold."""

from __future__ import annotations

import hashlib
import math
from functools import cache

import pytest

import tailback as tb
from studies.buzzard_mudge import published
from studies.buzzard_mudge.claims import bounds
from studies.buzzard_mudge.collisions import collisions
from studies.buzzard_mudge.paired import mean, ratio
from studies.buzzard_mudge.settings import BEGINS, COMPLETE, LENGTHS, SPACINGS, STUDY
from studies.buzzard_mudge.standstill import attempt
from studies.buzzard_mudge.storage import TRANSIT
from tailback.sweeps import Sweep

PUBLISHED = {
    "equations.csv": "fe6b25c3a94d182c",
    "load_points.csv": "421f799798e076ab",
    "ratios_by_load.csv": "2c518417975e320f",
    "text_numbers.csv": "c526c56456a348d8",
}
"""First digits of their SHA-256: a printed number is never edited."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_printed_numbers_are_never_edited(name: str) -> None:
    content = (published.DIRECTORY / name).read_bytes()
    assert hashlib.sha256(content).hexdigest()[:16] == PUBLISHED[name]


def test_the_loads_are_those_printed() -> None:
    for length in LENGTHS:
        ticks = [spacing * length for spacing in SPACINGS]
        assert ticks == published.spacings_ticks(length)


@pytest.mark.parametrize("preset", ["buzzard_mudge_packet_fixed", "buzzard_mudge_packet_adaptive"])
@pytest.mark.parametrize(
    ("size", "packets"), [(1, 1), (10, 1), (11, 2), (26, 2), (27, 3), (512, 33)]
)
@pytest.mark.parametrize(("destination", "hops"), [(1, 1), (3, 2)])
def test_every_packet_has_20_bytes(
    preset: str, size: int, packets: int, destination: int, hops: int
) -> None:
    """Section 5.3: header 4 and data 16; in the first length and type 6 and data 10.

    A packet takes 40 ns a link after 4 ns of arbitration, which is overlapped with the one before.
    """
    sent = [["0 ns", 0, destination, f"{size} B"]]
    workload = {"kind": "messages", "messages": sent}
    found = tb.run(tb.Experiment.from_dict({"machine": {"preset": preset}, "workload": workload}))
    assert found["completion_us"].value * 1000 == pytest.approx(44 * hops + 40 * (packets - 1))


def test_the_messages_have_the_printed_gaps() -> None:
    points = Sweep.load(STUDY.sweeps / "packets.toml").points()
    found = {
        (p.experiment.workload.message_size, p.experiment.workload.compute_period): p
        for p in points
    }
    assert len(found) == len(LENGTHS) * len(SPACINGS)
    for (size, period), point in found.items():
        workload = point.experiment.workload
        ticks = period.ps / 1000
        assert ticks in published.spacings_ticks(size.bytes)
        # The variance is half the mean.
        assert (workload.compute_sigma * ticks) ** 2 == pytest.approx(ticks / 2)
        assert workload.repeat == 30


def test_a_ratio_of_pairs_knows_what_they_have_in_common() -> None:
    below = {1: 10.0, 2: 20.0, 3: 30.0}
    twice = {seed: 2 * value for seed, value in below.items()}
    assert (ratio(twice, below).low, ratio(twice, below).high) == pytest.approx((2, 2))
    # By hand: 63 / 60; what is left is -0.5, 1 and -0.5; 3 / 2 * 1.5 / 60^2 is the variance.
    found = ratio({1: 10.0, 2: 22.0, 3: 31.0}, below)
    assert found.value == pytest.approx(1.05)
    assert found.standard_error == pytest.approx(math.sqrt(1.5 * 1.5) / 60)
    assert mean(below).value == 20
    assert mean(below).standard_error == pytest.approx(10 / math.sqrt(3))
    with pytest.raises(ValueError, match="no pairs"):
        ratio({1: 1.0}, {2: 1.0})


def test_bounds_are_those_of_the_words() -> None:
    by_claim = {printed.claim_id[-3:]: printed for printed in published.ratios()}
    assert len(by_claim) == 16
    assert bounds(by_claim["R01"]) == (65, 75)
    assert bounds(by_claim["R05"]) == (100, math.inf)
    assert bounds(by_claim["R07"]) == (0, 20)
    assert bounds(by_claim["R12"]) == (18, 25)
    assert bounds(by_claim["R15"]) == (0, 20)


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4])
def test_as_many_pairs_collide_as_the_equations_say(dimensions: int) -> None:
    found = collisions(dimensions)
    nodes = 2**dimensions
    assert found.fixed == pytest.approx((nodes + 1) / (3 * (nodes - 1)))
    assert found.adaptive == pytest.approx(1 / (nodes - 1))
    assert found.agree


def test_equation_2_as_printed_is_no_probability() -> None:
    assert collisions(1).adaptive_printed == 2


def test_strict_order_stands_still_where_overtaking_does_not() -> None:
    strict, free = (attempt((512, 1, overtaking)) for overtaking in (False, True))
    assert "deadlock" in strict.text
    assert len(strict.circle) > 1
    assert not free.text


def experiment(transport: str, length: int, spacing: float, **run: object) -> tb.Experiment:
    period = spacing * length
    workload = {
        "preset": "buzzard_mudge",
        "message_size": f"{length} B",
        "compute_period": f"{period:g} ns",
        "compute_sigma": math.sqrt(1 / (2 * period)),
    }
    machine = {"preset": f"buzzard_mudge_{transport}"}
    return tb.Experiment.from_dict({"machine": machine, "workload": workload, "run": run})


def test_the_load_is_about_the_nominal_one() -> None:
    # Worked out for mean distances and lengths, without the gap before the first message.
    for spacing, nominal in zip(SPACINGS[::4], published.ideal_utilisations(512)[::4], strict=True):
        found = tb.run(experiment("wormhole", 512, spacing))["ideal_link_utilisation"]
        assert found.value == pytest.approx(nominal, rel=0.1)


@cache
def result(transport: str, spacing: float, seed: int) -> tb.Result:
    """Return what is measured of messages of 512 bytes; several numbers are read of it."""
    return tb.run(experiment(transport, 512, spacing, seed=seed))


class TestNumbersThatHold:
    """With few seeds, and so with room for their scatter; all seeds are in the study."""

    SEEDS = (1, 2, 3)

    def times(self, transport: str, spacing: float, metric: str) -> dict[int, float]:
        return {seed: result(transport, spacing, seed)[metric].value for seed in self.SEEDS}

    def over_wormhole(self, transport: str, spacing: float) -> float:
        times = (self.times(one, spacing, BEGINS) for one in (transport, "wormhole"))
        return ratio(*times).value

    def test_adaptive_packets_begin_in_a_fifth_of_the_time_at_heavy_load(self) -> None:
        # "less than 20 %" (R07), "factors of up to 5" (R15).
        assert self.over_wormhole("packet_adaptive", 2.5) < 0.2

    def test_fixed_packets_begin_in_about_two_thirds(self) -> None:
        # "about 70 %" (R01); ours are 60 to 73 % with eight seeds.
        assert 0.5 < self.over_wormhole("packet_fixed", 4.0) < 0.8

    def test_packets_have_about_seven_tenths_of_the_bandwidth_at_light_load(self) -> None:
        # "about 70 %" (R04, R10).
        for transport in ("packet_fixed", "packet_adaptive"):
            rest = [
                mean(self.times(one, 18.0, COMPLETE)).value
                - mean(self.times(one, 18.0, BEGINS)).value
                for one in ("wormhole", transport)
            ]
            assert 0.65 < rest[0] / rest[1] < 0.8

    def test_adaptive_packets_are_there_before_worms_begin_at_heavy_load(self) -> None:
        # "approximately equal to, or less than" (R11).
        complete = self.times("packet_adaptive", 2.5, COMPLETE)
        assert ratio(complete, self.times("wormhole", 2.5, BEGINS)).value < 1

    def test_cut_through_takes_less_than_datagrams_and_circuits_degrade(self) -> None:
        # Section 3.
        heavy, light = (
            {
                transport: mean(self.times(transport, spacing, COMPLETE)).value
                for transport in ("datagram", "cut_through", "circuit")
            }
            for spacing in (2.0, 18.0)
        )
        assert light["cut_through"] < 0.5 * light["datagram"]
        growth = {transport: heavy[transport] / light[transport] for transport in heavy}
        assert growth["circuit"] > 2 * growth["cut_through"] > 2 * growth["datagram"]

    def test_datagrams_of_8192_bytes_need_a_hundred_kbytes_at_light_load(self) -> None:
        # "from about 100 K-bytes for light loads" (section 3).
        needs = [
            max(tb.run(experiment("datagram", 8192, 14.0, seed=seed)).nodes[TRANSIT].to_pylist())
            for seed in self.SEEDS
        ]
        assert 80_000 < sum(needs) / len(needs) < 130_000


@pytest.mark.parametrize("kind", ["fixed", "adaptive"])
@pytest.mark.parametrize(("size", "packets"), [(1, 1), (10, 1), (11, 2), (26, 2), (27, 3)])
@pytest.mark.parametrize("hops", [1, 2])
def test_every_packet_has_twenty_bytes(kind: str, size: int, packets: int, hops: int) -> None:
    """Of the first 4 are header, 6 length and type, and 10 data; a short one is filled up.

    A byte takes 2 ticks, arbitration 4 at every node, and each node stores a packet.
    """
    machine = {"preset": f"buzzard_mudge_packet_{kind}", "topology": {"dimensions": 2}}
    sent = {"kind": "messages", "messages": [["0 s", 0, 2**hops - 1, f"{size} B"]]}
    for mode in ("full", "free"):
        found = tb.run(tb.Experiment.from_dict({"machine": machine, "workload": sent}), mode=mode)
        ticks = 40 * (packets + hops - 1) + 4 * hops
        assert found["message_latency_us"].value == pytest.approx(ticks / 1000)
