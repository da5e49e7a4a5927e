"""Exchanges on meshes: who sends to whom, how long it takes, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.machines import Machine


def mesh(*dims: int) -> Machine:
    return Machine(topology=tb.Mesh(dims=dims))


MEETING = Machine(topology=tb.Mesh(dims=(4, 4)), interface=tb.Interface(barrier="free"))
"""Of which barriers are no messages."""


def refusal(machine: Machine, workload: tb.workloads.Workload) -> str:
    """Return why a workload does not fit on a machine; it is one line."""
    with pytest.raises(UserError) as caught:
        workload.check(machine)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def completed_us(result: tb.Result) -> list[float]:
    """Return when each process was done."""
    return [row["completed_ps"] / 1e6 for row in result.processes.to_pylist()]


def latency_us(machine: Machine, size: str) -> float:
    """Return the time of one message from node 0 to node 1."""
    result = tb.run(machine, tb.Messages(messages=[["0 s", 0, 1, size]]))
    return result["message_latency_us"].value


class TestPeers:
    @pytest.mark.parametrize(
        ("peers", "of", "class_a"),
        [
            (
                "adjacent",
                [[1], [0], [3], [2], [5], [4], [7], [6]],
                [0, 2, 4, 6, 8, 10, 12, 14],
            ),
            (
                "four_neighbours",
                [[1, 4], [0, 2, 5], [1, 3, 6], [2, 7], [0, 5, 8], [1, 4, 6, 9]],
                [0, 2, 5, 7, 8, 10, 13, 15],
            ),
            (
                "diagonal",
                [[15], [], [], [], [], [10], [], [], [], [], [5], [], [], [], [], [0]],
                [0, 5],
            ),
            (
                "transpose",
                [[], [4], [8], [12], [1], [], [9], [13], [2], [6], [], [14], [3], [7], [11], []],
                [4, 8, 9, 12, 13, 14],
            ),
        ],
    )
    def test_of_sixteen_nodes(self, peers: Any, of: list[list[int]], class_a: list[int]) -> None:
        machine, workload = mesh(4, 4), tb.PeerExchange(peers=peers)
        workload.check(machine)
        assert [workload.peers_of(machine, node) for node in range(len(of))] == of
        found = [
            node
            for node in range(16)
            if workload.peers_of(machine, node) and workload.is_of_class_a(machine, node)
        ]
        assert found == class_a

    @pytest.mark.parametrize("peers", ["adjacent", "four_neighbours", "diagonal", "transpose"])
    def test_are_each_others_and_of_two_classes(self, peers: Any) -> None:
        machine, workload = mesh(6, 6), tb.PeerExchange(peers=peers)
        for node in range(36):
            for peer in workload.peers_of(machine, node):
                assert node in workload.peers_of(machine, peer)
                classes = [workload.is_of_class_a(machine, end) for end in (node, peer)]
                assert classes[0] != classes[1]

    def test_rows_may_be_more_than_columns(self) -> None:
        machine, workload = mesh(2, 3), tb.PeerExchange(peers="four_neighbours")
        assert [workload.peers_of(machine, n) for n in (0, 3, 5)] == [[1, 2], [1, 2, 5], [3, 4]]

    def test_a_last_column_without_a_neighbour_is_idle(self) -> None:
        machine, workload = mesh(3, 1), tb.PeerExchange()
        assert [workload.peers_of(machine, n) for n in range(3)] == [[1], [0], []]


class TestLoops:
    """On two nodes, where nothing is in the way of anything."""

    MACHINE = mesh(2, 1)
    SIZE = "1000 B"

    def exchange(self, **keys: Any) -> list[float]:
        workload = tb.PeerExchange(message_size=self.SIZE, compute="7 us", **keys)
        return completed_us(tb.run(self.MACHINE, workload))

    def test_one_after_the_other(self) -> None:
        """A loop is computing and two messages."""
        one = latency_us(self.MACHINE, self.SIZE)
        first, second = self.exchange(distribution="constant", repeat=10)
        assert first == pytest.approx(10 * (7 + 2 * one), abs=1e-6)
        assert second == first

    def test_both_at_once(self) -> None:
        one = latency_us(self.MACHINE, self.SIZE)
        both = self.exchange(distribution="constant", repeat=10, sends_first="all")
        assert both == pytest.approx([10 * (7 + one)] * 2, abs=1e-6)

    def test_peers_draw_the_same_times(self) -> None:
        """Both compute as long as each other, so that nobody waits longer than for a message."""
        one = latency_us(self.MACHINE, self.SIZE)
        both = self.exchange(repeat=50, sends_first="all")
        computed = both[0] - 50 * one
        workload = tb.PeerExchange(compute="7 us", repeat=50)
        drawn = [list(workload.times(self.MACHINE, node, seed=1)) for node in (0, 1)]
        assert drawn[0] == drawn[1]
        assert sum(time.ps for time in drawn[0]) / 1e6 == pytest.approx(computed, abs=1e-6)
        assert both[1] == pytest.approx(both[0], abs=1e-6)
        assert 0 < computed < 50 * 14
        assert computed != pytest.approx(50 * 7)
        in_turn = self.exchange(repeat=50)
        assert in_turn[0] == pytest.approx(computed + 100 * one, abs=1e-6)

    def test_draws_are_by_the_seed_and_alike_in_all_modes(self) -> None:
        workload = tb.PeerExchange(peers="four_neighbours", compute="7 us", repeat=20)
        free = [completed_us(tb.run(mesh(4, 4), workload, mode=m)) for m in ("free", "free")]
        assert free[0] == free[1]
        ideal = tb.run(self.MACHINE, tb.PeerExchange(compute="7 us", repeat=20), mode="ideal")
        other = tb.run(
            self.MACHINE, tb.PeerExchange(compute="7 us", repeat=20), mode="ideal", seed=2
        )
        assert completed_us(ideal) != completed_us(other)
        full = completed_us(
            tb.run(self.MACHINE, tb.PeerExchange(compute="7 us", repeat=20, message_size="0 B"))
        )
        assert full[0] > completed_us(ideal)[0]

    def test_messages_are_counted(self) -> None:
        result = tb.run(mesh(4, 4), tb.PeerExchange(peers="transpose", repeat=5))
        assert sum(row["messages_delivered"] for row in result.nodes.to_pylist()) == 12 * 5


class TestDescription:
    def test_every_parameter_is_part_of_the_identity(self) -> None:
        def identity(**keys: Any) -> str:
            return tb.Experiment(mesh(4, 4), tb.PeerExchange(**keys)).identity(1)

        found = {
            identity(),
            identity(peers="transpose"),
            identity(sends_first="all"),
            identity(message_size="2 B"),
            identity(compute="1 us"),
            identity(distribution="constant"),
            identity(repeat=3),
        }
        assert len(found) == 7

    def test_what_is_resolved_is_an_experiment_again(self) -> None:
        experiment = tb.Experiment(mesh(4, 4), tb.PeerExchange(peers="diagonal", compute="3 us"))
        again = tb.Experiment.from_dict(experiment.resolved())
        assert again.identity(1) == experiment.identity(1)

    @pytest.mark.parametrize(
        ("machine", "keys", "expected"),
        [
            (mesh(4), {}, 'workload.kind = "peer_exchange": needs a machine of two dimensions'),
            (mesh(1, 4), {}, 'workload.peers = "adjacent": needs at least two columns, not 1'),
            (
                mesh(4, 3),
                {"peers": "transpose"},
                'workload.peers = "transpose": needs as many rows as columns, not 4 x 3',
            ),
            (mesh(4, 3), {"peers": "diagonal"}, 'workload.peers = "diagonal": needs as many rows'),
        ],
    )
    def test_machines_that_do_not_fit(
        self, machine: Machine, keys: dict[str, Any], expected: str
    ) -> None:
        assert refusal(machine, tb.PeerExchange(**keys)).startswith(expected)

    @pytest.mark.parametrize(
        ("keys", "expected"),
        [
            ({"peers": "ajacent"}, 'workload.peers = "ajacent": must be "adjacent", "four_nei'),
            ({"sends_first": "B"}, 'workload.sends_first = "B": must be "A" or "all"'),
            ({"repeat": 0}, "workload.repeat = 0: must be at least 1"),
            ({"compute": "3"}, 'workload.compute = "3": '),
        ],
    )
    def test_mistakes(self, keys: dict[str, Any], expected: str) -> None:
        with pytest.raises(UserError) as caught:
            tb.PeerExchange(**keys)
        assert str(caught.value).startswith(expected)

    def test_it_has_no_iterations(self) -> None:
        with pytest.raises(UserError, match="has no iterations"):
            tb.Experiment(
                mesh(4, 4), tb.PeerExchange(), tb.Run(metric="iterations_per_node_per_ms")
            )


class TestCompleteExchange:
    def test_steps_of_two_nodes_by_hand(self) -> None:
        """The first step sends nothing: both nodes have their own message."""
        workload = tb.CompleteExchange(message_size="7 B")
        assert workload.spec(mesh(2)) == {
            "kind": "program",
            "processes": [
                {
                    "node": node,
                    "start_ps": 0,
                    "start_window_ps": 0,
                    "repeat": 1,
                    "sockets": [None],
                    "steps": [
                        {"op": "barrier", "group": None},
                        {
                            "op": "send",
                            "process": 1 - node,
                            "socket": 0,
                            "bytes": 7,
                            "blocking": False,
                        },
                        {"op": "receive", "socket": None},
                    ],
                }
                for node in range(2)
            ],
        }

    @pytest.mark.parametrize(
        ("keys", "group", "groups"),
        [
            ({}, 1, 128),
            ({"send_order": "scott"}, 1, 128),
            ({"group": 4}, 4, 32),
            ({"link_contention": 2}, 2, 64),
            ({"node_contention": 8}, 16, 8),
            ({"node_contention": 1, "link_contention": 1}, 1, 128),
            ({"send_order": "naive_ascending"}, 63, 1),
        ],
    )
    def test_contention(self, keys: dict[str, Any], group: int, groups: int) -> None:
        made = tb.CompleteExchange(**keys).schedule(mesh(8, 8))
        assert (made.group, made.groups) == (group, groups)

    @pytest.mark.parametrize(
        "keys", [{}, {"group": 4}, {"group": 16}, {"send_order": "naive_random"}]
    )
    def test_everybody_gets_everything(self, keys: dict[str, Any]) -> None:
        result = tb.run(MEETING, tb.CompleteExchange(**keys))
        assert [row["messages_delivered"] for row in result.nodes.to_pylist()] == [15] * 16
        assert [row["messages_sent"] for row in result.nodes.to_pylist()] == [15] * 16

    def test_contention_costs_nothing_where_nothing_is_shared(self) -> None:
        """With a barrier after every step no message waits for another."""
        times = {
            mode: tb.run(MEETING, tb.CompleteExchange(), mode=mode)["message_latency_us"].value
            for mode in ("full", "free")
        }
        assert times["full"] == times["free"]

    def test_a_schedule_from_a_file_lies_beside_the_experiment(self, tmp_path: Path) -> None:
        (tmp_path / "mine.json").write_text("[[[0, 1], [1, 0]]]")
        text = '[machine.topology]\nkind = "pair"\n[workload]\nkind = "complete_exchange"\n'
        (tmp_path / "e.toml").write_text(f'{text}file = "mine.json"\n')
        result = tb.run(tb.load(tmp_path / "e.toml"))
        assert [row["messages_delivered"] for row in result.nodes.to_pylist()] == [1, 1]

    @pytest.mark.parametrize(
        ("machine", "keys", "expected"),
        [
            (mesh(6, 6), {}, "machine.topology.dims = 6 x 6: side 6 must be 1, 2, 3 or a multiple"),
            (
                mesh(8, 8),
                {"link_contention": 3},
                "workload.link_contention = 3: must be at most 2, or 2 times a divisor",
            ),
            (mesh(8, 8), {"node_contention": 3}, "workload.node_contention = 3: must divide the"),
            (mesh(8, 8), {"group": 3}, "workload.group = 3: must divide 2, or be 2 times a div"),
            (
                mesh(8, 8),
                {"send_order": "scott", "group": 2},
                'workload.group = 2: must be left out with send_order = "scott", '
                "which has a barrier",
            ),
            (
                mesh(8, 8),
                {"send_order": "naive_random", "link_contention": 2},
                'workload.link_contention = 2: must be left out with send_order = "naive_random"',
            ),
            (
                Machine(topology=tb.Star(nodes=4)),
                {"send_order": "bounded"},
                'workload.send_order = "bounded": needs a machine with coordinates, such as a mesh',
            ),
        ],
    )
    def test_what_there_is_not(self, machine: Machine, keys: dict[str, Any], expected: str) -> None:
        assert refusal(machine, tb.CompleteExchange(**keys)).startswith(expected)

    def test_a_file_is_verified(self, tmp_path: Path) -> None:
        path = tmp_path / "a.json"
        path.write_text("[[[0, 1], [1, 0]], [[2, 0]]]")
        line = refusal(mesh(3), tb.CompleteExchange(file=str(path)))
        assert line.startswith(f"{path}: is not a complete exchange: node 0 never sends to node 2")
        path.write_text("[[[0, 1], [1, 2], [2, 0]], [[0, 2], [1, 0], [2, 1]]]")
        tb.CompleteExchange(file=str(path), link_contention=1).check(mesh(3))
        line = refusal(mesh(3), tb.CompleteExchange(file=str(path), group=2, node_contention=1))
        assert line == f"{path}: has node contention 2 in groups of 2 steps, not 1"

    def test_naive_orders_need_no_coordinates(self) -> None:
        star = Machine(topology=tb.Star(nodes=5))
        given = tb.Experiment(star, tb.CompleteExchange(send_order="naive_shifted"))
        usual = tb.Experiment(star, tb.CompleteExchange())
        assert usual.workload.named() == {}
        assert usual.spec() == given.spec()
        result = tb.run(usual)
        assert [row["messages_delivered"] for row in result.nodes.to_pylist()] == [4] * 5
