"""What `describe` says of machines with more pairs of nodes than are walked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tailback as tb
from tailback import engine, tables
from tailback.prediction import loads
from tests.commands import tailback

UNIFORM = {"preset": "uniform_open_loop", "message_size": "1000 B", "compute_period": "1 us"}
ALIKE: dict[str, dict[str, Any]] = {
    "star": {"kind": "star", "nodes": 7},
    "odd torus": {"kind": "torus", "dims": [5, 3]},
    "even torus": {"kind": "torus", "dims": [4, 6]},
    "two in a row": {"kind": "torus", "dims": [2, 4, 3]},
    "ring": {"kind": "torus", "dims": [8]},
    "concentrated": {"kind": "concentrated_torus", "dims": [4, 3], "nodes_per_switch": 2},
    "hypercube": {"kind": "hypercube", "dimensions": 4},
    "fully connected": {"kind": "fully_connected", "switches": 5, "nodes_per_switch": 2},
}


def experiment(topology: dict[str, Any], **machine: Any) -> tb.Experiment:
    return tb.Experiment.from_dict(
        {"machine": {"topology": topology, **machine}, "workload": UNIFORM}
    )


def channels_of(asked: tb.Experiment) -> Any:
    return tables.channel_ends(engine.Simulation(asked.spec()).channels())


@pytest.mark.parametrize("name", ALIKE)
def test_one_source_says_what_all_do(name: str) -> None:
    asked = experiment(ALIKE[name])
    exact = engine.predict(asked.spec(), 10**6)
    assert exact["exact"]
    assert loads.sends_alike(asked)
    found = loads._of_one_source(asked, channels_of(asked)).predicted
    for key, value in exact.items():
        if key.startswith("zero_load") or key in {"channel_load_max", "mean_hops", "pairs"}:
            assert found[key] == pytest.approx(value), key
    for key in ("channel_load_mean_internal", "saturation_messages_per_node_per_ms"):
        assert found[key] == pytest.approx(exact[key]), key
    if asked.machine.channels_per_wire == 1:
        assert found["channel_load"] == pytest.approx(exact["channel_load"])


@pytest.mark.parametrize(
    ("topology", "load_ns", "per_ms"),
    [
        # 1000 B and the header of 8 B at 100 Gbit/s: 80.64 ns. Links of nodes carry it once.
        ({"kind": "star", "nodes": 1500}, 80.64, 12_400.79),
        ({"kind": "hypercube", "dimensions": 11}, 80.64, 12_400.79),
        # A link of a ring of 40 carries 40 / 8 of it, times 1600 / 1599 as no node sends to itself.
        ({"kind": "torus", "dims": [40, 40]}, 80.64 * 5 * 1600 / 1599, 2_478.6),
    ],
)
def test_large_machines_are_described_as_they_are(
    topology: dict[str, Any], load_ns: float, per_ms: float
) -> None:
    found = tb.describe(experiment(topology))
    assert found.load_max_us * 1e3 == pytest.approx(load_ns)
    assert found.saturation_messages_per_node_per_ms == pytest.approx(per_ms, rel=1e-5)
    assert (found.exact, found.load_is_exact) == (True, True)
    loads_us = found.channels["load_us"].to_numpy()
    outside = found.channels["kind"].to_numpy() == "injection"
    assert loads_us[outside] * 1e3 == pytest.approx(np.full(outside.sum(), 80.64))


def test_where_nodes_differ_node_links_are_known_and_others_estimated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = experiment({"kind": "mesh", "dims": [12, 12]})
    exact = engine.predict(asked.spec(), 10**6)
    monkeypatch.setattr(loads, "PAIRS", 4000)
    monkeypatch.setattr(loads, "_FEW_HOPS", 4000)
    monkeypatch.setattr(loads, "_DRAWN_HOPS", 1_000_000)
    found = tb.describe(asked)
    assert (found.exact, found.load_is_exact) == (False, False)
    load = found.channels["load_us"].to_numpy()
    outside = found.channels["kind"].to_numpy() != "internal"
    assert load[outside] == pytest.approx(exact["channel_load"][outside] / 1e6)
    # A scaled sample alone says 1.5 times as much.
    assert found.load_max_us == pytest.approx(exact["channel_load_max"] / 1e6, rel=0.05)


def test_the_terminal_says_what_is_an_estimate(tmp_path: Any) -> None:
    (tmp_path / "m.toml").write_text(
        """
        [machine]
        topology.kind = "mesh"
        topology.dims = [46, 46]
        [workload]
        preset = "uniform_open_loop"
        compute_period = "1 us"
        """
    )
    done = tailback("describe", "m.toml", cwd=tmp_path)
    assert "most loaded channel (estimate)" in done.stdout
    assert "predicted saturation (estimate), messages per node and ms" in done.stdout
    assert "Channels loaded most, an estimate from two samples" in done.stdout
