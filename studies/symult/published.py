"""The printed numbers."""

from __future__ import annotations

from studies.comparison import rows
from studies.symult.settings import STUDY

DIRECTORY = STUDY.folder / "published"

_SIZE = "message_length_bytes_as_printed"
_TIMES = {
    "AB_1NN": "AB_1NN_comm_time_per_loop_t1_ms",
    "AA_1NN": "AA_1NN_comm_time_per_loop_t2_ms",
    "AB_4NN": "AB_4NN_comm_time_per_loop_t3_ms",
    "AA_4NN": "AA_4NN_comm_time_per_loop_t4_ms",
}


def sizes() -> list[int]:
    """Return the lengths of messages of figure 12."""
    return [int(row[_SIZE]) for row in rows(DIRECTORY / "near_neighbours.csv")]


def near_neighbours(pattern: str, size: int) -> str:
    """Return a communication time of figure 12 in ms, as printed."""
    [row] = (r for r in rows(DIRECTORY / "near_neighbours.csv") if int(r[_SIZE]) == size)
    return row[_TIMES[pattern]]


def law() -> list[tuple[float, float]]:
    """Return alpha in us and beta in us per byte: of messages of one packet, and of longer ones."""
    return [
        (float(row["alpha_us"]), float(row["beta_us_per_byte"]))
        for row in rows(DIRECTORY / "latency_law.csv")
    ]


def transpose_us() -> dict[int, float]:
    """Return the loop times of figure 8 in us, by node."""
    return {
        8 * int(row["row_i"]) + int(row["column_j"]): 1000 * float(row["average_loop_time_ms"])
        for row in rows(DIRECTORY / "matrix_transpose.csv")
        if row["average_loop_time_ms"]
    }
