"""Reports as Markdown: tables, numbers, notes, claims, and the file with all of it."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import tailback as tb
from studies.claims import Judgement, Wording
from studies.comparison import Comparison
from studies.machine import machine
from tailback.files import write_durably
from tailback.statistics import MIN_BATCHES


class Notes:
    """Explanations below a table, each with a letter."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def difference(self, comparison: Comparison) -> str:
        """Return the relative difference, marked.

        In bold: beyond the bound. With a letter: beyond the intervals, see
        the note.
        """
        text = percent(comparison.relative)
        if not comparison.within:
            text = f"**{text}**"
        return text if comparison.agrees else f"{text} {self.letter(comparison.note)}"

    def letter(self, note: str) -> str:
        """Return the letter of a note in parentheses."""
        return f"({self._letters.setdefault(note, chr(ord('a') + len(self._letters)))})"

    def __str__(self) -> str:
        return "\n".join(f"- ({letter}) {note}" for note, letter in self._letters.items())


def comparison_table(comparisons: Iterable[Comparison], notes: Notes) -> str:
    """Return one row per comparison."""
    lines = [
        [c.place, c.printed.text, number(c.simulated), notes.difference(c)] for c in comparisons
    ]
    return table(["", "printed", "simulated", "difference"], lines)


def table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table; all columns but the first are aligned to the right."""
    aligned = [":--", *["--:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, aligned, *lines])


def claims_table(judgements: Iterable[Judgement], wording: Wording) -> str:
    """Return one row per claim, bold where our runs say otherwise, and the notes below."""
    notes = Notes()
    lines = []
    for judgement in judgements:
        claim, verdict = judgement.claim, wording.verdict(judgement.verdict)
        if judgement.differs:
            verdict = f"**{verdict}**"
        if judgement.note:
            verdict = f"{verdict} {notes.letter(judgement.note)}"
        words = wording.words(claim.words)
        if wording.cited and claim.source:
            words = f"{words} {wording.cited.format(claim.source)}"
        printed = [judgement.printed] if wording.printed else []
        lines.append([words, *printed, judgement.found, verdict])
    printed = ["printed"] if wording.printed else []
    return paragraphs(table([wording.claims, *printed, "found", "verdict"], lines), notes)


def number(estimate: tb.Estimate) -> str:
    """Return value ± half-width, or mean (lowest to highest) of seeds; four digits at most."""
    value, low, high = estimate.value, estimate.low, estimate.high
    decimals = _decimals(value, estimate.half_width)
    text = f"{value:.{decimals}f}"
    if not estimate.half_width >= 0.5 * 10.0**-decimals:
        return text
    if estimate.batches < MIN_BATCHES:
        return f"{text} ({low:.{decimals}f} to {high:.{decimals}f})"
    return f"{text} ± {estimate.half_width:.{decimals}f}"


def percent(share: float) -> str:
    """Return a signed percentage."""
    return f"{100 * share:+.1f} %"


def paragraphs(*blocks: object) -> str:
    """Return the blocks that say something, with an empty line between them."""
    return "\n\n".join(text for block in blocks if (text := str(block).strip()))


def written_by(command: str) -> str:
    """Return what stands at the beginning of a report: made by what, when and where."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    return f"Written by `{command}` with Tailback {tb.__version__} on {now}; {machine()}"


def write(path: Path, *blocks: object) -> None:
    """Write a report: the blocks that say something, in the order given."""
    write_durably(path, f"{paragraphs(*blocks)}\n".encode())


def _decimals(value: float, half: float) -> int:
    """Return how many decimals show `half` with one digit, two if it begins with 1."""
    four_digits = 3 - math.floor(math.log10(abs(value))) if value else 3
    if not half > 0:
        return max(four_digits, 0)
    decimals = -math.floor(math.log10(half))
    if half * 10**decimals < 2:
        decimals += 1
    return max(min(decimals, four_digits), 0)
