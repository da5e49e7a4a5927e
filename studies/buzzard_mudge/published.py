"""What the paper prints, read from `published/`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from studies import comparison

DIRECTORY = Path(__file__).parent / "published"


@dataclass(frozen=True, slots=True)
class PrintedRatio:
    """A ratio to wormhole routing as section 6 states it in words."""

    claim_id: str
    scheme: str
    length: int
    metric: str
    words: str
    percent: float | None
    """None where there is no number."""
    most_percent: float | None
    """The upper end where a range is printed."""
    loads: str
    relation: str


def ratios() -> list[PrintedRatio]:
    """Return all printed ratios, in the paper's order."""
    return [
        PrintedRatio(
            row["claim_id"],
            row["scheme"],
            int(row["mean_message_length_bytes"]),
            row["metric"],
            row["claim_text"],
            _number(row["pct_of_wormhole"]),
            _number(row["pct_of_wormhole_max"]),
            row["load_range"],
            row["relation"],
        )
        for row in rows("ratios_by_load.csv")
    ]


def text_number(claim_id: str) -> float:
    """Return a number of the running text."""
    return float(comparison.row_of(DIRECTORY / "text_numbers.csv", claim_id)["value"])


def ideal_utilisations(length: int) -> list[float]:
    """Return the load of each of the nine points, heaviest first, worked out for 384 links."""
    name = "derived_ideal_link_utilization_384_directed_links"
    found = rows("load_points.csv")
    return [float(row[name]) for row in found if row["mean_message_length_bytes"] == str(length)]


def spacings_ticks(length: int) -> list[float]:
    """Return the nine mean times between messages of a node, in ticks."""
    found = rows("load_points.csv")
    name = "mean_intergeneration_time_ticks"
    return [float(row[name]) for row in found if row["mean_message_length_bytes"] == str(length)]


def rows(file: str) -> list[dict[str, str]]:
    """Return the rows of one of the files."""
    return comparison.rows(DIRECTORY / file)


def _number(text: str) -> float | None:
    return float(text) if text else None
