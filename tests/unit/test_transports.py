"""Machines whose nodes are their own switches: keys, what they become, times, measures."""

from __future__ import annotations

import json
from math import sqrt
from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.machines import PRESETS, TRANSPORT_KEYS, Hypercube, Machine, Mesh, Torus
from tailback.runner import run_mode
from tailback.store.columns import NODES_OF_TRANSPORTS
from tailback.store.rows import table_of
from tailback.terminal.measured import measured_table, run_report

OF_THE_PAPER = {name: keys for name, keys in PRESETS.items() if name.startswith("buzzard_mudge")}


def experiment(machine: dict[str, Any], messages: list[list[object]], **run: Any) -> tb.Experiment:
    workload = {"kind": "messages", "messages": messages}
    return tb.Experiment.from_dict({"machine": machine, "workload": workload, "run": run})


def synthetic(machine: dict[str, Any], **workload: Any) -> tb.Experiment:
    keys = {"radius": "all", "sync": "asynchronous", "compute_period": "1 us", **workload}
    return tb.Experiment.from_dict({"machine": machine, "workload": keys})


def preset(name: str, **keys: Any) -> dict[str, Any]:
    return {"preset": f"buzzard_mudge_{name}", **keys}


class TestKeys:
    def test_a_switched_machine_knows_nothing_of_transports(self) -> None:
        machine = Hypercube()
        assert "transport" not in machine.spec("packet")
        assert machine.resolved("packet").keys().isdisjoint(TRANSPORT_KEYS)

    def test_every_key_reaches_the_engine(self) -> None:
        machine = Hypercube(
            dimensions=3,
            transport="packet",
            routing="first_hop",
            dimension_order=["z", "y", "x"],
            duplex="half",
            packet_size="30 B",
            first_packet_data="20 B",
            packet_buffers=5,
            reserve=False,
            overtaking=False,
            arbitration="7 ns",
            early="18 B",
        )
        spec = machine.spec("packet")
        assert spec["transport"] == {
            "scheme": {"kind": "packet", "buffers": 5, "reserve": False, "overtaking": False},
            "half_duplex": True,
            "first_packet_bytes": 20,
            "early_bytes": 18,
        }
        assert spec["routing"] == {"kind": "first_hop", "order": [2, 1, 0]}
        assert spec["link"]["switch_delay_ps"] == 7000
        assert spec["node"]["packet_bytes"] == 30
        assert not spec["node"]["acknowledges"]

    @pytest.mark.parametrize(
        ("transport", "scheme"),
        [
            ("datagram", {"kind": "datagram", "cut_through": False}),
            ("datagram_cut_through", {"kind": "datagram", "cut_through": True}),
            ("circuit", {"kind": "circuit"}),
            ("wormhole", {"kind": "wormhole"}),
        ],
    )
    def test_a_message_is_one_packet(self, transport: Any, scheme: dict[str, Any]) -> None:
        spec = Hypercube(transport=transport).spec("packet")
        assert spec["transport"]["scheme"] == scheme
        assert spec["node"]["packet_bytes"] == 1_000_000

    def test_a_place_is_kept_where_there_are_contrary_packets(self) -> None:
        for routing, kept in {"dimension_order": False, "first_hop": True}.items():
            machine = Hypercube(transport="packet", routing=routing)
            assert machine.spec("packet")["transport"]["scheme"]["reserve"] is kept

    @pytest.mark.parametrize(
        ("transport", "fidelity"),
        [("datagram", "packet"), ("circuit", "packet"), ("wormhole", "worm"), ("packet", "packet")],
    )
    def test_the_fidelity_follows_the_transport(self, transport: Any, fidelity: str) -> None:
        machine = Hypercube(transport=transport)
        assert machine.usual_fidelity == machine.exact_fidelity == fidelity

    @pytest.mark.parametrize("name", OF_THE_PAPER)
    def test_resolved_keys_describe_the_same_machine(self, name: str) -> None:
        machine = Hypercube(**PRESETS[name])
        fidelity = machine.usual_fidelity
        again = Hypercube(**machine.resolved(fidelity))
        assert again.spec(fidelity) == machine.spec(fidelity)

    @pytest.mark.parametrize("name", OF_THE_PAPER)
    def test_presets_have_the_times_of_the_paper(self, name: str) -> None:
        link = Hypercube(**PRESETS[name]).spec("packet")["link"]
        assert link["bit_ps"] * link["data_token_bits"] == 2000
        assert link["switch_delay_ps"] == 4000


REFUSED: list[tuple[type[Machine], dict[str, Any], str]] = [
    (
        Hypercube,
        {"transport": "pakcet"},
        'machine.transport = "pakcet": must be "switched", "datagram", "datagram_cut_through", '
        '"circuit", "wormhole" or "packet"; did you mean "packet"?',
    ),
    (
        Hypercube,
        {"packet_buffers": 4},
        'machine.packet_buffers = 4: not an option with transport = "switched", only with "packet"',
    ),
    (
        Hypercube,
        {"transport": "wormhole", "duplex": "half"},
        'machine.duplex = "half": not an option with transport = "wormhole", only with '
        '"datagram", "datagram_cut_through", "circuit" or "packet"',
    ),
    (
        Hypercube,
        {"transport": "packet", "packet_size": "16 B", "header": "20 B"},
        'machine.packet_size = "16 B": must be at least the header of a packet, 20 B',
    ),
    (
        Hypercube,
        {"transport": "packet", "routing": "first_hop", "packet_buffers": 1},
        "machine.packet_buffers = 1: must be at least 2: one is kept from contrary packets "
        "(reserve)",
    ),
    (
        Hypercube,
        {"transport": "packet", "packet_size": "16 B", "first_packet_data": "17 B"},
        'machine.first_packet_data = "17 B": must be 1 B to packet_size = 16 B',
    ),
    (
        Hypercube,
        {"transport": "datagram", "packet_size": "16 B"},
        'machine.packet_size = "16 B": must be left out with transport = "datagram": '
        "a message is a packet",
    ),
    (
        Hypercube,
        {"routing": "first_hop"},
        'machine.routing = "first_hop": needs transport = "datagram", "datagram_cut_through", '
        '"circuit" or "packet"',
    ),
    (
        Hypercube,
        {"transport": "wormhole", "routing": "first_hop"},
        'machine.routing = "first_hop": must be "dimension_order"',
    ),
    (
        Hypercube,
        {"transport": "packet", "routing": "profitable"},
        'machine.routing = "profitable": must be "dimension_order" or "first_hop"',
    ),
    (
        Torus,
        {"transport": "datagram"},
        'machine.routing = "dimension_order": needs two virtual channels on a torus, and a '
        "transport has one",
    ),
    (
        Hypercube,
        {"transport": "circuit", "acknowledgements": True},
        'machine.acknowledgements = true: must be false with transport = "circuit"',
    ),
    (
        Hypercube,
        {"transport": "circuit", "switch_delay": "1 ns"},
        'machine.switch_delay = "1 ns": must be left out with transport = "circuit"; its time is '
        "arbitration",
    ),
    (
        Hypercube,
        {"transport": "circuit", "input_buffer": "9 B"},
        'machine.input_buffer = "9 B": must be left out with transport = "circuit"',
    ),
    (
        Mesh,
        {"transport": "packet", "virtual_channels": 2},
        'machine.virtual_channels = 2: must be left out with transport = "packet"',
    ),
    (
        Hypercube,
        {"transport": "wormhole", "early": "0 B"},
        'machine.early = "0 B": must be 1 B to 1000000 B',
    ),
    (
        Hypercube,
        {"transport": "wormhole", "arbitration": "2 s"},
        'machine.arbitration = "2 s": must be at most 1 s',
    ),
]


@pytest.mark.parametrize(("kind", "keys", "expected"), REFUSED)
def test_refused_in_one_line(kind: type[Machine], keys: dict[str, Any], expected: str) -> None:
    with pytest.raises(UserError) as caught:
        kind(**keys)
    assert str(caught.value) == expected


def test_a_fidelity_that_cannot_do_it_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        experiment({"transport": "circuit"}, [["0 ns", 0, 1, "9 B"]], fidelity="worm")
    expected = 'run.fidelity = "worm": cannot do machine.transport = "circuit"; use "packet"'
    assert str(caught.value) == expected


class TestTimes:
    """Of one message without others: 100 bytes over three channels, 2 ns a byte, 4 ns each."""

    @pytest.mark.parametrize(
        ("name", "complete_ns", "begun_ns"),
        [
            # All is there before it goes on: three times 4 + 204.
            ("datagram", 3 * 208, 3 * 208 - 168),
            # The header of 2 bytes goes ahead: three times 4, two times 4, then 204.
            ("cut_through", 12 + 8 + 204, 12 + 8 + 204 - 168),
            ("wormhole", 12 + 8 + 204, 12 + 8 + 204 - 168),
            ("circuit", 3 * 8 + 200, 3 * 8 + 32),
            # 10, 16, 16, 16, 16, 16 and 10 bytes: the first packet is followed by one after the
            # other, the second brings the first 16 bytes; of two packets the shorter waits.
            ("packet_fixed", None, None),
        ],
    )
    def test_one_message(self, name: str, complete_ns: int | None, begun_ns: int | None) -> None:
        asked = experiment(preset(name), [["0 ns", 0, 7, "100 B"]], mode="free")
        result = run_mode(asked, "free")
        if complete_ns is None or begun_ns is None:
            # Packets leave every 28 or 40 ns; the last of the wanted ones goes three steps.
            first, full, last = 28, 40, 28
            complete_ns = 4 + first + 5 * full + 3 * last + 2 * 4
            begun_ns = 4 + first + 3 * full + 2 * 4
        assert result["message_latency_us"].value == pytest.approx(complete_ns / 1000)
        assert result["message_begins_us"].value == pytest.approx(begun_ns / 1000)
        assert result.longest_us("message_begins") == pytest.approx(begun_ns / 1000)

    def test_a_short_message_has_begun_when_it_is_there(self) -> None:
        asked = experiment(preset("circuit"), [["0 ns", 0, 1, "16 B"]])
        result = run_mode(asked, "free")
        assert result["message_begins_us"].value == result["message_latency_us"].value


class TestLoad:
    def test_the_ideal_utilisation_is_that_of_the_paper(self) -> None:
        # 100 bytes over three channels and 50 over one, 2 ns a byte; the last is sent at 1 us.
        messages: list[list[object]] = [["0 ns", 0, 7, "100 B"], ["1 us", 0, 1, "50 B"]]
        for name in ("datagram", "packet_fixed"):
            found = run_mode(experiment(preset(name), messages), "free")["ideal_link_utilisation"]
            assert found.value == pytest.approx((2 * 300 + 2 * 50) / (384 * 1000))
            assert found.half_width == 0

    def test_all_transports_carry_the_same_messages(self) -> None:
        loads, sent = set(), set()
        for name in OF_THE_PAPER:
            asked = synthetic({"preset": name}, repeat=3, message_distribution="exponential")
            result = run_mode(asked, "free")
            loads.add(result["ideal_link_utilisation"].value)
            sent.add(int(result.samples["bytes_delivered"].to_numpy()[-1]))
        assert len(loads) == len(sent) == 1


class TestRepeat:
    def test_it_reaches_the_engine_only_if_it_is_given(self) -> None:
        assert json.loads(synthetic({}, repeat=4).spec())["workload"]["repeat"] == 4
        assert "repeat" not in json.loads(synthetic({}).spec())["workload"]
        assert "repeat" not in synthetic({}).resolved()["workload"]

    @pytest.mark.parametrize(
        "sync", ["asynchronous", "asynchronous_blocking", "loosely_synchronous"]
    )
    def test_a_run_ends_when_everything_is_there_and_all_counts(self, sync: str) -> None:
        asked = synthetic({"topology": "mesh", "dims": [3, 3]}, repeat=5, sync=sync)
        result = tb.run(asked)
        assert result.ending.stop_reason == "finished"
        assert result.ending.warmup_ms == 0
        assert result.processes["iterations"].to_pylist() == [5] * 9
        sent = sum(result.nodes["messages_sent"].to_pylist())
        assert sent == sum(result.nodes["messages_delivered"].to_pylist())
        assert result["message_latency_us"].half_width == 0

    def test_the_gaps_of_the_paper(self) -> None:
        # Variance is half the mean, in ticks: the sum of 30 gaps varies by sqrt(30 * 512) ticks.
        asked = synthetic(
            preset("datagram"),
            repeat=30,
            compute_period="1024 ns",
            compute_distribution="normal",
            compute_sigma=sqrt(1 / 2048),
            start="together",
        )
        result = run_mode(asked, "ideal")
        last_ticks = result.ending.simulated_ms * 1e6
        assert abs(last_ticks - 30 * 1024) < 6 * sqrt(30 * 512)


class TestPrediction:
    def test_nothing_lies_between_node_and_switch(self) -> None:
        found = tb.describe(experiment(preset("datagram"), [["0 ns", 0, 7, "100 B"]]))
        assert found.mean_hops == 3
        assert found.zero_load_data_us == pytest.approx(0.624)
        # As if every node sent one.
        assert found.load_max_us == pytest.approx(64 * 0.204)

    def test_packets_after_the_first_are_counted(self) -> None:
        found = tb.describe(experiment(preset("packet_fixed"), [["0 ns", 0, 1, "100 B"]]))
        # 10, five times 16 and 10 bytes, each with a header of 4.
        assert found.load_max_us == pytest.approx(64 * 2 * (100 + 7 * 4) / 1000)


class TestStored:
    def test_other_machines_have_none_of_the_columns(self) -> None:
        cost = tb.cost(synthetic({"topology": "mesh", "dims": [2, 2]}, repeat=2))
        names = table_of(cost, "abc").column_names
        assert not [name for name in names if "begins" in name or "ideal" in name]
        assert not {f"machine.{key}" for key in TRANSPORT_KEYS} & set(names)

    def test_nodes_tell_how_much_they_stored(self) -> None:
        # Two messages of 100 bytes with headers of 2: over two channels, and one.
        messages: list[list[object]] = [["0 ns", 0, 3, "100 B"], ["0 ns", 0, 1, "100 B"]]
        nodes = tb.run(experiment(preset("datagram"), messages)).nodes
        assert nodes["transit_bytes_max"].to_pylist()[:4] == [0, 102, 0, 0]
        assert nodes["own_bytes_max"].to_pylist()[:2] == [204, 0]
        further = [column.name for column in NODES_OF_TRANSPORTS]
        assert [name for name in nodes.column_names if name.endswith("_bytes_max")] == further

    def test_the_terminal_tells_when_messages_begin(self) -> None:
        asked = experiment(preset("datagram"), [["0 ns", 0, 1, "100 B"]])
        table = measured_table({"free": run_mode(asked, "free")})
        labels = [str(cell).strip() for cell in table.columns[0].cells]
        place = labels.index("message begun")
        assert labels[place : place + 4] == [
            "message begun",
            "longest",
            "message latency",
            "longest",
        ]
        assert run_report(run_mode(asked, "free"))

    def test_samples_of_other_machines_do_not_count_what_begins(self) -> None:
        mesh = tb.run(synthetic({"topology": "mesh", "dims": [2, 2]}, repeat=2))
        assert not [name for name in mesh.samples.column_names if "begins" in name]
        assert "message_begins" not in mesh.to_dict()["percentiles"]
