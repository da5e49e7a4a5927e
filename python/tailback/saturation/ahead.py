"""The search on several processors: loads that may be the next are tried beforehand.

Which load is the next depends on what came of the one before. The answer is that of one load after
the other; what was tried and turns out not to be needed is left out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import count

from tailback import interrupts
from tailback.memory import ShortMemoryError
from tailback.progress import Watch, one_of
from tailback.threads import Crew, Outcome

from .bracket import Steps
from .probes import Probe, Prober, Verdict

Crews = Crew[int, Probe | None]


class Search:
    """The search for the saturation load."""

    def __init__(self, prober: Prober, steps: Steps, predicted: float | None, watch: Watch) -> None:
        """``predicted``: the load at which the network probably saturates, if it is known."""
        self._prober, self._steps, self._predicted, self._watch = prober, steps, predicted, watch
        self._known: dict[int, Outcome[int, Probe | None]] = {}
        self._numbers = count(1)

    def run(self, jobs: int) -> tuple[list[Probe], bool]:
        """Return the loads that were tried, and whether the search ended by itself."""
        probes: list[Probe] = []
        with interrupts.deferred() as interrupted, Crews(jobs, interrupted) as crew:
            while (period_ps := self._steps.next_period(probes)) is not None:
                while period_ps not in self._known and not interrupted():
                    self._go_on(crew, probes)
                if interrupted():
                    return probes, False
                probes.append(self._found(crew, period_ps))
        return probes, True

    def _go_on(self, crew: Crews, probes: Sequence[Probe]) -> None:
        """Try the next load and those that may follow it; keep the first outcome there is."""
        wanted = self._wanted(probes, crew.jobs)
        under_way = crew.under_way
        for period_ps in under_way:
            if period_ps not in wanted:
                crew.stop(period_ps)
        for period_ps in wanted:
            if crew.has_room and period_ps not in under_way:
                crew.begin(period_ps, self._task(period_ps))
        outcome = crew.wait()
        if outcome.error is not None or outcome.found is not None:
            self._known[outcome.key] = outcome

    def _found(self, crew: Crews, period_ps: int) -> Probe:
        """Return what came of a load; what ran short of memory beside others is run alone."""
        outcome = self._known[period_ps]
        if crew.jobs > 1 and isinstance(outcome.error, ShortMemoryError):
            for other in crew.under_way:
                crew.stop(other)
            while crew.under_way:
                crew.wait()
            outcome = Outcome(period_ps, self._task(period_ps)(), None)
        assert outcome.answer is not None
        return outcome.answer

    def _task(self, period_ps: int) -> Callable[[], Probe | None]:
        return partial(self._prober.probe, period_ps, self._watched)

    def _watched(self, note: str) -> AbstractContextManager[Watch]:
        return one_of(self._watch, next(self._numbers), None, note)

    def _wanted(self, probes: Sequence[Probe], most: int) -> list[int]:
        """Return the compute periods to try now: of the next load, then of those likely to follow.

        Every load may turn out to be stable or saturated; what is closer to the next one comes
        first, and of two the one on the side where the network probably saturates.
        """
        wanted: list[int] = []
        supposed: deque[Sequence[Probe]] = deque([probes])
        while supposed and len(wanted) < most:
            before = supposed.popleft()
            period_ps = self._steps.next_period(before)
            if period_ps is None:
                continue
            known = self._known.get(period_ps)
            if known is not None and known.found is not None:
                supposed.append([*before, known.found])
                continue
            if period_ps not in wanted and known is None:
                wanted.append(period_ps)
            supposed.extend([*before, probe] for probe in self._verdicts(period_ps))
        return wanted

    def _verdicts(self, period_ps: int) -> list[Probe]:
        """Return a load with both verdicts it may get, the likely one first."""
        likely = [self._prober.supposed(period_ps, v) for v in (Verdict.STABLE, Verdict.SATURATED)]
        is_beyond = self._predicted is not None and likely[0].load > self._predicted
        return likely[::-1] if is_beyond else likely
