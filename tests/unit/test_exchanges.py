"""Exchanges on meshes: who sends to whom, how long it takes, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.machines import Machine


def mesh(*dims: int) -> Machine:
    return Machine(topology=tb.Mesh(dims=dims))


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
