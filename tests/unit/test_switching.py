"""Switching where nodes are their own switches: keys, what they become, times, measures."""

from __future__ import annotations

import json
from math import sqrt
from typing import Any, ClassVar

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.machines import (
    PRESETS,
    Hypercube,
    Interface,
    Link,
    LinkClass,
    Machine,
    Mesh,
    NodeLink,
    Switch,
    machine_of,
)
from tailback.runner import run_mode
from tailback.store.columns import NODES_OF_INTEGRATED
from tailback.store.rows import table_of
from tailback.terminal.measured import measured_table, run_report
from tests.machines import refined, t9000_tables

OF_THE_PAPER = {name: keys for name, keys in PRESETS.items() if name.startswith("buzzard_mudge")}


#: Keys that only machines with integrated nodes have, by part.
OF_INTEGRATED = (
    ("switch", "output_queue"),
    ("switch", "reserve"),
    ("switch", "overtaking"),
    ("interface", "early"),
)

INTEGRATED: dict[str, Any] = {
    "topology": {"kind": "hypercube", "dimensions": 3},
    "switch": {"integrated": True},
}


def cube(**parts: dict[str, Any]) -> Machine:
    """Return a hypercube of integrated nodes, refined by `parts`."""
    topology = parts.pop("topology", INTEGRATED["topology"])
    return machine_of(refined(INTEGRATED, **parts) | {"topology": topology})


def experiment(machine: dict[str, Any], messages: list[list[object]], **run: Any) -> tb.Experiment:
    workload = {"kind": "messages", "messages": messages}
    return tb.Experiment.from_dict({"machine": machine, "workload": workload, "run": run})


def synthetic(machine: dict[str, Any], **workload: Any) -> tb.Experiment:
    keys = {"radius": "all", "sync": "asynchronous", "compute_period": "1 us", **workload}
    return tb.Experiment.from_dict({"machine": machine, "workload": keys})


def preset(name: str, **keys: Any) -> dict[str, Any]:
    return {"preset": f"buzzard_mudge_{name}", **keys}


class TestKeys:
    def test_a_switched_machine_has_no_queues_at_outputs(self) -> None:
        machine = Machine(topology=Hypercube())
        switch = machine.spec("packet")["switch"]
        assert (switch["integrated"], switch["output_queue_packets"]) == (False, None)
        resolved = machine.resolved("packet")
        for part, key in OF_INTEGRATED:
            assert resolved[part][key] is None

    def test_every_key_reaches_the_engine(self) -> None:
        machine = cube(
            switch={
                "switching": "store_and_forward",
                "output_queue": 5,
                "reserve": False,
                "overtaking": False,
                "delay": "7 ns",
            },
            interface={"packet_size": "30 B", "first_packet": "20 B", "early": "18 B"},
            routing={"kind": "first_hop", "order": ["z", "y", "x"]},
            link={"duplex": "half"},
        )
        spec = machine.spec("packet")
        switch = spec["switch"]
        assert (switch["integrated"], switch["switching"]) == (True, "store_and_forward")
        assert switch["output_queue_packets"] == 5
        assert (switch["reserve"], switch["overtaking"]) == (False, False)
        assert switch["delay_ps"] == 7000
        assert spec["link"]["half_duplex"] is True
        assert spec["routing"]["algorithm"] == {"kind": "first_hop", "order": [2, 1, 0]}
        interface = spec["interface"]
        assert (interface["first_packet_bytes"], interface["early_bytes"]) == (20, 18)
        assert interface["packet_bytes"] == 30
        assert interface["window"] is None
        assert not interface["acknowledges"]

    def test_directions_that_share_wires_flit_by_flit_reach_the_engine(self) -> None:
        machine = Machine(
            topology=Mesh(dims=(3, 3)),
            switch=Switch(switching="wormhole"),
            link=Link(duplex="half_by_flit"),
            node_link=NodeLink(duplex="full"),
            link_classes={"x": LinkClass(duplex="full")},
        )
        assert machine.exact_fidelity == "flit"
        assert "both directions share wires" in machine.exact.why
        spec = machine.spec("flit")
        assert spec["link"]["half_duplex"] == "flit"
        assert spec["node_link"] == {"width": 1, "half_duplex": False}
        assert spec["link_classes"] == {"x": {"half_duplex": False}}
        resolved = machine.resolved("flit")
        assert resolved["node_link"]["duplex"] == resolved["link_classes"]["x"]["duplex"] == "full"
        with pytest.raises(UserError, match='half_by_flit": must be full with fidelity worm'):
            machine.check("worm")

    def test_receive_fifos_reach_the_engine_and_only_where_there_are_any(self) -> None:
        def machine(**interface: Any) -> Machine:
            return Machine(topology=Mesh(dims=(3, 3)), interface=Interface(**interface))

        usual = machine().spec("packet")["interface"]
        assert not {"receive_fifo", "drain_byte_ps"} & set(usual)
        assert not {"receive_fifo", "drain_rate"} & set(machine().resolved("packet")["interface"])
        slow = machine(receive_fifo=2, drain_rate="363.63636 Mbit/s")
        assert slow.spec("packet")["interface"] == usual | {
            "receive_fifo": 2,
            "drain_byte_ps": 22_000,
        }
        resolved = slow.resolved("packet")["interface"]
        assert (resolved["receive_fifo"], resolved["drain_rate"]) == (2, "363.63636 Mbit/s")
        with pytest.raises(UserError, match="must be left out with fidelity stream, whose nodes"):
            slow.check("stream")
        with pytest.raises(UserError, match=r"needs machine\.interface\.drain_rate"):
            machine(receive_fifo=2)
        with pytest.raises(UserError, match=r'drain_rate = "3 Tbit/s": '):
            machine(drain_rate="3 Tbit/s")

    @pytest.mark.parametrize(
        "switching", ["store_and_forward", "cut_through", "circuit", "wormhole"]
    )
    def test_a_message_may_be_one_packet(self, switching: str) -> None:
        spec = cube(switch={"switching": switching}, interface={"unit": "message"}).spec("packet")
        assert spec["switch"]["switching"] == switching
        assert spec["switch"]["output_queue_packets"] is None
        assert spec["interface"]["unit"] == "message"
        assert spec["interface"]["packet_bytes"] == 16_000_000

    def test_a_place_is_kept_where_there_are_contrary_packets(self) -> None:
        for routing, kept in {"dimension_order": False, "first_hop": True}.items():
            machine = cube(switch={"switching": "store_and_forward"}, routing={"kind": routing})
            assert machine.spec("packet")["switch"]["reserve"] is kept
            assert machine.resolved("packet")["switch"]["reserve"] is kept

    @pytest.mark.parametrize(
        ("switching", "unit", "places"),
        [
            ("store_and_forward", "packet", 16),
            ("cut_through", "packet", 16),
            ("store_and_forward", "message", None),
            ("cut_through", "message", None),
        ],
    )
    def test_the_places_of_output_queues(
        self, switching: str, unit: str, places: int | None
    ) -> None:
        machine = cube(switch={"switching": switching}, interface={"unit": unit})
        assert machine.spec("packet")["switch"]["output_queue_packets"] == places
        shown = "unlimited" if places is None else places
        assert machine.resolved("packet")["switch"]["output_queue"] == shown

    @pytest.mark.parametrize(
        ("integrated", "switching", "fidelity"),
        [
            (True, "store_and_forward", "packet"),
            (True, "cut_through", "packet"),
            (True, "circuit", "packet"),
            (True, "wormhole", "worm"),
            (False, "store_and_forward", "packet"),
            (False, "cut_through", "packet"),
            (False, "wormhole", "worm"),
            (False, "circuit", "packet"),
        ],
    )
    def test_the_fidelity_follows_the_switching(
        self, integrated: bool, switching: str, fidelity: str
    ) -> None:
        machine = cube(switch={"switching": switching, "integrated": integrated})
        assert machine.usual_fidelity == machine.exact_fidelity == fidelity

    @pytest.mark.parametrize("name", OF_THE_PAPER)
    def test_resolved_keys_describe_the_same_machine(self, name: str) -> None:
        machine = machine_of({"preset": name})
        fidelity = machine.usual_fidelity
        again = machine_of(machine.resolved(fidelity))
        assert again.spec(fidelity) == machine.spec(fidelity)

    @pytest.mark.parametrize("name", OF_THE_PAPER)
    def test_presets_have_the_times_of_the_paper(self, name: str) -> None:
        spec = machine_of({"preset": name}).spec("packet")
        assert spec["link"]["flit_ps"] == 2000
        assert spec["switch"]["delay_ps"] == 4000

    def test_the_paper_has_every_switching(self) -> None:
        found = {
            (machine.switch.switching, machine.interface.unit)
            for machine in (machine_of({"preset": name}) for name in OF_THE_PAPER)
        }
        assert found == {
            ("store_and_forward", "message"),
            ("cut_through", "message"),
            ("circuit", "message"),
            ("wormhole", "message"),
            ("store_and_forward", "packet"),
        }


REFUSED: list[tuple[dict[str, Any], str]] = [
    (
        {"switch": {"switching": "wromhole"}},
        'machine.switch.switching = "wromhole": must be "cut_through", "wormhole", '
        '"store_and_forward" or "circuit"; did you mean "wormhole"?',
    ),
    (
        {"switch": {"integrated": False, "output_queue": 4}},
        "machine.switch.output_queue = 4: has no effect here; needs machine.switch.integrated = "
        'true and switching = "store_and_forward" or "cut_through"',
    ),
    (
        {"switch": {"switching": "circuit", "overtaking": False}},
        "machine.switch.overtaking = false: has no effect here; needs machine.switch.integrated = "
        'true and switching = "store_and_forward" or "cut_through", and a number of '
        "machine.switch.output_queue",
    ),
    (
        {"switch": {"output_queue": "unlimited", "reserve": True}},
        "machine.switch.reserve = true: has no effect here; needs machine.switch.integrated = "
        'true and switching = "store_and_forward" or "cut_through", and a number of '
        "machine.switch.output_queue",
    ),
    (
        {"switch": {"output_queue": 0}},
        'machine.switch.output_queue = 0: must be a number of packets, 1 to 65536, or "unlimited"',
    ),
    (
        {"switch": {"switching": "wormhole"}, "link": {"duplex": "half"}},
        'machine.link.duplex = "half": has no effect here; needs machine.switch.integrated = true '
        "and machine.switch.switching other than wormhole",
    ),
    (
        {"switch": {"switching": "cut_through"}, "link": {"duplex": "half_by_flit"}},
        'machine.link.duplex = "half_by_flit": has no effect here; needs machine.switch.switching '
        '= "wormhole"',
    ),
    (
        {"interface": {"packet_size": "16 B", "first_packet": "17 B"}},
        'machine.interface.first_packet = "17 B": must be 1 B to packet_size = 16 B',
    ),
    (
        {"switch": {"switching": "cut_through"}, "interface": {"minimum_packet": "20 B"}},
        'machine.interface.minimum_packet = "20 B": has no effect here; needs '
        "machine.switch.forwarding or segmentation, or machine.switch.integrated with switching "
        '= "store_and_forward"',
    ),
    (
        {"interface": {"unit": "message", "packet_size": "16 B"}},
        'machine.interface.packet_size = "16 B": has no effect here; needs '
        'machine.interface.unit = "packet"',
    ),
    (
        {"interface": {"unit": "message", "first_packet": "16 B"}},
        'machine.interface.first_packet = "16 B": has no effect here; needs '
        'machine.interface.unit = "packet"',
    ),
    (
        {"switch": {"integrated": False}, "routing": {"kind": "first_hop"}},
        'machine.routing.kind = "first_hop": needs machine.switch.integrated = true',
    ),
    (
        {"switch": {"switching": "wormhole"}, "routing": {"kind": "first_hop"}},
        'machine.routing.kind = "first_hop": needs machine.switch.switching = '
        '"store_and_forward", "cut_through" or "circuit"',
    ),
    (
        {"switch": {"switching": "store_and_forward"}, "routing": {"kind": "profitable"}},
        'machine.routing.kind = "profitable": needs machine.interface.unit = "message" with '
        'machine.switch.switching = "store_and_forward"',
    ),
    (
        {"switch": {"switching": "circuit"}, "routing": {"kind": "up_down"}},
        'machine.routing.kind = "up_down": needs machine.switch.integrated = false',
    ),
    (
        {"interface": {"acknowledgements": True}},
        "machine.interface.acknowledgements = true: has no effect here; needs "
        "machine.switch.integrated = false",
    ),
    (
        {"switch": {"switching": "circuit", "input_buffer": "9 B"}},
        'machine.switch.input_buffer = "9 B": has no effect here; needs '
        "machine.switch.switching other than circuit",
    ),
    (
        {"switch": {"integrated": False, "switching": "circuit", "input_buffer": "unlimited"}},
        'machine.switch.input_buffer = "unlimited": has no effect here; needs '
        "machine.switch.switching other than circuit",
    ),
    (
        {"switch": {"switching": "cut_through", "input_buffer": "9 B"}},
        'machine.switch.input_buffer = "9 B": has no effect here; needs '
        'machine.switch.integrated = false, or machine.switch.switching = "wormhole"',
    ),
    (
        {"switch": {"virtual_channels": 2}},
        "machine.switch.virtual_channels = 2: has no effect here; needs "
        "machine.switch.integrated = false",
    ),
    (
        {"node_link": {"rate": "1 Gbit/s"}},
        'machine.node_link.rate = "1 Gbit/s": has no effect here; needs '
        "machine.switch.integrated = false",
    ),
    (
        {"interface": {"early": "0 B"}},
        'machine.interface.early = "0 B": must be 1 B to 16000000 B',
    ),
    (
        {"switch": {"delay": "2 s"}},
        'machine.switch.delay = "2 s": must be at most 1 s',
    ),
    (
        {"topology": {"kind": "fat_tree"}},
        "machine.switch.integrated = true: has no effect here; needs one node on every switch: "
        'machine.topology.kind = "mesh", "torus" or "hypercube"',
    ),
]


@pytest.mark.parametrize(("parts", "expected"), REFUSED)
def test_refused_in_one_line(parts: dict[str, Any], expected: str) -> None:
    with pytest.raises(UserError) as caught:
        cube(**parts)
    assert str(caught.value) == expected


CHECKED: list[tuple[dict[str, Any], str]] = [
    (
        {
            "switch": {"switching": "store_and_forward", "output_queue": 1},
            "routing": {"kind": "first_hop"},
        },
        "machine.switch.output_queue = 1: must be at least 2: one is kept from contrary packets "
        "(reserve)",
    ),
    (
        {"topology": {"kind": "torus"}, "switch": {"integrated": False, "switching": "circuit"}},
        'machine.link.sharing = "round_robin": must be separate with switching circuit and '
        "several virtual channels: a circuit has its wires to itself",
    ),
    (
        {
            "switch": {"integrated": False, "switching": "circuit"},
            "routing": {"kind": "deflection"},
        },
        'machine.routing.kind = "deflection": must be one whose packets wait with switching '
        "circuit",
    ),
    (
        {"topology": {"kind": "torus"}, "interface": {"unit": "message"}},
        "machine.switch.virtual_channels = 2: must be 1, too few for a torus, with "
        "switch.integrated, switching cut_through and unit message",
    ),
    (
        {"link_classes": {"x": {"rate": "1 Gbit/s"}}, "interface": {"unit": "message"}},
        "machine.link_classes.x = different rates: must be the same everywhere with "
        "switch.integrated, switching cut_through and unit message",
    ),
]


@pytest.mark.parametrize(("parts", "expected"), CHECKED)
def test_what_no_fidelity_can_do_is_refused(parts: dict[str, Any], expected: str) -> None:
    machine = cube(**parts)
    with pytest.raises(UserError) as caught:
        machine.check(machine.usual_fidelity)
    assert str(caught.value) == expected


def test_a_fidelity_that_cannot_do_it_is_refused() -> None:
    circuit = INTEGRATED | {
        "switch": {"integrated": True, "switching": "circuit"},
        "interface": {"unit": "message"},
    }
    with pytest.raises(UserError) as caught:
        experiment(circuit, [["0 ns", 0, 1, "9 B"]], fidelity="worm")
    expected = (
        'run.fidelity = "worm": must be packet with switch.integrated, switching circuit and unit '
        "message"
    )
    assert str(caught.value) == expected
    worm = INTEGRATED | {
        "switch": {"integrated": True, "switching": "wormhole"},
        "interface": {"unit": "message"},
    }
    with pytest.raises(UserError) as caught:
        experiment(worm, [["0 ns", 0, 1, "9 B"]], fidelity="packet")
    assert 'run.fidelity = "packet": must be worm or flit' in str(caught.value)


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
            # other, the second brings the first 16 bytes; all are of 20 bytes.
            ("packet_fixed", None, None),
        ],
    )
    def test_one_message(self, name: str, complete_ns: int | None, begun_ns: int | None) -> None:
        asked = experiment(preset(name), [["0 ns", 0, 7, "100 B"]], mode="free")
        result = run_mode(asked, "free")
        if complete_ns is None or begun_ns is None:
            # Packets leave every 40 ns; the last of the wanted ones goes three steps.
            complete_ns = 4 + 6 * 40 + 3 * 40 + 2 * 4
            begun_ns = 4 + 40 + 3 * 40 + 2 * 4
        assert result["message_latency_us"].value == pytest.approx(complete_ns / 1000)
        assert result["message_begins_us"].value == pytest.approx(begun_ns / 1000)
        assert result.longest_us("message_begins") == pytest.approx(begun_ns / 1000)

    def test_a_short_message_has_begun_when_it_is_there(self) -> None:
        asked = experiment(preset("circuit"), [["0 ns", 0, 1, "16 B"]])
        result = run_mode(asked, "free")
        assert result["message_begins_us"].value == result["message_latency_us"].value


class TestCircuitsOverSwitches:
    MACHINE: ClassVar[dict[str, Any]] = {
        "topology": {"kind": "mesh", "dims": [3]},
        "link": {"rate": "8 Gbit/s", "delay": "5 ns", "flit": "1 B", "end_token": False},
        "switch": {"switching": "circuit", "delay": "3 ns"},
        "interface": {"header": "2 B", "packet_size": "50 B", "window": 1},
    }

    @pytest.mark.parametrize("mode", ["full", "endpoints", "throttled", "free"])
    def test_one_message(self, mode: tb.Mode) -> None:
        # A channel every 10 ns, the header 7 ns after the last, data, 4 wires, 3 switches.
        way = 30 + 7 + 4 * 5 + 3 * 3
        packets = experiment(self.MACHINE, [["0 ns", 0, 2, "100 B"]], mode=mode)
        latency = run_mode(packets, mode)["message_latency_us"].value
        assert latency == pytest.approx(2 * (way + 50) / 1000)
        whole = self.MACHINE | {"interface": {"header": "2 B", "unit": "message"}}
        one = experiment(whole, [["0 ns", 0, 2, "100 B"]], mode=mode)
        latency = run_mode(one, mode)["message_latency_us"].value
        assert latency == pytest.approx((way + 100) / 1000)

    def test_what_it_is_simulated_as(self) -> None:
        machine = machine_of(self.MACHINE)
        assert machine.exact.why == "circuits have all channels of a way to themselves"
        assert machine.resolved("packet")["switch"]["input_buffer"] is None
        assert machine_of(machine.resolved("packet")).spec("packet") == machine.spec("packet")

    def test_topologies_and_routings_of_switches(self) -> None:
        for topology, routing in [
            ({"kind": "fat_tree"}, {"kind": "nearest_common_ancestor"}),
            ({"kind": "dragonfly"}, {"kind": "minimal"}),
            ({"kind": "mesh", "dims": [3, 3]}, {"kind": "minimal_adaptive"}),
            ({"kind": "mesh", "dims": [3, 3]}, {"kind": "valiant"}),
            ({"kind": "tree"}, {"kind": "up_down"}),
        ]:
            machine = {
                "topology": topology,
                "routing": routing,
                "link": {"sharing": "separate"},
                "switch": {"switching": "circuit"},
            }
            messages = [["0 ns", 0, node, "1 kB"] for node in range(1, 5)]
            result = run_mode(experiment(machine, list(messages)), "full")
            assert sum(result.nodes["messages_delivered"].to_pylist()) == 4


def test_a_buffer_without_bounds_that_is_too_full_is_told() -> None:
    machine = {
        "topology": {"kind": "star", "nodes": 3},
        "switch": {"switching": "wormhole", "input_buffer": "unlimited"},
        "interface": {"unit": "message"},
    }
    messages = [["0 ns", node, 2, "16 MB"] for node in (0, 1) for _ in range(150)]
    asked = experiment(machine, list(messages), fidelity="worm", sample_interval="1 ms")
    with pytest.raises(tb.RunFailure, match=r"too full at .* than 1073741824 flits; give") as told:
        run_mode(asked, "full")
    assert told.value.kind == "buffer too full"


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
        asked = synthetic(t9000_tables("mesh", dims=[3, 3]), repeat=5, sync=sync)
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
        # 10, five times 16 and 10 bytes, in packets of 20.
        assert found.load_max_us == pytest.approx(64 * 2 * 7 * 20 / 1000)


class TestStored:
    def test_other_machines_have_none_of_the_columns(self) -> None:
        cost = tb.cost(synthetic(t9000_tables("mesh", dims=[2, 2]), repeat=2))
        table = table_of(cost, "abc")
        names = table.column_names
        assert not [name for name in names if "begins" in name or "ideal" in name]
        # What has no effect on a machine is null.
        keys = {f"machine.{part}.{key}" for part, key in OF_INTEGRATED}
        found = [name for name in names if name.removesuffix("_bytes") in keys]
        assert len(found) == len(keys)
        assert all(table.column(name).null_count == table.num_rows for name in found)

    def test_nodes_tell_how_much_they_stored(self) -> None:
        # Two messages of 100 bytes with headers of 2: over two channels, and one.
        messages: list[list[object]] = [["0 ns", 0, 3, "100 B"], ["0 ns", 0, 1, "100 B"]]
        nodes = tb.run(experiment(preset("datagram"), messages)).nodes
        assert nodes["transit_bytes_max"].to_pylist()[:4] == [0, 102, 0, 0]
        assert nodes["own_bytes_max"].to_pylist()[:2] == [204, 0]
        further = [column.name for column in NODES_OF_INTEGRATED]
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
        mesh = tb.run(synthetic(t9000_tables("mesh", dims=[2, 2]), repeat=2))
        assert not [name for name in mesh.samples.column_names if "begins" in name]
        assert "message_begins" not in mesh.to_dict()["percentiles"]
