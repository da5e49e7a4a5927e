"""The study of networks of clusters: what is printed, and what comes out exactly."""

from __future__ import annotations

import hashlib

import pytest

from studies.clusters import published
from studies.clusters.settings import MYRINET, NETWORKS, SIZES, Case, cases
from tailback.experiment import Experiment
from tailback.runner import run_mode

PUBLISHED = {
    "mesh.csv": "c259e13aefafe52b",
    "myrinet_parameters.csv": "dd3ad72c2b441f52",
    "ratio_checks.csv": "dccfa808b156312a",
    "slopes.csv": "d46a8116d827b43e",
    "text_numbers.csv": "d998f6cdacd9bcc6",
    "throughput.csv": "856522ab6589e35f",
    "token_pass.csv": "81af49aa705090d2",
    "token_pass_constants.csv": "7e11daeacbdf8425",
    "torus.csv": "5c4910a12c759f5e",
}
"""First digits of their SHA-256: a printed number is never edited."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_printed_numbers_are_never_edited(name: str) -> None:
    content = (published.DIRECTORY / name).read_bytes()
    assert hashlib.sha256(content).hexdigest()[:16] == PUBLISHED[name]


def test_every_printed_number_is_found() -> None:
    for network in NETWORKS:
        assert set(published.token_pass(network)) == set(published.KINDS)
        assert float(published.throughput(network)) > 900
        for program in ("mesh", "torus"):
            assert float(published.slope(program, network)) > 0
            for size in SIZES:
                row = [float(text) for text in published.latencies(program, network, size).values()]
                assert row[0] < row[1] < row[2]


def test_every_program_is_run_on_every_network_with_every_size() -> None:
    half = sum(network.counts_frames for network in NETWORKS)
    assert len(cases()) == len(NETWORKS) * (4 * len(SIZES) + 2) + half


def arrivals(*messages: tuple[int, int, int]) -> list[float]:
    """Return when messages of the hosts of a switch of Myrinet have come, in flit times."""
    rows = [["0 s", source, destination, f"{size} B"] for source, destination, size in messages]
    case = Case(MYRINET, {"kind": "messages", "messages": rows})
    found = run_mode(Experiment.from_dict(case.description), "full").messages
    assert found is not None
    return [ps / 6250 for ps in found.sort_by("message")["arrived_ps"].to_pylist()]


def test_a_host_pauses_after_the_tail_of_a_message() -> None:
    """A header, two cables of 22 and a switch of 16 flits: 61 more than bytes, and 22 between."""
    first, second = arrivals((1, 4, 512), (1, 5, 512))
    assert (first, second - first) == (512 + 61, 22 + 1 + 512)


def test_a_host_pauses_after_a_worm_that_was_stopped() -> None:
    """The second worm follows the first after 16 flits; five flits of it wait in the switch yet
    when its tail leaves the host. So the third follows it by 5 flits less than the pause.
    """
    first, second, third = arrivals((0, 4, 310), (1, 4, 500), (1, 5, 500))
    assert first == 310 + 61
    assert second == first + 16 + 1 + 500
    assert third == second + 22 - 5 + 1 + 500 == 1406
