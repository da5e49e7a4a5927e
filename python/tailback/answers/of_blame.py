"""How late messages are, where it begins, and who makes them late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailback.charging import KIND_WORDS
from tailback.results.names import Names
from tailback.units import counted
from tailback.wording.phrases import NEARLY_ALL, all_or_percent, listed, percent, sentence

from .lateness import HALF, MUCH, SMALL, Lateness, Rows, lateness_text
from .places import channel_text
from .status import Head, status

if TYPE_CHECKING:
    from tailback.results import Result

MOST = 3
"""Channels, and pairs of classes, that a sentence names."""

_FEW = 4
"""A part of all channels is told if there are so many times as many."""


def of_blame(result: Result) -> Head:
    """Return the head of what made messages late in one run, which needs `run.blame`."""
    late = Lateness.of(result)
    told = [sentence(lateness_text(late.blame, late.confidence))]
    if len(late.blame.pairs.keys):
        told += [why_and_where(late), *who_sentences(late)]
    return Head(status({result.mode: result}), tuple(told))


def why_and_where(late: Lateness) -> str:
    """Return of which kind lateness is, and at which channels it begins."""
    much = [known for known in late.kinds() if known[1].share >= MUCH]
    # Faults are told as third, too: who looks for what they cost must not take them for contention.
    (kind, charged), *others = much[:2] + [known for known in much[2:] if known[0] == "fault"]
    told = [f"{all_or_percent(charged.share)} of it is {KIND_WORDS[kind]}"]
    told += [f"{percent(c.share)} {KIND_WORDS[kind]}" for kind, c in others]
    where = where_text("it", late.roots(MOST), late.blame.rest_share)
    return sentence("; ".join(part for part in (listed(told), where) if part))


def where_text(subject: str, roots: Rows, rest: float = 0.0) -> str:
    """Return `it begins mostly at …` of a subject for the first roots; nothing without any.

    Mostly is half of it or more. Where a `rest` is not broken down by channel, shares are of what
    is.
    """
    told = 1 - rest if rest >= SMALL else 1.0
    begins = (subject if told == 1 else f"the {percent(told)} broken down by channel") + " begins"
    together = sum(root.share for root in roots.shown) / told
    count = len(roots.shown) + roots.others
    if together < MUCH:
        none = f", none with more than {percent(roots.largest / told)}"
        if roots.half and _FEW * roots.half <= count:
            none = f", half of it at {roots.half} of them{none}"
        return f"{begins} at {counted(count, 'channel')}{none}" if count else ""
    named = [
        f"{channel_text(root.words[0])} ({percent(root.share / told)})" for root in roots.shown
    ]
    most = "mostly " if together >= HALF else "most of all "
    return f"{begins} {'' if together >= NEARLY_ALL else most}at {listed(named)}"


def who_sentences(late: Lateness) -> list[str]:
    """Return who makes messages late, in at most one sentence."""
    rows, own = late.culprits(MOST), own_text(late)
    if late.groups.are_classes:
        parts = [part for part in (own, _pairs_text(late, rows)) if part]
        return [sentence("; ".join(parts))] if parts else []
    worst = late.worst_class()
    if worst is None:
        return []
    if worst.share >= MUCH:
        return [f"{_upper(who(late.names, worst.words[0]))} causes {percent(worst.share)} of it."]
    if late.stands_out and rows.shown:
        [group] = rows.shown[0].words
        return [f"Nodes of {group} cause {percent(rows.shown[0].share)} of it."]
    return [f"No {late.names.classes} stands out: none causes more than {percent(worst.share)}."]


def own_text(late: Lateness, whole: str = "it") -> str:
    """Return the share of `whole` that classes owe to their own messages; nothing if small."""
    share = late.blame.own_share
    if not share >= SMALL or len(late.groups.names) < 2:
        return ""
    return (
        f"{all_or_percent(share)} of {whole} is caused by messages of the same {late.names.classes}"
    )


def _pairs_text(late: Lateness, rows: Rows) -> str:
    told: list[str] = []
    for row in rows.shown:
        culprit, victim = (who(late.names, word) for word in row.words)
        verb, of = ("", "that") if told else (" causes", "the lateness")
        told.append(f"{culprit}{verb} {all_or_percent(row.share)} of {of} of {victim}")
    return ", ".join(told)


def who(names: Names, traffic: str) -> str:
    """Return `job train`, `node (3, 4)`, `process 7`."""
    return f"{names.classes} {traffic}" if names.classes in {"job", "node"} else traffic


def _upper(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
