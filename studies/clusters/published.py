"""The printed numbers."""

from __future__ import annotations

from studies.clusters.settings import STUDY, Network
from studies.comparison import row_of, rows

DIRECTORY = STUDY.folder / "published"

KINDS = ("min", "avg", "max", "stdev")
"""What is printed of the latencies of a program."""
_ROWS = {"Myrinet": "Myrinet", "Avici": "Avici GigE", "Ethernet": "Conventional GigE"}


def token_pass(network: Network) -> dict[str, str]:
    """Return a row of figure 13, in us."""
    [row] = (
        row for row in rows(DIRECTORY / "token_pass.csv") if row["network"] == _ROWS[network.name]
    )
    return {kind: row[f"{kind}_latency_us"] for kind in KINDS}


def throughput(network: Network) -> str:
    """Return what figure 14 says was simulated, in Mbit/s."""
    [row] = (
        row for row in rows(DIRECTORY / "throughput.csv") if row["network"] == _ROWS[network.name]
    )
    return row["simulated_throughput_Mbit_per_s"]


def latencies(program: str, network: Network, size: int) -> dict[str, str]:
    """Return a row of figure 18 (`mesh`) or 20 (`torus`), in us."""
    [row] = (
        row
        for row in rows(DIRECTORY / f"{program}.csv")
        if row["network"] == network.name and row["message_size_bytes"] == str(size)
    )
    return {kind: row[f"{kind}_latency_us"] for kind in KINDS}


def slope(program: str, network: Network) -> str:
    """Return by how much completion grows from 1024 to 2048 bytes, in us for a byte."""
    [row] = (row for row in rows(DIRECTORY / "slopes.csv") if row["network"] == network.name)
    return row[f"{program}_slope_us_per_byte"]


def fan_in_us(network: Network) -> str | None:
    """Return the largest latency of `fan_in` with 2048 bytes, where it is printed."""
    [row] = (row for row in rows(DIRECTORY / "ratio_checks.csv") if "fan_in" in row["ratio"])
    return {"Myrinet": row["numerator"], "Ethernet": row["denominator"]}.get(network.name)


def text(claim: str) -> str:
    """Return a number of the text."""
    return row_of(DIRECTORY / "text_numbers.csv", claim)["value"]
