"""How many random cases are tried in Python; the engine has its own share of them."""

from __future__ import annotations

import os

#: One of so many cases is tried every day.
_EVERY_DAY = 5


def random_cases(every: int) -> int:
    """Return so many times `every` as `TAILBACK_CASES` says, else a few of them."""
    times = os.environ.get("TAILBACK_CASES")
    return -(-every // _EVERY_DAY) if times is None else every * int(times)
