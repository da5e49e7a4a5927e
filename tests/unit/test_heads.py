"""The head of every answer: how much, where and because of whom, by hand and in the terminal."""

from __future__ import annotations

import math
import os
import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tailback as tb
from tailback import answers, explaining
from tailback.answers.lateness import Lateness, Rows, remarks
from tailback.answers.of_blame import where_text, why_and_where
from tailback.answers.of_program import of_explanation
from tailback.comparison.of_jobs import interference
from tailback.experiment import Experiment
from tailback.explaining.facts import bounds, completion_ps
from tailback.runner import run_mode
from tailback.statistics import Estimate
from tailback.terminal.blamed import blame_report
from tailback.terminal.explained import explain_report
from tailback.terminal.flows import flows_report
from tailback.terminal.interfering import interference_report
from tailback.terminal.measured import cost_report
from tailback.terminal.shading import heat_map, shares_of_switches
from tailback.wording.phrases import compared, listed, longer, percent, sentence
from tests.commands import tailback
from tests.unit.test_terminal import printed

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@cache
def example(name: str, *changes: str) -> Experiment:
    return Experiment.load(EXAMPLES / f"{name}.toml", changes)


def hot_spot(side: int, **run: object) -> Experiment:
    """Half of all messages on a mesh go to one node."""
    traffic = {"pattern": "hot_spot", "hot_spots": [5], "hot_spot_share": 0.5, "repeat": 20}
    return Experiment.from_dict(
        {
            "machine": {"topology": {"kind": "mesh", "dims": [side, side]}},
            "workload": {"kind": "synthetic", "compute_period": "1 us", **traffic},
            "run": {"blame": True, **run},
        }
    )


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.574, "57 %"), (0.0254, "2.5 %"), (0.0031, "0.31 %"), (0.0999, "10 %"), (0, "0 %")],
)
def test_shares_have_two_digits(share: float, text: str) -> None:
    assert percent(share) == text


def test_ratios_are_said_as_people_say_them() -> None:
    assert longer(Estimate(1.57, 1.55, 1.59), 0.95) == "57 % longer (95 % interval 55 to 59 %)"
    assert longer(Estimate.exact(2.314), 0.95) == "2.31 times as long"
    assert longer(Estimate(1.2, math.nan, math.nan), 0.95) == "20 % longer"
    assert compared(Estimate(2.5, 2.0, 3.0), 0.9, "alone") == (
        "2.50 times as long as alone (90 % interval 2.00 to 3.00)"
    )
    assert compared(Estimate.exact(1.5), 0.95, "alone") == "50 % longer than alone"
    assert (listed(["a"]), listed(["a", "b", "c"])) == ("a", "a, b and c")
    assert sentence("a b") == "A b."


def test_many_channels_alike_are_told_by_how_many_have_half() -> None:
    """As on the 33 links between neighbouring groups of a dragonfly."""
    few = Rows((), 1557, 1.0, 0.029, half=18)
    told = "it begins at 1,557 channels, half of it at 18 of them, none with more than 2.9 %"
    assert where_text("it", few) == told
    alike = Rows((), 384, 1.0, 0.0071, half=150)
    assert where_text("it", alike) == "it begins at 384 channels, none with more than 0.71 %"


def test_the_channels_with_half_of_all_lateness_are_counted() -> None:
    result = tb.run(example("messages", "run.blame=true"))
    # 77 % begin at one channel.
    assert Lateness.of(result).roots(3).half == 1


def test_cost_says_how_much_and_where() -> None:
    """Two messages wait for others on one link: 17.64 µs instead of 11.06 (docs, by hand)."""
    cost = tb.cost(example("messages"))
    network, links, where = answers.of_cost(cost).lines
    assert network == (
        "The network (links shared between switches) makes completion 59 % longer: 17.64 µs "
        "instead of 11.06 µs."
    )
    assert links.endswith("make completion no longer.")
    assert where == (
        "Packets wait longest, also behind their own message, for (3, 1)->(3, 2) (85 %) and "
        "(3, 0)->(3, 1) (15 %)."
    )


def test_cost_with_blame_says_where_lateness_begins_and_who_causes_it() -> None:
    cost = tb.cost(example("messages", "run.blame=true"))
    *_, where, who = answers.of_cost(cost).lines
    assert where == "Lateness begins at (3, 1)->(3, 2) (77 %) and (3, 0)->(3, 1) (23 %)."
    assert who.startswith("Node (3, 1) causes 52 % of the lateness of node (0, 0), node")


def test_blame_says_kind_roots_and_culprits() -> None:
    late, where, who = answers.of_blame(
        run_mode(example("messages", "run.blame=true"), "full")
    ).lines
    assert late == "A message is late by 3.240 µs on average: it takes 8.04 µs, and 4.79 µs alone."
    assert where == (
        "All of it is contention in the network; it begins at (3, 1)->(3, 2) (77 %) and "
        "(3, 0)->(3, 1) (23 %)."
    )
    assert who.count("causes") == 1


def test_blame_of_an_incast_names_the_link_of_the_destination() -> None:
    found = tb.blame(tb.Star(nodes=8), tb.FanIn(message_size="10 kB")).result
    _, where, *_ = answers.of_blame(found).lines
    assert where.startswith("All of it is contention at its destination's link; it begins at the")
    assert "the link to node 0 (100 %)" in where


def test_many_nodes_are_told_by_rows_and_what_is_small_is_folded() -> None:
    result = run_mode(hot_spot(6), "full")
    text = printed(blame_report(result, 10))
    assert max(map(len, text.splitlines())) <= 80
    # At most five roots, and what the others come to; no list of 36 nodes.
    assert len(re.findall(r"->|to node|from node", text.split("Where it begins")[1])) <= 5
    assert re.search(r"\d+ more", text)
    assert text.count("\n") < 40
    full = printed(blame_report(result, 10, full=True))
    assert len(full) > len(text)


def test_without_contention_nothing_is_said_of_where() -> None:
    alone = example("messages", "run.blame=true", 'workload.messages=[["0 us", 0, 1, "32 B"]]')
    assert answers.of_blame(run_mode(alone, "full")).lines == [
        "No message is late: each takes as long as alone, 3.54 µs on average."
    ]
    [network, links] = answers.of_cost(tb.cost(alone)).lines
    assert network.endswith("makes completion no longer.")
    assert links.endswith("make completion no longer.")


def test_the_status_comes_first() -> None:
    load = {"preset": "uniform_open_loop", "message_size": "1 kB", "compute_period": "60 ns"}
    machine = {"topology": {"kind": "mesh", "dims": [4, 4]}}
    given = Experiment.from_dict({"machine": machine, "workload": load, "run": {"precision": 0.1}})
    cost = tb.cost(given)
    assert cost.saturated
    head = answers.of_cost(cost)
    assert re.match(r"SATURATED: the network accepts \d+ % of the load", head.status[0])
    assert head.lines[0] == head.status[0]
    assert printed(cost_report(cost)).splitlines()[1].startswith("SATURATED")
    assert head.sentences[0].startswith("The network cannot carry the load in mode")


def test_jobs_say_who_slows_whom_down_and_where() -> None:
    found = interference(example("two_jobs"))
    how_much, where, who = answers.of_interference(found).lines
    assert how_much == (
        "Beside the others, job train takes 57 % longer: 255.6 µs instead of 163.2 µs; job "
        "shuffle takes 20 % longer: 165.0 µs instead of 136.9 µs."
    )
    assert where.startswith("Messages of job train wait for other jobs, mostly at spine1->leaf4")
    assert who == "Job shuffle causes all of the lateness of job train."
    text = printed(interference_report(found))
    # The matrices, with what a job costs itself, are left to --full.
    assert "by train" not in text
    assert "by train" in printed(interference_report(found, full=True))


def test_jobs_on_leaves_of_their_own_cost_each_other_nothing() -> None:
    apart = [f"job.{name}.placement=contiguous" for name in ("train", "shuffle")]
    found = interference(example("two_jobs", *apart))
    assert answers.of_interference(found).lines == [
        "The jobs cost each other nothing: each is as fast as alone."
    ]


def test_a_program_says_how_much_of_its_critical_path_is_contention() -> None:
    found = explaining.explain(explaining.prepared(example("two_jobs")))
    how_much, of_jobs, where, who = of_explanation(found).lines
    assert how_much == (
        "All jobs together take 255.6 µs, 57 % longer than without contention in the network "
        "(163.2 µs in mode endpoints)."
    )
    assert of_jobs == (
        "Because of the network, job shuffle takes 2.17 times as long: 165.0 µs instead of "
        "76.00 µs; job train takes 57 % longer: 255.6 µs instead of 163.2 µs."
    )
    assert where.startswith("36 % of its critical path is contention, at leaf4->spine3 (46.53 µs)")
    assert who == "Job shuffle causes all of that."
    # What is to be copied is on one line.
    assert '  --without "channel:leaf4->spine3"\n' in re.sub(
        " +\n", "\n", printed(explain_report(found))
    )


def test_a_critical_path_with_contention_at_a_nodes_link_costs_nothing_in_the_network() -> None:
    """Two messages of a node, one after the other: half of the path, and in endpoints as well."""
    matrix = [["0 B", "1 MB", "1 MB"], *([["0 B"] * 3] * 2)]
    steps = [{"all_to_all": matrix, "algorithm": "linear"}]
    ranks = [{"node": node, "repeat": 1, "steps": steps} for node in range(3)]
    star = {"topology": {"kind": "star", "nodes": 3}}
    given = {"machine": star, "workload": {"kind": "program", "process": ranks}}
    found = explaining.explain(explaining.prepared(Experiment.from_dict(given)))
    how_much, where = of_explanation(found).lines
    assert how_much.endswith(
        "Contention in the network costs nothing: it takes as long in mode endpoints."
    )
    assert where == (
        "50 % of its critical path is waiting for other messages of the sender's own node, at the "
        "link from node 0 (80.64 µs)."
    )


def beside_a_longer_job() -> Experiment:
    """Of job quick two messages share a channel; job slow ends long after it, and meets nobody."""
    jobs = {
        "quick": ([0, 1, 2, 3], [["0 s", 0, 3, "100 kB"], ["0 s", 1, 2, "100 kB"]]),
        "slow": ([4, 5], [["0 s", 0, 1, "1 MB"]]),
    }
    tables = [
        {"name": name, "nodes": nodes, "workload": {"kind": "messages", "messages": messages}}
        for name, (nodes, messages) in jobs.items()
    ]
    return Experiment.from_dict(
        {"machine": {"topology": {"kind": "mesh", "dims": [6]}}, "job": tables}
    )


def test_a_job_that_suffers_is_told_where_the_whole_takes_no_longer() -> None:
    cost = tb.cost(beside_a_longer_job())
    of_jobs, network, *_ = answers.of_cost(cost).lines
    assert re.fullmatch(
        r"Because of the network, job quick takes \d+ % longer: \S+ µs instead of \S+ µs\.", of_jobs
    )
    assert network.endswith("makes completion of all jobs no longer.")
    found = explaining.explain(explaining.prepared(beside_a_longer_job()))
    assert of_explanation(found).lines[1] == of_jobs


def test_classes_of_traffic_below_saturation_cost_latency() -> None:
    traffic = {"kind": "traffic", "traffic_class": [{"name": "a", "load": 0.3}]}
    cost = tb.cost(
        Experiment.from_dict(
            {
                "machine": {"topology": {"kind": "mesh", "dims": [3, 3]}},
                "workload": traffic,
                "run": {"duration": "200 us", "warmup": "20 us"},
            }
        )
    )
    network, ends, *_ = answers.of_cost(cost).lines
    assert "network (links shared between switches) makes message latency" in network
    assert "links of nodes (shared by messages of a node, or to it) make message lat" in ends


def over_one_link(flows: int) -> Experiment:
    """Flows of different nodes of one switch to different ones of another, with a link between."""
    messages = [["0 s", node, 8 + node, "1 MB"] for node in range(flows)]
    tree = {"kind": "xgft", "children": [8, 2], "parents": [1]}
    workload = {"kind": "messages", "messages": messages}
    return Experiment.from_dict({"machine": {"topology": tree}, "workload": workload})


def test_the_busiest_channel_is_told_where_packets_wait_for_room_behind() -> None:
    cost = tb.cost(over_one_link(4))
    network, _, where, busiest = answers.of_cost(cost).lines
    assert "4.00 times as long" in network
    assert "for the link from node 3 (24 %), the link from node 2 (24 %) and the" in where
    # The link between switches is busy from the first packet on it to the last.
    assert busiest == "The busiest is channel 0->2, 100 % of the time; those are busy at most 25 %."


def test_packets_behind_their_own_message_are_no_place_of_contention() -> None:
    lines = answers.of_cost(tb.cost(over_one_link(1))).lines
    assert len(lines) == 2
    assert all(line.endswith("completion no longer.") for line in lines)


def test_flows_begin_with_how_many_times_as_long_as_alone() -> None:
    """Four nodes send to one at once: one packet of 1 kB each, which takes T on each of two links.

    Alone they take 2 T; the first 2 T, the others 3 T, 4 T and 5 T.
    """
    sent = [["0 ns", source, 4, "1 kB"] for source in range(4)]
    switch = {"switching": "store_and_forward"}
    given = {
        "machine": {"topology": {"kind": "star", "nodes": 5}, "switch": switch},
        "workload": {"kind": "messages", "messages": sent},
        "run": {"keep_messages": True},
    }
    result = run_mode(Experiment.from_dict(given), "full")
    text = printed(flows_report(result, ("source", "destination"), 2))
    assert "4 flows: half take at least 1.50 times as long as alone." in text
    assert re.search(r"The latest is from 3 to 4: [\d.]+ ns instead of [\d.]+ ns\.", text)
    rows = [line.split() for line in text.splitlines() if " 1 kB " in line]
    assert [(row[0], row[-1]) for row in rows] == [("3", "2.500"), ("2", "2.000")]
    assert "2 more" in text
    full = printed(flows_report(result, ("source",), 9, full=True))
    assert "slowdown (latency over alone)" in full


def test_messages_of_the_senders_own_node_are_told_apart_on_a_critical_path() -> None:
    """All to all: "98 % of its critical path is contention", and it took 8 % longer than without.

    So had the bounds: without contention it would take what one message takes.
    """
    rails = {"servers": 4, "servers_per_segment": 4, "spines": 4}
    given = {
        "machine": {"preset": "dgx_superpod_like", "topology": rails},
        "workload": {"kind": "complete_exchange", "message_size": "128 kB"},
    }
    found = explaining.explain(explaining.prepared(Experiment.from_dict(given)))
    how_much, own, elsewhere, who = of_explanation(found).lines
    assert " longer than without contention in the network (" in how_much
    share, told = own.split(" of its critical path is ")
    assert told.startswith("waiting for other messages of the sender's own node, at the link from")
    assert float(share.removesuffix(" %")) > 80
    assert re.match(r"[\d.]+ % of the path is contention elsewhere, at ", elsewhere)
    # Two cables have one name, and are told once.
    names = re.findall(r"(?:at |, |and )(\S+->\S+) \(", elsewhere)
    assert names
    assert len(names) == len(set(names))
    assert who.startswith("Process ")
    low, high = bounds(found.path)
    baseline = completion_ps(found.baseline)
    assert baseline is not None
    assert 0.9 * baseline < low < high == found.path.makespan_ps


def test_failed_links_are_told_beside_two_larger_kinds() -> None:
    def kind(name: str, share: float) -> tuple[str, SimpleNamespace]:
        return name, SimpleNamespace(share=share)

    def why(*kinds: tuple[str, SimpleNamespace]) -> str:
        blame = SimpleNamespace(rest_share=0.0)
        late = SimpleNamespace(
            kinds=lambda: list(kinds), roots=lambda _: Rows((), 0, 0.0, 0.0), blame=blame
        )
        return why_and_where(late)  # type: ignore[arg-type]

    large = kind("source", 0.42), kind("network", 0.29)
    both = "42 % of it is other messages of its own node"
    more = "29 % contention in the network"
    down = "28 % links that were down, or slower, for a time"
    assert why(*large, kind("fault", 0.28)) == f"{both}, {more} and {down}."
    assert why(*large, kind("spread", 0.28)) == f"{both} and {more}."
    assert why(*large, kind("fault", 0.09)) == f"{both} and {more}."


def test_a_run_and_a_prediction_begin_with_latency_and_rate() -> None:
    given = example("torus", "workload.sync=asynchronous", 'run.duration="100 us"')
    latency, load = answers.of_run(run_mode(given, "full")).sentences
    assert re.fullmatch(r"A message takes [\d.]+ ±[\d.]+ [nµ]s on average\.", latency)
    assert load.startswith("The network accepts the offered load, ")
    alone, carries, loaded = answers.of_prediction(tb.describe(given)).lines
    assert re.match(r"A .* takes .*s on average if it meets no other, .* over one link", alone)
    assert re.match(r"The network carries .* the workload offers \d", carries)
    assert loaded.startswith("Many channels are loaded alike, such as (0, 0)->")


def test_what_minimal_routes_carry_is_no_bound_for_routing_by_load() -> None:
    """UGAL carries four times this: the sentence said the network carries at most 1,550."""
    dragonfly = {"topology": {"kind": "dragonfly"}, "routing": {"kind": "ugal_l"}}
    traffic = {"pattern": "next_group", "load": 0.4, "message_size": "1 kB"}
    given = Experiment.from_dict({"machine": dragonfly, "workload": traffic})
    carries = answers.of_prediction(tb.describe(given)).lines[2]
    assert "carries about 1,550 messages per node and ms on minimal routes;" in carries
    assert carries.endswith("Packets that leave these routes by load may make it more.")


def test_loads_of_routes_that_are_drawn_bound_nothing() -> None:
    """All uplinks are used alike, and carry 4 · 12/15 of a leaf's messages over two: 7,812 per ms.

    Of 64 routes drawn for a packet more take one than the other, which makes it less.
    """
    tree = {"kind": "xgft", "children": [4, 4], "oversubscription": [2]}
    traffic = {"preset": "uniform_open_loop", "message_size": "992 B"}
    for routing, much in (("spray", "about 7,595"), ("d_mod_k", "at most 7,812")):
        machine = {"topology": tree, "routing": {"kind": routing}}
        given = Experiment.from_dict({"machine": machine, "workload": traffic})
        carries = answers.of_prediction(tb.describe(given)).lines[2]
        assert carries.startswith(f"The network carries {much} messages per node and ms")


@pytest.mark.parametrize("command", ["cost", "blame", "explain", "interference", "describe", "run"])
def test_every_command_prints_its_head_below_the_heading(command: str) -> None:
    name = "jobs" if command == "interference" else "messages"
    done = tailback(command, str(EXAMPLES / f"{name}.toml"))
    assert done.returncode == 0, done.stderr
    heading, first, *_ = done.stdout.splitlines()
    assert "fidelity packet · seed 1" in heading
    assert re.match(r"[A-Z][a-z]* .*[a-z]", first)


def test_no_colour_where_none_is_wanted() -> None:
    coloured = "\x1b[1;33m"
    from rich.console import Console

    def shown(environment: dict[str, str]) -> str:
        console = Console(force_terminal=True, _environ={**os.environ, **environment})
        head = answers.Head(("SATURATED: much",), ("An answer.",))
        from tailback.terminal.layout import head as lines

        with console.capture() as captured:
            for line in lines(example("messages"), head):
                console.print(line)
        return captured.get()

    assert coloured in shown({"TERM": "xterm-256color", "NO_COLOR": ""})
    assert "33m" not in shown({"TERM": "xterm-256color", "NO_COLOR": "1"})


def test_a_grid_is_shaded_by_where_lateness_begins() -> None:
    """All of it at the inner link from (3, 1), and a quarter as dark at (3, 0)."""
    late = Lateness.of(run_mode(example("messages", "run.blame=true"), "full"))
    shares = shares_of_switches(late)
    assert shares.sum() == pytest.approx(1)
    assert shares[3 + 4 * 1] == pytest.approx(0.765, abs=0.001)
    grid = heat_map(late)
    assert grid is not None
    title, *rows, _ = printed(grid).splitlines()
    assert title.startswith("Where it begins, by switch: █ is 77 % of all lateness")
    assert [row.rstrip() for row in rows] == [
        "3 │        │",
        "2 │        │",
        "1 │      ██│",
        "0 │      ▓▓│",
    ]
    star = tb.blame(tb.Star(nodes=8), tb.FanIn(message_size="10 kB")).result
    assert heat_map(Lateness.of(star)) is None


def test_what_precedes_a_message_is_told_beside_its_lateness() -> None:
    """Ranks at the end of a switch have a longer way, so messages wait for those before them."""
    described: dict[str, Any] = {
        "machine": {
            "topology": {"kind": "xgft", "children": [8, 8], "parents": [4]},
            "link": {"rate": "400 Gbit/s", "delay": "100 ns"},
        },
        "workload": {"kind": "ring_allreduce", "size": "1 MB"},
        "run": {"blame": True, "keep_messages": True},
    }
    result = run_mode(Experiment.from_dict(described), "full")
    messages = result.messages
    assert messages is not None
    latency, alone = (messages[name].to_numpy().mean() for name in ("latency_ps", "alone_ps"))
    assert not messages["late_ps"].to_numpy().any()
    (told,) = remarks(result)
    assert told == (
        f"message latency in other tables is {latency / 1e3:.3g} ns: it includes "
        f"{(latency - alone) / 1e3:.3g} ns before a message is queued, for software or for its "
        "turn behind earlier ones"
    )
    # Of a share of all messages it is not known.
    sampled = {**described, "run": {**described["run"], "blame_share": 0.3}}
    (told,) = remarks(run_mode(Experiment.from_dict(sampled), "full"))
    assert told == "estimates from 30 % of all messages"
    # Of an open loop both are estimates, and of other messages.
    assert remarks(run_mode(example("torus"), "full")) == []
