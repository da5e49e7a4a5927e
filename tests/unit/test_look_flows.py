"""The flows on the page of `tailback look`: their sums are those of the other tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tailback import Experiment
from tailback.errors import UserError
from tailback.look import KEPT, look_of, run_with_flows
from tailback.look.charged import OTHERS
from tailback.look.flows import MANY_NODES
from tailback.progress import ignore
from tailback.results import Result
from tests.commands import tailback
from tests.looks import BACKWARDS, lines_of

#: Node 0 sends three packets to node 2, and node 1 two: both need the link from switch 1 to 2.
#: A packet of 999 B and a header of 1 B takes 1 us.
TWO: dict[str, Any] = {
    "machine": {
        "topology": {"kind": "mesh", "dims": [3]},
        "link": {"rate": "8 Gbit/s", "delay": "0 ns"},
        "switch": {"delay": "0 ns"},
        "interface": {"packet_size": "1 kB", "header": "1 B"},
    },
    "workload": {
        "kind": "messages",
        "messages": [["0 us", 0, 2, "2997 B"], ["0 us", 1, 2, "1998 B"]],
    },
    "run": {**KEPT},
}


def ran(tables: dict[str, Any], mode: str = "full") -> Result:
    return run_with_flows(Experiment.from_dict(tables), mode, ignore)


@pytest.fixture(scope="module")
def backwards() -> Result:
    return ran({**BACKWARDS, "run": {**KEPT}})


def flows_of(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = look_of(result).shown["flows"]
    return found


def sums(table: dict[str, Any], by: str, count: int) -> list[int]:
    found = np.zeros(count, dtype=np.int64)
    for key, ps in zip(table[by], table["ps"], strict=True):
        if key >= 0:
            found[key] += ps
    return found.tolist()


def test_waits_and_ways_add_up_to_those_of_channels(backwards: Result) -> None:
    flows, lines = flows_of(backwards), lines_of(backwards)
    assert backwards.blame is not None
    assert backwards.blame.waits is not None
    assert backwards.class_channels is not None
    assert (flows["count"], flows["notes"]) == (4, [])
    assert sorted(flows["source"]) == [0, 1, 2, 3]
    assert flows["destination"] == [4] * 4
    assert flows["messages"] == [20] * 4
    waits = lines.sums(backwards.blame.waits).by(0)
    by_line = dict(zip(waits.keys[:, 0].tolist(), waits.totals_ps.tolist(), strict=True))
    told = sums(flows["waits"], "other", len(lines))
    assert {line: ps for line, ps in enumerate(told) if ps} == by_line
    busy = np.zeros(len(lines), dtype=np.int64)
    of = lines.of_channel[backwards.class_channels["channel"].to_numpy()]
    np.add.at(busy, of, backwards.class_channels["busy_ps"].to_numpy())
    assert sums(flows["ways"], "other", len(lines)) == busy.tolist()


def test_what_a_flow_waits_for_is_told_by_flow(backwards: Result) -> None:
    flows = flows_of(backwards)
    assert sums(flows["blamed"], "owner", 4) == flows["waited_ps"]
    assert sums(flows["delayed"], "owner", 4) == flows["delays_ps"]
    # All but what flows wait for packets of their own is somebody else's doing.
    owner, other, ps = (np.array(flows["blamed"][name]) for name in ("owner", "other", "ps"))
    assert sum(flows["delays_ps"]) == ps[owner != other].sum()


def test_two_flows_on_one_link_are_as_worked_out_by_hand() -> None:
    result = ran(TWO)
    flows, names = flows_of(result), lines_of(result).names
    assert sorted(zip(flows["source"], flows["destination"], strict=True)) == [(0, 2), (1, 2)]
    first, second = flows["source"].index(0), flows["source"].index(1)
    ways = {
        flow: {
            names[line]: ps
            for owner, line, ps in zip(*flows["ways"].values(), strict=True)
            if owner == flow
        }
        for flow in (first, second)
    }
    us = 1_000_000
    on_link = {"1->2": 3 * us, "to node 2": 3 * us}
    assert ways[first] == {"from node 0": 3 * us, "0->1": 3 * us, **on_link}
    assert ways[second] == {"from node 1": 2 * us, **dict.fromkeys(on_link, 2 * us)}
    # Each is kept waiting by the other, and by packets of its own message in its node.
    blamed = set(zip(flows["blamed"]["owner"], flows["blamed"]["other"], strict=True))
    assert {(first, second), (second, first)} & blamed


def test_what_is_not_kept_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("tailback.recording", "tailback.look.flows"):
        monkeypatch.setattr(f"{place}.MOST_TURNS", 5)
    [ways, waits] = flows_of(ran({**BACKWARDS, "run": {**KEPT}}))["notes"]
    assert ways.startswith("Ways are those of packets delivered until ")
    assert waits.endswith(": 5 rows are kept.")


def test_few_of_many_flows_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tailback.look.flows.MOST_FLOWS", 2)
    flows = flows_of(ran({**BACKWARDS, "run": {**KEPT}}))
    assert flows["count"] == 4
    assert len(flows["source"]) == 2
    assert flows["notes"][0].startswith("The 2 of 4 flows that waited")
    assert OTHERS in flows["blamed"]["other"]
    assert sums(flows["waits"], "owner", 2) == flows["waited_ps"]


@pytest.mark.parametrize(
    ("mode", "run", "said"),
    [
        ("endpoints", {}, "Flows are not known: whose turn it is"),
        ("full", {"blame_share": 0.5}, "Flows are not known: whose turn it is"),
    ],
)
def test_why_flows_are_not_known_is_said(mode: str, run: dict[str, Any], said: str) -> None:
    flows = flows_of(ran({**BACKWARDS, "run": {**KEPT, **run}}, mode))
    assert flows["why_not"].startswith(said)


def test_many_messages_at_once_must_be_asked_for() -> None:
    machine = {"topology": {"kind": "mesh", "dims": [MANY_NODES + 1]}}
    workload = {"kind": "messages", "messages": [["0 us", 0, 2, "1 kB"]]}
    experiment = Experiment.from_dict({"machine": machine, "workload": workload, "run": {**KEPT}})
    assert "look --flows" in flows_of(run_with_flows(experiment, "full", ignore))["why_not"]
    asked = run_with_flows(experiment, "full", ignore, asked=True)
    assert flows_of(asked)["count"] == 1


def test_results_that_are_kept_are_without(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(
        '[machine]\ntopology = { kind = "star", nodes = 3 }\n[workload]\nkind = "fan_in"\n'
    )
    done = tailback("look", "a.toml", "--flows", "--out", "here", cwd=tmp_path)
    assert done.returncode == UserError.exit_code
    assert "--flows: must be left out with --out" in done.stderr
    assert not (tmp_path / "here").exists()
    assert tailback("look", "a.toml", "--flows", cwd=tmp_path).returncode == 0
