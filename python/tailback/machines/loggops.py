"""A machine that is six numbers: the keys of ``[machine.loggops]``."""

from __future__ import annotations

from typing import Any, ClassVar

from ..parts import MaybeTimePerByte as PerByte
from ..parts import Part, SizeKey, TimeKey, key
from ..units import Size, Time, TimePerByte


class LogGops(Part):
    """What messages take where there is no network [Hoefler, Schneider & Lumsdaine 2010].

    Ranks of a trace then have nothing in each other's way but themselves. Results are those of the
    classic simulator of this model to the last tick, whose defaults these are.
    """

    section: ClassVar[str] = "machine.loggops"

    latency: TimeKey = key(
        engine="latency_ps", default=Time.parse("2500 ns"), description="L: from rank to rank."
    )
    overhead: TimeKey = key(
        engine="overhead_ps",
        default=Time.parse("1500 ns"),
        description="o: time of the CPU for each message, at either end.",
    )
    gap: TimeKey = key(
        engine="gap_ps",
        default=Time.parse("1 us"),
        description="g: from one message of an interface to the next.",
    )
    gap_per_byte: PerByte = key(
        engine="gap_per_byte_fs",
        default=TimePerByte.parse("6 ns/B"),
        description="G: the same for each byte but the first.",
    )
    overhead_per_byte: PerByte = key(
        engine="overhead_per_byte_fs",
        default=None,
        description="O: time of the CPU for each byte but the first; default: 0.",
    )
    eager_limit: SizeKey = key(
        engine="eager_bytes",
        default=Size(65535),
        description="S: longest message whose sender does not wait for its receiver.",
    )

    def spec(self) -> dict[str, Any]:
        """Return the parameters as the engine describes them."""
        return {name: value or 0 for name, value in self.engine_keys().items()}
