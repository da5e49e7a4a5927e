"""Many experiments: `sweep`."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path

from tailback.execution import LocalPool, Pool
from tailback.store.points import PointStore
from tailback.sweeps import Sweep
from tailback.sweeps.running import SweepRun


def sweep(
    what: Sweep | str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    pool: Pool | None = None,
    progress: bool = False,
) -> PointStore:
    """Run all points of a sweep, or of the file of one, and return the folder of results.

    What `out` holds already is kept. `pool` does the work: by default
    a `LocalPool` of one process per processor (a program that calls this needs
    `if __name__ == "__main__":` around it, as with any new processes). Points
    that fail are in `failures()` of the store. Raises `UserError` for mistakes in the file, and
    `KeyboardInterrupt` on Ctrl-C: the same call then goes on from there.
    """
    asked = what if isinstance(what, Sweep) else Sweep.load(Path(what))
    run = SweepRun(asked, Path(out), "out")
    with LocalPool() if pool is None else nullcontext(pool) as workers:
        run.run(workers, progress=progress)
    return run.store
