"""How long a program takes, how much of that is contention, and who causes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tailback.critical_path import ALL_PART_WORDS, ELSEWHERE, FAULT
from tailback.explaining.facts import completion_ps, waits_by_link
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
from .of_jobs import of_contention
from .places import channel_text
from .status import Head, status

if TYPE_CHECKING:
    from tailback.critical_path import CriticalPath
    from tailback.explaining import Explanation

_SMALL = 0.01


def of_explanation(explanation: Explanation) -> Head:
    """Return the head of the critical path of a program."""
    result = explanation.result
    told = (
        _takes(explanation),
        *_of_jobs(explanation),
        *_of_faults(explanation),
        *_where(explanation),
        *_who(explanation),
    )
    return Head(status({result.mode: result}), told)


def _takes(explanation: Explanation) -> str:
    """Return how long the program takes, and how much longer because of contention."""
    path, experiment = explanation.path, explanation.result.experiment
    without = completion_ps(explanation.baseline)
    jobs = experiment.jobs
    who_takes = "All jobs together take" if jobs else "The program takes"
    line = f"{who_takes} {time_text(path.makespan_ps)}"
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
        as_long = "they take" if jobs else "it takes"
        return f"{line}. {costs}: {as_long} as long {mode}."
    if path.makespan_ps < without or not without:
        # It restricts what the other mode does not, see `verdict`.
        return f"{line}, and {baseline}, where messages come in another order."
    times = Estimate.exact(path.makespan_ps / without)
    where = " in the network" if experiment.run.baseline == "endpoints" else ""
    more = compared(times, experiment.run.confidence, f"without contention{where}{faults}")
    return f"{line}, {more} ({baseline})."


def _of_jobs(explanation: Explanation) -> list[str]:
    """Return the jobs that suffer: beside a longer one they do not show in the whole."""
    baseline = explanation.baseline
    return [] if baseline is None else of_contention(explanation.result, baseline)


def _of_faults(explanation: Explanation) -> list[str]:
    """Return the share of the critical path that waits for links that were down, or slower."""
    path, names = explanation.path, Names.of(explanation.result)
    time_ps = sum(share.time_ps for share in path.by(parts=(FAULT,)))
    if not time_ps or time_ps < NEXT_TO_NONE * path.makespan_ps:
        return []
    share = percent(time_ps / path.makespan_ps)
    where = _at(path, names, (FAULT,))
    return [f"{share} of its critical path waits for failed or slow links{where}."]


def _where(explanation: Explanation) -> list[str]:
    """Return how much of the critical path waits for messages of others, and at which channels.

    Messages of the sender's own node are told apart: behind them, a message waits for the
    bandwidth of its own link.
    """
    path, names = explanation.path, Names.of(explanation.result)
    makespan = path.makespan_ps
    least = NEXT_TO_NONE * makespan
    if not makespan or path.contention_ps < least:
        parts = path.by("part")
        if not parts:
            return ["Nothing is on its critical path."]
        largest, share = parts[0].key[0], percent(parts[0].time_ps / (makespan or 1))
        return [
            f"Nothing on its critical path waits for others; {share} is {ALL_PART_WORDS[largest]}."
        ]
    others_ps = path.elsewhere_ps
    own_ps = path.contention_ps - others_ps
    told = []
    if own_ps >= max(least, _SMALL * path.contention_ps):
        share = all_or_percent(own_ps / makespan)
        own = f"{share} of its critical path is waiting for other messages of the sender's own node"
        told.append(sentence(f"{own}{_at(path, names, ('source',))}"))
    if others_ps >= least:
        share = percent(others_ps / makespan)
        what = "the path is contention elsewhere" if told else "its critical path is contention"
        told.append(sentence(f"{share} of {what}{_at(path, names, ELSEWHERE)}"))
    return told


def _at(path: CriticalPath, names: Names, parts: Sequence[str]) -> str:
    """Return `, at …` for the channels at which most of some parts of the path was."""
    links = [(c, time) for c, time in waits_by_link(path, names, parts) if c is not None]
    whole = sum(time for _, time in links)
    shown = [(c, time) for c, time in links[:MOST] if time >= _SMALL * whole]
    if not shown:
        return ""
    named = [f"{channel_text(names.channel(c))} ({time_text(time)})" for c, time in shown]
    more = len(links) - len(shown)
    others = f", and at {counted(more, 'more channel')}" if more else ""
    return f", at {listed(named)}{others}"


def _who(explanation: Explanation) -> list[str]:
    """Return whose messages were there: classes of traffic where they are known, or processes.

    But at the sender's own link, where they are messages of its node: `_where` tells of these.
    """
    path, result = explanation.path, explanation.result
    names = Names.of(result)
    by_class = result.blame is not None and names.classes in {"job", "class"}
    column = "culprit" if by_class else "culprit_process"
    whole = path.elsewhere_ps
    if not whole or whole < NEXT_TO_NONE * path.makespan_ps:
        return []
    shares: list[tuple[str, float]] = [
        (who(names, names.traffic(share.key[0])) if by_class else f"process {share.key[0]}", part)
        for share in path.by(column, parts=ELSEWHERE)
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
