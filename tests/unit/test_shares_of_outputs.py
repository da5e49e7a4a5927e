"""Deficit round robin: a saturated output is divided among traffic classes by their shares."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError

HEADER = 16
#: By job: the data bytes of its packets, and its share.
JOBS = {"small": (48, 1_000), "large": (1_484, 2_000), "middle": (284, 4_000)}


def machine(**switch: Any) -> dict[str, Any]:
    """Two switches with three nodes each, and one link between them."""
    return {
        "topology": {"kind": "concentrated_mesh", "dims": [2], "nodes_per_switch": 3},
        "link": {"rate": "8 Gbit/s", "delay": "0 ns", "flit": "1 B"},
        "switch": {
            "arbiter": "deficit_round_robin",
            "shares": [f"{share} B" for _, share in JOBS.values()],
            **switch,
        },
        "interface": {
            "packet_size": "2000 B",
            "header": f"{HEADER} B",
            "acknowledgements": False,
            "window": "unlimited",
        },
    }


def jobs(repeat: int = 400) -> list[dict[str, Any]]:
    """Node i sends as fast as it can to node i + 3, over the link that all share."""
    return [
        {
            "name": name,
            # So that the network knows jobs as traffic classes.
            "priority": 1,
            "nodes": [number, number + 3],
            "workload": {
                "kind": "messages",
                "messages": [["0 ns", 0, 1, f"{size} B"]] * repeat,
            },
        }
        for number, (name, (size, _)) in enumerate(JOBS.items())
    ]


def experiment(**run: Any) -> tb.Experiment:
    return tb.Experiment.from_dict({"machine": machine(), "job": jobs(), "run": run})


@pytest.mark.parametrize(
    ("fidelity", "switch"),
    [
        ("packet", {"queueing": "output"}),
        ("packet", {"queueing": "fifo"}),
        ("worm", {"switching": "wormhole", "input_buffer": "16 kB"}),
        ("flit", {"switching": "wormhole", "input_buffer": "16 kB"}),
    ],
)
def test_bytes_are_divided_by_shares(fidelity: str, switch: dict[str, Any]) -> None:
    made = tb.Experiment.from_dict({"machine": machine(**switch), "job": jobs()})
    result = tb.run(made, fidelity=fidelity, packets=True)
    rows = result.packets.sort_by("delivered_ns").to_pylist()
    lengths = [size + HEADER for size, _ in JOBS.values()]
    shares = [share for _, share in JOBS.values()]
    left, served = Counter(dict.fromkeys(range(3), 400)), Counter[int]()
    for row in rows:
        number = row["source"]
        served[number] += lengths[number]
        left[number] -= 1
        if min(left.values()) == 0:
            break
        rounds = [served[one] / shares[one] for one in range(3)]
        # A class has had as many turns as another, or one more, and owes a packet at most; of what
        # was granted, a packet of each may be on its way.
        slack = 1 + 2 * sum(sorted(lengths[one] / shares[one] for one in range(3))[-2:])
        assert max(rounds) - min(rounds) <= slack, rounds
    # The class that ends first has had as many bytes as its share says.
    total = sum(served.values())
    for number in range(3):
        expected = total * shares[number] / sum(shares)
        assert abs(served[number] - expected) <= max(shares) + 2 * max(lengths)


def test_without_shares_classes_get_the_same() -> None:
    tables = machine()
    del tables["switch"]["shares"]
    made = tb.Experiment.from_dict({"machine": tables, "job": jobs()})
    result = tb.run(made, packets=True)
    rows = result.packets.sort_by("delivered_ns").to_pylist()
    lengths = [size + HEADER for size, _ in JOBS.values()]
    served = Counter[int]()
    for row in rows[:150]:
        served[row["source"]] += lengths[row["source"]]
    assert max(served.values()) - min(served.values()) <= 2 * (2_000 + HEADER)


def test_every_wait_is_charged() -> None:
    """Blame knows whose turn it was: the others, by what they were served meanwhile."""
    result = tb.run(experiment(blame=True), packets=True)
    blame = result.blame
    assert blame is not None
    rows = blame.tables()["blame_pairs"].to_pylist()
    pairs = {(row["victim"], row["culprit"]) for row in rows}
    assert pairs >= {(one, other) for one in range(3) for other in range(3)}, rows[:3]
    assert blame.totals.unattributed_ps == 0


def test_describe_says_how_outputs_are_shared() -> None:
    prediction = tb.describe(experiment())
    assert prediction.arbitration == (
        "saturated outputs serve traffic classes in turn: small 1,000 B (14.3%), "
        "large 2,000 B (28.6%), middle 4,000 B (57.1%)"
    )
    assert prediction.to_dict()["arbitration"] == prediction.arbitration
    assert "arbitration" not in tb.describe(tb.Experiment.from_dict({})).to_dict()


def refusal(description: dict[str, Any]) -> str:
    with pytest.raises(UserError) as raised:
        tb.Experiment.from_dict(description)
    return str(raised.value)


def test_shares_that_mean_nothing_are_refused() -> None:
    tables = {"machine": machine(shares=["1 kB", "2 kB"]), "job": jobs()}
    assert refusal(tables).endswith("must be one for each of the 3 traffic classes")
    tables = {"machine": machine(arbiter="fifo"), "job": jobs()}
    assert refusal(tables).endswith('needs machine.switch.arbiter = "deficit_round_robin"')
    assert refusal({"machine": machine()}).endswith("a priority or virtual_channels")
    tables = {"machine": machine(shares=["0 B", "1 kB", "1 kB"]), "job": jobs()}
    assert "must be 1 B to 1073741824 B each" in refusal(tables)


def two_classes(tmp_path: Path, *, apart: bool = False, **keys: dict[str, Any]) -> tb.Experiment:
    """Four nodes send two classes over one link, or two nodes each of them (`apart`)."""
    classes = []
    for number, name in enumerate(("gold", "bulk")):
        senders = [2 * number, 2 * number + 1] if apart else range(4)
        file = tmp_path / f"{name}.csv"
        rows = [f"{node},{4 + (node + number) % 4},1\n" for node in senders]
        file.write_text("source,destination,weight\n" + "".join(rows), encoding="utf-8")
        one = {"name": name, "pattern": "traffic_matrix", "file": str(file), "load": 0.8}
        one |= {"message_size": "1 kB", "period_distribution": "exponential"}
        classes.append(one | keys.get(name, {}))
    tables = {
        "machine": {
            "topology": {"kind": "concentrated_mesh", "dims": [2], "nodes_per_switch": 4},
            "switch": {"arbiter": "deficit_round_robin", "shares": ["30 kB", "10 kB"]}
            | keys.get("switch", {}),
        },
        "workload": {"kind": "traffic", "traffic_class": classes},
        "run": {"duration": "100 us", "warmup": "20 us"},
    }
    return tb.Experiment.from_dict(tables)


@pytest.mark.parametrize(
    ("keys", "apart", "ratio"),
    [
        ({}, False, 1),
        ({}, True, 3),
        (
            {
                "switch": {"virtual_channels": 2},
                "gold": {"virtual_channels": [0, 0]},
                "bulk": {"virtual_channels": [1, 1]},
            },
            False,
            3,
        ),
    ],
    ids=["one queue", "other nodes", "virtual channels of their own"],
)
def test_describe_says_where_shares_have_no_effect(
    tmp_path: Path, keys: dict[str, dict[str, Any]], apart: bool, ratio: float
) -> None:
    """It promised 75 and 25 % where a node's queue divides the link in halves."""
    experiment = two_classes(tmp_path, apart=apart, **keys)
    result = tb.run(experiment)
    gold, bulk = (result[f"classes.{name}.accepted_load"].value for name in ("gold", "bulk"))
    assert gold / bulk == pytest.approx(ratio, rel=0.05)
    told = tb.describe(experiment).arbitration
    assert told is not None
    assert ("in the order of their messages" in told) == (ratio == 1)
    assert ("gold and bulk" in told) == (ratio == 1)


def test_describe_says_that_virtual_channels_take_turns_by_flits(tmp_path: Path) -> None:
    experiment = two_classes(
        tmp_path,
        switch={"virtual_channels": 2, "switching": "wormhole"},
        gold={"virtual_channels": [0, 0]},
        bulk={"virtual_channels": [1, 1]},
    )
    result = tb.run(experiment)
    gold, bulk = (result[f"classes.{name}.accepted_load"].value for name in ("gold", "bulk"))
    assert gold / bulk == pytest.approx(1, rel=0.05)
    told = tb.describe(experiment).arbitration
    assert told is not None
    assert "take turns flit by flit" in told


def test_describe_says_that_priorities_have_no_effect_likewise(tmp_path: Path) -> None:
    keys = {"gold": {"priority": 1}, "switch": {"arbiter": "priority", "shares": None}}
    told = tb.describe(two_classes(tmp_path, **keys)).arbitration
    assert told is not None
    assert "priorities do not change" in told
    assert tb.describe(two_classes(tmp_path, apart=True, **keys)).arbitration is None
