"""The programs by which networks of clusters are compared, multicasts, and tables of messages."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.results import Result

STAR = tb.Machine(topology=tb.Star(nodes=16))
US = 1_000_000


def messages(result: Result) -> list[dict[str, int]]:
    """Return the messages of a run in the order of sending."""
    assert result.messages is not None
    return result.messages.sort_by("message").to_pylist()


def ran(workload: object, machine: tb.Machine = STAR, mode: str = "full") -> list[dict[str, int]]:
    return messages(tb.run(machine, workload, keep_messages=True, mode=mode))


@pytest.mark.parametrize("mode", ["full", "endpoints", "throttled", "free"])
def test_a_token_goes_round(mode: str) -> None:
    found = ran(tb.TokenPass(laps=2, hold="3 us"), mode=mode)
    assert [(m["source"], m["destination"]) for m in found] == [
        (n % 16, (n + 1) % 16) for n in range(32)
    ]
    assert found[0]["sent_ps"] == 0
    assert all(after["sent_ps"] == m["arrived_ps"] + 3 * US for m, after in pairwise(found))
    assert len({m["latency_ps"] for m in found}) == 1
    assert all(m["latency_ps"] == m["arrived_ps"] - m["sent_ps"] for m in found)


def test_a_token_takes_no_time_where_communication_costs_nothing() -> None:
    found = ran(tb.TokenPass(laps=1, hold="3 us"), mode="ideal")
    assert [m["sent_ps"] for m in found] == [3 * US * n for n in range(16)]


def test_all_send_to_one() -> None:
    found = ran(tb.FanIn(destination=5, message_size="1 kB", stagger="2 ns"))
    senders = [n for n in range(16) if n != 5]
    assert [(m["source"], m["destination"], m["sent_ps"]) for m in found] == [
        (n, 5, 2000 * place) for place, n in enumerate(senders)
    ]
    # One link takes them in, one after the other.
    arrived = sorted(m["arrived_ps"] for m in found)
    assert len({after - before for before, after in pairwise(arrived)}) == 1


def test_one_sends_to_all_as_one_message_or_many() -> None:
    each = ran(tb.FanOut(source=3))
    assert [m["destination"] for m in each] == [n for n in range(16) if n != 3]
    one = ran(tb.FanOut(source=3, multicast=True))
    assert one == each
    tree = tb.Machine(topology=tb.Star(nodes=16), interface=tb.Interface(multicast="tree"))
    passed_on = ran(tb.FanOut(source=3, multicast=True), tree)
    assert max(m["latency_ps"] for m in passed_on) < max(m["latency_ps"] for m in each)
    assert {m["source"] for m in passed_on} == {3}


def test_neighbours_are_west_east_north_south() -> None:
    mesh, torus = tb.MeshExchange(), tb.TorusExchange()
    assert mesh.neighbours(STAR, 0) == [1, 4]
    assert mesh.neighbours(STAR, 5) == [4, 6, 1, 9]
    assert torus.neighbours(STAR, 0) == [3, 1, 12, 4]
    assert tb.TorusExchange(sides=[2, 2, 4]).neighbours(STAR, 0) == [1, 1, 2, 2, 12, 4]
    assert tb.MeshExchange(sides=[2, 2, 4]).neighbours(STAR, 15) == [14, 13, 11]
    assert tb.MeshExchange(sides=[16]).neighbours(STAR, 15) == [14]


@pytest.mark.parametrize("kind", [tb.MeshExchange, tb.TorusExchange])
def test_every_exchange_waits_for_its_messages(kind: type) -> None:
    workload = kind(exchanges=4, message_size="200 B")
    found = ran(workload)
    # What is asked of each: compute, then send; go on when this exchange's messages are there.
    for node in range(16):
        neighbours = workload.neighbours(STAR, node)
        begin = 0
        for exchange in range(4):
            sent = [m for m in found if (m["source"], m["tag"]) == (node, exchange)]
            assert [m["destination"] for m in sent] == neighbours
            assert {m["sent_ps"] for m in sent} == {begin + 10 * US}
            came = [m for m in found if (m["destination"], m["tag"]) == (node, exchange)]
            begin = max([begin + 10 * US, *(m["arrived_ps"] for m in came)])


@pytest.mark.parametrize(
    ("keys", "mistake"),
    [
        (
            {"kind": "mesh", "sides": [4, 5]},
            "workload.sides = [4, 5]: must be 16 processes together",
        ),
        ({"kind": "torus", "sides": [0, 5]}, "workload.sides[0] = 0: must be at least 1"),
        ({"kind": "fan_in", "destination": 16}, "workload.destination = 16: must be at most 15"),
        ({"kind": "fan_out", "source": -1}, "workload.source = -1: must be at least 0"),
        ({"kind": "token_pass", "laps": 0}, "workload.laps = 0: must be at least 1"),
    ],
)
def test_mistakes_are_one_line(keys: dict[str, object], mistake: str) -> None:
    machine = {"topology": {"kind": "star", "nodes": 16}}
    with pytest.raises(UserError) as told:
        tb.Experiment.from_dict({"machine": machine, "workload": keys})
    assert str(told.value).startswith(mistake)
    assert "\n" not in str(told.value)


def test_written_steps_send_to_several() -> None:
    def program(step: dict[str, object]) -> list[dict[str, int]]:
        processes = [{"node": 0, "repeat": 1, "steps": step}]
        processes += [{"node": n, "repeat": 1, "steps": [{"receive": 0}]} for n in range(1, 16)]
        tables = {
            "machine": {"topology": {"kind": "star", "nodes": 16}},
            "workload": {"kind": "program", "process": processes},
            "run": {"keep_messages": True},
        }
        return messages(tb.run(tb.Experiment.from_dict(tables)))

    to = list(range(15, 0, -1))
    one = program([{"multicast": to, "bytes": "70 B"}])
    each = program([{"send": n, "bytes": "70 B", "blocking": False} for n in to])
    assert one == each
    with pytest.raises(UserError, match=r"multicast = 1: must be there once"):
        program([{"multicast": [1, 1]}])
    with pytest.raises(UserError, match=r"multicast = 16: must be at most 15, the last process"):
        program([{"multicast": [1, 16]}])


def test_switches_that_make_no_copies_are_told() -> None:
    machine = tb.Machine(topology=tb.Star(nodes=16), interface=tb.Interface(multicast="switches"))
    with pytest.raises(UserError, match=r'multicast = "switches": must be unicast or tree'):
        tb.run(machine, tb.FanOut(multicast=True))


def test_a_message_that_waits_to_be_accepted_has_arrived() -> None:
    processes = [
        {"node": 0, "repeat": 1, "steps": [{"send": 1, "bytes": "1 kB", "blocking": False}]},
        {"node": 1, "repeat": 1, "steps": [{"compute": "9 us"}, {"receive": 0}]},
    ]
    tables = {
        "machine": {"topology": {"kind": "star", "nodes": 2}},
        "workload": {"kind": "program", "process": processes},
        "run": {"keep_messages": True},
    }
    [message] = messages(tb.run(tb.Experiment.from_dict(tables)))
    assert message["arrived_ps"] < 9 * US == message["received_ps"]


def test_without_being_asked_for_there_is_no_table() -> None:
    assert tb.run(STAR, tb.FanIn()).messages is None
    found = tb.run(STAR, tb.FanIn(), keep_messages=True).messages
    assert isinstance(found, pa.Table)
    assert found.num_rows == 15


@pytest.mark.parametrize("multicast", [None, "unicast", "tree"])
@pytest.mark.parametrize("mode", ["full", "endpoints", "throttled", "free", "ideal"])
def test_programs_send_to_several(multicast: str | None, mode: str) -> None:
    heard: list[tuple[int, object, int]] = []

    async def program(node: tb.Node) -> None:
        if node.number == 2:
            sent = node.send([7, 0, 5, 1], "300 B", type=4, content="all of you")
            await sent
            heard.append((2, "sent", node.now.ps))
        elif node.number in (7, 0, 5, 1):
            message = await node.receive(2, 4)
            heard.append((node.number, message.content, node.now.ps))
            message.release()

    machine = tb.Machine(topology=tb.Star(nodes=8), interface=tb.Interface(multicast=multicast))
    found = ran(tb.PythonProgram(function=program), machine, mode)
    assert [m["destination"] for m in found] == [7, 0, 5, 1]
    assert {(m["source"], m["sent_ps"], m["bytes"]) for m in found} == {(2, 0, 300)}
    told = {who: (what, when) for who, what, when in heard}
    for message in found:
        assert told[message["destination"]] == ("all of you", message["arrived_ps"])
    own = [1, 2, 4] if multicast == "tree" else [1, 2, 3, 4]
    # It is complete when those that the node itself sends are there.
    assert told[2] == ("sent", max(found[place - 1]["arrived_ps"] for place in own))


def test_what_cannot_be_sent_to_is_told() -> None:
    def mistake(to: list[int]) -> str:
        async def program(node: tb.Node) -> None:
            node.send(to)

        with pytest.raises(UserError) as told:
            tb.run(STAR, tb.PythonProgram(function=program))
        return str(told.value)

    assert mistake([]).endswith("send.to = []: must be at least one node")
    assert mistake([1, 2, 1]).endswith("send.to = 1: must be there once")
    assert mistake([16]).endswith("send.to = 16: must be a node of the machine, 0 to 15")


def test_jobs_send_to_several_of_their_own() -> None:
    jobs = [
        tb.Job(name="a", nodes=list(range(8)), workload=tb.FanOut(multicast=True)),
        tb.Job(name="b", nodes=list(range(8, 16)), workload=tb.FanOut(multicast=True)),
    ]
    experiment = tb.Experiment(machine=STAR, jobs=jobs, run=tb.Run(keep_messages=True))
    found = messages(tb.run(experiment))
    assert sorted((m["source"], m["destination"]) for m in found) == [
        *((0, n) for n in range(1, 8)),
        *((8, n) for n in range(9, 16)),
    ]


@pytest.mark.parametrize("multicast", ["unicast", "tree"])
def test_waits_of_multicasts_are_kept(multicast: str) -> None:
    machine = tb.Machine(topology=tb.Star(nodes=16), interface=tb.Interface(multicast=multicast))
    workload = tb.FanOut(multicast=True, message_size="3 kB")
    full = tb.run(machine, workload, blame=True, packet_waits=True, keep_messages=True)
    assert full.blame is not None
    assert full.blame.waits is not None
    kept = full.blame.waits.totals_ps.sum()
    waits = full.channels["wait_throttling_ps"].to_numpy().sum()
    waits += full.channels["wait_internal_ps"].to_numpy().sum()
    assert kept == waits > 0
