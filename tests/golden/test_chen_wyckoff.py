"""The formulas of figure 2 of [Chen & Wyckoff], against counting.

What they count, found by counting:

* Averages are over all n destinations, oneself included.
* The distance is in links between switches for tori and hypercube, and in channels,
  those from and to nodes included, for Benes, crossbar and butterfly.
* The load is that of the most loaded channel if every node sends one message, to all
  destinations alike and over all minimal paths alike.
* Path diversity is the number of minimal paths over the average distance in every
  dimension, not the average number of paths.

Two rows differ from the usual networks of their names:

* Hypercube: the path diversity printed repeats the average distance, log2(n)/2; there are
  (log2(n)/2)! paths. The two agree up to n = 16. A factorial sign was probably lost.
* Benes: 2 log_k(n) + 1 channels and n paths are those of two butterflies back to back. A
  Benes network has their two middle stages in one: 2 log_k(n) channels, n/k paths.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable
from itertools import product
from math import comb, factorial, log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tailback import engine

FILE = Path(__file__).parent / "chen_wyckoff" / "figure2_topology_formulae.csv"
DIGITS = "0beb3c5606c5a7cd"
ROWS = {row["topology"]: row for row in csv.DictReader(FILE.read_text().splitlines())}


class Counted:
    """Distances, minimal paths and loads of one network, for all pairs of nodes."""

    def __init__(self, topology: dict[str, Any]) -> None:
        self.survey = engine.survey(json.dumps(topology), 1, 10**9)
        links = list(
            zip(self.survey["link_from"].tolist(), self.survey["link_to"].tolist(), strict=True)
        )
        switches = self.survey["switches"]
        self.distance = np.full((switches, switches), np.inf)
        self.paths = np.zeros((switches, switches))
        ahead: list[list[int]] = [[] for _ in range(switches)]
        for source, destination in links:
            ahead[source].append(destination)
        for start in range(switches):
            self._search(start, ahead)
        self.ends = (self.survey["node_enters"], self.survey["node_leaves"])
        self.nodes = len(self.ends[0])
        between = np.ix_(*self.ends)
        self.node_distance, self.node_paths = self.distance[between], self.paths[between]
        self.loads = [self._load(*link) for link in links]

    def _search(self, start: int, ahead: list[list[int]]) -> None:
        distance, paths = self.distance[start], self.paths[start]
        distance[start], paths[start] = 0, 1
        front = [start]
        while front:
            further = []
            for switch in front:
                for other in ahead[switch]:
                    if distance[other] == np.inf:
                        distance[other] = distance[switch] + 1
                        further.append(other)
                    if distance[other] == distance[switch] + 1:
                        paths[other] += paths[switch]
            front = further

    def _load(self, source: int, destination: int) -> float:
        """Messages over a link, if every node sends one, a part of it to everybody."""
        enters, leaves = self.ends
        before, after = self.distance[enters, source], self.distance[destination, leaves]
        on_the_way = before[:, None] + 1 + after[None, :] == self.node_distance
        ways = self.paths[enters, source][:, None] * self.paths[destination, leaves][None, :]
        return float((on_the_way * ways / self.node_paths).sum() / self.nodes)

    @property
    def links(self) -> float:
        """Mean distance in links between switches, to all nodes and oneself."""
        return float(self.node_distance.mean())

    @property
    def channels(self) -> float:
        """The same in channels, those from and to nodes included."""
        return self.links + 2


def test_the_published_formulas_are_never_edited() -> None:
    assert hashlib.sha256(FILE.read_bytes()).hexdigest().startswith(DIGITS)
    assert list(ROWS) == ["2-D torus", "3-D torus", "Hypercube", "Benes", "Crossbar", "Butterfly"]


def printed(topology: str) -> tuple[str, str, str]:
    row = ROWS[topology]
    return (
        row["D_avg_hops_formula_as_printed"],
        row["gamma_max_formula_as_printed"],
        row["path_diversity_formula_as_printed"],
    )


@pytest.mark.parametrize("side", [4, 8])
def test_torus_of_two_dimensions(side: int) -> None:
    assert printed("2-D torus") == (
        "(1/2) sqrt(n)",
        "(1/8) sqrt(n)",
        "binom(sqrt(n)/2, sqrt(n)/4)",
    )
    torus = Counted({"kind": "torus", "dims": [side, side]})
    assert torus.links == side / 2
    assert torus.loads == pytest.approx([side / 8] * len(torus.loads))
    average = side // 4 * (1 + side)  # as far as on average, in both dimensions
    assert torus.node_paths[0, average] == comb(side // 2, side // 4)


def test_torus_of_three_dimensions() -> None:
    assert printed("3-D torus") == (
        "(3/4) n^(1/3)",
        "(1/8) n^(1/3)",
        "binom(3n^(1/3)/4, n^(1/3)/2) binom(n^(1/3)/2, n^(1/3)/4)",
    )
    torus = Counted({"kind": "torus", "dims": [4, 4, 4]})
    assert torus.links == 3 / 4 * 4
    assert torus.loads == pytest.approx([4 / 8] * len(torus.loads))
    assert torus.node_paths[0, 1 + 4 + 16] == comb(3, 2) * comb(2, 1)


@pytest.mark.parametrize("dimensions", [2, 4, 6])
def test_hypercube(dimensions: int) -> None:
    assert printed("Hypercube") == ("log2(n)/2", "1/2", "log2(n)/2")
    cube = Counted({"kind": "hypercube", "dimensions": dimensions})
    assert cube.links == log2(cube.nodes) / 2
    assert cube.loads == pytest.approx([1 / 2] * len(cube.loads))
    half = dimensions // 2
    paths = cube.node_paths[0, 2**half - 1]
    assert paths == factorial(half)
    # As printed it is right up to n = 16 only: see above.
    assert (paths == log2(cube.nodes) / 2) == (cube.nodes <= 16)


def test_crossbar() -> None:
    assert printed("Crossbar") == ("2", "1", "1")
    star = Counted({"kind": "star", "nodes": 8})
    # No links between switches: the channels of nodes carry what these send and receive.
    assert (star.channels, star.loads) == (2, [])
    assert (star.node_paths == 1).all()


@pytest.mark.parametrize(("arity", "stages"), [(2, 3), (2, 5), (4, 2), (3, 3)])
def test_butterfly(arity: int, stages: int) -> None:
    assert printed("Butterfly") == ("log_k(n) + 1", "1", "1")
    fly = Counted({"kind": "butterfly", "arity": arity, "stages": stages})
    assert fly.nodes == arity**stages
    assert fly.channels == stages + 1
    assert fly.loads == pytest.approx([1] * len(fly.loads))
    assert (fly.node_paths == 1).all()


def back_to_back(arity: int, stages: int, merged: bool) -> dict[str, Any]:
    """Two butterflies, the second mirrored; `merged`: their middle stages are one."""
    words = list(product(range(arity), repeat=stages - 1))
    # The digit that each stage sets, there and back.
    there = list(range(stages - 1))
    if merged:
        changes: list[int | None] = [*there, *reversed(there)]
    else:
        changes = [*there, None, *reversed(there)]
    number = {word: i for i, word in enumerate(words)}
    links = []
    for stage, digit in enumerate(changes):
        for word in words:
            for output in range(arity):
                # Between the halves all outputs of a switch lead to its mirror image.
                to = word if digit is None else (*word[:digit], output, *word[digit + 1 :])
                ends = (stage * len(words) + number[word], (stage + 1) * len(words) + number[to])
                links.append({"from": ends[0], "to": ends[1]})
    nodes = [number[word] for word in words for _ in range(arity)]
    last = len(changes) * len(words)
    return {
        "kind": "graph",
        "switches": (len(changes) + 1) * len(words),
        "links": links,
        "nodes": nodes,
        "leaves": [last + switch for switch in nodes],
    }


@pytest.mark.parametrize(("arity", "stages"), [(2, 3), (2, 4), (4, 2), (3, 3)])
def test_benes(arity: int, stages: int) -> None:
    assert printed("Benes") == ("2 log_k(n) + 1", "1", "n")
    as_printed: Callable[[int], int] = lambda log: 2 * log + 1  # noqa: E731
    benes = Counted(back_to_back(arity, stages, merged=True))
    assert benes.survey["switches"] == (2 * stages - 1) * arity ** (stages - 1)
    assert benes.channels == as_printed(stages) - 1
    assert benes.loads == pytest.approx([1] * len(benes.loads))
    assert (benes.node_paths == benes.nodes / arity).all()
    two = Counted(back_to_back(arity, stages, merged=False))
    assert two.channels == as_printed(stages)
    assert two.loads == pytest.approx([1] * len(two.loads))
    assert (two.node_paths == two.nodes).all()
