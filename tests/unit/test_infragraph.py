"""Networks from InfraGraph: servers by their interfaces, switches, accelerators."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.importing import import_network

GPUS = 4


def server() -> dict[str, Any]:
    """A server with 4 accelerators, NVSwitches and 2 interfaces behind one PCIe switch."""
    components = {
        "xpu": ("xpu", GPUS),
        "nvsw": ("switch", 2),
        "pcie": ("switch", 1),
        "nic": ("nic", 2),
    }
    inner = (("xpu", "nvsw", "nvlink"), ("xpu", "pcie", "pcie_gen5"), ("nic", "pcie", "pcie_gen5"))
    return {
        "name": "server",
        "components": [
            {"name": name, "choice": kind, "count": count}
            for name, (kind, count) in components.items()
        ],
        "links": [link("nvlink", 900, latency=20), link("pcie_gen5", 512)],
        "edges": [edge({"component": a}, {"component": b}, by, "many2many") for a, b, by in inner],
    }


def link(name: str, gigabits: int, latency: int | None = None) -> dict[str, Any]:
    physical: dict[str, Any] = {
        "bandwidth": {"choice": "gigabits_per_second", "gigabits_per_second": gigabits}
    }
    if latency is not None:
        physical["latency"] = {"choice": "ns", "ns": latency}
    return {"name": name, "physical": physical}


def edge(one: Any, other: Any, by: str, scheme: str = "one2one") -> dict[str, Any]:
    return {"ep1": one, "ep2": other, "link": by, "scheme": scheme}


def at(instance: str, component: str) -> dict[str, str]:
    return {"instance": instance, "component": component}


def switch(ports: int) -> dict[str, Any]:
    return {
        "name": "switch",
        "components": [
            {"name": "asic", "choice": "cpu", "count": 1},
            {"name": "port", "choice": "port", "count": ports},
        ],
        "links": [{"name": "ic"}],
        "edges": [edge({"component": "asic"}, {"component": "port"}, "ic", "many2many")],
    }


def two_rails() -> dict[str, Any]:
    """Three servers with an interface on either of two leaves; two cables join leaf and spine."""
    edges = [
        edge(at(f"host[{host}]", f"nic[{rail}]"), at(f"leaf[{rail}]", f"port[{host}]"), "cable")
        for host in range(3)
        for rail in range(2)
    ]
    edges += [
        edge(
            at(f"leaf[{leaf}]", "port[4:6]"),
            at("spine[0]", f"port[{2 * leaf}:{2 * leaf + 2}]"),
            "up",
        )
        for leaf in range(2)
    ]
    counts = {"host": ("server", 3), "leaf": ("switch", 2), "spine": ("switch", 1)}
    return {
        "name": "two rails",
        "devices": [server(), switch(8)],
        "instances": [
            {"name": name, "device": device, "count": count}
            for name, (device, count) in counts.items()
        ],
        "links": [link("cable", 400, latency=50), link("up", 800)],
        "edges": edges,
    }


def imported(tmp_path: Path, content: object, word: str | None = None) -> Any:
    path = tmp_path / "net.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return import_network(path, word)


def test_servers_are_hosts_with_interfaces(tmp_path: Path) -> None:
    found = imported(tmp_path, two_rails())
    assert found.counts() == {"switches": 3, "hosts": 6, "cables": 10}
    machine = found.experiment("net.graphml", "routes.csv")["machine"]
    # An accelerator has a link of 900 Gbit/s to each of two NVSwitches.
    assert machine["hosts"] == {
        "members": [[f"host.{host} nic.{rail}" for rail in range(2)] for host in range(3)],
        "nodes_per_host": GPUS,
        "rule": "flow_hash",
        "inner_rate": "1.8 Tbit/s",
        "inner_delay": "20 ns",
    }
    assert machine["link"]["rate"] == "800 Gbit/s"
    assert (machine["node_link"]["rate"], machine["node_link"]["delay"]) == ("400 Gbit/s", "50 ns")


def test_it_can_be_simulated(tmp_path: Path) -> None:
    found = imported(tmp_path, two_rails())
    (tmp_path / "net.graphml").write_bytes(found.graph())
    path = tmp_path / "cluster.toml"
    path.write_text(found.toml("net.graphml", "routes.csv"))
    survey = tb.describe(Experiment.load(path)).cluster
    assert survey is not None
    assert (survey.hosts, survey.interfaces, survey.nodes, survey.rails) == (3, 6, 3 * GPUS, 2)


def test_accelerators_behind_switches_of_their_own(tmp_path: Path) -> None:
    alone = {
        "devices": [server()],
        "instances": [{"name": "box", "device": "server", "count": 1}],
    }
    found = imported(tmp_path, alone)
    assert found.counts() == {"switches": 2, "hosts": GPUS, "cables": 2 * GPUS}
    assert set(found.cluster.switches) == {"box.0 nvsw.0", "box.0 nvsw.1"}
    assert "accelerators are joined by nvlink, and nothing else" in found.notes


def test_accelerators_that_are_joined_to_each_other_are_switches(tmp_path: Path) -> None:
    ring = {
        "name": "tray",
        "components": [
            {"name": "tpu", "choice": "xpu", "count": 4},
            {"name": "cpu", "choice": "cpu", "count": 1},
        ],
        "links": [link("ici", 1400), link("pcie", 128)],
        "edges": [
            *(
                edge({"component": f"tpu[{n}]"}, {"component": f"tpu[{(n + 1) % 4}]"}, "ici")
                for n in range(4)
            ),
            edge({"component": "cpu"}, {"component": "tpu"}, "pcie", "many2many"),
        ],
    }
    between = [
        edge(at("tray[0]", f"tpu[{n}]"), at("tray[1]", f"tpu[{n}]"), "optical") for n in range(4)
    ]
    network = {
        "devices": [ring],
        "instances": [{"name": "tray", "device": "tray", "count": 2}],
        "links": [link("optical", 700)],
        "edges": between,
    }
    found = imported(tmp_path, network)
    # Two rings of four, joined by four cables; and every accelerator to its own switch.
    assert found.counts() == {"switches": 8, "hosts": 8, "cables": 8 + 4 + 8}
    rates = [one.rate.amount for one in found.cluster.cables if one.rate is not None]
    assert sorted(set(rates)) == [700 * 10**9, 1400 * 10**9, 3500 * 10**9]


def test_annotations_say_what_links_carry(tmp_path: Path) -> None:
    network = two_rails()
    notes = {
        "links": [
            {"name": "cable", "attributes": [{"attribute": "bandwidth", "value": "200 Gbps"}]}
        ]
    }
    found = imported(tmp_path, {"infrastructure": network, "annotations": notes})
    machine = found.experiment("net.graphml", "routes.csv")["machine"]
    assert machine["node_link"]["rate"] == "200 Gbit/s"


def refusal(tmp_path: Path, content: object, word: str | None = None) -> str:
    with pytest.raises(UserError) as refused:
        imported(tmp_path, content, word)
    return str(refused.value)


def test_what_cannot_be_read_is_said_in_a_line(tmp_path: Path) -> None:
    network = two_rails()
    network["instances"][0]["device"] = "sever"
    assert "is no InfraGraph that can be read" in refusal(tmp_path, network)
    switches = {
        "devices": [switch(4)],
        "instances": [{"name": "s", "device": "switch", "count": 2}],
        "edges": [edge(at("s[0]", "port[0]"), at("s[1]", "port[0]"), "ic")],
    }
    assert "nobody would send" in refusal(tmp_path, switches)
    assert "is no InfraGraph that can be read" in refusal(tmp_path, "a: [", "infragraph")
    network = two_rails()
    network["instances"][1]["count"] = 10**9
    assert "has more than 4194304 components" in refusal(tmp_path, network)
    network = two_rails()
    network["devices"][1]["components"][1] |= {"name": "switch", "choice": "device"}
    assert "device switch is part of itself" in refusal(tmp_path, network)
    both = two_rails()
    both["edges"].append(edge(at("host[0]", "xpu[0]"), at("host[1]", "xpu[0]"), "cable"))
    assert "only one of these can be read" in refusal(tmp_path, both)


def test_the_library_is_named_where_it_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("infragraph"):
            raise ModuleNotFoundError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    assert 'needs infragraph: pip install "tailback-sim[infragraph]"' in refusal(
        tmp_path, two_rails()
    )
