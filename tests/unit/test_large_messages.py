"""Messages and collectives of more than 4 GiB: their lengths are numbers of 64 bits."""

from __future__ import annotations

from pathlib import Path

import pytest

import tailback
from tailback.conversion import convert

#: Eight nodes at 50 GB/s, and a packet of 10 MB whose header is 1/10,000 of it.
MACHINE = {
    "topology": {"kind": "star", "nodes": 8},
    "link": {"rate": "400 Gbit/s", "delay": 0},
    "interface": {"packet_size": "10 MB", "header": "1000 B"},
}


def completion_s(workload: dict[str, object], **run: object) -> float:
    """Return the seconds after which the last message has been received."""
    run = {"max_duration": "100 s", "mode": "full"} | run
    description = {"machine": MACHINE, "workload": workload, "run": run}
    result = tailback.run(tailback.Experiment.from_dict(description))
    return float(result["completion_us"].value) / 1e6


def test_a_message_of_5_gb_takes_as_long_as_its_bytes() -> None:
    """100 ms at 50 GB/s, and one ten-thousandth of headers; 20 ns for a header at the switch."""
    workload = {"kind": "messages", "messages": [["0 ns", 0, 1, "5 GB"]]}
    assert completion_s(workload) == pytest.approx(0.1 * 1.0001 + 20e-9, rel=1e-9)


def test_a_list_keeps_lengths_of_64_bits(tmp_path: Path) -> None:
    """Those of a file, and of the rows of results."""
    file = tmp_path / "list.csv"
    file.write_text("time_ns,source,destination,bytes\n0,0,1,5000000000\n0,2,3,1\n")
    workload = {"kind": "messages", "file": str(file)}
    description = {"machine": MACHINE, "workload": workload, "run": {"keep_messages": True}}
    result = tailback.run(tailback.Experiment.from_dict(description))
    assert sorted(result.messages["bytes"].to_pylist()) == [1, 5_000_000_000]


def test_an_all_reduce_of_40_gb_takes_1_4_s() -> None:
    """Fourteen rounds of an eighth each."""
    workload = {"kind": "ring_allreduce", "size": "40 GB"}
    assert completion_s(workload) == pytest.approx(1.4, rel=0.01)


def test_processes_in_python_send_as_much(tmp_path: Path) -> None:
    """By the node, and as a collective: fourteen rounds of 1.25 GB."""
    file = tmp_path / "large.py"
    file.write_text(
        "async def one(node):\n"
        "    if node.number == 0:\n"
        "        await node.send(1, '5 GB')\n"
        "    if node.number == 1:\n"
        "        message = await node.receive(0)\n"
        "        assert message.bytes == 5_000_000_000\n"
        "        message.release()\n"
        "async def all(node):\n"
        "    await node.all_reduce('10 GB', algorithm='ring')\n"
    )
    workload = {"kind": "python", "file": str(file), "function": "one"}
    assert completion_s(workload) == pytest.approx(0.1, rel=0.01)
    assert completion_s(workload | {"function": "all"}) == pytest.approx(0.35, rel=0.01)


@pytest.mark.parametrize(
    "text",
    [
        "num_ranks 2\nrank 0 {\nsend 5000000000b to 1\n}\nrank 1 {\nrecv 5000000000b from 0\n}\n",
        "0 init\n0 send 1 0 5e9\n1 init\n1 recv 0 0 5e9\n",
    ],
    ids=["goal", "simgrid_ti"],
)
def test_traces_have_long_messages(text: str, tmp_path: Path) -> None:
    """Read, written in our own form and read again."""
    file, own = tmp_path / "trace.txt", tmp_path / "trace.tbt"
    file.write_text(text)
    assert completion_s({"kind": "trace", "file": str(file)}) == pytest.approx(0.1, rel=0.01)
    convert(file, own)
    assert completion_s({"kind": "trace", "file": str(own)}) == pytest.approx(0.1, rel=0.01)


def test_what_is_longer_than_any_message_is_refused() -> None:
    """In one line, and so is a buffer of a machine that no engine has."""
    with pytest.raises(tailback.UserError, match="must be at most 1000000000000000 B"):
        completion_s({"kind": "ring_allreduce", "size": "1000001 GB"})
    with pytest.raises(tailback.UserError, match=r"input_buffer.*must be at most 1000000000 B"):
        tailback.Machine(
            topology=tailback.Star(nodes=2), switch=tailback.Switch(input_buffer="5 GB")
        )
    with pytest.raises(tailback.UserError, match=r"shared_buffer.*must be at most 1000000000 B"):
        tailback.Machine(
            topology=tailback.Star(nodes=2), switch=tailback.Switch(shared_buffer="5 GB")
        )
