"""Where work is done: one function over many items, here or on a cluster.

    with LocalPool(jobs=2) as pool:
        for outcome in pool.run(function, items):
            ...

Items are begun in their order; outcomes come as they are ready. An exception
that the function raises, and a worker that dies, are outcomes like any other:
they stop nothing else. What an item is about is none of this package's
business.
"""

from __future__ import annotations

from .display import Display
from .local import LocalPool
from .outcome import Outcome, Pool, PoolLostError

__all__ = ["Display", "LocalPool", "Outcome", "Pool", "PoolLostError"]
