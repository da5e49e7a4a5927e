"""A grid of switches in shades of characters: where lateness begins."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Group, RenderableType
from rich.text import Text

from tailback.charging import NOBODY
from tailback.wording.phrases import percent

if TYPE_CHECKING:
    from tailback.answers.lateness import Lateness
    from tailback.statistics import Floats

_SHADES = " ░▒▓█"
_NOTHING = 0.001
_UNEVEN = 2.0
"""How many times the mean the largest share must be, for a picture to show something."""
_LEAST_SIDE, _MOST_COLUMNS, _MOST_ROWS = 3, 34, 34


def heat_map(late: Lateness) -> RenderableType | None:
    """Return how much lateness begins at each switch of a grid of two dimensions.

    None on other machines, and where it begins everywhere alike. Shades are by the root of the
    share, so that what is small can be seen beside the largest.
    """
    places = late.names.ends.places.get("switch")
    if places is None or len(places[0]) != 2:
        return None
    columns, rows = (max(along) + 1 for along in zip(*places, strict=True))
    if not (_LEAST_SIDE <= columns <= _MOST_COLUMNS and _LEAST_SIDE <= rows <= _MOST_ROWS):
        return None
    shares = shares_of_switches(late)
    most = float(shares.max(initial=0.0))
    if not most > _UNEVEN * float(shares.mean()):
        return None
    shade = {
        place: _shade(share, most) for place, share in zip(places, shares.tolist(), strict=True)
    }
    width = len(str(rows - 1))
    lines = [
        Text(f"{y:>{width}} │{''.join(2 * shade[x, y] for x in range(columns))}│")
        for y in reversed(range(rows))
    ]
    title = f"Where it begins, by switch: █ is {percent(most)} of all lateness"
    axis = "".join(f"{x % 10:<2}" for x in range(columns))
    return Group(Text(title, style="bold"), *lines, Text(f"{'y':>{width}}  {axis}x", style="dim"))


def _shade(share: float, most: float) -> str:
    """Return a blank for next to nothing, and the full block for the largest share."""
    if share < _NOTHING:
        return _SHADES[0]
    return _SHADES[math.ceil(math.sqrt(share / most) * (len(_SHADES) - 1))]


def shares_of_switches(late: Lateness) -> Floats:
    """Return the share of all lateness that begins at each switch.

    A channel between switches counts where it begins; a link of a node counts at its switch.
    """
    machine = late.result.experiment.machine
    homes, channels = machine.homes(), late.names.channels
    sums = late.blame.channels.by(0)
    shares = np.zeros(len(late.names.ends.places["switch"]))
    for (channel,), time_ps in zip(sums.keys.tolist(), sums.totals_ps.tolist(), strict=True):
        if channel >= NOBODY:
            continue
        kind, start, end = channels[channel]
        switch = start if kind == "internal" else homes[end if kind == "ejection" else start]
        shares[switch] += time_ps / late.blame.late_ps
    return shares
