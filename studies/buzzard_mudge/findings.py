"""All that was found, for the reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studies.buzzard_mudge.claims import FIRST_PACKET, RatioVerdict, verdicts
from studies.buzzard_mudge.collisions import Collisions
from studies.buzzard_mudge.general import CONCLUSIONS
from studies.buzzard_mudge.paired import Measured
from studies.buzzard_mudge.standstill import Standstill
from studies.buzzard_mudge.storage import Storage, storage
from studies.claims import Judgement, judged


@dataclass(frozen=True, slots=True)
class Findings:
    """All that was found."""

    measured: Measured
    verdicts: Sequence[RatioVerdict]
    """Every printed ratio; *first* are 16 data bytes."""
    literal: Sequence[RatioVerdict]
    """The same, where the first of packets is the first packet."""
    conclusions: Sequence[Judgement]
    """Those of section 3, and our answers."""
    needs: Sequence[Storage]
    collisions: Sequence[Collisions]
    standstills: Sequence[Standstill]

    @classmethod
    def of(
        cls,
        measured: Measured,
        collisions: Sequence[Collisions],
        standstills: Sequence[Standstill],
    ) -> Findings:
        """Judge what was measured."""
        return cls(
            measured,
            verdicts(measured),
            verdicts(measured, FIRST_PACKET),
            [judged(conclusion, measured) for conclusion in CONCLUSIONS],
            storage(measured.runs),
            collisions,
            standstills,
        )
