"""Two nodes without a network."""

from __future__ import annotations

from typing import Any, Literal

from .base import Machine


class Pair(Machine, init=False):
    """Two nodes joined directly, without a switch."""

    topology: Literal["pair"] = "pair"

    @property
    def shape(self) -> tuple[int, ...]:
        """Two nodes have no coordinates."""
        return ()

    @property
    def nodes(self) -> int:
        """Two."""
        return 2

    @property
    def degree(self) -> int:
        """One link."""
        return 1

    @property
    def has_internal_channels(self) -> bool:
        """No channel joins two switches: there are none."""
        return False

    def _topology_spec(self) -> dict[str, Any]:
        return {"kind": self.topology}
