"""Where our runs and the paper differ, and what we think is behind it."""

from __future__ import annotations

_FIRST = (
    "At light loads the first 16 bytes of a message that is sent as packets are two packets, each "
    "stored at every node, and the second waits for the first; a worm's go through at once. "
    "Without any contention packets then are the slower ones, and no load light enough can make "
    "them faster. So at the lightest load the paper's numbers fit its words "
    '"first packet" better, which has 10 bytes.'
)
_BURST = (
    "Which loads are meant by heavier ones is not printed (ours: the first three). Nodes send "
    "beyond what links carry in bursts, and how far queues grow then depends on the number of "
    "messages of a run (see *What depends on choices*), which is not printed either."
)
_SOURCE = (
    "The paper explains that long messages block each other at their source. That takes messages "
    "that meet there: at light loads a node sends one long after the other, and packets begin "
    "earlier because they share links with those of other nodes. What could make them begin as "
    "late as worms there we do not know."
)
_FLAT = (
    "Where nodes are idle most of the time the ratio must come nearer to that of an empty cube, "
    "which is above 1; and in the heaviest load's burst both wait at their sources. A constant "
    "ratio over loads that differ by a factor of nine was not to be had."
)
_FOURTH = (
    "At the fourth load worms begin early enough (little more than a microsecond) that all of a "
    "message, which takes that long to be sent at all, cannot be there by then."
)
_HEADERS = (
    "Packets of 20 bytes with 16 of data reach 80 % of the bandwidth of worms at best; ours lose "
    "less of it to others than the paper's."
)

_REASONS: dict[str, str] = {
    "002-R01": "At some loads packets are better here than printed, by at most as much as *off* "
    "says.",
    "002-R02": _FIRST,
    "002-R03": _BURST,
    "002-R05": _SOURCE,
    "002-R07": "",
    "002-R08": _FIRST,
    "002-R11": _FOURTH,
    "002-R12": _FLAT,
    "002-R13": _BURST,
    "002-R14": _HEADERS,
}


def reason(claim_id: str) -> str:
    """Return why a printed ratio may not hold here; empty if there is nothing to say."""
    return _REASONS.get(claim_id, "")
