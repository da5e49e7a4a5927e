"""The runs that are timed, all with every measure on, as ``tailback run`` does it."""

from __future__ import annotations

from benches.blame import BLAME
from benches.clocked import CLOCKED
from benches.frames import FRAMES
from benches.growth import GROWTH
from benches.open_loop import MEMORY, MILLION, OPEN_LOOP
from benches.shared_wires import LARGE, SHARED_WIRES
from benches.thesis import LOCAL, SIZES, TABLE_3_1

CASES = [
    *TABLE_3_1,
    *SIZES,
    *LOCAL,
    *OPEN_LOOP,
    *SHARED_WIRES,
    *MEMORY,
    *BLAME,
    *FRAMES,
    *GROWTH,
    *CLOCKED,
    MILLION,
    LARGE,
]
