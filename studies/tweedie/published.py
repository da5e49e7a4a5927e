"""What the thesis prints, read from `published/`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from studies import comparison
from studies.comparison import Printed
from studies.tweedie.experiment import Sync

DIRECTORY = Path(__file__).parent / "published"

RATE_PRECISION = 0.01
"""Every rate was run to ±1 % at 95 % confidence [Tweedie, section 5.4]."""

QUOTIENT_PRECISION = RATE_PRECISION * 2**0.5
"""Of a quotient of two rates."""


@dataclass(frozen=True, slots=True)
class Table:
    """A printed table with one row per compute period and one column per synchronisation."""

    file: str
    columns: dict[Sync, str]
    relative_precision: float = 0.0

    def column(self, sync: Sync) -> dict[float, Printed]:
        """Return what is printed for each compute period (us)."""
        name = self.columns[sync]
        return {
            float(row["compute_period_us"]): Printed(row[name], self.relative_precision)
            for row in rows(self.file)
        }

    @property
    def periods_us(self) -> list[float]:
        """The compute periods, in printed order."""
        return [float(row["compute_period_us"]) for row in rows(self.file)]


RATES = Table(
    "table5_1_message_rates.csv",
    {
        "loosely_synchronous": "loosely_sync_messages_per_cpu_per_ms",
        "asynchronous_blocking": "async_blocking_messages_per_cpu_per_ms",
        "asynchronous": "async_nonblocking_messages_per_cpu_per_ms",
    },
    RATE_PRECISION,
)
PERCENTAGES = Table(
    "table5_2_message_rates_pct_of_async.csv",
    {
        "loosely_synchronous": "loosely_sync_pct_of_async",
        "asynchronous_blocking": "async_blocking_pct_of_async",
    },
    QUOTIENT_PRECISION,
)
THROUGHPUT = Table(
    "table6_1_throughput.csv",
    {
        "loosely_synchronous": "globally_sync_packets_per_cpu_per_ms",
        "asynchronous_blocking": "locally_sync_packets_per_cpu_per_ms",
        "asynchronous": "asynchronous_packets_per_cpu_per_ms",
    },
    RATE_PRECISION,
)
ROUTED_LIFETIMES = Table(
    "table6_2_packet_routed_lifetime.csv",
    {
        "loosely_synchronous": "globally_sync_routed_lifetime_us",
        "asynchronous_blocking": "locally_sync_routed_lifetime_us",
        "asynchronous": "asynchronous_routed_lifetime_us",
    },
)


def rows(file: str) -> list[dict[str, str]]:
    """Return the rows of one of the files."""
    return comparison.rows(DIRECTORY / file)


def saturation_lifetimes_us() -> dict[str, Printed]:
    """Return table 5.3: mean lifetimes by the instant they are measured from, as printed."""
    return {
        row["measured_from_as_printed"]: Printed(row["lifetime_us"])
        for row in rows("table5_3_packet_lifetimes_at_saturation.csv")
    }


def text_number(claim_id: str, relative_precision: float = 0.0) -> Printed:
    """Return a number of the running text."""
    return Printed(_claim(claim_id)["value"], relative_precision)


def text_range(claim_id: str) -> tuple[float, float]:
    """Return a range of the running text."""
    row = _claim(claim_id)
    return float(row["value"]), float(row["value_max"])


def _claim(claim_id: str) -> dict[str, str]:
    return comparison.row_of(DIRECTORY / "text_numbers.csv", claim_id)
