"""What the page says first: the answer of `blame`, or what ended the run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tailback.answers import Head, of_blame
from tailback.wording.scaling import MICROSECONDS, scaled

from .sliced import begins

if TYPE_CHECKING:
    from tailback.answers.lateness import Lateness
    from tailback.results import Result

    from .charged import Charges
    from .halted import Halted
    from .lines import Lines
    from .sliced import Sliced
    from .standing import Standing

_NAMED = 3
_OF_SOME = 2
"""Sentences about messages that came to their end before a run was cut off."""
_LATER = 0.05
"""A tailback that begins in this share of a run, or before, is there from its start."""

Known = tuple["Charges", "Sliced | None", "Standing | None", "Halted | None"]
"""What is known of a run: who is charged, its slices, its deadlock, and what it left undone."""


def head_of(result: Result, known: Known, lines: Lines) -> Head:
    """Return the first sentences of a page."""
    charges, times, standing, halted = known
    if standing is not None:
        return standing.head(lines.names)
    answer = of_blame(result)
    if halted is None:
        return _with_begin(answer, charges, lines, times)
    if result.failure is not None:
        return Head((), tuple(halted.said))
    blame = result.blame
    is_late = blame is not None and blame.has_lateness and blame.messages().sum() > 0
    late = answer.sentences[:_OF_SOME] if is_late else ()
    return replace(answer, sentences=(*halted.said, *late))


def _with_begin(head: Head, charges: Charges, lines: Lines, times: Sliced | None) -> Head:
    """Say when the tailback of the first root begins, if it is not there from the start."""
    if times is None or not charges.late_ps.any():
        return head
    root = int(charges.late_ps.argmax())
    begun = begins(times.root_ps[:, root])
    if begun is None or begun < _LATER * len(times.begin_ps):
        return head
    since = scaled(int(times.begin_ps[begun]) / 1e6, MICROSECONDS, 3)
    # Known to a slice, which may begin before the wait does.
    said = f"Packets wait because of {lines.names[root]} from about {since} on."
    return replace(head, sentences=(*head.sentences, said))


def names_in(
    late: Lateness, standing: Standing | None, halted: Halted | None, lines: Lines
) -> list[str]:
    """Return the names in the sentences that stand out."""
    if standing is not None:
        return [lines.names[line] for line in dict.fromkeys(standing.waits) if line >= 0]
    ends = [] if halted is None else [lines.names[line] for line in halted.named()]
    return [*dict.fromkeys([*ends, *_roots_named(late)])]


def _roots_named(late: Lateness) -> list[str]:
    return [row.words[0] for row in late.roots(_NAMED).shown] if late.blame.late_ps else []
