"""The chart of process activities as a section of a page."""

from __future__ import annotations

from tailback.figures.bars import MOST_LINES, gantt
from tailback.recording import Recording, Window

from .content import Figure, Page, Section

_CAPTION = (
    "Every bar is a stretch of time in which a process does one thing, or waits; what waits are "
    "put down to is said in docs/critical-path.md. The line is the critical path. Stretches that "
    "are closer than a two-thousandth of the chart are drawn as one."
)


#: Charts on pages show as many processes as can be distinguished.
DRAWN = Window(last=MOST_LINES - 1)


def section(recorded: Recording) -> Section:
    """Return the section with the chart of the first processes of a run."""
    slices, tracks = recorded.timeline.slices[0], recorded.timeline.tracks
    names = [track.name for track in tracks if track.is_process]
    caption = _CAPTION
    if len(names) > MOST_LINES:
        caption += f" Drawn are the first {MOST_LINES} of {len(names)} processes."
    drawn = gantt(slices, names, recorded.path)
    return Section("Timeline", (Figure("timeline", "What processes did when", drawn, caption),))


def page(recorded: Recording, title: str) -> Page:
    """Return a page with the chart only."""
    return Page(title, (), (section(recorded),))
