"""How long a program takes, how much of that is contention, and who causes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailback.critical_path import ALL_PART_WORDS, CONTENTION, FAULT
from tailback.explaining.facts import completion_ps
from tailback.results.names import Names
from tailback.statistics import Estimate
from tailback.units import counted
from tailback.wording.phrases import (
    NEXT_TO_NONE,
    all_or_percent,
    compared,
    listed,
    percent,
    sentence,
)
from tailback.wording.scaling import MICROSECONDS, scaled

from .of_blame import MOST, who
from .places import channel_text
from .status import Head, status

if TYPE_CHECKING:
    from tailback.explaining import Explanation

_SMALL = 0.01


def of_explanation(explanation: Explanation) -> Head:
    """Return the head of the critical path of a program."""
    result = explanation.result
    told = (
        _takes(explanation),
        *_of_faults(explanation),
        _where(explanation),
        *_who(explanation),
    )
    return Head(status({result.mode: result}), told)


def _takes(explanation: Explanation) -> str:
    """Return how long the program takes, and how much longer because of contention."""
    path, experiment = explanation.path, explanation.result.experiment
    without = completion_ps(explanation.baseline)
    line = f"The program takes {time_text(path.makespan_ps)}"
    # Faults are in mode full alone.
    faults = " and faults" if experiment.faults else ""
    if without is None:
        return f"{line}."
    mode = f"in mode {experiment.run.baseline}"
    baseline = f"{time_text(without)} {mode}"
    if path.makespan_ps == without:
        # Nodes' own links are shared in mode endpoints, too, and may be on the critical path.
        where = " in the network" if experiment.run.baseline == "endpoints" else ""
        costs = f"Contention{where}{faults} cost{'' if faults else 's'} nothing"
        return f"{line}. {costs}: it takes as long {mode}."
    if path.makespan_ps < without or not without:
        # It restricts what the other mode does not, see `verdict`.
        return f"{line}, and {baseline}, where messages come in another order."
    times = Estimate.exact(path.makespan_ps / without)
    more = compared(times, experiment.run.confidence, f"without contention{faults}")
    return f"{line}, {more} ({baseline})."


def _of_faults(explanation: Explanation) -> list[str]:
    """Return the share of the critical path that waits for links that were down, or slower."""
    path, names = explanation.path, Names.of(explanation.result)
    channels = path.by("channel", parts=[FAULT])
    time_ps = sum(share.time_ps for share in channels)
    if not time_ps or time_ps < NEXT_TO_NONE * path.makespan_ps:
        return []
    told = (
        f"{percent(time_ps / path.makespan_ps)} of its critical path waits for failed or slow links"
    )
    known = [share for share in channels if share.key[0] is not None][:MOST]
    named = [f"{channel_text(names.channel(c.key[0]))} ({time_text(c.time_ps)})" for c in known]
    return [sentence(f"{told}, at {listed(named)}" if named else told)]


def _where(explanation: Explanation) -> str:
    """Return the share of contention on the critical path, and at which channels it was."""
    path, names = explanation.path, Names.of(explanation.result)
    makespan = path.makespan_ps
    if not makespan or path.contention_ps < NEXT_TO_NONE * makespan:
        parts = path.by("part")
        if not parts:
            return "Nothing is on its critical path."
        largest, share = parts[0].key[0], percent(parts[0].time_ps / (makespan or 1))
        return (
            f"Nothing on its critical path waits for others; {share} is {ALL_PART_WORDS[largest]}."
        )
    channels = [c for c in path.by("channel", parts=CONTENTION) if c.key[0] is not None]
    shown = [c for c in channels[:MOST] if c.time_ps >= _SMALL * path.contention_ps]
    told = f"{percent(path.contention_ps / makespan)} of its critical path is contention"
    if not shown:
        return sentence(told)
    named = [f"{channel_text(names.channel(c.key[0]))} ({time_text(c.time_ps)})" for c in shown]
    more = len(channels) - len(shown)
    others = f", and at {counted(more, 'more channel')}" if more else ""
    return sentence(f"{told}, at {listed(named)}{others}")


def _who(explanation: Explanation) -> list[str]:
    """Return whose messages were there: classes of traffic where they are known, or processes."""
    path, result = explanation.path, explanation.result
    names = Names.of(result)
    by_class = result.blame is not None and names.classes in {"job", "class"}
    column = "culprit" if by_class else "culprit_process"
    whole = path.contention_ps
    if not whole or whole < NEXT_TO_NONE * path.makespan_ps:
        return []
    shares: list[tuple[str, float]] = [
        (who(names, names.traffic(share.key[0])) if by_class else f"process {share.key[0]}", part)
        for share in path.by(column, parts=CONTENTION)
        if share.key[0] is not None and (part := share.time_ps / whole) >= _SMALL
    ]
    if not shares:
        return []
    (first, share), *others = shares[:MOST]
    told = [
        f"{first} causes {all_or_percent(share)} of that",
        *(f"{one} {percent(its)}" for one, its in others),
    ]
    return [sentence(listed(told))]


def time_text(time_ps: int) -> str:
    """Return a time in four digits, in a unit that suits it."""
    return scaled(time_ps / 1e6, MICROSECONDS, 4)
