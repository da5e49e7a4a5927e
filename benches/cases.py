"""The runs that are timed, all with every measure on, as ``tailback run`` does it."""

from __future__ import annotations

from benches.blame import BLAME
from benches.open_loop import MEMORY, MILLION, OPEN_LOOP
from benches.thesis import LOCAL, SIZES, TABLE_3_1

CASES = [*TABLE_3_1, *SIZES, *LOCAL, *OPEN_LOOP, *MEMORY, *BLAME, MILLION]
