"""The study of networks of clusters: what is printed, and what comes out exactly."""

from __future__ import annotations

import hashlib

import pytest

from studies.clusters import published
from studies.clusters.settings import NETWORKS, SIZES, cases

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
