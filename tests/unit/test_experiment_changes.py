"""Changes of experiments: what other kinds leave of the keys of a file; times in cycles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.machines import TOPOLOGIES, Machine


class TestTheOldKind:
    """What another kind leaves of the keys of a file: those that the new one has."""

    def changed(self, examples: Path, *overrides: str) -> Machine:
        return Experiment.load(examples / "boundary.toml", overrides).machine

    def test_other_topologies_drop_its_keys(self, examples: Path) -> None:
        kinds = [kind for kind in TOPOLOGIES if kind not in ("graph", "pair")]
        for kind in kinds:
            keys = ["workload.kind=bandwidth", f"machine.topology.kind={kind}"]
            assert self.changed(examples, *keys).topology.kind == kind
        torus = self.changed(examples, "machine.topology.kind=torus")
        assert torus.topology.shape == (8, 8)

    def test_a_key_of_the_old_kind_in_the_same_change_is_a_mistake(self, examples: Path) -> None:
        changes = ["machine.topology.kind=hypercube", "machine.topology.dims=[4]"]
        with pytest.raises(UserError, match=r"topology\.dims: has no effect with .*hypercube"):
            self.changed(examples, "workload.kind=bandwidth", *changes)

    def test_other_routings_drop_its_keys(self, tmp_path: Path) -> None:
        file = tmp_path / "x.toml"
        file.write_text('[machine.routing]\norder = ["y", "x"]\nhop_limit = 99\n')
        for kind, kept in (("dor", {"order"}), ("west_first", set()), ("two_phase", {"order"})):
            routing = Experiment.load(file, [f"machine.routing.kind={kind}"]).machine.routing
            assert routing is not None
            assert routing.given().keys() == {"hop_limit", *kept}
        change = ["machine.routing.kind=west_first", 'machine.routing.order=["y", "x"]']
        with pytest.raises(UserError, match=r"order: has no effect with machine\.routing"):
            Experiment.load(file, change)

    def test_a_routing_of_the_file_is_not_another_topologys(self, examples: Path) -> None:
        file = examples / "wormhole_mesh.toml"
        machine = Experiment.load(
            file, ["workload.kind=bandwidth", "machine.topology.kind=fat_tree"]
        ).machine
        assert machine.chosen_routing is not None
        assert machine.chosen_routing.kind == "nearest_common_ancestor"

    def test_other_switching_drops_what_means_nothing_there(self, examples: Path) -> None:
        file = examples / "hypercube_transports.toml"
        for switching in ("store_and_forward", "cut_through", "circuit", "wormhole"):
            changes = [f"machine.switch.switching={switching}"]
            if switching != "store_and_forward":
                changes.append("machine.interface.unit=message")
            if switching == "wormhole":
                changes.append("machine.routing.kind=dimension_order")
            machine = Experiment.load(file, changes).machine
            assert machine.switch.switching == switching

    def test_other_flow_control_drops_what_means_nothing_there(self, examples: Path) -> None:
        file = examples / "wormhole_mesh.toml"
        changes = ["machine.link.flow_control=in_band", "machine.switch.input_buffer=40 B"]
        machine = Experiment.load(file, changes).machine
        assert machine.link.flow_control == "in_band"
        with pytest.raises(UserError, match=r"needs machine.link.flow_control = \"out_of_band\""):
            Experiment.load(file, [*changes, "machine.link.credit_delay=1 ns"])


class TestClock:
    MACHINE: ClassVar[dict[str, Any]] = {
        "clock": "2 GHz",
        "link": {"delay": "4 cycles", "credit_delay": "1 cycle"},
        "node_link": {"delay": "2 cycles"},
        "link_classes": {"y": {"delay": "6 cycles"}},
        "switch": {"delay": "3 cycles"},
        "interface": {"time_slice": "100 cycles"},
    }

    def test_times_may_be_in_cycles_everywhere(self) -> None:
        experiment = Experiment.from_dict(
            {
                "machine": self.MACHINE,
                "workload": {"compute_period": "1000 cycles"},
                "run": {"duration": "20000 cycles", "warmup": "2000 cycles"},
            }
        )
        machine = experiment.machine.spec("packet")
        assert machine["link"]["delay_ps"] == 2000
        assert machine["link"]["credit_delay_ps"] == 500
        assert machine["node_link"]["delay_ps"] == 1000
        assert machine["link_classes"]["y"]["delay_ps"] == 3000
        assert machine["switch"]["delay_ps"] == 1500
        assert machine["interface"]["time_slice_ps"] == 50_000
        assert experiment.run.limit_ps == 10_000_000
        assert experiment.warmup_ps == 1_000_000
        workload = json.loads(experiment.spec())["workload"]
        assert workload["compute"]["mean"] == 500_000

    def test_a_list_of_messages_may_be_in_cycles(self) -> None:
        rows = [["3 cycles", 0, 1, "8 B"]]
        experiment = Experiment.from_dict(
            {"machine": self.MACHINE, "workload": {"kind": "messages", "messages": rows}}
        )
        arrays = experiment.messages_arrays()
        assert arrays is not None
        assert arrays[0].tolist() == [1500]

    def test_written_steps_may_be_in_cycles(self) -> None:
        process = {"node": 0, "start": "1 cycle", "steps": [{"compute": "5 cycles"}]}
        description = {
            "machine": self.MACHINE,
            "workload": {"kind": "program", "process": [process]},
        }
        written = json.loads(Experiment.from_dict(description).spec())["workload"]["processes"][0]
        assert written["start_ps"] == 500
        assert "2500" in json.dumps(written["steps"])
        with pytest.raises(UserError) as caught:
            Experiment.from_dict({"workload": description["workload"]})
        assert str(caught.value) == (
            'workload.process[0].start = "1 cycle": is in cycles; give machine.clock, such as '
            '"1 GHz"'
        )

    def test_what_cannot_be_compared_yet_is_compared_when_it_is_a_time(self) -> None:
        for run, expected in (
            ({"duration": "10 cycles", "warmup": "10 ns"}, "warmup = "),
            ({"duration": "10 cycles", "sample_interval": "11 cycles"}, "sample_interval = "),
        ):
            with pytest.raises(UserError, match=expected):
                Experiment.from_dict({"machine": self.MACHINE, "run": run})
        slot = {"compute_distribution": "geometric", "compute_slot": "9 cycles"}
        with pytest.raises(UserError, match="must be at most the compute_period, 2 ns"):
            Experiment.from_dict(
                {"machine": self.MACHINE, "workload": slot | {"compute_period": "4 cycles"}}
            )

    def test_cycles_beyond_all_times_are_refused(self) -> None:
        period = {"compute_period": "1000000000000000 cycles"}
        with pytest.raises(UserError, match=r'compute_period = "1\d* cycles": must be at most'):
            Experiment.from_dict({"machine": self.MACHINE, "workload": period})

    def test_times_in_cycles_are_those_in_seconds(self) -> None:
        in_time = {
            "link": {"delay": "2 ns", "credit_delay": "0.5 ns"},
            "node_link": {"delay": "1 ns"},
            "link_classes": {"y": {"delay": "3 ns"}},
            "switch": {"delay": "1.5 ns"},
            "interface": {"time_slice": "50 ns"},
        }
        found = [Experiment.from_dict({"machine": keys}) for keys in (self.MACHINE, in_time)]
        assert found[0].identity(1) == found[1].identity(1)
