"""File formats of timelines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from tailback.errors import UserError

from . import chrome, perfetto
from .model import Timeline

#: Encoders by file name suffix.
FORMATS: dict[str, Callable[[Timeline], Iterator[bytes]]] = {
    ".pftrace": perfetto.packets,
    ".json": chrome.lines,
}


def content(timeline: Timeline, path: Path) -> bytes:
    """Return the content of the file ``path``, whose suffix is one of `FORMATS`.

    Raises `UserError` if it would be larger than viewers can show.
    """
    if path.suffix == ".json" and timeline.events > chrome.MOST_EVENTS:
        allowed = (
            f"would have {timeline.events} events, and {chrome.MOST_EVENTS} at most are possible: "
            "choose a part with --from, --to or --processes, or write .pftrace"
        )
        raise UserError("--out", str(path), allowed)
    return b"".join(FORMATS[path.suffix](timeline))
